"""Content is in one table, or nowhere; deleted content is gone; files are their owner's."""

import os
import sqlite3
import stat

import pytest
from entries import delivery, entry, score

from collector.ledger import Ledger
from collector.ledger.files import private_directory

# In every place that can hold what people or tools wrote.
SECRET = "Zanzibar Quokka"
ADDRESS = "quokka@zanzibar.example"
WRITTEN = {
    "request": f"About {SECRET}?",
    "reply": f"It is {SECRET}.",
    "deliveries": [
        delivery(
            tool=SECRET,
            call_id=f"call {SECRET}",
            fields={ADDRESS: (1, 1), SECRET: (1, 1), "4915123456789": (0, 1), "name": (1, 1)},
            reason=f"Refused: {SECRET}",
        )
    ],
    "scores": [
        score(
            explanation=f"unknown: {SECRET}",
            reason=f"where {SECRET} comes from",
            label=SECRET,
            evidence={
                "gaps": [{"span": SECRET, "category": "coined", "start": 4, "type": SECRET}],
                SECRET: {ADDRESS: [SECRET, 3]},
                "reason": SECRET,
            },
        )
    ],
}


def everything(folder):
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


def holds_secret(data):
    return any(word.encode() in data for word in ("Zanzibar", "Quokka", "quokka", "491512345"))


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/data/ledger.db"


def test_without_texts_no_file_holds_any(url, tmp_path):
    ledger = Ledger(url, keep_text=False)
    ledger.open()
    ledger.write(entry(**WRITTEN))
    ledger.write(entry(**(WRITTEN | {"reply": f"Changed: {SECRET}"})))
    assert not holds_secret(everything(tmp_path / "data"))
    (record,) = ledger.turns()
    ledger.close()
    assert not holds_secret(everything(tmp_path / "data"))
    assert (record["request"], record["request_missing"]) == (None, "text_not_kept")
    assert (record["reply"], record["reply_missing"]) == (None, "text_not_kept")
    # Measures stay: states, sizes, counts per field, categories and positions of gaps.
    pair = record["tool_results"][0]
    assert (pair["state"], pair["kept_characters"]) == ("cut", 40)
    assert sorted(pair["fields"].values()) == [[0, 1], [1, 1], [1, 1], [1, 1]]
    assert pair["fields"]["name"] == [1, 1]
    gap = record["scores"][0]["evidence"]["gaps"][0]
    assert (gap["category"], gap["start"], gap["span"]) == ("coined", 4, {"characters": 15})


def test_sizes_and_hashes_are_kept_without_texts(url, tmp_path):
    ledger = Ledger(url, keep_text=False)
    ledger.open()
    ledger.write(entry(reply="häuser"))
    ledger.close()
    stored = _query(tmp_path, "select reply_characters, reply_hash from turns")
    # printf häuser | sha256sum
    digest = "34c94dbc2853cfdeb05bc68864b5a4c08dda7cc38ad3219612703b73d49c4a07"
    assert stored == [(6, digest)]


def test_with_texts_they_are_in_one_table_only(url, tmp_path):
    ledger = Ledger(url)
    ledger.open()
    ledger.write(entry(**WRITTEN))
    ledger.close()
    for table in ("turns", "tool_results", "scores"):
        assert not holds_secret(repr(_query(tmp_path, f"select * from {table}")).encode())
    assert holds_secret(repr(_query(tmp_path, "select * from texts")).encode())


def test_texts_stored_before_are_deleted_when_texts_are_switched_off(url, tmp_path):
    ledger = Ledger(url)
    ledger.open()
    ledger.write(entry(**WRITTEN))
    ledger.close()
    without = Ledger(url, keep_text=False)
    without.open()
    assert not holds_secret(everything(tmp_path / "data"))
    (record,) = without.turns()
    without.close()
    assert record["reply"] is None
    assert record["turn_id"] == "turn-1"


def test_an_empty_reply_is_known_to_be_empty_without_texts(url):
    ledger = Ledger(url, keep_text=False)
    ledger.open()
    ledger.write(entry(reply="", request=None, request_missing="content_off"))
    (record,) = ledger.turns()
    ledger.close()
    assert record["reply"] == ""
    assert (record["request"], record["request_missing"]) == (None, "content_off")


def test_what_retention_deletes_is_in_no_file_any_more(url, tmp_path):
    ledger = Ledger(url, clock=lambda: 0)
    ledger.open()
    ledger.write(entry(**WRITTEN))
    assert holds_secret(everything(tmp_path / "data"))
    assert ledger.prune(now_ns=10**18, max_age_s=60, max_bytes=None) == 1
    assert not holds_secret(everything(tmp_path / "data"))
    ledger.close()


def test_files_are_readable_by_their_owner_only(url, tmp_path):
    before = os.umask(0)
    try:
        ledger = Ledger(url)
        ledger.open()
        ledger.write(entry())
        modes = {
            file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "data").iterdir()
        }
        ledger.close()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["ledger.db", "ledger.db-wal", "ledger.db-shm"], 0o600)
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_files_that_others_could_read_are_tightened(url, tmp_path):
    first = Ledger(url)
    first.open()
    first.close()
    for file in (tmp_path / "data").iterdir():
        file.chmod(0o644)
    (tmp_path / "data").chmod(0o755)
    second = Ledger(url)
    second.open()
    assert stat.S_IMODE((tmp_path / "data" / "ledger.db").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    second.close()


def test_a_folder_that_holds_other_things_is_left_as_it_is(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    (home / "letters.txt").touch()
    private_directory(home)
    assert stat.S_IMODE(home.stat().st_mode) == 0o755


def _query(tmp_path, query):
    connection = sqlite3.connect(tmp_path / "data" / "ledger.db")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()

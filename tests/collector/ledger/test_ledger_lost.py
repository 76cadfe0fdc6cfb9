"""A ledger whose file goes away while it is open is noticed before a turn is lost with it."""

import logging
import shutil
import sqlite3

import pytest
from entries import entry

from collector.errors import Retryable
from collector.ledger import Ledger


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def ledger(folder):
    opened = Ledger(f"sqlite:///{folder}/ledger.db")
    opened.open()
    opened.write(entry("before"))
    yield opened
    opened.close()


def stored(file):
    """Return what another process would find in the file."""
    connection = sqlite3.connect(file)
    try:
        found = connection.execute("select turn_id from turns order by key").fetchall()
    finally:
        connection.close()
    return [name for (name,) in found]


def remove_file(folder):
    (folder / "ledger.db").unlink()


def remove_all_files(folder):
    for file in folder.iterdir():
        file.unlink()


@pytest.mark.parametrize("remove", [remove_file, remove_all_files, shutil.rmtree])
def test_a_removed_ledger_is_begun_anew(ledger, folder, remove, caplog):
    remove(folder)
    assert "was removed" in ledger.trouble()
    assert ledger.write(entry("after")) is True
    assert ledger.write(entry("later")) is True
    assert (ledger.trouble(), ledger.reopened) == (None, 1)
    (said,) = [r.getMessage() for r in caplog.records if r.levelno == logging.ERROR]
    assert "ledger.db was removed while it was open" in said
    ledger.close()
    assert stored(folder / "ledger.db") == ["after", "later"]
    assert (folder / "ledger.db").stat().st_mode & 0o777 == 0o600


def test_a_ledger_that_was_moved_away_is_whole(ledger, folder):
    """Its last turns were only in the log beside it, which has the name of the new one."""
    (folder / "ledger.db").rename(folder / "kept.db")
    ledger.write(entry("after"))
    ledger.close()
    assert stored(folder / "kept.db") == ["before"]
    assert stored(folder / "ledger.db") == ["after"]


def test_a_ledger_that_was_replaced_is_written_on(ledger, folder, tmp_path):
    other = Ledger(f"sqlite:///{tmp_path}/backup.db")
    other.open()
    other.write(entry("restored"))
    other.close()
    (tmp_path / "backup.db").replace(folder / "ledger.db")
    assert "was replaced" in ledger.trouble()
    ledger.write(entry("after"))
    assert [record["turn_id"] for record in ledger.turns()] == ["restored", "after"]
    ledger.close()
    assert stored(folder / "ledger.db") == ["restored", "after"]


def test_texts_of_a_replacement_are_deleted_too(folder, tmp_path):
    with_texts = Ledger(f"sqlite:///{tmp_path}/backup.db")
    with_texts.open()
    with_texts.write(entry("old", reply="PLANTED"))
    with_texts.close()
    ledger = Ledger(f"sqlite:///{folder}/ledger.db", keep_text=False)
    ledger.open()
    (tmp_path / "backup.db").replace(folder / "ledger.db")
    ledger.write(entry("new", reply="PLANTED"))
    ledger.close()
    assert b"PLANTED" not in (folder / "ledger.db").read_bytes()


@pytest.mark.parametrize("content", [b"", b"my letters, " * 5000])
def test_a_ledger_that_was_overwritten_keeps_turns_waiting(ledger, folder, content):
    file = folder / "ledger.db"
    file.write_bytes(content)  # the same file: only its content is another
    for _ in range(2):
        with pytest.raises(Retryable, match=r"overwritten.*move it away") as refusal:
            ledger.write(entry("after"))
        assert refusal.value.reason == "corrupt"
    assert "was overwritten" in ledger.trouble()
    assert file.read_bytes() == content
    file.rename(folder / "letters")
    assert ledger.write(entry("after")) is True
    ledger.close()
    assert stored(file) == ["after"]


def test_a_ledger_that_cannot_be_made_again_keeps_turns_waiting(ledger, folder, caplog):
    shutil.rmtree(folder)
    folder.write_text("a file in its place")
    for _ in range(2):
        with pytest.raises(Retryable, match=r"was removed.*expected a folder") as refusal:
            ledger.write(entry("after"))
        assert refusal.value.reason == "cannot_open"
    assert "was removed" in ledger.trouble()
    assert ledger.size_bytes() is None
    assert ledger.over(1) is False
    with pytest.raises(Retryable, match="was removed"):
        list(ledger.turns())
    with pytest.raises(Retryable, match="was removed"):
        ledger.prune(now_ns=0, max_age_s=1, max_bytes=None)
    assert not caplog.records  # who writes says it, once
    folder.unlink()
    assert ledger.write(entry("after")) is True
    assert [record["turn_id"] for record in ledger.turns()] == ["after"]


def test_a_damaged_ledger_is_no_fault_of_the_turn(ledger, folder):
    """Refused for good, each turn would be dropped; so they wait for somebody to move the file."""
    for number in range(50):
        ledger.write(entry(f"t{number}", reply="y" * 4000))
    ledger.close()
    file = folder / "ledger.db"
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2] + b"\xff" * (len(data) - len(data) // 2))
    damaged = Ledger(f"sqlite:///{folder}/ledger.db")
    damaged.open()

    def write_many():
        for number in range(50, 100):
            damaged.write(entry(f"t{number}", reply="y" * 4000))

    with pytest.raises(Retryable, match="damaged") as refusal:
        write_many()
    assert refusal.value.reason == "corrupt"
    damaged.close()


def test_closing_a_lost_ledger_is_harmless(ledger, folder):
    shutil.rmtree(folder)
    ledger.close()
    ledger.close()
    assert ledger.trouble() is None


def test_a_ledger_in_memory_has_no_place():
    ledger = Ledger("sqlite://")
    ledger.open()
    assert ledger.write(entry()) is True
    assert ledger.trouble() is None
    ledger.close()

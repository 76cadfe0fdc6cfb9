"""What can't be opened or written says so in a plain sentence; nothing is harmed."""

import os
import sqlite3
import subprocess
import sys

import pytest
from entries import entry

from collector.errors import ConfigError, Permanent, Retryable
from collector.ledger import Ledger


def opened(url, **options):
    ledger = Ledger(url, **options)
    ledger.open()
    return ledger


def test_building_one_opens_nothing(tmp_path):
    Ledger(f"sqlite:///{tmp_path}/new/ledger.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("not a url", "expected such as sqlite"),
        ("", "expected such as sqlite"),
        ("nosuch://host/db", "no driver"),
        ("sqlite:///file:ledger.db?uri=true", "plain path"),
        ("sqlite:////dev/null/ledger.db", "/dev/null"),
    ],
)
def test_an_unusable_url_is_named(url, said):
    with pytest.raises(ConfigError, match=said):
        Ledger(url).open()


def test_a_password_is_never_shown(tmp_path):
    with pytest.raises(ConfigError) as failure:
        Ledger("postgresql+nosuchdriver://me:hunter2@localhost/db").open()
    assert "hunter2" not in str(failure.value)


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    file = tmp_path / "ledger.db"
    file.write_bytes(b"my letters, " * 1000)
    with pytest.raises(ConfigError, match="is damaged or is no database"):
        Ledger(f"sqlite:///{file}").open()
    assert file.read_bytes() == b"my letters, " * 1000


def test_another_programs_database_is_left_alone(tmp_path):
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("create table turns (mine text)")
    connection.close()
    with pytest.raises(ConfigError, match="tables of another program"):
        Ledger(f"sqlite:///{tmp_path}/ledger.db").open()


def test_a_newer_schema_is_refused_with_both_versions(tmp_path):
    url = f"sqlite:///{tmp_path}/ledger.db"
    opened(url).close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("update tellback_schema set version = 99")
    connection.commit()
    connection.close()
    with pytest.raises(ConfigError, match="schema 99; this one reads 2"):
        Ledger(url).open()


def test_a_ledger_of_the_first_schema_gets_its_new_columns(tmp_path):
    url = f"sqlite:///{tmp_path}/ledger.db"
    ledger = opened(url)
    ledger.write(entry())
    ledger.close()
    connection = sqlite3.connect(tmp_path / "ledger.db")
    for column in ("join", "dialect"):
        connection.execute(f'alter table tool_results drop column "{column}"')
    connection.execute("update tellback_schema set version = 1")
    connection.commit()
    connection.close()
    for _ in range(2):  # the second time there is nothing to do
        ledger = opened(url)
        [record] = ledger.turns()
        assert [pair["join"] for pair in record["tool_results"]] == [None]
        assert [pair["dialect"] for pair in record["tool_results"]] == [None]
        ledger.close()


def test_using_it_before_it_is_open_says_so():
    with pytest.raises(ConfigError, match="not open"):
        Ledger("sqlite://").write(entry())


def test_opening_and_closing_twice_is_harmless(tmp_path):
    ledger = opened(f"sqlite:///{tmp_path}/ledger.db")
    ledger.open()
    ledger.write(entry())
    ledger.close()
    ledger.close()
    ledger.open()
    assert len(list(ledger.turns())) == 1
    ledger.close()


def test_a_full_disk_is_retryable_and_nothing_is_half_written(tmp_path):
    ledger = opened(f"sqlite:///{tmp_path}/ledger.db")
    ledger.write(entry("before"))
    # SQLite reports a database at its page limit exactly as it reports a full disk.
    from sqlalchemy import event  # noqa: PLC0415

    engine = ledger._database.engine
    engine.dispose()
    event.listen(engine, "connect", lambda raw, _: raw.execute("pragma max_page_count = 1"))
    with pytest.raises(Retryable, match="the disk is full") as failure:
        ledger.write(entry("after", reply="x" * 500_000))
    assert failure.value.reason == "disk_full"
    assert "xxx" not in str(failure.value)
    assert [record["turn_id"] for record in ledger.turns()] == ["before"]
    ledger.close()


def test_a_ledger_held_by_another_process_is_retryable(tmp_path, monkeypatch):
    monkeypatch.setattr("collector.ledger.database.BUSY_SECONDS", 0.05)
    ledger = opened(f"sqlite:///{tmp_path}/ledger.db")
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(Retryable, match="held by another process"):
        ledger.write(entry())
    assert list(ledger.turns()) == []  # reading goes on
    other.execute("rollback")
    other.close()
    assert ledger.write(entry()) is True
    ledger.close()


def test_a_ledger_damaged_while_open_is_permanent(tmp_path):
    ledger = opened(f"sqlite:///{tmp_path}/ledger.db")
    for number in range(50):
        ledger.write(entry(f"t{number}", reply="y" * 4000))
    ledger.close()
    file = tmp_path / "ledger.db"
    data = bytearray(file.read_bytes())
    data[-len(data) // 2 :] = b"\xff" * (len(data) - len(data) // 2)
    file.write_bytes(data)
    damaged = opened(f"sqlite:///{tmp_path}/ledger.db")
    with pytest.raises(Permanent, match="damaged") as failure:
        list(damaged.turns())
    assert failure.value.reason == "corrupt"
    damaged.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ConfigError, match=str(tmp_path)):
        Ledger(f"sqlite:///{tmp_path}/ledger.db").open()
    tmp_path.chmod(0o700)


def test_what_was_written_survives_a_kill(tmp_path):
    program = (
        "import os, sys; sys.path.insert(0, 'tests')\n"
        "from entries import entry\n"
        "from collector.ledger import Ledger\n"
        "ledger = Ledger(sys.argv[1]); ledger.open()\n"
        "[ledger.write(entry(f't{n}')) for n in range(10)]\n"
        "os.kill(os.getpid(), 9)\n"
    )
    url = f"sqlite:///{tmp_path}/ledger.db"
    ended = subprocess.run([sys.executable, "-c", program, url], check=False, timeout=60)
    assert ended.returncode == -9
    ledger = opened(url)
    assert [record["turn_id"] for record in ledger.turns()] == [f"t{n}" for n in range(10)]
    ledger.close()

"""What is acknowledged is on disk, comes back after a crash, and goes when it is not needed."""

import asyncio
import errno
import io
import os
import shutil
import stat
import time

import pytest

from collector.errors import ConfigError, Retryable
from collector.journal import Journal, JournalConfig
from collector.journal import frame as frame_module
from collector.journal import segment as segment_module
from collector.journal import writer as writer_module
from collector.journal.aside import MOST_ATTEMPTS, Attempts
from collector.journal.segment import SUFFIX
from collector.otlp import Batch
from journaled import Counts

SMALL = JournalConfig(segment_bytes=1 << 16, max_bytes=1 << 20, linger_bytes=0)


END = 2**63


class Folder:
    """A journal's folder, and journals opened on it one after the other."""

    def __init__(self, path):
        self.path = path
        self.observer = Counts()
        self.now = 0.0

    def open(self, config=SMALL, **settings):
        clock = {"clock": lambda: self.now}
        journal = Journal(self.path, config, self.observer, **(clock | settings))
        journal.open()
        return journal

    @property
    def files(self):
        return sorted(path for path in self.path.iterdir() if path.name.endswith(SUFFIX))


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "journal")


def batch(body, signal="traces", encoding="protobuf", receiver="otlp_http"):
    return Batch(
        signal=signal,
        records=(),
        rejected=0,
        message="",
        refused={},
        receiver=receiver,
        body=body,
        encoding=encoding,
    )


def append(journal, *bodies, consumed=True):
    async def run():
        async with asyncio.TaskGroup() as tasks:
            written = [tasks.create_task(journal.append(batch(body))) for body in bodies]
        return [task.result() for task in written]

    sequences = asyncio.run(run())
    if consumed:
        for sequence in sequences:
            journal.consumed(sequence)
    return sequences


def bodies(journal):
    return [frame.body for frame in journal.replay()]


def test_what_was_appended_comes_back_in_order_with_all_that_was_said_of_it(folder):
    journal = folder.open()
    request = batch(b"{}", signal="logs", encoding="json", receiver="otlp_grpc")
    first = asyncio.run(journal.append(request))
    (second,) = append(journal, b"two" * 1000)
    journal.close()
    found = list(folder.open().replay())
    assert [frame.sequence for frame in found] == [first, second]
    assert (found[0].signal, found[0].encoding, found[0].receiver) == ("logs", "json", "otlp_grpc")
    assert [frame.body for frame in found] == [b"{}", b"two" * 1000]


def test_many_requests_share_a_sync(folder):
    journal = folder.open()
    append(journal, *(b"%d" % number for number in range(200)))
    journal.close()
    assert folder.observer.counts["written"] == 200
    assert 1 <= folder.observer.counts["syncs"] < 100
    assert len(bodies(folder.open())) == 200


def test_an_appended_request_is_synced_before_it_is_acknowledged(folder, monkeypatch):
    synced = []
    sync = os.fdatasync
    monkeypatch.setattr(os, "fdatasync", lambda file: synced.append(sync(file)))
    journal = folder.open()
    append(journal, b"one")
    assert len(synced) == 1
    journal.close()


def test_without_fsync_nothing_waits_for_the_disk(folder, monkeypatch):
    monkeypatch.setattr(os, "fdatasync", lambda _file: pytest.fail("synced"))
    journal = folder.open(SMALL.model_copy(update={"fsync": False}))
    append(journal, b"one")
    journal.close()
    assert bodies(folder.open()) == [b"one"]


@pytest.mark.parametrize("kept", [1, 30, 40, 60])
def test_a_torn_tail_is_left_out_and_not_counted_as_damage(folder, kept):
    journal = folder.open()
    append(journal, b"whole")
    append(journal, b"torn" * 100)
    journal.close()
    (file,) = folder.files
    end = len(b"whole") + 40
    os.truncate(file, end + kept)
    os.truncate(file, SMALL.segment_bytes)  # a crash leaves the room that was taken
    assert bodies(folder.open()) == [b"whole"]
    assert folder.observer.counts["damaged"] == 0


@pytest.mark.parametrize("change", ["cut", "flip", "swap"])
def test_damage_at_the_end_of_a_file_that_was_closed_is_counted(folder, change):
    """No crash leaves it so: what is lost there was acknowledged."""
    for body in (b"first", b"second"):
        journal = folder.open()
        append(journal, body * 50)
        journal.close()
    first, second = folder.files
    content = bytearray(first.read_bytes())
    if change == "cut":
        os.truncate(first, len(content) - 7)
    elif change == "flip":
        content[-7] ^= 0xFF
        first.write_bytes(content)
    else:
        first.write_bytes(second.read_bytes())
    assert bodies(folder.open()) == [b"second" * 50]
    assert folder.observer.counts["damaged"] == 1


def test_a_file_that_shrinks_while_it_is_read_does_not_end_the_process(folder):
    """Of a mapped file, a page that can't be read is a signal and no error."""
    journal = folder.open()
    append(journal, b"one" * 50_000, b"two" * 50_000)
    journal.close()
    replayed = folder.open().replay()
    next(replayed)
    os.truncate(folder.files[0], 0)
    list(replayed)


def test_sectors_that_can_not_be_read_cost_the_requests_on_them(folder, monkeypatch):
    journal = folder.open()
    append(journal, *(b"%d" % number * 3000 for number in range(9)))
    journal.close()

    class Bad(io.FileIO):
        def readall(self):
            raise OSError(errno.EIO, "Input/output error")

    real = os.pread

    def pread(file, size, at):
        if at == 4096:
            raise OSError(errno.EIO, "Input/output error")
        return real(file, size, at)

    monkeypatch.setattr(type(folder.path), "open", lambda path, *_, **__: Bad(path))
    monkeypatch.setattr(frame_module.os, "pread", pread)
    found = bodies(folder.open())
    assert 6 <= len(found) < 9
    assert folder.observer.counts["damaged"] == 1


def test_room_that_was_never_written_is_no_damage(folder):
    journal = folder.open()
    append(journal, b"one")
    # As a killed process leaves it: with all the room it had taken.
    (file,) = folder.files
    assert file.stat().st_size == SMALL.segment_bytes
    journal.close()
    os.truncate(file, SMALL.segment_bytes)
    assert bodies(folder.open()) == [b"one"]
    assert folder.observer.counts["damaged"] == 0


@pytest.mark.parametrize("at", [0, 4, 12, 20, 30, 38, 41, 200])
def test_damage_in_the_middle_costs_one_request_and_is_counted(folder, at):
    journal = folder.open()
    append(journal, b"first" * 50)
    append(journal, b"second" * 50)
    append(journal, b"third" * 50)
    journal.close()
    (file,) = folder.files
    start = 40 + 250
    content = bytearray(file.read_bytes())
    content[start + at] ^= 0xFF
    file.write_bytes(content)
    assert bodies(folder.open()) == [b"first" * 50, b"third" * 50]
    assert folder.observer.counts["damaged"] == 1


def test_a_request_that_holds_a_frame_is_not_taken_for_one(folder):
    journal = folder.open()
    append(journal, b"inner")
    (file,) = folder.files
    forged = file.read_bytes()[: 40 + len(b"inner")]
    append(journal, forged + b"x" * 100)
    journal.close()
    content = bytearray(file.read_bytes())
    content[45 + 4] ^= 0xFF  # the header around it
    file.write_bytes(content)
    assert bodies(folder.open()) == [b"inner"]


def test_a_file_cut_to_nothing_and_foreign_files_are_no_trouble(folder):
    journal = folder.open()
    append(journal, b"one")
    journal.close()
    (folder.path / f"00000000000000000001-{7:016x}{SUFFIX}").write_bytes(b"")
    (folder.path / f"notes{SUFFIX}").write_bytes(b"hello")
    (folder.path / "other").write_bytes(b"hello")
    assert bodies(folder.open()) == [b"one"]
    assert (folder.path / f"notes{SUFFIX}").exists()


def test_sequences_grow_across_restarts(folder):
    journal = folder.open()
    (first,) = append(journal, b"one")
    journal.close()
    again = folder.open()
    (second,) = append(again, b"two")
    again.close()
    assert second > first
    assert bodies(folder.open()) == [b"one", b"two"]


def test_files_go_when_what_they_hold_is_not_needed(folder):
    journal = folder.open()
    sequences = [append(journal, b"x" * 30_000)[0] for _ in range(9)]
    assert len(folder.files) > 2
    journal.retire(sequences[4])
    assert journal.oldest is not None
    assert sequences[4] >= journal.oldest > sequences[0]
    journal.retire(END)
    journal.close()
    assert len(folder.files) <= 1  # the open one is closed by the writer, and goes the next time
    again = folder.open()
    list(again.replay())
    again.retire(END)
    assert folder.files == []
    assert again.oldest is None


def test_the_oldest_request_may_be_in_the_open_file(folder):
    journal = folder.open()
    assert journal.oldest is None
    (first,) = append(journal, b"x" * 70_000)
    append(journal, b"y")
    journal.retire(first + 1)
    assert first < journal.oldest <= journal.oldest_pending()
    journal.close()


def test_a_request_on_its_way_to_the_table_keeps_its_file(folder):
    journal = folder.open()
    append(journal, b"x" * 70_000, consumed=False)
    append(journal, b"x" * 70_000)
    journal.retire(journal.oldest_pending())
    journal.close()
    assert len(bodies(folder.open())) == 2


def test_files_of_an_earlier_process_stay_until_they_are_replayed(folder):
    journal = folder.open()
    append(journal, b"one")
    journal.close()
    again = folder.open()
    again.retire(END)
    replayed = again.replay()
    assert next(replayed).body == b"one"
    again.retire(END)  # not at its end yet
    replayed.close()
    again.close()
    third = folder.open()
    assert bodies(third) == [b"one"]
    third.retire(END)
    assert folder.files == []


def test_files_linger_for_late_spans_within_their_bounds(folder):
    config = SMALL.model_copy(update={"linger_bytes": 200_000})
    journal = folder.open(config, linger=600.0)
    for _ in range(4):
        append(journal, b"x" * 60_000)
    journal.close()
    again = folder.open(config, linger=600.0)
    list(again.replay())
    again.retire(END)
    assert 0 < again.size_bytes() <= 200_000
    folder.now = 601.0
    again.retire(END)
    assert again.size_bytes() == 0


def test_a_full_journal_refuses_and_takes_again_once_there_is_room(folder):
    journal = folder.open()
    sequences = []
    while (size := journal.size_bytes()) < SMALL.max_bytes - 61_000:
        sequences += append(journal, b"x" * 60_000)
        assert journal.size_bytes() > size
    with pytest.raises(ExceptionGroup) as refused:
        append(journal, b"x" * 70_000)
    (error,) = refused.value.exceptions
    assert isinstance(error, Retryable)
    assert error.reason == "journal_full"
    assert error.retry_after > 0
    assert journal.size_bytes() <= SMALL.max_bytes
    journal.retire(sequences[-1])
    append(journal, b"x" * 60_000)
    assert journal.trouble is None
    journal.close()


def test_nothing_lingers_where_there_is_no_room(folder, monkeypatch):
    config = SMALL.model_copy(update={"linger_bytes": 500_000})
    journal = folder.open(config, linger=600.0)
    append(journal, b"x" * 70_000)
    append(journal, b"x" * 70_000)
    journal.retire(END)
    assert len(folder.files) == 2, "it lingers"
    with monkeypatch.context() as broken:
        _failing(broken, "pwritev", OSError(28, "No space left on device"))
        with pytest.raises(ExceptionGroup):
            append(journal, b"lost")
    journal.retire(END)
    assert folder.files == []
    journal.close()


def _failing(monkeypatch, name, error):
    def fail(*_arguments):
        raise error

    monkeypatch.setattr(segment_module.os, name, fail)


@pytest.mark.parametrize("name", ["pwritev", "fdatasync", "posix_fallocate"])
def test_a_failing_disk_refuses_and_recovers_without_a_restart(folder, monkeypatch, name):
    journal = folder.open()
    append(journal, b"before")
    if name == "posix_fallocate":
        append(journal, b"x" * SMALL.segment_bytes)
    with monkeypatch.context() as broken:
        _failing(broken, name, OSError(28, "No space left on device"))
        with pytest.raises(ExceptionGroup) as refused:
            append(journal, b"lost")
        (error,) = refused.value.exceptions
        assert isinstance(error, Retryable)
        assert "No space left on device" in str(error)
        assert "No space left on device" in journal.trouble
        with pytest.raises(ExceptionGroup):  # at once, without asking the disk again
            append(journal, b"lost")
    folder.now += 2.0
    append(journal, b"after")
    assert journal.trouble is None
    journal.close()
    found = bodies(folder.open())
    assert found[0] == b"before"
    assert found[-1] == b"after"
    assert folder.observer.counts["failed"] == 1


def test_a_disk_that_is_well_again_is_noticed_while_nobody_sends(folder, monkeypatch):
    """Readiness says no meanwhile, so that perhaps nobody is sent any work."""
    monkeypatch.setattr(writer_module, "TRY_AGAIN_SECONDS", 0.05)
    journal = folder.open()
    with monkeypatch.context() as broken:
        _failing(broken, "posix_fallocate", OSError(28, "No space left on device"))
        with pytest.raises(ExceptionGroup):
            append(journal, b"lost")
        time.sleep(0.2)
        assert "No space left on device" in journal.trouble
    deadline = time.monotonic() + 10
    while journal.trouble is not None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert journal.trouble is None
    append(journal, b"after")
    journal.close()
    assert bodies(folder.open()) == [b"after"]


def test_a_file_whose_end_is_not_taken_well_keeps_the_journal_going(folder, monkeypatch):
    journal = folder.open()
    append(journal, b"x" * SMALL.segment_bytes)
    real = os.close

    def close(file):
        real(file)
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(segment_module.os, "close", close)
        broken.setattr(segment_module, "sync_folder", lambda _folder: None)
        append(journal, b"next")
    append(journal, b"last")
    journal.close()
    assert len(bodies(folder.open())) == 3


def test_a_write_that_takes_only_a_part_goes_on(folder, monkeypatch):
    real = os.pwritev
    monkeypatch.setattr(
        segment_module.os,
        "pwritev",
        lambda file, pieces, at: real(file, [b"".join(pieces)[:7]], at),
    )
    journal = folder.open()
    append(journal, b"in small pieces", b"and more of them")
    journal.close()
    assert sorted(bodies(folder.open())) == [b"and more of them", b"in small pieces"]


def test_two_processes_do_not_share_a_journal(folder):
    journal = folder.open()
    with pytest.raises(ConfigError, match="used by another process"):
        folder.open()
    journal.close()
    folder.open().close()


def test_only_the_owner_can_read_it(folder):
    journal = folder.open()
    append(journal, b"one")
    for path in (folder.path, *folder.path.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    journal.close()


def test_a_request_that_kills_the_process_each_time_is_set_aside(folder):
    journal = folder.open()
    append(journal, b"good")
    append(journal, b"poison")
    append(journal, b"also good")
    journal.close()
    looking = folder.open()
    frames = list(looking.replay())
    looking.close()
    for _ in range(MOST_ATTEMPTS):
        # A process that dies leaves its note of what it was reading.
        attempts = Attempts(folder.path)
        assert all(attempts.begin(frame) for frame in frames[:2])
        os.close(attempts._file)
    last = folder.open()
    assert bodies(last) == [b"good", b"also good"]
    assert folder.observer.counts["set_aside"] == 1
    (aside,) = folder.path.glob("set-aside-*-traces.pb")
    assert aside.read_bytes() == b"poison"
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600


def test_what_was_set_aside_is_not_read_again_while_its_file_lingers(folder):
    journal = folder.open()
    append(journal, b"poison")
    append(journal, b"good")
    journal.close()
    _die_while_reading(folder, 0)
    for _ in range(2):  # it may die for another reason before the file goes
        again = folder.open()
        assert bodies(again) == [b"good"]
        again.close()
    assert folder.observer.counts["set_aside"] == 2


def test_what_can_not_be_set_aside_stays_and_keeps_nothing_from_starting(folder, monkeypatch):
    journal = folder.open()
    append(journal, b"poison")
    append(journal, b"good")
    journal.close()
    _die_while_reading(folder, 0)
    real = os.open

    def full(path, flags, *mode):
        if "set-aside" in str(path):
            raise OSError(28, "No space left on device")
        return real(path, flags, *mode)

    again = folder.open()
    with monkeypatch.context() as broken:
        broken.setattr(os, "open", full)
        assert bodies(again) == [b"good"]
    again.retire(END)
    again.close()
    assert len(folder.files) == 1
    assert bodies(folder.open()) != []


def _die_while_reading(folder, number):
    looking = folder.open()
    frame = list(looking.replay())[number]
    looking.close()
    for _ in range(MOST_ATTEMPTS):
        attempts = Attempts(folder.path)
        assert attempts.begin(frame)
        os.close(attempts._file)


def test_a_removed_folder_is_noticed_and_made_again(folder):
    journal = folder.open()
    append(journal, b"gone")
    shutil.rmtree(folder.path)
    with pytest.raises(ExceptionGroup) as refused:
        append(journal, b"refused: its file is gone")
    assert "removed" in str(refused.value.exceptions[0])
    folder.now += 2.0
    append(journal, b"kept")
    journal.close()
    assert bodies(folder.open()) == [b"kept"]


def test_a_full_disk_does_not_keep_the_journal_from_being_read(folder, monkeypatch):
    journal = folder.open()
    append(journal, b"one")
    journal.close()
    again = folder.open()
    real = os.open

    def full(path, flags, *mode):
        if str(path).endswith("replaying"):
            raise OSError(28, "No space left on device")
        return real(path, flags, *mode)

    monkeypatch.setattr(os, "open", full)
    assert bodies(again) == [b"one"]

"""`tellback run` that kills itself, as kill -9 would, at a chosen point:

    python dying_sidecar.py POINT NTH run --config FILE

POINT is one of the functions below; the process dies when it comes there the NTH time.
"""

import contextlib
import os
import signal
import sys

from collector.cli import main
from collector.journal import journal, segment
from collector.journal.aside import Attempts
from collector.ledger import ledger


class Countdown:
    """Lets the process live until it was called `left` times."""

    def __init__(self, left):
        self.left = left

    def __call__(self):
        self.left -= 1
        if self.left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)


def in_the_middle_of_a_write(die):
    real = os.pwritev

    def write(file, pieces, at):
        if die.left <= 1:
            content = b"".join(pieces)
            real(file, [content[: len(content) // 2]], at)
        die()
        return real(file, pieces, at)

    segment.os.pwritev = write


def before_the_sync(die):
    real = segment.Segment.sync
    segment.Segment.sync = lambda self: (die(), real(self))


def after_the_sync(die):
    real = segment.Segment.sync
    segment.Segment.sync = lambda self: (real(self), die())


def during_replay(die):
    real = Attempts.begin
    Attempts.begin = lambda self, frame: (die(), real(self, frame))[1]


def during_the_ledgers_transaction(die):
    real = ledger.Ledger._transaction

    @contextlib.contextmanager
    def transaction(self):
        with real(self) as connection:
            yield connection
            die()

    ledger.Ledger._transaction = transaction


def after_the_ledgers_commit(die):
    real = ledger.Ledger.write_all

    def write_all(*arguments, **named):
        found = real(*arguments, **named)
        die()
        return found

    ledger.Ledger.write_all = write_all


def between_deleted_files(die):
    real = journal.Journal._delete

    def delete(self, going):
        went = 0
        for written in list(going):
            went += real(self, [written])
            die()
        return went

    journal.Journal._delete = delete


POINTS = (
    in_the_middle_of_a_write,
    before_the_sync,
    after_the_sync,
    during_replay,
    during_the_ledgers_transaction,
    after_the_ledgers_commit,
    between_deleted_files,
)

if __name__ == "__main__":
    point, nth, *arguments = sys.argv[1:]
    {each.__name__: each for each in POINTS}[point](Countdown(int(nth)))
    sys.exit(main(arguments))

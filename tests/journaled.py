"""What a journal counts, for tests that open one."""

from collections import Counter


class Counts:
    """Takes a journal's counts."""

    def __init__(self):
        self.counts = Counter()

    def journaled(self, outcome, count):
        self.counts[outcome] += count

    def synced(self):
        self.counts["syncs"] += 1

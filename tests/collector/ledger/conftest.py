"""An open ledger in a file."""

import pytest

from collector.ledger import Ledger


@pytest.fixture
def ledger(tmp_path):
    opened = Ledger(f"sqlite:///{tmp_path}/ledger.db")
    opened.open()
    yield opened
    opened.close()

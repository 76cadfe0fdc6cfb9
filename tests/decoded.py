"""What every decoded request must be, whatever its bytes were."""

from collector.errors import Permanent
from collector.otlp import Batch, decode
from collector.span import Record


def decoded(signal, encoding, body):
    """Return the batch of a body after looking at it closely; None where the body was refused."""
    try:
        batch = decode(signal, encoding, body)
    except Permanent as error:
        assert str(error)  # noqa: PT017 - either outcome is right
        return None
    assert isinstance(batch, Batch)
    assert batch.rejected == sum(batch.refused.values())
    assert bool(batch.message) == bool(batch.rejected)
    for record in batch.records:
        assert isinstance(record, Record)
        storable(record.attributes)
        assert -(2**63) <= getattr(record, "end_ns", 0) < 2**63
    return batch


def storable(value):
    """Every text can be written as UTF-8, every value is of a kind that `Span` promises."""
    if isinstance(value, dict):
        for key, item in value.items():
            key.encode()
            storable(item)
    elif isinstance(value, list):
        for item in value:
            storable(item)
    elif isinstance(value, str):
        value.encode()
    else:
        assert value is None or isinstance(value, bool | int | float | bytes)

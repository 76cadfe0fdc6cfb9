"""OTLP: request bytes ⇄ records, and the answers that senders get."""

from __future__ import annotations

from collector.errors import Permanent
from collector.otlp.batch import Batch, Encoding, Signal
from collector.otlp.json_request import decode as decode_json
from collector.otlp.protobuf_request import decode as decode_protobuf
from collector.otlp.sniff import sniff

__all__ = ["Batch", "Encoding", "Signal", "decode", "sniff"]


def decode(signal: Signal, encoding: Encoding, body: bytes) -> Batch:
    """Read one export request (inflated). An empty one gives an empty batch.

    What can't be read of one record costs that record, which is counted in the batch. Raises
    `Permanent` (reason `malformed`) when nothing can be read.
    """
    read = decode_protobuf if encoding == "protobuf" else decode_json
    records, refusals = read(signal, body)
    if not records and refusals.undecodable:
        raise Permanent(f"no record of the request can be read: {refusals.message}")
    return Batch(
        signal=signal,
        records=tuple(records),
        rejected=refusals.total,
        message=refusals.message,
        refused=refusals.reasons,
        body=body,
        encoding=encoding,
    )

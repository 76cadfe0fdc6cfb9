"""The ledger's tables.

Everything that people or tools wrote is in `texts`, and nowhere else: the other tables hold
measures, sizes, hashes, ids and names. So a ledger without texts is the same ledger with one
table empty, and a test can look for content column by column.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

VERSION = 2
# Columns that came with a version; a ledger written before it has nothing in them.
ADDED = {2: (("tool_results", "join"),)}

METADATA = MetaData()
# SQLite gives out row ids for INTEGER keys only.
KEY = BigInteger().with_variant(Integer(), "sqlite")


def _turn_key() -> Column[int]:
    return Column("turn_key", KEY, ForeignKey("turns.key", ondelete="CASCADE"), primary_key=True)


def _position() -> Column[int]:
    return Column("position", Integer, primary_key=True)


SCHEMA = Table(
    "tellback_schema",
    METADATA,
    Column("version", Integer, primary_key=True),
)

TURNS = Table(
    "turns",
    METADATA,
    Column("key", KEY, primary_key=True),
    Column("turn_id", Text, nullable=False, unique=True),
    # Counts the replacements of a turn by another version of itself, 1 for the first.
    Column("revision", Integer, nullable=False),
    # Of the whole entry: the same turn written again changes nothing.
    Column("digest", String(64), nullable=False),
    Column("written_ns", BigInteger, nullable=False, index=True),
    Column("size", BigInteger, nullable=False),
    Column("conversation_id", Text, index=True),
    Column("agent", Text),
    Column("agent_version", Text),
    Column("environment", Text),
    Column("model", Text),
    Column("started_ns", BigInteger),
    Column("ended_ns", BigInteger, index=True),
    Column("request_characters", BigInteger),
    Column("request_hash", String(64)),
    Column("request_missing", Text),
    Column("reply_characters", BigInteger),
    Column("reply_hash", String(64)),
    Column("reply_missing", Text),
    Column("reply_trace_id", Text),
    Column("reply_span_id", Text),
    Column("tool_turns", BigInteger, nullable=False),
    Column("model_calls", BigInteger, nullable=False),
    Column("tool_errors", BigInteger, nullable=False),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("closed_by", Text, nullable=False),
    Column("stopped", Text),
    Column("trace_ids", Text, nullable=False),  # JSON list
    Column("dialects", Text, nullable=False),  # JSON list
    Column("states", Text, nullable=False),  # JSON: scorer to state
    sqlite_autoincrement=True,
)

TOOL_RESULTS = Table(
    "tool_results",
    METADATA,
    _turn_key(),
    _position(),
    Column("tool", Text, nullable=False),
    Column("call_id", Text),
    Column("state", Text, nullable=False),
    Column("strategy", Text),
    Column("marker", Boolean),
    Column("silent", Boolean),
    Column("broken", Boolean),
    Column("format", Text),
    Column("produced_characters", BigInteger),
    Column("delivered_characters", BigInteger),
    Column("kept_characters", BigInteger),
    Column("fields", Text, nullable=False),  # JSON: name to [delivered, produced], or null
    Column("rows", Text, nullable=False),  # JSON: [delivered, produced], or null
    Column("reason", Text),
    Column("join", Text),
)

SCORES = Table(
    "scores",
    METADATA,
    _turn_key(),
    _position(),
    Column("scorer", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("label", Text),
    Column("value", Float),
    Column("reason", Text),
    Column("evidence", Text, nullable=False),  # JSON, without texts
)

TEXTS = Table(
    "texts",
    METADATA,
    _turn_key(),
    # request, reply, score or tool_result; position says which of them.
    Column("part", String(16), primary_key=True),
    _position(),
    # JSON: the text, or what the row of the other table leaves out.
    Column("content", Text, nullable=False),
)

# How far each journalled trace has come: ids and positions only.
JOURNAL_MARKS = Table(
    "journal_marks",
    METADATA,
    Column("journal", Text, primary_key=True),
    Column("trace_id", Text, primary_key=True),
    Column("first_sequence", BigInteger, nullable=False),
    Column("last_sequence", BigInteger, nullable=False),
    Column("given", Text, nullable=False),  # JSON
    Index("ix_journal_marks_last", "journal", "last_sequence"),
)

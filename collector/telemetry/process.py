"""Metrics of the process: what it takes in, refuses, keeps safe and stores."""

from __future__ import annotations

from collector.telemetry.instrument import Instrument

RECEIVERS = ("otlp_grpc", "otlp_http")
# Known from the start, so that each has a series of value 0; a test holds it to the dialects.
DIALECTS = (
    "logfire",
    "langfuse",
    "openinference",
    "langsmith",
    "mlflow",
    "google_adk",
    "vercel_ai",
    "claude_code",
    "codex",
    "gemini_cli",
    "strands",
    "pydantic_ai",
    "haystack",
    "openlit",
    "semantic_kernel",
    "agent_framework",
    "litellm",
    "openllmetry",
    "gen_ai_events",
    "gen_ai",
    "unknown",
)

PROCESS: tuple[Instrument, ...] = (
    Instrument(
        name="tellback_build_info",
        kind="info",
        help="Version of this process; always 1.",
        labels=("version", "python"),
    ),
    Instrument(
        name="tellback_last_success_timestamp_seconds",
        kind="gauge",
        help="Unix time at which a stage last finished a piece of work; absent before the first.",
        labels=("stage",),
        unit="seconds",
        values={"stage": ("receive", "turn", "ledger")},
    ),
    Instrument(
        name="tellback_spans_received_total",
        kind="counter",
        help="Spans accepted and acknowledged, by receiver and by the dialect that claimed them; "
        "unknown: none did, so nothing in them is measured.",
        labels=("receiver", "dialect"),
        values={"receiver": RECEIVERS, "dialect": DIALECTS},
    ),
    Instrument(
        name="tellback_log_records_received_total",
        kind="counter",
        help="Log records accepted and acknowledged, by receiver and by the dialect that claimed "
        "them; unknown: none did.",
        labels=("receiver", "dialect"),
        values={"receiver": RECEIVERS, "dialect": DIALECTS},
    ),
    Instrument(
        name="tellback_spans_refused_total",
        kind="counter",
        help="Spans refused and not acknowledged, by receiver and reason; a request whose spans "
        "can't be counted is 1.",
        labels=("receiver", "reason"),
    ),
    Instrument(
        name="tellback_log_records_refused_total",
        kind="counter",
        help="Log records refused and not acknowledged, by receiver and reason; a request whose "
        "records can't be counted is 1.",
        labels=("receiver", "reason"),
    ),
    Instrument(
        name="tellback_requests_refused_total",
        kind="counter",
        help="Requests refused that carry neither spans nor log records, by receiver and reason.",
        labels=("receiver", "reason"),
    ),
    Instrument(
        name="tellback_spans_dropped_total",
        kind="counter",
        help="Spans and log records accepted and then let go without being measured, by reason. "
        "unreadable_content counts records that stay, and whose content could not be read.",
        labels=("reason",),
    ),
    Instrument(
        name="tellback_journal_requests_total",
        kind="counter",
        help="Requests by what became of them in the journal: written (durable, then "
        "acknowledged), failed (refused), replayed after a restart, damaged (acknowledged and not "
        "to be read any more), set_aside (the process died while reading it, again and again).",
        labels=("outcome",),
        values={"outcome": ("written", "failed", "replayed", "damaged", "set_aside")},
    ),
    Instrument(
        name="tellback_journal_syncs_total",
        kind="counter",
        help="Groups of requests made durable at once: written requests over this is the size of "
        "a group.",
    ),
    Instrument(
        name="tellback_journal_size_bytes",
        kind="gauge",
        help="What the journal takes on disk: requests whose turns are not in the ledger yet, and "
        "those kept for late spans.",
        unit="bytes",
    ),
    Instrument(
        name="tellback_open_turns",
        kind="gauge",
        help="Turns that wait for more of their spans.",
    ),
    Instrument(
        name="tellback_turn_close_delay_seconds",
        kind="histogram",
        help="Seconds from the end of a turn's last operation to its closing.",
        unit="seconds",
        buckets=(1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1800),
    ),
    Instrument(
        name="tellback_ledger_writes_total",
        kind="counter",
        help="Turns written to the ledger: new, seen before (replaced where changed), or failed.",
        labels=("outcome",),
        values={"outcome": ("new", "seen", "failed")},
    ),
    Instrument(
        name="tellback_ledger_turns_pruned_total",
        kind="counter",
        help="Turns deleted from the ledger by retention.",
    ),
    Instrument(
        name="tellback_ledger_size_bytes",
        kind="gauge",
        help="What the ledger takes on disk.",
        unit="bytes",
    ),
)

"""Every metric that this process exports, declared once.

`/metrics`, `docs/metrics.md` and the tests of rules and dashboards all read this table. A metric
that is not here does not exist; one that is here is exported. Names follow the Prometheus
conventions: base units, counters end in `_total`, numerator and denominator are two counters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["counter", "gauge", "histogram", "info"]

TURN = ("agent", "agent_version", "environment")
RECEIVERS = ("otlp_grpc", "otlp_http")
# Known from the start, so that each has a series of value 0; a test holds it to the dialects.
DIALECTS = (
    "openinference",
    "google_adk",
    "vercel_ai",
    "openllmetry",
    "strands",
    "pydantic_ai",
    "gen_ai_events",
    "gen_ai",
    "unknown",
)
STATES = (
    "scored",
    "sampled_out",
    "filtered",
    "unfinished",
    "unobservable",
    "shed",
    "judge_failed",
)
# What one label may grow to below the labels before it; beyond, the overflow series counts.
CAPS = {"agent": 100, "agent_version": 20, "environment": 10, "tool": 100, "field": 20, "model": 50}
# No label of a metric holds more series than this, whatever its parts are.
MOST_SERIES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """One metric. `name` is the whole Prometheus name, `_total` and unit included.

    `values` lists what a label may be where that is fixed. Where all labels are fixed, every
    series exists from the start, with 0; a fixed label in `filled` exists with all its values as
    soon as the other labels are seen. `buckets` are a histogram's upper bounds. `limit` caps the
    number of series; what doesn't fit is counted in one series `otel_metric_overflow="true"`.
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    unit: str = ""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    filled: str | None = None
    buckets: tuple[float, ...] = ()
    limit: int = MOST_SERIES

    @property
    def family(self) -> str:
        """The name of the metric family, as OpenMetrics writes it: without the suffix."""
        suffix = {"counter": "_total", "info": "_info"}.get(self.kind, "")
        return self.name.removesuffix(suffix)

    @property
    def is_fixed(self) -> bool:
        """Whether all series are known before anything is counted."""
        return all(label in self.values for label in self.labels)


INSTRUMENTS: tuple[Instrument, ...] = (
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
        help="Spans and log records accepted and then let go without being measured, by reason.",
        labels=("reason",),
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
    Instrument(
        name="tellback_replies_observed_total",
        kind="counter",
        help="Turns that closed, each with the reply it had or lacked, by model and by the number "
        "of model calls that asked for tools.",
        labels=(*TURN, "model", "tool_turns"),
        values={"tool_turns": ("0", "1-2", "3+")},
    ),
    Instrument(
        name="tellback_reply_states_total",
        kind="counter",
        help="The one end of every reply with each scorer; observed replies are these and the "
        "pending ones.",
        labels=(*TURN, "scorer", "state"),
        values={"state": STATES},
        filled="state",
    ),
    Instrument(
        name="tellback_replies_pending",
        kind="gauge",
        help="Observed replies that have no end with a scorer yet.",
        labels=("scorer",),
    ),
    Instrument(
        name="tellback_scores_total",
        kind="counter",
        help="Scores by outcome: scored, unscored (declined, with a reason) or error (broke).",
        labels=(*TURN, "scorer", "outcome"),
        values={"outcome": ("scored", "unscored", "error")},
        filled="outcome",
    ),
    Instrument(
        name="tellback_reply_verdicts_total",
        kind="counter",
        help="Scored replies by verdict, unweighted.",
        labels=(*TURN, "scorer", "tool_turns", "verdict"),
        values={"tool_turns": ("0", "1-2", "3+"), "verdict": ("usable", "failed")},
        filled="verdict",
    ),
    Instrument(
        name="tellback_reply_failures_total",
        kind="counter",
        help="Failed replies by kind of failure; a reply counts once under each of its kinds.",
        labels=(*TURN, "scorer", "kind"),
        values={
            "kind": (
                "pointer",
                "coined",
                "term",
                "background",
                "not_answered",
                "wrong_language",
            )
        },
        filled="kind",
    ),
    Instrument(
        name="tellback_information_gaps",
        kind="histogram",
        help="Information gaps per scored reply.",
        labels=(*TURN, "scorer"),
        buckets=(0, 1, 2, 3, 5, 10, 20),
        limit=500,
    ),
    Instrument(
        name="tellback_tool_results_total",
        kind="counter",
        help="Tool results by what became of them at a stage of the loss profile.",
        labels=(*TURN, "tool", "stage", "state"),
    ),
    Instrument(
        name="tellback_tool_result_characters_total",
        kind="counter",
        help="Characters that tools produced, and those of them that reached the model, on "
        "results whose two sides were seen.",
        labels=(*TURN, "tool", "side"),
        unit="characters",
        values={"side": ("produced", "delivered")},
        filled="side",
    ),
    Instrument(
        name="tellback_tool_field_results_total",
        kind="counter",
        help="Fields of tool results, per record, whose complete value did or did not reach the "
        "model.",
        labels=(*TURN, "tool", "field", "delivered"),
        values={"delivered": ("false", "true")},
        filled="delivered",
    ),
    Instrument(
        name="tellback_tool_results_broken_total",
        kind="counter",
        help="Results that parsed when produced and did not when delivered, by strategy.",
        labels=(*TURN, "tool", "strategy"),
    ),
    Instrument(
        name="tellback_tool_results_silent_cuts_total",
        kind="counter",
        help="Results cut without a marker that tells the model so, by strategy.",
        labels=(*TURN, "tool", "strategy"),
    ),
    Instrument(
        name="tellback_stage_items_total",
        kind="counter",
        help="The loss profile: what came in to each stage, by how it came out. Stages that are "
        "not measured are absent.",
        labels=(*TURN, "stage", "outcome"),
    ),
    Instrument(
        name="tellback_turns_stopped_total",
        kind="counter",
        help="Turns that ended before their work did, by what stopped them.",
        labels=(*TURN, "reason"),
    ),
    Instrument(
        name="tellback_tool_results_unread_total",
        kind="counter",
        help="Tool results after which no model call followed, by what stopped the turn "
        "(ended: nothing known did).",
        labels=(*TURN, "reason"),
    ),
    Instrument(
        name="tellback_tool_calls",
        kind="histogram",
        help="Tool calls per turn.",
        labels=(*TURN, "model"),
        buckets=(0, 1, 2, 5, 10, 20, 50, 100, 200),
        limit=500,
    ),
)

BY_NAME: Mapping[str, Instrument] = {instrument.name: instrument for instrument in INSTRUMENTS}

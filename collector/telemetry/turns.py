"""Metrics of turns: replies and their scores, tool results and what was delivered of them."""

from __future__ import annotations

from collector.telemetry.instrument import Instrument

TURN = ("agent", "agent_version", "environment")
STATES = (
    "scored",
    "sampled_out",
    "filtered",
    "unfinished",
    "unobservable",
    "shed",
    "judge_failed",
)

TURNS: tuple[Instrument, ...] = (
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
        name="tellback_tool_result_joins_total",
        kind="counter",
        help="Tool results by how what was delivered was found to be theirs: by tool-call id, by "
        "name and arguments, by order, or none: nothing was.",
        labels=(*TURN, "join"),
        values={"join": ("id", "arguments", "order", "none")},
        filled="join",
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

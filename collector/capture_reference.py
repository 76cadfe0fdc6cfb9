"""`docs/capture-loss.md`, written from the one table: `python -m collector.capture_reference`."""

from __future__ import annotations

import sys

from collector.inspection.advice import LIBRARIES, change_in
from scorers.delivery.reasons import REASONS, Cause, Reason

HEAD = """\
# What the instrumentation hides

<!-- Written by `python -m collector.capture_reference` from scorers/delivery/reasons.py and the
switches in collector/inspection. -->

Tellback compares what a tool produced with what the model was given, as telemetry holds both. Where
the instrumentation itself cut, hid or left out a side, the result is `unobservable`: it counts
neither as delivered nor as lost, its characters, fields and rows are null, and `reason` names why
with one word of this page ([decision 3](adr/0003-capture-loss-is-not-agent-loss.md)).

**Look at the observable share first.** `tellback replay`, `tellback turns` and `make demo` print it
for each agent and dialect before any loss, with the reasons that hide most and what to change. In
JSON it is `totals.observable_share_by`. On `/metrics`:

```text
# the observable share of each agent and dialect
sum by (agent, dialect) (rate(tellback_tool_results_observed_total{observed="true"}[1h]))
  / sum by (agent, dialect) (rate(tellback_tool_results_observed_total[1h]))

# what hides the others
sum by (agent, dialect, reason) (rate(tellback_tool_results_unobservable_total[1h]))
```

A result is counted under the dialect whose record hides a side, else under that of the model call
that was given it.

## When a side is not seen, and a loss is certain all the same

`lower_bound` is a floor: something was withheld, and how much in all is not known. It is reported
where

* the delivered text has a harness's marker that states sizes (`[truncated 4800 chars]`, `original
  token count: 23473`);
* the telemetry states more characters or bytes produced than were delivered, as
  `gemini_cli.tool_output_truncated` does;
* only the beginning of what was produced is recorded, and the model was given less than that
  beginning;
* one field of what was produced is masked, and far more than that field is missing from what was
  delivered.

A harness can state the size itself, so that the content need not travel: set
`tellback.tool.produced_size` on the tool's span, in characters, as the tool returned it and before
anything is shortened. Where the delivered text has exactly that size the result is `intact`, where
it has less it is a `lower_bound`.

## The SDK's length limit and the harness's cut

Both shorten texts, often to the same round number, and neither leaves a mark. They are told apart
by where else it shows:

* The SDK's limit meets every attribute alike, the produced result too. No value of the service is
  longer than the limit, and several end at it: different texts, or JSON that breaks off.
* A harness shortens what the model is given. The produced text on the tool's span is longer, and so
  is the JSON around the messages, which stays whole.
* One value alone that is torn at a length that people choose (1,000, 1,024, 2,000 …) counts as the
  SDK's: were it the harness's cut, what the tool produced would be longer.
* Results of one form often have one length. Values that begin alike are no proof, unless their
  length is round.

Below an SDK's limit a harness's cut stays visible where each text is a value of its own, and is a
`lower_bound`.

## Reasons

"""

TAIL = """
What no telemetry shows (cuts inside the tool function, in middleware below the model call's span,
at a gateway) is not on this page:
see “What it cannot see” in the [README](../README.md).
"""

TITLES: dict[Cause, str] = {
    "instrumentation": "The instrumentation cut or hid it",
    "recording": "It was not recorded",
    "turn": "The turn went that way",
    "measure": "Tellback did not compare it",
}


def reference() -> str:
    """Return the page as Markdown."""
    parts = [HEAD]
    for cause, title in TITLES.items():
        parts.append(f"### {title}\n\n")
        parts += [_entry(reason) for reason in REASONS if reason.cause == cause]
    return "".join(parts).rstrip("\n") + "\n" + TAIL


def _entry(reason: Reason) -> str:
    lines = [
        f"#### `{reason.name}`",
        "",
        reason.meaning,
        "",
        f"* Known by: {reason.known_by}",
        f"* To change: {reason.change}",
    ]
    dialects = sorted({library.dialect for library in LIBRARIES})
    changes = [(dialect, change_in(dialect, reason.name)) for dialect in dialects]
    lines += [f"  * {dialect}: {change}" for dialect, change in changes if change]
    return "\n".join([*lines, "", ""])


if __name__ == "__main__":
    sys.stdout.write(reference())

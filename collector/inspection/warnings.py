"""What is wrong with how telemetry arrives, in sentences: traces in pieces, calls told twice."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from collector.inspection.service import Seen
from collector.inspection.visible import SEEN

NO_TRACE = "no_trace_id"
COPY = "duplicate"
_MOST_TOOLS = 20


@dataclass(frozen=True, slots=True)
class Warned:
    """One thing that is wrong: `count` of `of`, where it is a share of something."""

    kind: str
    count: int
    of: int | None
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


def warnings(seen: Seen) -> list[Warned]:
    """Return what is to be said about a service."""
    return [*_pieces(seen), *_copies(seen), *_limits(seen)]


def _pieces(seen: Seen) -> Iterator[Warned]:
    about = seen.structure
    groups = about["groups"]
    over = about["turns_over_traces"]
    if over:
        yield Warned(
            "split_traces", over, None,
            f"{_turns(over)} spread over several traces, and put together by tool-call ids or the "
            "conversation id. One span around the whole turn keeps it in one trace.",
        )  # fmt: skip
    alone, bare = about["tools_alone"], about["results_without_span"]
    if alone:
        hint = (
            f" {bare:,} results that the model was given have no tool span: probably these."
            if bare
            else ""
        )
        yield Warned(
            "tools_without_calls", about["tool_traces"], groups,
            f"{about['tool_traces']:,} of {groups:,} traces hold tool calls ({alone:,}) and no "
            f"model call.{hint} Start the tool's span in the context of the turn (threads and "
            "processes need it handed over), or record the model calls.",
        )  # fmt: skip
    torn, without = about["groups_with_orphans"], about["groups_without_root"]
    if torn and torn == groups:
        yield Warned(
            "missing_parents", torn, groups,
            f"in each of {groups:,} traces {about['orphans']:,} parents in all never arrived: "
            "spans of the callers are sent elsewhere, or never end. Turns then close late, and "
            "are measured in part.",
        )  # fmt: skip
    elif torn:
        yield Warned(
            "torn_traces", torn, groups,
            f"in {torn:,} of {groups:,} traces spans point to parents that never arrived "
            f"({about['orphans']:,}), in the others none: a sampler that drops single spans, lost "
            "batches, or a process that ended before it flushed.",
        )  # fmt: skip
    # Where texts are cut, what was delivered can't be told apart, and passes for another result.
    limited = _told(seen, "attribute_length_limit", ("request", "reply", "compared"))
    for tool, bare, of in () if limited else _bare_tools(seen):
        yield Warned(
            "missing_tool_spans", bare, of,
            f"{bare:,} of {of:,} results of {tool} have no tool span, and the others have one: "
            "spans that were sampled away or lost, or a place where nothing records the tool.",
        )  # fmt: skip
    unfinished = _told(seen, "unfinished", ("reply",))
    if unfinished:
        yield Warned(
            "unfinished_turns", unfinished, _turns_of(seen),
            f"{_turns(unfinished)} cut off at a model call that asked for tools: the calls that "
            "follow are in traces of their own, which nothing joins, or never arrived. One span "
            "around the whole turn keeps them together.",
        )  # fmt: skip
    if without and not torn:
        yield Warned(
            "no_root", without, groups,
            f"{without:,} of {groups:,} traces have no root span: their turns close late.",
        )  # fmt: skip


def _copies(seen: Seen) -> Iterator[Warned]:
    for (one, other), count in seen.twice.top()[0]:
        if count > 0:
            yield Warned(
                "recorded_twice", count, None,
                f"{count:,} calls were recorded by two instrumentations, {one or '(no scope)'} and "
                f"{other or '(no scope)'}. They are counted once; switching one off halves what "
                "is sent.",
            )  # fmt: skip
    if seen.pending:
        yield Warned(
            "pending_spans", seen.pending, None,
            f"{seen.pending:,} spans are Logfire's pending spans: copies sent when a span starts. "
            "They are replaced by the span itself.",
        )  # fmt: skip
    lost: dict[str, int] = {}
    for (reason, _, _), count in seen.left_out.counts.items():
        lost[reason] = lost.get(reason, 0) + count
    if lost.pop(COPY, 0) > seen.pending:
        count = sum(n for (why, _, _), n in seen.left_out.counts.items() if why == COPY)
        yield Warned(
            "duplicates", count - seen.pending, None,
            f"{count - seen.pending:,} records arrived more than once: two exporters, a Collector "
            "with two routes, or retries. The more complete copy counts.",
        )  # fmt: skip
    if loose := lost.pop(NO_TRACE, 0):
        scopes = sorted({scope for (why, scope, _) in seen.left_out.counts if why == NO_TRACE})
        yield Warned(
            "no_trace_id", loose, None,
            f"{loose:,} log records belong to no trace and no conversation, so nothing can be made "
            f"of them (scopes: {_some(scopes)}). Emit them inside the span of the call.",
        )  # fmt: skip
    for reason, count in sorted(lost.items()):
        yield Warned(reason, count, None, f"{count:,} records were left out: {reason}.")


def _limits(seen: Seen) -> Iterator[Warned]:
    if seen.dropping.total:
        scopes = sorted({scope for scope, _ in seen.dropping.counts})
        yield Warned(
            "attribute_count_limit", seen.dropping.total, None,
            f"the SDK dropped attributes or events of {seen.dropping.total:,} records (scopes: "
            f"{_some(scopes)}): raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT and "
            "OTEL_SPAN_EVENT_COUNT_LIMIT, 128 by default.",
        )  # fmt: skip
    # A length alone proves nothing here: of one trace, the agent's own cut may be the longest text.
    cut = _told(seen, "attribute_length_limit", ("request", "reply", "compared"))
    if cut > 0:
        at = [f"{limit:,}" for limit, _ in seen.length_limits.top()[0]]
        where = f", at {' or '.join(at[:3])} characters" if at else ""
        yield Warned(
            "attribute_length_limit", cut, None,
            f"the SDK cut texts without a mark{where}, so {cut:,} of the texts and tool results "
            "can't be measured. Unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and "
            "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT.",
        )  # fmt: skip


def _told(seen: Seen, reason: str, facets: Collection[str]) -> int:
    return sum(
        count
        for counts in seen.turns.values()
        for (facet, why), count in counts.items()
        if why == reason and facet in facets
    )


def _turns_of(seen: Seen) -> int:
    return sum(counts["turns", SEEN] for counts in seen.turns.values())


def _bare_tools(seen: Seen) -> Iterator[tuple[str, int, int]]:
    """Tools that have a span for some of their results: name, results without one, all results."""
    counts = seen.tools.counts
    for tool in sorted({name for name, has_span in counts if has_span})[:_MOST_TOOLS]:
        bare, spanned = counts[tool, False], counts[tool, True]
        if bare > 0 and spanned > 0:
            yield tool, bare, bare + spanned


def _turns(count: int) -> str:
    return f"{count:,} {'turn is' if count == 1 else 'turns are'}"


def _some(names: list[str]) -> str:
    shown = ", ".join(name or "(none)" for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown

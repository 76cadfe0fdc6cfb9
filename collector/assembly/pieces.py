"""Records outside any span of their own become whole calls, and find the turn they belong to.

Coding agents log a model call's request, its answer and its tokens each by themselves, and most of
them without naming the call. They log tools a second time beside their spans, and what the
requester wrote without anything around it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from collector.assembly.combine import combine, combine_tools
from collector.assembly.material import Key, key_of
from collector.assembly.openings import Openings
from collector.dialect import AnyOperation, Opening, Piece
from scorers.turn import Inference, ToolExecution

Parents = Mapping[Key, Key | None]
# What begins a call: its span, and what was sent.
_BEGINNING = frozenset({"span", "request"})
NEAR_NS = 2_000_000_000  # a tool is logged within this time of the end of its span
_FIELDS = tuple(one.name for one in fields(Inference))


def put_together(
    operations: Sequence[AnyOperation], parents: Parents
) -> tuple[Sequence[AnyOperation], Parents]:
    """Return the operations with each call once, and with the places of those that have no span.

    Linear but for sorting; nothing changes where every record is a span's.
    """
    if not any(isinstance(operation, Piece | Opening) for operation in operations):
        return operations, parents
    pieces: dict[str, list[Piece]] = defaultdict(list)
    tools: dict[str, list[ToolExecution]] = defaultdict(list)
    others: list[AnyOperation] = []
    for operation in operations:
        if isinstance(operation, Piece):
            pieces[operation.trace_id].append(operation)
        elif isinstance(operation, ToolExecution):
            tools[operation.trace_id].append(operation)
        else:
            others.append(operation)
    whole: list[AnyOperation] = list(others)
    opened = {one.trace_id for one in others if isinstance(one, Opening)}
    for trace, found in pieces.items():
        # Tokens alone, spent on nobody's request: a process that warms up is no turn.
        whole += [call.whole() for call in _calls(found) if trace in opened or call.shows]
    for executed in tools.values():
        whole += _tools(executed, parents)
    openings = Openings(whole)
    return openings.without(whole), openings.places(whole, parents)


@dataclass(slots=True)
class _Call:
    """The records of one call so far."""

    pieces: list[Piece]
    kinds: set[str] = field(default_factory=set)
    marks: dict[str, str] = field(default_factory=dict)

    def add(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self.kinds.add(piece.kind)
        self.marks |= _named(piece)

    def may_hold(self, piece: Piece) -> bool:
        """Whether a record can be of this call, by its kind and by the ids that it names."""
        if piece.kind in self.kinds or (piece.kind in _BEGINNING and self.kinds - _BEGINNING):
            return False
        return all(self.marks.get(name, mark) == mark for name, mark in _named(piece).items())

    @property
    def shows(self) -> bool:
        """Whether anything but its tokens was recorded of it."""
        return self.kinds != {"usage"}

    def whole(self) -> Inference:
        """Return the call, at the place of its span where that is known."""
        first, *others = sorted(self.pieces, key=lambda piece: piece.kind != "span")
        call: Inference = first
        for piece in others:
            call = combine(call, piece)
        hidden = [piece.capture.hidden for piece in self.pieces if piece.capture.hidden]
        if hidden and (call.input is None or call.output is None):
            call = replace(call, capture=replace(call.capture, hidden=hidden[0]))
        return Inference(**{name: getattr(call, name) for name in _FIELDS})


def _named(piece: Piece) -> dict[str, str]:
    return {name: mark for name, _, mark in (mark.partition("=") for mark in piece.marks)}


def _calls(pieces: Iterable[Piece]) -> list[_Call]:
    calls: list[_Call] = []
    latest: dict[str, _Call] = {}
    by_mark: dict[str, _Call] = {}
    for piece in sorted(pieces, key=_in_order):
        marked = (by_mark[mark] for mark in piece.marks if mark in by_mark)
        call = next((call for call in marked if call.may_hold(piece)), None)
        if call is None:
            call = latest.get(piece.lane)
            if call is None or not call.may_hold(piece):
                call = _Call([])
                calls.append(call)
            latest[piece.lane] = call
        call.add(piece)
        for mark in piece.marks:
            by_mark.setdefault(mark, call)
    return calls


def _in_order(piece: Piece) -> tuple[int, int, int, str]:
    # A span begins before what is logged in it, also where clocks count milliseconds only.
    return (piece.start_ns, piece.kind != "span", piece.order, piece.span_id)


def _tools(tools: Sequence[ToolExecution], parents: Parents) -> list[ToolExecution]:
    """Put a tool's log records into its span: the one under their id, else the one at their time
    with their arguments."""
    spans = [tool for tool in tools if key_of(tool) in parents]
    logged = [tool for tool in tools if key_of(tool) not in parents]
    if not logged:
        return list(tools)
    ordered = sorted([*spans, *_by_key(logged)], key=lambda tool: key_of(tool) not in parents)
    kept: list[ToolExecution] = []
    by_key: dict[Key, int] = {}
    by_id: dict[str, int] = {}
    by_name: dict[str, list[int]] = defaultdict(list)
    for tool in ordered:
        at = by_key.get(key_of(tool))
        if at is None and tool.call_id:
            at = by_id.get(tool.call_id)
        if at is None and key_of(tool) not in parents:
            at = _nearest(tool, kept, by_name[tool.tool])
        if at is None or (key_of(tool) in parents and key_of(kept[at]) != key_of(tool)):
            at = len(kept)
            kept.append(tool)
            by_key[key_of(tool)] = at
            by_name[tool.tool].append(at)
        else:
            kept[at] = combine_tools(kept[at], tool)
        if tool.call_id:
            by_id.setdefault(tool.call_id, at)
    return kept


def _by_key(logged: Iterable[ToolExecution]) -> list[ToolExecution]:
    found: dict[Key, ToolExecution] = {}
    for tool in logged:
        known = found.get(key_of(tool))
        found[key_of(tool)] = tool if known is None else combine_tools(known, tool)
    return list(found.values())


def _nearest(
    tool: ToolExecution, kept: Sequence[ToolExecution], options: Sequence[int]
) -> int | None:
    """Return the tool call that a log record is about, told by its time: one of them has no id."""
    found: int | None = None
    apart = NEAR_NS
    for at in reversed(options[-16:]):
        other = kept[at]
        alike = all(
            ours is None or theirs is None or ours == theirs
            for ours, theirs in (
                (tool.call_id, other.call_id),
                (tool.arguments, other.arguments),
                (tool.delivered_size, other.delivered_size),
                (tool.produced_size, other.produced_size),
            )
        )
        if (
            alike
            and not (tool.call_id and other.call_id)
            and abs(tool.end_ns - other.end_ns) < apart
        ):
            found, apart = at, abs(tool.end_ns - other.end_ns)
    return found

"""What the requester of a turn has said and seen: the request, and the dialog before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collector.assembly.capture import COUNT, LENGTH, lost_end
from collector.assembly.drafts import Draft
from collector.assembly.history import History, read
from collector.assembly.speaker import quotes
from collector.content import redacted
from scorers.turn import File, Inference, RequesterContext, Said

NOTHING = History()


@dataclass(frozen=True, slots=True)
class Asked:
    """The requester's side of a turn. `request` is None where it is not known, `missing` why."""

    context: RequesterContext
    request: str | None
    missing: str | None


def asked(draft: Draft, files: Sequence[File] = ()) -> Asked:
    """Find the request of a turn: what opened it, and what was added while it ran. `files` are
    those that its spans say the requester gave."""
    history, opening = _opening(draft)
    if opening and _is_stale(draft, opening):
        # What was asked before: the end of the list, with the request in it, was not recorded.
        context = RequesterContext((*history.before, *(Said("user", t) for t in opening)))
        return Asked(context, None, COUNT)
    if opening and (broken := _broke_off(draft, opening[-1])) is not None:
        return Asked(RequesterContext(history.before), None, broken)
    words = [opening[-1]] if opening else []
    words += _added(draft, set(opening)) if opening else []
    request = "\n\n".join(words) or None
    dialog = (*history.before, *(Said("user", text) for text in opening[:-1]))
    if request is not None:
        dialog = (*dialog, Said("user", request))
    missing = None if request is not None else _why_missing(draft)
    return Asked(RequesterContext(dialog, _files(draft, files)), request, missing)


def _broke_off(draft: Draft, request: str) -> str | None:
    """Say why only a beginning of the request is known; None where all of it is."""
    if draft.segment is None:
        return None
    for call, history in zip(draft.segment.calls, draft.segment.histories, strict=True):
        if history.request_at < 0 or history.request[-1] != request or not call.input:
            continue
        parts = call.input[history.request_at].of_kind("text")
        # A mark of redaction inside of it leaves the rest to be read.
        if any(part.cut_by_capture and not redacted(part.text) for part in parts):
            return call.capture.hidden or LENGTH
        return None
    return None


def _is_stale(draft: Draft, opening: list[str]) -> bool:
    """Say whether a request was read from calls only whose newest messages may be missing."""
    if draft.segment is None or not all(map(lost_end, draft.segment.calls)):
        return False
    opener = draft.arena.opener if draft.alone else None
    told = read(opener.input or ()).request if opener is not None else ()
    return opening[-1] not in told


def _opening(draft: Draft) -> tuple[History, list[str]]:
    """Return the dialog before the request and the messages that opened the turn.

    The agent's own input is preferred where a model call only wraps it in a prompt of the
    harness: what the wrapping adds was never the requester's.
    """
    of_call = NOTHING
    for history in draft.segment.histories if draft.segment else ():
        of_call = history
        if history.request:
            break
    opener = draft.arena.opener if draft.alone else None
    of_agent = read(opener.input or ()) if opener is not None else NOTHING
    if not of_call.request:
        if of_agent.request:
            return of_agent, list(of_agent.request)
        if of_call.before and draft.segment and draft.segment.calls[0].input:
            return of_call, []  # the call shows the dialog, and nobody asked anything
        return _of_others(draft) or (of_call, [])
    opening = list(of_call.request)
    if of_agent.request and of_agent.request[-1] in opening[-1]:
        opening[-1] = of_agent.request[-1]
    elif of_agent.request and draft.arena.has_one_turn:
        opening = list(of_agent.request)  # what the model was told is the harness's wording
    else:
        first = _of_others(draft)
        if first is not None and quotes(opening[-1], first[1][-1], 4):
            return first  # an earlier agent was asked this; the harness wrapped it for the next one
    return of_call, opening


def _of_others(draft: Draft) -> tuple[History, list[str]] | None:
    """Return what opened the run where the replying agent was told nothing by the requester."""
    for other in sorted(draft.others, key=lambda other: other.calls[0].start_ns):
        for history in other.histories:
            if history.request:
                return history, list(history.request)
    return None


def _added(draft: Draft, known: set[str]) -> list[str]:
    """Return what the requester added while the turn ran, behind the work done until then."""
    added: list[str] = []
    if draft.segment is None:
        return added
    replied = len(draft.segment.histories[0].before)
    for call, history in list(zip(draft.segment.calls, draft.segment.histories, strict=True))[1:]:
        if not history.request or history.request[-1] in known or len(history.before) > replied:
            continue  # what stands behind an interim answer is the run's own critique
        if history.request_at > _last_work(call):
            known.add(history.request[-1])
            added.append(history.request[-1])
    return added


def _last_work(call: Inference) -> int:
    for at in range(len(call.input or ()) - 1, -1, -1):
        if call.input is not None and call.input[at].role in ("assistant", "tool"):
            return at
    return len(call.input or ())  # no work before it: not an addition to running work


def _files(draft: Draft, stated: Sequence[File]) -> tuple[File, ...]:
    found = {(one.name, one.text): one for one in stated}
    for call in draft.segment.calls[:1] if draft.segment else ():
        for message in call.input or ():
            for part in message.parts if message.role == "user" else ():
                if part.kind == "file":
                    found[(part.name or "file", part.text)] = File(part.name or "file", part.text)
    return tuple(found.values())


def _why_missing(draft: Draft) -> str:
    calls = draft.segment.calls if draft.segment else []
    hidden = next((call.capture.hidden for call in calls if call.capture.hidden), None)
    if hidden is None:
        hidden = next((a.capture.hidden for a in draft.arena.agents if a.capture.hidden), None)
    if hidden:
        return hidden
    if not calls:
        return "no_model_call"
    if any(call.capture.dropped for call in calls):
        return COUNT
    if any(call.capture.broken for call in calls):
        return LENGTH
    if all(call.input is None for call in calls):
        return "input_not_recorded"
    return "no_requester_message"

"""Two texts compared: what a tool produced, and what was delivered of it."""

from __future__ import annotations

import re

from scorers import markers
from scorers.delivery.evidence import Evidence, field_counts, missing, row_counts
from scorers.delivery.pair import Delivery, State
from scorers.delivery.renderings import by_rendering, mentioned
from scorers.delivery.sameness import same
from scorers.delivery.strategy import Cut, strategy
from scorers.delivery.texts import by_skeleton, by_text, without_markers
from scorers.delivery.values import by_value
from scorers.payload import views
from scorers.payload.json_text import MISSING, read
from scorers.payload.layout import columns
from scorers.payload.shape import PARSED, Shape, shape
from scorers.payload.skeleton import LONGEST, skeleton

# A message that stands for an empty result, or a footer, is shorter than this.
LONGEST_EMPTY = 240
# What the instrumentation leaves where it shortened or hid a text itself.
_CAPTURE_END = re.compile(r"(?:\.\.\. ?\[truncated(?:, \d+ chars)?\]|\.\.\.|…)\s*$")
_HIDDEN = re.compile(
    r"^\W*(?:\[Scrubbed due to '[^']*'\]|__REDACTED__|\[REDACTED\]|<redacted>)\W*$", re.I
)


def compare(
    produced: str, delivered: str, *, tool: str = "", call_id: str | None = None
) -> Delivery:
    """Compare the two texts of one tool result: no stage is known, and no later calls."""
    made = shape(produced)

    def verdict(state: State, **known: object) -> Delivery:
        values: dict[str, object] = {
            "strategy": None,
            "marker": False,
            "silent": False,
            "broken": None,
            "kept_characters": None,
            "fields": None,
            "rows": None,
            "reason": None,
        }
        return Delivery(
            tool=tool,
            call_id=call_id,
            state=state,
            format=made.format,
            produced_characters=len(produced),
            delivered_characters=len(delivered),
            **{**values, **known},  # type: ignore[arg-type]
        )

    reason = capture_cut(produced, delivered)
    if reason is not None:
        return verdict(State.unobservable, reason=reason)
    if is_intact(produced, delivered, made):
        whole = Evidence([(0, len(produced))], "", "", "text")
        return verdict(
            State.intact,
            broken=False if made.format in PARSED else None,
            kept_characters=len(produced),
            fields=field_counts(made.layout, whole),
            rows=row_counts(made.layout, whole),
        )
    evidence, found = weigh(produced, delivered, made)
    if not missing(evidence, produced) and not evidence.kinds:
        whole = Evidence([(0, len(produced))], "", "", "text")
        return verdict(
            State.intact,
            broken=False if made.format in PARSED else None,
            kept_characters=len(produced),
            fields=field_counts(made.layout, whole),
            rows=row_counts(made.layout, whole),
        )
    rows = row_counts(made.layout, evidence)
    name = strategy(Cut(produced, delivered, made.format, rows, evidence, found))
    marked = (
        bool(found)
        or markers.note(evidence.noise)
        or any(markers.note(seam) for seam in evidence.seams)
    )
    return verdict(
        State.spilled if name == "spill_pointer" else State.cut,
        strategy=name,
        marker=marked,
        silent=not marked,
        broken=None if made.format not in PARSED else not _valid(made, evidence),
        kept_characters=min(evidence.kept, len(produced)),
        fields=field_counts(made.layout, evidence),
        rows=rows,
        reason="pointer" if name == "spill_pointer" else None,
    )


def capture_cut(produced: str, delivered: str) -> str | None:
    """Return why the pair itself proves that the instrumentation withheld one side, else None."""
    ours, theirs = produced.strip(), delivered.strip()
    if not ours:
        return "produced_empty" if len(theirs) > LONGEST_EMPTY else None
    if not theirs:
        return "delivered_empty"
    if _HIDDEN.match(theirs) and not _HIDDEN.match(ours):
        return "delivered_redacted"
    if _HIDDEN.match(ours) and not _HIDDEN.match(theirs):
        return "produced_redacted"
    end = _CAPTURE_END.search(ours)
    known = ours[: end.start()] if end and len(theirs) > len(ours) else ours
    if len(theirs) <= len(known) or not theirs.startswith(known) or len(known) < 24:
        return None
    rest = theirs[len(known) :]
    if end and known is not ours:
        return "produced_cut_by_capture"
    torn = known[-1].isalnum() and rest[0].isalnum()
    if torn or (read(theirs) is not MISSING and read(known) is MISSING):
        return "produced_cut_by_capture"
    return None


def is_intact(produced: str, delivered: str, made: Shape) -> bool:
    """Say whether everything produced stands in the delivered text, in whatever form."""
    ours = produced.strip()
    if not ours or _stands_in(ours, delivered):
        return True
    for text in views.texts(delivered):
        if _squeezed(views.without_colours(ours)) in _squeezed(text) and _stands_apart(ours):
            return True
    if max(len(produced), len(delivered)) <= LONGEST:
        bare = skeleton(ours).text
        if len(bare) >= 16 and bare in skeleton(delivered).text:
            return True
    if isinstance(made.value, dict | list | str) and _carries(made, delivered):
        return True
    if made.format == "html" and "<" not in delivered[:200]:
        seen = _squeezed(views.visible(produced))
        return bool(seen) and seen in _squeezed(delivered)
    return False


def _stands_in(ours: str, delivered: str) -> bool:
    at = delivered.find(ours)
    if at < 0:
        return False
    if len(ours) >= 16:
        return True
    before, after = delivered[at - 1 : at] or " ", delivered[at + len(ours) :][:1] or " "
    return not (ours[0].isalnum() and before.isalnum()) and not (
        ours[-1].isalnum() and after.isalnum()
    )


def _stands_apart(ours: str) -> bool:
    return len(ours) >= 8


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _carries(made: Shape, delivered: str) -> bool:
    ours = made.value
    inner = views.opened(ours)
    tried = 0
    for value, _, _ in views.values(delivered):
        for one in views.nodes(value):
            if isinstance(one, dict | list | tuple | str) and one:
                tried += 1
                if tried > 2_000:
                    return False
                if type(one) is type(ours) and same(ours, one):
                    return True
                if inner is not ours and type(one) is type(inner) and same(inner, one):
                    return True
    if inner is not ours and isinstance(inner, str):
        return _squeezed(inner) in _squeezed(delivered)
    return False


def weigh(
    produced: str, delivered: str, made: Shape
) -> tuple[Evidence, tuple[markers.Sighting, ...]]:
    """Gather the evidence that explains most of what was delivered."""
    blanked, found = without_markers(delivered, produced)
    best = by_text(produced, blanked)
    for view in views.texts(delivered)[1:]:
        other = by_text(produced, without_markers(view, produced)[0])
        if other.kept > best.kept:
            best = other
    loose = by_skeleton(produced, blanked)
    if loose is not None and loose.kept > 1.05 * best.kept + 8:
        best = loose
    if not made.layout.values:
        return best, found
    value = by_value(produced, made.layout, delivered, views.values(delivered))
    if value is not None and _telling(value, best, delivered, found):
        value.seams = best.seams
        return value, found
    if best.kept < 0.5 * len(delivered):
        rendered = by_rendering(produced, made.layout, delivered)
        if rendered is not None and rendered[1] >= 0.5 and rendered[0].kept > best.kept:
            return rendered[0], found
        if not found and best.kept < 0.3 * len(produced):
            fields, size = mentioned(made.layout, delivered)
            if size > 0:
                best = Evidence(
                    [], best.noise, best.payload, "mention", fields, 0, set(), size, False
                )
    return best, found


def _telling(value: Evidence, best: Evidence, delivered: str, found: object) -> bool:
    """Say whether the value found is the message's payload rather than a fragment of it."""
    return (
        len(value.payload) >= 0.6 * (len(delivered) - len(value.noise))
        and value.kept >= 0.8 * best.kept
    )


def _valid(made: Shape, evidence: Evidence) -> bool:
    """Say whether the delivered payload, without the harness's note, parses as produced."""
    if evidence.valid is not None:
        return evidence.valid
    text = evidence.payload.strip()
    if not text:
        return False
    if made.format == "json":
        return read(text) is not MISSING
    if made.format == "jsonl":
        return all(read(line) is not MISSING for line in text.splitlines() if line.strip())
    width = len(made.layout.header or ())
    return bool(text) and all(count == width for count in columns(text, made.delimiter))

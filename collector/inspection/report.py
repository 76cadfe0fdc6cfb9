"""What an inspection found, as JSON values: per service what was seen, what is missing, and what
to switch on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from collector.inspection import advice
from collector.inspection.library import Library, Topic
from collector.inspection.service import Seen
from collector.inspection.visible import OF_RESULTS, OF_TURNS, SEEN, Fact
from collector.inspection.warnings import warnings

UNKNOWN = "unknown"


def report(services: Sequence[Seen], *, spans: int, log_records: int) -> dict[str, Any]:
    """Return the whole document; services with most GenAI records first."""
    ordered = sorted(services, key=lambda seen: (-_claimed(seen), seen.name or ""))
    return {
        "spans": spans,
        "log_records": log_records,
        "services": [_service(seen) for seen in ordered],
    }


def _claimed(seen: Seen) -> int:
    return sum(count for (dialect, _), count in seen.dialects.items() if dialect != UNKNOWN)


def _service(seen: Seen) -> dict[str, Any]:
    visible = [_visible(dialects, counts) for dialects, counts in sorted(seen.turns.items())]
    visible = [each for each in visible if each["turns"]]
    return {
        "service": seen.name,
        "versions": [version for version, _ in seen.versions.top()[0]],
        "sdks": [
            {"language": language or None, "version": version or None}
            for (language, version), _ in seen.sdks.top()[0]
        ],
        "dialects": _dialects(seen),
        "scopes": _scopes(seen),
        "unclaimed": _unclaimed(seen),
        "visible": visible,
        "advice": _advice(seen, visible),
        "warnings": [each.as_dict() for each in warnings(seen)],
        "unknown_keys": _unknown_keys(seen),
    }


def _dialects(seen: Seen) -> list[dict[str, Any]]:
    names = sorted({dialect for dialect, _ in seen.dialects} - {UNKNOWN})
    return [
        {"dialect": name, "spans": seen.dialects[name, "spans"],
         "log_records": seen.dialects[name, "log_records"]}
        for name in names
    ]  # fmt: skip


def _scopes(seen: Seen) -> dict[str, Any]:
    shown, others = seen.scopes.top()
    listed = []
    for (name, version, dialect, signal), count in shown:
        library = advice.library_of(name)
        listed.append(
            {
                "scope": name, "version": version or None, "library": library and library.name,
                "dialect": None if dialect == UNKNOWN else dialect, "signal": signal,
                "count": count,
            }
        )  # fmt: skip
    return {"listed": listed, "others": others}


def _unclaimed(seen: Seen) -> dict[str, Any]:
    shown, others = seen.unclaimed.top()
    return {
        "spans": seen.dialects[UNKNOWN, "spans"],
        "log_records": seen.dialects[UNKNOWN, "log_records"],
        "with_genai_keys": seen.unclaimed_genai,
        "names": [
            {"name": name, "scope": scope, "signal": signal, "count": count}
            for (name, scope, signal), count in shown
        ],
        "others": others,
    }


def _visible(dialects: tuple[str, ...], counts: Mapping[Fact, int]) -> dict[str, Any]:
    by_facet: dict[str, Counter[str]] = {facet: Counter() for facet in (*OF_TURNS, *OF_RESULTS)}
    for (facet, reason), count in counts.items():
        if facet in by_facet and count > 0:
            by_facet[facet][reason] += count
    return {
        "dialects": list(dialects),
        "turns": counts.get(("turns", SEEN), 0),
        "tool_results": counts.get(("results", SEEN), 0),
        **{facet: _share(found) for facet, found in by_facet.items()},
    }


def _share(found: Counter[str]) -> dict[str, Any]:
    """`seen` of `of`, and how many are missing for which reason; null where there was nothing."""
    missing = {reason: count for reason, count in found.most_common() if reason != SEEN}
    of = found.total()
    return {"seen": found[SEEN] if of else None, "of": of, "missing": missing}


def _advice(seen: Seen, visible: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return switches by library and topic, each with what it would show."""
    wanted: dict[tuple[str, Topic], dict[str, Any]] = {}
    for each in visible:
        for facet in (*OF_TURNS, *OF_RESULTS):
            for reason in each[facet]["missing"]:
                if facet != "compared" or reason.startswith("attribute_"):
                    libraries = _at_fault(seen, each["dialects"], facet, reason)
                    _want(wanted, libraries, facet, reason)
    if not visible and _claimed(seen) + seen.unclaimed_genai:
        _want(wanted, _libraries(seen, None), "turns", "no_turn")
    if seen.dropping.total:
        dropping = {scope for scope, _ in seen.dropping.counts}
        _want(wanted, _libraries(seen, None, dropping), "produced", "attribute_count_limit")
    return list(wanted.values())


def _want(
    wanted: dict[tuple[str, Topic], dict[str, Any]],
    libraries: Sequence[Library],
    facet: str,
    reason: str,
) -> None:
    topic = advice.topic_of(facet, reason)
    if topic is None:
        return
    for library, switch in advice.switches_for(libraries, topic):
        known = wanted.setdefault(
            (library, topic), {"library": library, "topic": topic, "shows": [], "set": []}
        )
        if facet not in known["shows"]:
            known["shows"].append(facet)
        setting = {"setting": switch.setting, "effect": switch.effect}
        if setting not in known["set"]:
            known["set"].append(setting)


def _at_fault(seen: Seen, dialects: Sequence[str], facet: str, reason: str) -> Sequence[Library]:
    """Return the libraries that wrote the spans in which something is missing; all that wrote
    these dialects where that is not known any more."""
    scopes = {who for what, why, who in seen.blamed.counts if (what, why) == (facet, reason)}
    return _libraries(seen, dialects, scopes) or _libraries(seen, dialects)


def _libraries(
    seen: Seen, dialects: Sequence[str] | None, among: Collection[str] | None = None
) -> list[Library]:
    """Return the libraries that wrote some dialects; advice for spans by hand where a scope that
    no library is known by wrote them. `among` leaves only some scopes."""
    scopes: set[str] = set()
    by_hand: dict[str, Library] = {}
    for name, _, dialect, _ in seen.scopes.counts:
        if dialects is not None and dialect not in dialects:
            continue
        if among is not None and name not in among:
            continue
        if advice.library_of(name) is not None:
            scopes.add(name)
        elif dialect != UNKNOWN and (library := advice.by_hand(dialect)) is not None:
            by_hand[library.name] = library
    return [*advice.libraries_of(sorted(scopes), seen.name), *by_hand.values()]


def _unknown_keys(seen: Seen) -> dict[str, Any]:
    shown, others = seen.keys.top()
    return {
        "listed": [
            {"key": key, "dialect": None if dialect == UNKNOWN else dialect, "scope": scope,
             "version": version or None, "count": count}
            for (key, dialect, scope, version), count in shown
        ],
        "others": others,
    }  # fmt: skip

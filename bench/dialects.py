"""The page docs/dialects.md: each dialect, its libraries, and what recorded runs show of it.

    python bench/dialects.py FOLDER > docs/dialects.md

FOLDER holds the shared runs, which are not part of the repository: a folder a run, with
`expected.json` and the requests as they were sent. Without it, their table is left out.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import truth

from collector.dialect import Dialect, Dialects
from collector.dialects import DIALECTS
from collector.inspection.advice import LIBRARIES, OF_ALL
from collector.inspection.library import Library, Switch
from collector.receivers import file

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "dialects"
TOPICS = {
    "content": "content",
    "upload": "content that is uploaded",
    "tools": "produced",
    "results": "produced",
    "calls": "model calls",
    "session": "session id",
    "agent": "agent name",
    "version": "agent version",
    "usage": "usage",
    "ids": "joins",
    "length": "texts that are cut",
    "count": "attributes that are dropped",
    "nothing": "anything at all",
}
HEAD = """\
# Dialects

Find your library below: what it shows of an agent, and the settings that show the rest.
`tellback inspect` says the same of your own telemetry. At the end stand the recorded runs that say
how well each is read.

This page is generated: `make dialects DATA=../shared/data/dialects` writes it
(`bench/dialects.py`). That folder is not part of the repository; what is made of the repository's
own runs can be made without it.

*request*, *reply*: the text is there. *session*: a conversation id. *produced*: what the tool
returned. *delivered*: what the model was given of it. A switch that stands for every library is in
[the last section](#settings-of-every-library).
"""
RUNS = """\
One row a run of the billing agent: the harness cuts `fetch_invoices` to its first 1,500 characters
before the model sees it, unless the run's name says otherwise. Where telemetry does not show both
sides, the result has to be unobservable, with the reason. *sent*: delivered texts that are in the
requests which the model's API got. What disagrees with the run's `expected.json` or `wire/` is
marked as wrong.
"""
COLUMNS = ("run", "read as", "request", "reply", "session", "long result", "kept", "sent")


def page(shared: Path | None) -> str:
    """Return the page as Markdown."""
    parts = [HEAD, _index(), *map(_dialect, DIALECTS), _of_all()]
    if shared is not None:
        runs = [truth.run(path.parent) for path in sorted(shared.glob("*/expected.json"))]
        parts += [_table("Recorded runs: the shared set", runs)]
    return "\n".join([*parts, golden()])


def golden() -> str:
    """Return the table of the repository's own runs."""
    found = sorted(GOLDEN.glob("*/*/expected.json"))
    runs = [truth.run(path.parent) for path in found]
    return _table("Recorded runs: the repository's own", runs, "tests/golden/dialects")


def _index() -> str:
    lines = ["| library | read as | shows by itself |", "|---|---|---|"]
    known = {each.name for each in DIALECTS}
    for library in sorted(LIBRARIES, key=lambda each: each.name.lower()):
        if library.dialect in known:
            link = f"[`{library.dialect}`](#{library.dialect})"
            lines.append(f"| {library.name} | {link} | {_cell(library.shows)} |")
    return "\n".join([*lines, ""])


def _dialect(dialect: Dialect) -> str:
    name = dialect.name
    about = (
        (sys.modules[type(dialect).__module__].__doc__ or "")
        .strip()
        .split("\n\n")[0]
        .replace("\n", " ")
    )
    lines = [f"## {name}", "", *_wrapped(about), ""]
    scopes = _scopes().get(name)
    if scopes:
        listed = _listed(sorted(filter(None, scopes)))
        lines += [*_wrapped(f"Scopes in the recorded runs: {listed}."), ""]
    libraries = [library for library in LIBRARIES if library.dialect == name]
    for library in libraries:
        lines += _library(library)
    return "\n".join(lines)


def _library(library: Library) -> list[str]:
    lines = [f"**{library.name}**", "", *_wrapped(f"{library.about}. Shows: {library.shows}."), ""]
    if library.scopes or library.services:
        scopes, services = map(_listed, (library.scopes, library.services))
        known = [f"its scopes {scopes}"] if scopes else []
        known += [f"`service.name` {services}"] if services else []
        lines += [*_wrapped(f"Known by {', or by '.join(known)}."), ""]
    rows = [
        row
        for topic, switches in library.switches.items()
        for row in _rows(TOPICS[topic], switches)
    ]
    return [*lines, "| to see | set | |", "|---|---|---|", *rows, ""] if rows else lines


def _rows(topic: str, switches: Sequence[Switch]) -> list[str]:
    return [
        f"| {topic} | `{_cell(switch.setting)}` | {_cell(switch.effect)} |" for switch in switches
    ]


def _of_all() -> str:
    rows = [row for topic, switches in OF_ALL.items() for row in _rows(TOPICS[topic], switches)]
    return "\n".join(
        ["## Settings of every library", "", "| to see | set | |", "|---|---|---|", *rows, ""]
    )


def _table(title: str, runs: Sequence[truth.Run], where: str = "") -> str:
    wrong = sum(not run.right for run in runs)
    false, missed = sum(run.false_losses for run in runs), sum(run.missed for run in runs)
    told = f"{len(runs)} runs{f' of `{where}`' if where else ''}, {wrong} of them not as expected. "
    told += (
        f"Capture loss reported as a cut: {false}. Visible cuts of the harness missed: {missed}."
    )
    rows = [
        f"| {run.name} | {', '.join(run.dialects) or '–'} | {' | '.join(map(str, run.cells))} |"
        for run in runs
    ]
    head = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    about = [] if where else [RUNS]
    return "\n".join([f"## {title}", "", *about, *_wrapped(told), "", *head, *rows, ""])


_found: dict[str, set[str]] = {}


def _scopes() -> dict[str, set[str]]:
    """The scopes that each dialect claims in the repository's runs."""
    if not _found:
        found = defaultdict(set)
        dialects = Dialects(DIALECTS)
        for folder in sorted(path for path in GOLDEN.glob("*/*") if path.is_dir()):
            for batch in file.read(folder):
                for record in batch.records:
                    for dialect in dialects.fitting(record):
                        if dialect.claims(record):
                            found[dialect.name].add(record.scope.name)
                            break
        _found.update(found)
    return _found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _wrapped(text: str, width: int = 125) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def main(arguments: Iterable[str]) -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    sys.stdout.write(page(parser.parse_args(list(arguments)).folder))


if __name__ == "__main__":
    main(sys.argv[1:])

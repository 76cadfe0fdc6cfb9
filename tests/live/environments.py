"""An environment of its own for each library of the table, made on first use and kept.

Versions of the packages named are exact. What they need in turn is resolved as of the table's
date, so that a run fails for what changed here and not for what came out yesterday.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
AGENTS = HERE / "agents"
KEPT = HERE / ".environments"
LONGEST = 600.0  # seconds for one installation
COMPLETE = "complete"


class CannotInstall(Exception):
    """A library of the table could not be installed; the message says which, and why."""


@dataclass(frozen=True)
class Library:
    """A row of `versions.toml`."""

    name: str
    before: str
    packages: tuple[str, ...]
    driver: str
    dialect: str
    agent: str | None = None
    session: bool = True
    missing: str | None = None
    transport: str = "http/protobuf"
    left_out: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def node(self) -> bool:
        return self.driver.endswith(".mjs")


def libraries() -> list[Library]:
    """Return the table, in its order."""
    table: dict[str, Any] = tomllib.loads((HERE / "versions.toml").read_text(encoding="utf-8"))
    before = table.pop("resolved_before")
    return [
        Library(
            name=name,
            before=before,
            packages=tuple(row.pop("packages")),
            left_out=tuple(row.pop("left_out", ())),
            **row,
        )
        for name, row in table.items()
    ]


def command_of(library: Library) -> list[str]:
    """Return the command that runs a library's driver, whose environment is made where needed."""
    folder = _folder(library)
    if not (folder / COMPLETE).exists():
        for old in KEPT.glob(f"{library.name}@*"):
            shutil.rmtree(old)
        (_install_node if library.node else _install_python)(library, folder)
        (folder / COMPLETE).touch()
    if not library.node:
        return [str(folder / "bin" / "python"), str(AGENTS / library.driver)]
    # Node looks for packages beside the program, not where it was started.
    for source in (*AGENTS.glob("*.mjs"), AGENTS / "billing.json"):
        shutil.copy(source, folder)
    return ["node", str(folder / library.driver)]


def installed(library: Library) -> bool:
    return (_folder(library) / COMPLETE).exists()


def _folder(library: Library) -> Path:
    asked = json.dumps([library.packages, library.before, sys.version_info[:2]])
    return KEPT / f"{library.name}@{hashlib.sha256(asked.encode()).hexdigest()[:8]}"


def _install_python(library: Library, folder: Path) -> None:
    uv = [sys.executable, "-m", "uv", "--quiet", "--no-config", "--no-progress"]
    _do(library, [*uv, "venv", "--clear", "--python", sys.executable, str(folder)])
    install = [*uv, "pip", "install", "--python", str(folder / "bin" / "python")]
    # A pre-release is taken where a row names one, as OpenTelemetry's own libraries have no other.
    asked = ["--exclude-newer", library.before, "--prerelease", "if-necessary-or-explicit"]
    _do(library, [*install, *asked, *library.packages])


def _install_node(library: Library, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n', encoding="utf-8")
    quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    asked = [f"--before={library.before}", "--save-exact"]
    _do(library, ["npm", "install", "--prefix", str(folder), *quiet, *asked, *library.packages])


def _do(library: Library, command: list[str]) -> None:
    what = " ".join(library.packages)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except FileNotFoundError:
        raise CannotInstall(
            f"{library.name}: {command[0]} is not here, and {what} needs it"
        ) from None
    except subprocess.TimeoutExpired:
        raise CannotInstall(
            f"{library.name}: {what} was not installed within {LONGEST:g} s"
        ) from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-1500:] or f"status {done.returncode}"
        raise CannotInstall(f"{library.name}: {what} can't be installed: {said}")

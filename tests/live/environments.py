"""An environment for each set of packages in the table, made on first use and kept.

Versions of the packages named are exact. What they need in turn is resolved as of the table's
date, so that a run fails for what changed here and not for what came out yesterday.
"""

from __future__ import annotations

import hashlib
import json
import re
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


class InstallError(Exception):
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
    missing: str | dict[str, str] | None = None
    unseen: tuple[str, ...] = ()
    transport: str = "http/protobuf"
    left_out: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def node(self) -> bool:
        """Whether it runs under Node, and not under this Python."""
        return self.driver.endswith(".mjs")

    @property
    def folder(self) -> Path:
        """Where its environment is kept: what differs in versions differs in name."""
        asked = json.dumps([self.packages, self.before, sys.version_info[:2]])
        first = re.sub(r"\W+", "-", self.packages[0]).strip("-")
        return KEPT / f"{first}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"


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
            unseen=tuple(row.pop("unseen", ())),
            **row,
        )
        for name, row in table.items()
    ]


def command_of(library: Library) -> list[str]:
    """Return the command that runs a library's driver, whose environment is made where needed."""
    folder = library.folder
    if not installed(library):
        _forget_others()
        shutil.rmtree(folder, ignore_errors=True)
        (_install_node if library.node else _install_python)(library, folder)
        (folder / COMPLETE).touch()
    if not library.node:
        return [str(folder / "bin" / "python"), str(AGENTS / library.driver)]
    # Node looks for packages beside the program, not where it was started.
    for source in (*AGENTS.glob("*.mjs"), AGENTS / "billing.json"):
        shutil.copy(source, folder)
    return ["node", str(folder / library.driver)]


def installed(library: Library) -> bool:
    """Return whether its environment is there, whole."""
    return (library.folder / COMPLETE).exists()


def _forget_others() -> None:
    """Delete the environments of versions that the table names no more."""
    named = {library.folder for library in libraries()}
    for folder in KEPT.glob("*"):
        if folder not in named:
            shutil.rmtree(folder)


def _install_python(library: Library, folder: Path) -> None:
    uv = [sys.executable, "-m", "uv", "--quiet", "--no-config", "--no-progress"]
    do(library, [*uv, "venv", "--clear", "--python", sys.executable, str(folder)])
    install = [*uv, "pip", "install", "--python", str(folder / "bin" / "python")]
    # A pre-release is taken where a row names one, as OpenTelemetry's own libraries have no other.
    asked = ["--exclude-newer", library.before, "--prerelease", "if-necessary-or-explicit"]
    do(library, [*install, *asked, *library.packages])


def _install_node(library: Library, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n', encoding="utf-8")
    quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    asked = [f"--before={library.before}", "--save-exact"]
    do(library, ["npm", "install", "--prefix", str(folder), *quiet, *asked, *library.packages])


def do(library: Library, command: list[str]) -> None:
    """Carry out a step of an installation, or raise what a reader can act on."""
    what = " ".join(library.packages)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    except FileNotFoundError:
        raise InstallError(
            f"{library.name}: {command[0]} is not here, and {what} needs it"
        ) from None
    except subprocess.TimeoutExpired:
        raise InstallError(
            f"{library.name}: {what} was not installed within {LONGEST:g} s"
        ) from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-1500:] or f"status {done.returncode}"
        raise InstallError(f"{library.name}: {what} can't be installed: {said}")

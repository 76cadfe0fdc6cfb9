"""What the pages for people name is there: links, files, commands, options, targets, keys."""

import argparse
import ast
import importlib
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from collector.commands import COMMANDS
from collector.config import Config, load
from collector.dialects import DIALECTS

ROOT = Path(__file__).parents[2]
NOT_OURS = {".venv", ".phoenix", ".environments", ".git", "golden", "node_modules", "tellback-data"}


def pages():
    """Yield our pages; what others installed here is not looked into, as it is large."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = set(folders) - NOT_OURS
        yield from (Path(folder, name) for name in names if name.endswith(".md"))


PAGES = sorted(pages())
GENERATED = {"docs/metrics.md", "docs/configuration.md", "docs/capture-loss.md"}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
LONGEST_LINE = 140
MOST_LINES = {"docs/architecture.md": 200, "docs/adding-*.md": 60, "docs/adr/*.md": 60}

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def blocks(page, *languages):
    text = page.read_text(encoding="utf-8")
    return [body for language, body in FENCE.findall(text) if language in languages]


def prose(page):
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def code(page):
    """Yield what a page shows as code: whole lines of shell blocks, and spans in its text."""
    for body in blocks(page, "sh"):
        yield from body.replace("\\\n", " ").splitlines()
    yield from SPAN.findall(prose(page))


def anchors(page):
    """Return the names that headings can be linked by, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@each_page
def test_relative_links_and_anchors_lead_somewhere(page):
    for target in LINK.findall(SPAN.sub("", prose(page))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), target
        assert path.is_relative_to(ROOT), target
        if anchor:
            assert anchor in anchors(path), target


@each_page
def test_files_that_are_named_exist(page):
    for span in SPAN.findall(prose(page)):
        if re.fullmatch(r"(?:collector|scorers|tests|docs|deploy|bench)/[\w./-]+", span):
            assert (ROOT / span).exists(), span


def options(command):
    parsers = argparse.ArgumentParser().add_subparsers()
    importlib.import_module(f"collector.commands.{command}").add_parser(parsers)
    return set(parsers.choices[command]._option_string_actions)


def commands():
    for page in PAGES:
        for line in code(page):
            for said in re.findall(r"(?:^|[ /])tellback ([a-z].*)", line):
                yield pytest.param(said, id=f"{page.name}: tellback {said}")


@pytest.mark.parametrize("said", list(commands()))
def test_every_command_and_option_exists(said):
    command, *arguments = shlex.split(said, comments=True)
    assert command in dict(COMMANDS)
    assert {word for word in arguments if word.startswith("--")} <= options(command)


@each_page
def test_every_make_target_exists(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for line in code(page):
        for said in re.findall(r"(?:^|=1 )make ([a-z -]+)", line):
            assert set(said.split()) <= targets, line


def settings():
    for page in PAGES:
        for number, body in enumerate(blocks(page, "yaml"), 1):
            if set(yaml.safe_load(body)) & set(Config.model_fields):
                yield pytest.param(body, id=f"{page.name} {number}")


@pytest.mark.parametrize("body", list(settings()))
def test_every_configuration_shown_can_be_used(body, tmp_path):
    file = tmp_path / "tellback.yaml"
    file.write_text(body, encoding="utf-8")
    load(file, environ={})


def test_the_pages_show_configurations():
    assert len(list(settings())) >= 3


@each_page
def test_python_shown_is_python(page):
    for body in blocks(page, "python"):
        ast.parse(body)


@pytest.mark.server
def test_promql_shown_is_promql(program, tmp_path):
    queries = blocks(ROOT / "README.md", "promql")
    assert len(queries) >= 3
    rules = [{"record": f"shown:{n}", "expr": query} for n, query in enumerate(queries)]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "shown", "rules": rules}]}))
    checked = subprocess.run(
        [program("promtool"), "check", "rules", file], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_the_readme_names_every_dialect():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [dialect.name for dialect in DIALECTS if f"| `{dialect.name}` |" not in readme] == []


def test_the_collector_sends_its_copy_to_the_port_that_tellback_is_told_to_listen_on():
    text = (ROOT / "deploy" / "otelcol.yaml").read_text(encoding="utf-8")
    collector = yaml.safe_load(text)
    told = yaml.safe_load("\n".join(re.findall(r"^#   (.*)$", text, re.MULTILINE)))
    assert Config.model_validate(told)
    tellback = collector["exporters"]["otlp_grpc/tellback"]["endpoint"]
    assert tellback == told["receivers"]["otlp"]["grpc"]["endpoint"]
    for pipeline in collector["service"]["pipelines"].values():
        assert set(pipeline["receivers"]) <= set(collector["receivers"])
        assert set(pipeline["exporters"]) <= set(collector["exporters"])


@each_page
def test_lines_fit(page):
    if str(page.relative_to(ROOT)) in GENERATED:
        return
    text = [line for line in prose(page).splitlines() if not line.lstrip().startswith("|")]
    assert [line for line in text if len(line) > LONGEST_LINE] == []


@pytest.mark.parametrize(("pattern", "most"), MOST_LINES.items())
def test_pages_stay_short(pattern, most):
    for page in ROOT.glob(pattern):
        assert len(page.read_text(encoding="utf-8").splitlines()) <= most, page

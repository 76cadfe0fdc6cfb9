"""No regular expression of the scorers takes more than linear time on long runs.

A pattern is searched for in runs of one character or of two, where backtracking and restarts show:
four times the text may take a little more than four times as long, not sixteen times.
"""

import ast
import importlib
import pkgutil
import re
import time
from pathlib import Path

import pytest

import scorers
from scorers import markers

# Searched in a window of bounded size in front of a name.
WINDOWED = {"scorers.reading.introduced.TIED", "scorers.reading.introduced.COMMA"}
SOURCES = {path: path.read_text("utf-8") for path in Path(scorers.__path__[0]).rglob("*.py")}
# Patterns that are searched for, by module; others are only matched at one place of a text.
SEARCHED = {
    (path.stem, name)
    for path, text in SOURCES.items()
    for name in re.findall(r"\b(\w+)\.(?:search|finditer|findall|sub|subn|split)\b", text)
}
RUNS = [
    *" \t\n1aA_-./\\'\"[{(<*`#|=é見:,;",
    *("1,", "a.", "a-", "a b ", "A_", "\x1b[", "\x1b]", "&", "[x", "… ", "a/", "http://", "<!--"),
    *("[a](", "**a", "text='", "```\n", "\r\n", " |", "1. ", "first 1", "\\u"),
]
LONG = 6_000


def patterns():
    found = {}
    for module in pkgutil.walk_packages(scorers.__path__, "scorers."):
        for name, value in vars(importlib.import_module(module.name)).items():
            for one in value if isinstance(value, tuple | list) else (value,):
                if isinstance(one, re.Pattern):
                    found.setdefault(one, f"{module.name}.{name}")
    for marker in markers.table():
        if not marker.whole:  # those are only searched for in a notice, which is short
            found.setdefault(marker.pattern, f"marker {marker.needle}")
    return found


def seconds(pattern, text, *, anchored):
    before = time.thread_time()  # neighbours take wall time
    if anchored:
        pattern.match(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return time.thread_time() - before


def is_superlinear(pattern, run, *, anchored):
    """Compare three sizes only where the first one takes a noticeable time."""
    texts = ["x " * (not anchored) + (run * size)[:size] + "\0" for size in (LONG // 4, LONG)]
    if seconds(pattern, texts[1], anchored=anchored) < 0.01:
        return False
    short, long = (
        min(seconds(pattern, text, anchored=anchored) for _ in range(4)) for text in texts
    )
    return long > 0.01 and long > 9 * short


FOUND = patterns()


@pytest.mark.parametrize(("pattern", "name"), FOUND.items(), ids=FOUND.values())
def test_a_pattern_is_linear(pattern, name):
    if name in WINDOWED:
        pytest.skip("searched in a window of bounded size")
    anchored = not name.startswith("marker ") and tuple(name.split(".")[-2:]) not in SEARCHED
    assert [run for run in RUNS if is_superlinear(pattern, run, anchored=anchored)] == []


@pytest.mark.parametrize("pattern", [r"\s*x", r"[\d,]*\d z", r"(?:^|[:>\s])\s*([{\[])"])
def test_bad_patterns_are_caught(pattern):
    assert any(is_superlinear(re.compile(pattern), run, anchored=False) for run in RUNS)


def test_patterns_are_compiled_where_the_test_finds_them():
    hidden = []
    for path, text in SOURCES.items():
        # Each room under `reading` looks at one reply of bounded length.
        if path.parent.name == "reading":
            continue
        for function in ast.walk(ast.parse(text)):
            if not isinstance(function, ast.FunctionDef):
                continue
            hidden += [
                f"{path.name}:{call.lineno}"
                for call in ast.walk(function)
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and isinstance(call.func.value, ast.Name)
                and call.func.value.id == "re"
                and call.func.attr != "escape"
                and call.args
                and isinstance(call.args[0], ast.Constant)
            ]
    assert hidden == []

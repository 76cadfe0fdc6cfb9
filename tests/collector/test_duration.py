"""Durations and sizes as people write them. Expected values are the units' definitions."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector import duration, size


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("10s", 10.0),
        ("1.5h", 5400.0),
        ("30d", 2_592_000.0),
        ("250ms", 0.25),
        ("1h30m", 5400.0),
        ("2w", 1_209_600.0),
        (" 5 m ", 300.0),
        (7, 7.0),
        (0.5, 0.5),
        ("90", 90.0),
        (0, 0.0),
    ],
)
def test_reads_durations(written, seconds):
    assert duration.parse(written) == seconds


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        "s",
        "10x",
        "-5s",
        -1,
        "ten minutes",
        "inf",
        "nan",
        float("nan"),
        True,
        None,
        [],
        {},
        "1h 30",
        "10s10",
        10**400,
        "9" * 5000,
        "9" * 39 + "w",
        "١٠s",
    ],
)
def test_refuses_what_is_no_duration(written):
    with pytest.raises(ValueError, match="expected a duration such as 10s") as caught:
        duration.parse(written)
    assert len(str(caught.value)) < 200


@given(st.integers(0, 3_000_000))
def test_renders_what_it_reads(milliseconds):
    assert duration.parse(duration.render(milliseconds / 1000)) == pytest.approx(
        milliseconds / 1000, abs=1e-3
    )


@pytest.mark.parametrize(("seconds", "shown"), [(600.0, "10m"), (90.0, "90s"), (0.25, "250ms")])
def test_renders_the_short_way(seconds, shown):
    assert duration.render(seconds) == shown


@pytest.mark.parametrize(
    ("written", "count"),
    [("256MiB", 268_435_456), ("1.5GB", 1_500_000_000), ("64 kib", 65_536), (10, 10), ("7", 7)],
)
def test_reads_sizes(written, count):
    assert size.parse(written) == count


@pytest.mark.parametrize("written", ["", "MiB", "1PiBs", "-1", -1, True, 1.5, None, "1e9", 2**70])
def test_refuses_what_is_no_size(written):
    with pytest.raises(ValueError, match=re.escape("256MiB, 1.5GB")):
        size.parse(written)


@given(st.integers(0, 2**50))
def test_size_renders_what_it_reads(count):
    assert size.parse(size.render(count)) == count

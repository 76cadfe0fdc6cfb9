"""The table says honestly what is met."""

import pytest
from row import Row, Skipped, table


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (Row("a", (1.0, 9.0, 2.0), at_most=2), True),
        (Row("a", (1.0, 2.1, 9.0), at_most=2), False),
        (Row("a", (0.0,), at_most=0), True),
        (Row("a", (3.0,), at_least=2.5), True),
        (Row("a", (2.0,), at_least=2.5), False),
        (Row("a", (2.0,)), None),
    ],
)
def test_the_median_is_held_against_the_target(row, met):
    assert row.met is met
    assert row.as_dict()["met"] is met


def test_the_table():
    rows = [
        Row("speed", (0.261, 0.3, 0.25), at_least=0.25),
        Row("memory", (151.4,), at_most=150, unit=" MB"),
        Skipped("Phoenix", "it is not installed"),
    ]
    assert table(rows).splitlines() == [
        "| measure                               | target   | median | spread      | met |",
        "|---------------------------------------|----------|--------|-------------|-----|",
        "| speed                                 | ≥ 0.25   | 0.261  | 0.250–0.300 | yes |",
        "| memory                                | ≤ 150 MB | 151 MB | one run     | NO  |",
        "| Phoenix: skipped, it is not installed |          |        |             | –   |",
    ]

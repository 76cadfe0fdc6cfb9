"""Sizes that telemetry states of a side it does not show: a floor for the loss, or nothing."""

import pytest

from scorers.delivery.result import deliver
from scorers.turn import ToolResult


def result(**told):
    return ToolResult(tool="shell", call_id="c1", **{"calls_after": 1, **told})


HIDDEN = {"produced_missing": "telemetry_preview", "delivered_missing": "content_off"}


@pytest.mark.parametrize("unit", ["characters", "bytes", "tokens"])
def test_less_delivered_than_produced_is_a_loss_of_unknown_size(unit):
    verdict = deliver(result(**HIDDEN, produced_size=92_283, delivered_size=40_261, size_unit=unit))
    assert verdict.state == "lower_bound"
    assert verdict.reason.startswith("telemetry_preview; ")
    assert f"92283 {unit}" in verdict.reason
    assert verdict.kept_characters is None


@pytest.mark.parametrize(
    "told",
    [
        {"produced_size": 1000, "delivered_size": 1000},
        {"produced_size": 1000, "delivered_size": 901},  # escapes and wrappings take no tenth away
        {"produced_size": 1000, "delivered_size": 5000},
        {"produced_size": 1000},
        {"delivered_size": 10},
        {},
    ],
)
def test_what_proves_nothing_stays_unobservable(told):
    verdict = deliver(result(**HIDDEN, **told, size_unit="characters"))
    assert (verdict.state, verdict.reason) == ("unobservable", "telemetry_preview")


def test_a_stated_size_is_held_against_the_text_of_the_other_side():
    told = {"produced": "x" * 29_595, "delivered_missing": "content_off", "size_unit": "bytes"}
    assert deliver(result(**told, delivered_size=2_278)).state == "lower_bound"
    assert deliver(result(**told, delivered_size=29_595)).state == "unobservable"
    told = {"delivered": "x" * 40_261, "produced_missing": "telemetry_preview"}
    assert deliver(result(**told, produced_size=92_283)).state == "lower_bound"
    assert deliver(result(**told)).state == "unobservable"


def test_tokens_are_not_held_against_characters():
    told = {"delivered": "x" * 300, "produced_missing": "telemetry_preview", "size_unit": "tokens"}
    assert deliver(result(**told, produced_size=500)).state == "unobservable"


def test_texts_that_the_instrumentation_cut_prove_nothing():
    told = {"produced": "x" * 1000, "delivered": "x" * 100, "capture_cut": "attribute_length_limit"}
    assert deliver(result(**told)).state == "unobservable"
    assert deliver(result(**told, delivered_size=100, size_unit="bytes")).state == "unobservable"


def test_two_texts_are_compared_whatever_is_stated():
    told = {"produced": "17 open tickets", "delivered": "17 open tickets"}
    assert deliver(result(**told, produced_size=99_999, delivered_size=7)).state == "intact"


def test_a_failed_tool_is_no_loss():
    verdict = deliver(result(**HIDDEN, failed=True, produced_size=1000, delivered_size=10))
    assert verdict.state == "unobservable"


def test_what_a_harness_cut_before_it_was_recorded_is_lost_without_any_size():
    told = {"produced_missing": "cut_before_recording", "delivered": "17 open"}
    verdict = deliver(result(**told))
    assert (verdict.state, verdict.reason) == ("lower_bound", "cut_before_recording")

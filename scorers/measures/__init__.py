"""Deterministic measures, run on every turn."""

from scorers.measures.delivery import DeliveryMeasure
from scorers.scorer import Scorer

MEASURES: tuple[Scorer, ...] = (DeliveryMeasure(),)

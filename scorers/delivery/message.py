"""A delivered text and what it carries, each looked up once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from scorers.payload import views
from scorers.payload.json_text import json_cost
from scorers.payload.work import SEARCHED, SPLIT, Work


class Message:
    """A delivered text. What it carries is paid for from `work`."""

    def __init__(self, text: str, work: Work) -> None:
        self.text = text
        self.work = work

    @cached_property
    def whole(self) -> Any:
        """Return the value that the text is, `MISSING` if it is none."""
        if self.text.lstrip()[:1] in ("{", "[", '"'):
            self.work.spend(json_cost(self.text), "values")
        return views.whole_value(self.text)

    @cached_property
    def values(self) -> list[tuple[Any, int, int]]:
        """Return the values that the text is or carries, each with its range."""
        self.work.spend(json_cost(self.text), "values")
        return list(views.values(self.text, self.whole))

    @cached_property
    def nodes(self) -> list[Any]:
        """Return everything inside the values."""
        return [one for value, _, _ in self.values for one in views.nodes(value)]

    @cached_property
    def texts(self) -> list[views.View]:
        """Return the texts that the message may carry, itself first."""
        lines = self.text.count("\n") + self.text.count("&") + self.text.count("\x1b")
        self.work.spend(len(self.text) // 500 + lines // 3, "texts")
        return views.texts(self.text, self.whole)

    def squeezed(self, text: str) -> str:
        """Return a text without its white space."""
        self.work.spend(len(text) // SPLIT, "texts")
        return "".join(text.split())

    def holds(self, text: str, where: str) -> bool:
        """Say whether a text stands in another."""
        if len(text) > len(where):
            return False
        self.work.spend(len(where) // SEARCHED, "texts")
        return text in where

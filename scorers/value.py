"""Value classes: dataclasses that a type checker holds frozen, and that cost little to build."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform, overload

Class = TypeVar("Class")


@overload
def value(cls: type[Class], /) -> type[Class]: ...
@overload
def value(*, kw_only: bool = ...) -> Callable[[type[Class]], type[Class]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(
    cls: type[Class] | None = None, /, *, kw_only: bool = False
) -> type[Class] | Callable[[type[Class]], type[Class]]:
    """Make a dataclass with slots, equal and hashed by its fields, not to be changed once built.

    The type checker refuses an assignment to a field; nothing does at run time, which is the point:
    `frozen=True` sets each field through `object.__setattr__`, and a value of sixteen fields takes
    four times as long to build. These are built several times for every span.
    """
    make = dataclass(slots=True, unsafe_hash=True, kw_only=kw_only)
    return make if cls is None else make(cls)

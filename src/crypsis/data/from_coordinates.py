"""Side inputs that are made from the coordinates of the location table, with one number: `auto:5`."""

from __future__ import annotations

from typing import ClassVar

from crypsis.errors import BadParameter
from crypsis.parameters import Deferred


class FromCoordinates(Deferred):
    """How to make one; `number_name` is the field with the number, which is at least `least`."""

    number_name: ClassVar[str]
    least: ClassVar[int]

    def __post_init__(self) -> None:
        number = self.number
        if isinstance(number, bool) or not isinstance(number, int) or number < self.least:
            raise BadParameter(
                f"{type(self).__name__}: {self.number_name} must be an int of at least {self.least}, got {number!r}."
            )

    @property
    def number(self) -> object:
        """The number, whatever it is called."""
        return getattr(self, self.number_name)

    @property
    def needs_records(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"auto:{self.number}"

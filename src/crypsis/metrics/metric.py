"""Metric: a class that measures published data against the original, and says what its figures mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, get_args, get_type_hints

from crypsis.errors import NotApplicable
from crypsis.metrics.exact_sums import rounded
from crypsis.metrics.figure import Figure, Measured, figures_of


class Metric:
    """One metric: what it compares, and its figures. The first line of the docstring is its help text.

    `measure` is a pure function of the original and the published data. It returns a number, which is then the figure
    of the metric's name, or an object whose `figures()` names several. What it compares, and the figures of such an
    object, are those that it is annotated with.
    """

    name: ClassVar[str]
    former_name: ClassVar[str] = ""  # still understood in experiments and on command lines
    figures: ClassVar[tuple[Figure, ...]]
    accepts: ClassVar[tuple[type, ...]]  # kinds of original data
    reads: ClassVar[tuple[type, ...]]  # published forms
    aligned: ClassVar[bool] = False  # compares each published row with the trajectory it was made from
    seeded: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()  # side inputs of the data that `measure` takes by name, such as a taxonomy
    takes: ClassVar[tuple[str, ...]] = ()  # the same, where it can do without
    default: ClassVar[bool] = True  # quick whatever the data, so it is measured unasked
    measure: ClassVar[Callable[..., Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "measure" not in vars(cls):
            return
        hints = get_type_hints(cls.measure)
        original, published = list(hints.values())[:2]
        cls.accepts, cls.reads = get_args(original) or (original,), get_args(published) or (published,)
        if issubclass(result := hints["return"], Measured):
            cls.figures = figures_of(result)

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def compute(
        cls,
        original: Any,
        published: Any,
        *,
        seed: int = 0,
        side_inputs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> dict[str, float | int]:
        """The figures by name; options go to `measure`."""
        if not isinstance(original, cls.accepts):
            kinds = " or ".join(kind.__name__ for kind in cls.accepts)
            raise NotApplicable(f"{cls.name} compares {kinds} with their release, got {type(original).__name__}.")
        if not isinstance(published, cls.reads):
            forms = " or ".join(form.__name__ for form in cls.reads)
            raise NotApplicable(f"{cls.name} reads {forms}, got {type(published).__name__}.")
        given = side_inputs or {}
        for name in cls.needs:
            if name not in given:
                raise NotApplicable(f"{cls.name} needs a {name}; give one (--{name} FILE).")
        named = (*cls.needs, *(name for name in cls.takes if name in given))
        extras = {name: given[name] for name in named} | ({"seed": seed} if cls.seeded else {}) | options
        result = cls.measure(original, published, **extras)
        figures = {cls.name: result} if isinstance(result, (float, int)) else result.figures()
        return {name: rounded(value) if isinstance(value, float) else value for name, value in figures.items()}

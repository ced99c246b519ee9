"""Numbers of a release: how they are rounded, and which figures against the original may be published on request."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from crypsis.errors import FigureNotPublishable, did_you_mean
from crypsis.metrics import figure_named

DIGITS = 12  # of every number: the last ones depend on the order in which a machine adds
PUBLISHED_DIGITS = 2  # of a figure against the original that is published on request


def rounded(content: Any) -> Any:
    """The same with every number rounded to 12 significant digits."""
    if isinstance(content, float):
        return to_digits(content, DIGITS)
    if isinstance(content, Mapping):
        return {name: rounded(value) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [rounded(value) for value in content]
    return content


def finite(figures: Mapping[str, Any]) -> dict[str, Any]:
    """JSON knows no infinity: such a figure is null."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }


def to_digits(value: float, digits: int) -> float:
    """A number to so many significant digits; infinities and what is no number stay."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else value


def published_figures(release: Any, names: Iterable[str]) -> dict[str, Any]:
    """The chosen figures against the original, rounded to two digits.

    Never available are figures of a differentially private release, figures that are no single number, and counts
    below k: such a number tells what the guarantee hides.
    """
    chosen = list(dict.fromkeys(name if " of " in name else figure_named(name).name for name in names))
    if not chosen:
        return {}
    if release.kind.private:
        raise without_noise()
    known = release.utility()
    k = _required(release.guarantee)
    figures: dict[str, Any] = {}
    for name in chosen:
        if name not in known:
            raise FigureNotPublishable(
                f"publish_figures: there is no figure {name!r}; measured are {', '.join(known)}."
                f"{did_you_mean(name, known)}",
                parameter="publish_figures",
            )
        value = known[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise FigureNotPublishable(
                f"publish_figures: {name!r} is not one number and cannot be published.", parameter="publish_figures"
            )
        if isinstance(value, int) and value < k:
            raise FigureNotPublishable(
                f"publish_figures: {name!r} is a count below {k}; such counts are never published.",
                parameter="publish_figures",
            )
        short = to_digits(float(value), PUBLISHED_DIGITS)
        figures[name] = int(short) if isinstance(value, int) else short
    return figures


def without_noise() -> FigureNotPublishable:
    """The refusal of any figure against the original beside a differentially private release."""
    return FigureNotPublishable(
        "publish_figures: a figure against the original of a differentially private release would be a statement "
        "without noise. Pay for it from the budget instead.",
        parameter="publish_figures",
    )


def _required(guarantee: Any) -> int:
    """The people or records that must share what is known: the k of a guarantee, or of its parts."""
    parameters = guarantee.parameters()
    sizes = [value for name in ("k", "K") if isinstance(value := parameters.get(name), int)]
    return max([*sizes, *map(_required, getattr(guarantee, "parts", ()))], default=2)

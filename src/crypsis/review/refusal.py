"""Refusing a release because of its review, and confirming what may be published all the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from crypsis.errors import DirectIdentifier, ReviewAmber, ReviewRed, UnconfirmedColumn, UnknownColumn, did_you_mean
from crypsis.review import refusals
from crypsis.review.lights import Colour, Review
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


def refuse_unconfirmed(subject: Subject, limits: ReviewThresholds) -> None:
    """Raise where a published column holds direct identifiers, free text or exact dates and was not confirmed."""
    refused = refusals(subject, limits)
    if not refused:
        return
    names = list(dict.fromkeys(str(finding.column) for finding in refused))
    named = any(finding.code == DirectIdentifier.code for finding in refused)
    kind = DirectIdentifier if named else UnconfirmedColumn
    these = "it" if len(names) == 1 else "them"
    reasons = " ".join(finding.sentence for finding in refused)
    raise kind(
        f"Nothing was written: {reasons} Leave {these} out, or confirm that {these} may be published "
        f"(confirm={names!r}).",
        columns=names,
    )


def refuse_colours(found: Review) -> None:
    """Raise where a light is not green: `ReviewAmber`, or `ReviewRed`."""
    if found.colour == Colour.GREEN:
        return
    named = [f"{name} is {light.colour}" for name, light in found.lights() if light.colour != Colour.GREEN]
    reasons = " ".join(finding.sentence for finding in found.findings if finding.colour == found.colour)
    kind = ReviewRed if found.colour == Colour.RED else ReviewAmber
    raise kind(f"Nothing was written: {', '.join(named)}. {reasons}", review=found.to_dict())


def confirmable_names(published: Any, confirm: Iterable[str]) -> frozenset[str]:
    """The columns that a publisher confirms; `UnknownColumn` where one of them is not published."""
    names = (confirm,) if isinstance(confirm, str) else tuple(confirm)
    known = _published_names(published)
    for name in names:
        if name not in known:
            raise UnknownColumn(
                f"Column {name!r} cannot be confirmed: it is not published. Published are "
                f"{', '.join(known) or 'no columns'}.{did_you_mean(str(name), known)}",
                column=name,
            )
    return frozenset(names)


def confirmed_names(told: Any, published: Any) -> frozenset[str]:
    """What a manifest says was confirmed, as far as it is published."""
    names = [name for name in told if isinstance(name, str)] if isinstance(told, list) else []
    return frozenset(names) & frozenset(_published_names(published))


def _published_names(published: Any) -> tuple[str, ...]:
    """What can be confirmed: the published columns, and items or places by these words."""
    names = () if published.table_part is None else published.table_part.names
    return tuple(dict.fromkeys((*names, *published.confirmable)))

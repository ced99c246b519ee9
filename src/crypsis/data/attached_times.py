"""Times that are attached to a result made without them: in bins of one width, or by clusters of trajectories.

The widths of a ladder are tried from the narrowest on, until the guarantee also holds for somebody who knows times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crypsis.data.timed_places import TimedPlaces, bind_times, check_choices, split_visits, times_too_vague
from crypsis.errors import BadParameter, NotApplicable

if TYPE_CHECKING:
    from crypsis.data.trajectory import Trajectories

BIN, CLUSTER = "bin", "cluster"
LADDER = (15, 60, 360, 1440)  # minutes


@dataclass(frozen=True)
class AttachedTimes:
    """How times are attached: by which way, the widths of bins to try, in minutes, and how time is counted."""

    way: str
    widths: tuple[int, ...]
    cycle: str = "none"


def attach_times(
    data: Trajectories, way: str, widths: Sequence[int] | None = None, cycle: str = "none"
) -> Trajectories:
    """The same trajectories, whose times are attached to what a method makes of their places."""
    if way not in (BIN, CLUSTER):
        raise BadParameter(f"Times are attached by {BIN!r} or {CLUSTER!r}, got {way!r}.", parameter="times")
    tried = LADDER if widths is None else tuple(widths)
    if data.times is None:
        raise NotApplicable(
            "These visits have no times to keep. Say which column holds them (enter='COLUMN', and exit='COLUMN' where "
            "ends are known)."
        )
    for width in tried:
        check_choices(width, cycle, None, data.times.clock)
    if not tried or list(tried) != sorted(set(tried)):
        raise BadParameter(f"The widths of a ladder must rise, got {tried}.", parameter="time_width")
    holding = tuple(width for width in tried if not split_visits(data, width, cycle).any())
    if not holding:
        raise times_too_vague(data, tried[-1], cycle)
    return replace(data, attached=AttachedTimes(way, holding, cycle))


def ladder_from(narrowest: int | None) -> tuple[int, ...]:
    """The widths of the ladder from one on, which comes first where it is none of them."""
    if narrowest is None:
        return LADDER
    return (narrowest, *(width for width in LADDER if width > narrowest))


def in_published_times(original: Trajectories, timed: TimedPlaces | None) -> Trajectories:
    """An original with the places, and the bins of time, that a release speaks of; as it is where it has no times."""
    locations = original.locations
    if timed is None and locations.times is not None and locations.base is not None:
        return replace(original, codes=locations.place_codes[original.codes], locations=locations.base)
    if timed is None or locations.times is not None or original.times is None:
        return original
    if timed.exit is None and original.times.exit is not None:
        original = replace(original, times=original.times.without_ends())
    return bind_times(original, width=max(1, timed.width // 60), cycle=timed.cycle)

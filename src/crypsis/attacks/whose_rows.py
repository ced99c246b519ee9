"""Whose the rows of a release are, for a publisher who counts people: files do not say it.

In memory a release knows. A private report tells which row was made of which input. Without one, rows of a release that
recodes every location in one way are found again by recoding the original: equal rows fit the same knowledge, so it
does not matter which of them is whose.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.attacks.matching import equal_rows
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired

TRAJECTORY, OWNER = "trajectory", "owner"


def unit_counted(unit: str | None, original: Trajectories) -> str:
    """What is counted: as asked, else people where the original says who has several trajectories."""
    if unit is None:
        return TRAJECTORY if original.person is None else OWNER
    if unit == OWNER and original.owners is None:
        raise NotApplicable("People are to be counted; give the original with the column that names them (person).")
    return unit


def with_owners(published: PublishedTrajectories, original: Trajectories) -> PublishedTrajectories:
    """The release with the owner of each row; `OriginalRequired` where only a private report can tell."""
    if published.owners is not None or original.owners is None:
        return published
    if published.input_rows is not None:
        return replace(published, owners=original.owners[published.input_rows])
    recoded = _recoded(published, original)
    if recoded is not None:
        return replace(published, owners=original.owners[recoded])
    raise OriginalRequired(
        "A release does not say whose its rows are, and these rows cannot be found again by recoding the original. "
        "Give the private report that was written with the release (private_report='FILE')."
    )


def _recoded(published: PublishedTrajectories, original: Trajectories) -> Int64s | None:
    """The original trajectory of each published row, where the release is one recoding of all of them."""
    symbols = published.symbols
    if len(published) != len(original) or not symbols.are_disjoint():
        return None
    symbol_of_label = np.full(len(symbols.vocabulary), -1, np.int32)
    symbol_of_label[symbols.members] = np.repeat(np.arange(len(symbols), dtype=np.int32), symbols.sizes)
    label_of_location = symbols.vocabulary.encode(original.locations.vocabulary.series)
    image = np.where(label_of_location >= 0, np.append(symbol_of_label, -1)[label_of_location], -1)
    kept = original if published.longest is None else original.truncated(published.longest)
    codes = image[kept.codes]
    shown = codes >= 0
    offsets = np.append(0, np.cumsum(shown))[kept.offsets]
    return _paired((published.offsets, published.codes), (offsets, codes[shown].astype(np.int32)))


def _paired(rows: tuple[Int64s, Int32s], others: tuple[Int64s, Int32s]) -> Int64s | None:
    """For each row the number of an equal row of the others, each used once; None where there is none left."""
    offsets = np.concatenate((rows[0], rows[0][-1] + others[0][1:]))
    numbers = equal_rows(offsets, np.concatenate((rows[1], others[1])).astype(np.int32))
    n_rows = len(rows[0]) - 1
    one, other = (np.argsort(part, kind="stable") for part in (numbers[:n_rows], numbers[n_rows:]))
    if not np.array_equal(numbers[:n_rows][one], numbers[n_rows:][other]):
        return None
    found = np.empty(n_rows, np.int64)
    found[one] = other
    return found

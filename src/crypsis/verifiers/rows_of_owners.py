"""Does every published row lie in an original row of the owner whom it is counted for?

Who owns a published row is told by a private report, or by whoever made the release. It is believed only as far as the
original bears it out: a row that its owner never had would make people up. Where every row lies in an original of its
owner, the owners of published rows that contain a sequence are among those whose originals contain it.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


def row_of_nobody(
    offsets: Int64s,
    codes: Int32s,
    owners: Int32s,
    input_rows: Int64s | None,
    original_offsets: Int64s,
    original_codes: Int32s,
    original_owners: Int32s,
) -> int | None:
    """The first published row that is no part of the original row it was made of, None if there is none.

    Without `input_rows` any original row of its owner will do. Codes of both number the same items.
    """
    if input_rows is None:
        choices = np.argsort(original_owners, kind="stable")
        arranged = original_owners[choices]
        first, end = np.searchsorted(arranged, owners, "left"), np.searchsorted(arranged, owners, "right")
    else:
        choices, first = input_rows, np.arange(len(owners))
        end = first + 1
    row = _first_alone(offsets, codes, owners, first, end, choices, original_offsets, original_codes)
    return None if row < 0 else int(row)


def owner_with_too_many(owners: Int32s, original_owners: Int32s) -> bool:
    """Some owner has more published than original rows."""
    most = int(max(owners.max(initial=-1), original_owners.max(initial=-1))) + 1
    return bool((np.bincount(owners, minlength=most) > np.bincount(original_owners, minlength=most)).any())


@njit
def _first_alone(
    offsets: Int64s,
    codes: Int32s,
    owners: Int32s,
    first: Int64s,
    end: Int64s,
    choices: Int64s,
    original_offsets: Int64s,
    original_codes: Int32s,
) -> int:
    """Row r may lie in any of the original rows choices[first[r]:end[r]]; they are looked at from the last found on."""
    n_owners = 0
    for owner in owners:
        n_owners = max(n_owners, owner + 1)
    last_found = np.zeros(n_owners, np.int64)
    for row in range(len(owners)):
        if offsets[row] == offsets[row + 1]:
            continue
        n_choices = end[row] - first[row]
        found = False
        for step in range(n_choices):
            at = (last_found[owners[row]] + step) % n_choices
            original = choices[first[row] + at]
            index = offsets[row]
            for visit in range(original_offsets[original], original_offsets[original + 1]):
                if original_codes[visit] == codes[index]:
                    index += 1
                    if index == offsets[row + 1]:
                        break
            if index == offsets[row + 1]:
                found = True
                last_found[owners[row]] = at
                break
        if not found:
            return row
    return -1

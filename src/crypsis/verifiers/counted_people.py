"""Whose records those of a published table are: known to the publisher, and never published.

In memory published records stand in input order and carry their persons. A written release has neither; with the
private report its records are put in input order again, and the original says whose they are.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import NotApplicable, OriginalRequired

EACH_RECORD = ", and each record is taken to be one person"  # after what was counted


def counted_persons(published: PublishedTable, unit: str, original: Table | None) -> tuple[Int64s | None, str | None]:
    """The person of every published record, where people are counted and known; and what is wrong, if anything."""
    if unit == "record":
        if original is not None and original.person is not None:
            return None, (
                f"it counts records, and in the original {int(original.person.max()) + 1} people have "
                f"{len(original)} records"
            )
        return None, None
    if original is None:
        return published.person, None
    if original.person is None:
        if published.person is None:
            raise NotApplicable(
                "People are to be counted; give the original with the column that names the person (person='COLUMN')."
            )
        return None, "untruthful: people are counted, and in the original nobody has several records"
    if len(published) != len(original):  # told in other words by the comparison with the original
        return None, None
    if published.person is not None:
        same = np.array_equal(published.person, original.person)
        return original.person, None if same else "untruthful: the records belong to other people than in the original"
    if not published.in_input_order:
        raise OriginalRequired(
            "The rows of a release are sorted, so only the private report says whose they are; give it "
            "(private_report='FILE')."
        )
    return original.person, None


def refuse_uncounted(smallest: int | None) -> None:
    """A recipient cannot count people: `OriginalRequired`, with what the records alone show."""
    shown = "" if smallest is None else f" Every class has at least {smallest} records;"
    raise OriginalRequired(
        f"Not established:{shown} whose records they are is not published, so people can only be counted by the "
        "publisher, with the original and the private report (original=DATA, private_report='FILE')."
    )

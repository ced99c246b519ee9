"""Is a published table an honest recoding of the original: does every cell contain the value that it was made from?

Rows in input order are compared one by one. Rows of a written release are sorted, so there it is asked whether they can
be paired with the original records, each with one whose values all its cells contain.
"""

from __future__ import annotations

import numpy as np

from crypsis.data.relational import PublishedTable, Table
from crypsis.data.values import write_value
from crypsis.verifiers.contained_values import ContainedValues
from crypsis.verifiers.record_pairing import unpaired_rows


def untruthful(published: PublishedTable, original: Table, *, in_order: bool = False) -> str | None:
    """What is wrong, or None. Row order is tried first, then any pairing unless rows have to be `in_order`."""
    expected = [column for column in original.columns if column.role != "identifier"]
    if sorted(published.names) != sorted(column.name for column in expected):
        known = ", ".join(column.name for column in expected)
        return f"untruthful: the columns are {', '.join(published.names)}, the original has {known}"
    if len(published) != len(original):
        return f"untruthful: {len(published)} rows are published, the original has {len(original)}"
    pairs = [ContainedValues(published.column(column.name), column) for column in expected]
    wrong = [pair for pair in pairs if not pair.in_place().all()]
    if not wrong:
        return None
    if not in_order and not unpaired_rows(pairs, None, published.suppressed):
        return None
    row = int(np.argmin(wrong[0].in_place()))
    column = wrong[0].published
    return (
        f"untruthful: the rows cannot be paired with original records that they contain; in input order the first that "
        f"does not is row {row}, column '{column.name}', which shows {column.cells.texts[column.codes[row]]}"
    )


def inconsistent(published: PublishedTable, original: Table) -> str | None:
    """Whether a value became different cells, which levels and cuts never do; rows in input order."""
    kept = ~published.suppressed
    for column in original.with_role("quasi"):
        cells = published.column(column.name)
        pairs = np.unique(np.stack([column.codes[kept], cells.codes[kept]], axis=1), axis=0)
        values, counts = np.unique(pairs[:, 0], return_counts=True)
        if (counts > 1).any():
            code = int(values[np.argmax(counts > 1)])
            value = "?" if code < 0 else write_value(column.domain[code])
            shown = sorted(cells.cells.texts[cell] for cell in pairs[pairs[:, 0] == code, 1].tolist())
            return f"inconsistent: value {value} of column '{column.name}' became {', '.join(shown[:5])}"
    return None

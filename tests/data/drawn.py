"""Random texts, sequences and cells for the tests of the data model, awkward ones on purpose."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from hypothesis import strategies as st

from crypsis.data.cells import ANY, MISSING, SUPPRESSED, Cell

# Quotes, separators, line breaks, brackets, escapes, blanks and letters of more than one byte.
AWKWARD = "ab7 ,;|\t\"'\n\r[]{}\\~?*:éß漢.-#@%"

any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
awkward_text = st.text(st.sampled_from(AWKWARD), min_size=1, max_size=6)
labels = st.one_of(awkward_text, any_text).filter(lambda text: text.strip() != "")
trimmed_labels = labels.map(str.strip)
words = st.text(st.sampled_from("ab7é漢.-"), min_size=1, max_size=4)


def sequences(elements: st.SearchStrategy[str] = labels, min_length: int = 0) -> st.SearchStrategy[list[list[str]]]:
    """Rows over few distinct labels, so that labels repeat."""
    pools = st.lists(elements, min_size=1, max_size=5, unique=True)
    return pools.flatmap(
        lambda pool: st.lists(st.lists(st.sampled_from(pool), min_size=min_length, max_size=6), max_size=8)
    )


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0),
    "date": st.dates(date(1000, 1, 1)),
    "timestamp": st.datetimes(datetime(1000, 1, 1)),
    "category": labels,
}


def cells(type: str, nodes: list[str]) -> st.SearchStrategy[Cell]:
    """Cells of every kind that a column of this type can have."""
    values = VALUES[type]
    kinds = [
        st.sampled_from([MISSING, ANY, SUPPRESSED]),
        values.map(Cell.value),
        st.lists(values, min_size=1, max_size=4).map(Cell.set),
    ]
    if nodes:
        kinds.append(st.sampled_from(nodes).map(Cell.node))
    if type != "category":
        kinds.append(st.lists(values, min_size=2, max_size=2).map(lambda pair: Cell.range(min(pair), max(pair))))
    return st.one_of(kinds)

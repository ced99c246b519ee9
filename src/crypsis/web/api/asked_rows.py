"""Which rows a grid asks for: a page under a sort and a filter, in the words of the grid in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Query

from crypsis.errors import BadParameter
from crypsis.strict_json import parse_json
from crypsis.web.grids import MOST_ROWS, Filter, Grid, Sort


@dataclass(frozen=True)
class Page:
    """Rows of a grid, their places in the table, and how many there are."""

    total: int
    columns: list[str]
    places: list[int]
    rows: list[list[Any]]


class PageOfRows:
    """The part of an address that asks for rows; columns are c0, c1, … in order, or by name."""

    def __init__(
        self,
        offset: Annotated[int, Query(ge=0, le=2**53)] = 0,
        limit: Annotated[int, Query(ge=0, le=MOST_ROWS)] = 100,
        sort: Annotated[str, Query(max_length=4000, description="JSON: [{colId, sort}]")] = "",
        filter: Annotated[str, Query(max_length=4000, description="JSON: {colId: {type, filter, filterTo}}")] = "",
    ) -> None:
        self.offset, self.limit, self.sort, self.filter = offset, limit, sort, filter

    def of(self, grid: Grid) -> Page:
        """The rows of a grid that are asked for."""
        sort, filters = _sorting(self.sort, grid.columns), _filtering(self.filter, grid.columns)
        total, places, rows = grid.rows(self.offset, self.limit, sort, filters)
        return Page(total, grid.columns, places, rows)


AskedRows = Annotated[PageOfRows, Depends()]


def _sorting(text: str, columns: list[str]) -> tuple[Sort, ...]:
    """What a grid says: `[{"colId": "c0", "sort": "asc"}]`."""
    parsed = _json(text, list)
    return tuple(
        Sort(_column(one.get("colId"), columns), one.get("sort") == "desc") for one in parsed if isinstance(one, dict)
    )


def _filtering(text: str, columns: list[str]) -> tuple[Filter, ...]:
    """What a grid says: `{"c0": {"type": "contains", "filter": "x"}}`, or two conditions that must both hold."""
    found: list[Filter] = []
    for key, one in _json(text, dict).items():
        if not isinstance(one, dict):
            raise BadParameter("rows: a filter is an object with type and filter.", parameter="filter")
        conditions = one.get("conditions")
        if isinstance(conditions, list) and one.get("operator") == "OR":
            raise BadParameter("rows: conditions are joined with AND here.", parameter="filter")
        for each in conditions if isinstance(conditions, list) else [one]:
            if not isinstance(each, dict):
                raise BadParameter("rows: a filter is an object with type and filter.", parameter="filter")
            value, upper = each.get("filter"), each.get("filterTo")
            found.append(
                Filter(
                    _column(key, columns),
                    str(each.get("type")),
                    "" if value is None else str(value),
                    "" if upper is None else str(upper),
                )
            )
    return tuple(found)


def _json(text: str, kind: type) -> Any:
    if not text:
        return kind()
    try:
        content = parse_json(text.encode())
    except ValueError:
        content = None
    if not isinstance(content, kind):
        raise BadParameter("rows: sort is a JSON list and filter a JSON object.", parameter="sort")
    return content


def _column(key: Any, columns: list[str]) -> str:
    name = str(key)
    if name not in columns and name[:1] == "c" and name[1:].isdecimal() and int(name[1:]) < len(columns):
        return columns[int(name[1:])]
    return name

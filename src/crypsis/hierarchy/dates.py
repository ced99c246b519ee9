"""Dates by the calendar: day, month, quarter, year, decade, all; timestamps first hour and a quarter of the day.

ISO weeks do not nest in months, so they are offered as day, week, all.
"""

from __future__ import annotations

from datetime import date, datetime
from itertools import groupby

from crypsis.data.relational import Column
from crypsis.errors import BadParameter, NotApplicable
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.hierarchy.neighbour_groups import nested

CALENDARS = ("months", "weeks")


def dates(column: Column, calendar: str = "months") -> Hierarchy:
    """The calendar above the dates of a column; each node is published as the range of dates below it."""
    if calendar not in CALENDARS:
        raise BadParameter(f"calendar must be one of {', '.join(CALENDARS)}, got {calendar!r}.", parameter="calendar")
    if column.type not in ("date", "timestamp"):
        raise NotApplicable(f"Column '{column.name}' holds no dates.", column=column.name)
    days = column.domain.to_list()
    keys = [_week(day) if calendar == "weeks" else _calendar(day) for day in days]
    levels = []
    for level in range(len(keys[0]) if keys else 0):
        numbers = [index for index, (_, run) in enumerate(groupby(key[level] for key in keys)) for _ in run]
        levels.append(numbers)
    return Hierarchy.of_ranges(column.domain, nested(levels, len(days)), origin=f"dates:{calendar}")


def _calendar(moment: date) -> list[tuple[int, ...]]:
    year, month = moment.year, moment.month
    above = [(year, month), (year, (month - 1) // 3), (year,), (year // 10,)]
    if not isinstance(moment, datetime):
        return above
    day = (year, month, moment.day)
    return [(*day, moment.hour), (*day, moment.hour // 6), day, *above]


def _week(moment: date) -> list[tuple[int, ...]]:
    week = moment.isocalendar()[:2]
    if not isinstance(moment, datetime):
        return [week]
    return [(moment.year, moment.month, moment.day), week]

"""The data model: five kinds of data as collected and as published, and everything that reads and writes them.

    relational    Table           PublishedTable           records with typed columns and declared roles
    transaction   Transactions    PublishedTransactions    sets of items; DisassociatedTransactions: pieces of them
    mixed         Mixed           PublishedMixed           a table with a set-valued column
    trajectory    Trajectories    PublishedTrajectories    sequences of locations; Tracks: GPS fixes (track)
    stream        Events          PublishedWindows         who was where when

All are immutable flat arrays with a vocabulary; none holds a Python object per record. Names are
loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crypsis.data.cells import Cell, CellKind, Cells
    from crypsis.data.checkins import read_checkins, trajectories_from_checkins
    from crypsis.data.disassociated import DisassociatedTransactions
    from crypsis.data.formats.published import read_published_trajectories, write_published_trajectories
    from crypsis.data.formats.sql import read_sql
    from crypsis.data.inspection import ColumnSummary, Inspection, inspect_file
    from crypsis.data.missing import MISSING_CODE, MISSING_EQUALS_MISSING, MissingRule
    from crypsis.data.mixed import Mixed, PublishedMixed
    from crypsis.data.reading import (
        read_events,
        read_locations,
        read_mixed,
        read_table,
        read_tracks,
        read_trajectories,
        read_transactions,
    )
    from crypsis.data.relational import ROLES, Column, PublishedColumn, PublishedTable, Role, Table
    from crypsis.data.sensitive_values import SensitiveValues
    from crypsis.data.stream import Attribute, Events
    from crypsis.data.symbols import Symbols
    from crypsis.data.track import Tracks
    from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
    from crypsis.data.transaction import PublishedTransactions, Transactions
    from crypsis.data.values import COLUMN_TYPES, ColumnType
    from crypsis.data.vocabulary import Vocabulary
    from crypsis.data.windows import PublishedWindow, PublishedWindows, read_windows
    from crypsis.data.writing import write_data

_HOME = {
    "crypsis.data.cells": ("Cell", "CellKind", "Cells"),
    "crypsis.data.checkins": ("read_checkins", "trajectories_from_checkins"),
    "crypsis.data.disassociated": ("DisassociatedTransactions",),
    "crypsis.data.formats.published": ("read_published_trajectories", "write_published_trajectories"),
    "crypsis.data.formats.sql": ("read_sql",),
    "crypsis.data.inspection": ("ColumnSummary", "Inspection", "inspect_file"),
    "crypsis.data.missing": ("MISSING_CODE", "MISSING_EQUALS_MISSING", "MissingRule"),
    "crypsis.data.mixed": ("Mixed", "PublishedMixed"),
    "crypsis.data.reading": (
        "read_events",
        "read_locations",
        "read_mixed",
        "read_table",
        "read_tracks",
        "read_trajectories",
        "read_transactions",
    ),
    "crypsis.data.relational": ("ROLES", "Column", "PublishedColumn", "PublishedTable", "Role", "Table"),
    "crypsis.data.sensitive_values": ("SensitiveValues",),
    "crypsis.data.stream": ("Attribute", "Events"),
    "crypsis.data.symbols": ("Symbols",),
    "crypsis.data.track": ("Tracks",),
    "crypsis.data.trajectory": ("Locations", "PublishedTrajectories", "Trajectories"),
    "crypsis.data.transaction": ("PublishedTransactions", "Transactions"),
    "crypsis.data.values": ("COLUMN_TYPES", "ColumnType"),
    "crypsis.data.vocabulary": ("Vocabulary",),
    "crypsis.data.windows": ("PublishedWindow", "PublishedWindows", "read_windows"),
    "crypsis.data.writing": ("write_data",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "COLUMN_TYPES",
    "MISSING_CODE",
    "MISSING_EQUALS_MISSING",
    "ROLES",
    "Attribute",
    "Cell",
    "CellKind",
    "Cells",
    "Column",
    "ColumnSummary",
    "ColumnType",
    "DisassociatedTransactions",
    "Events",
    "Inspection",
    "Locations",
    "MissingRule",
    "Mixed",
    "PublishedColumn",
    "PublishedMixed",
    "PublishedTable",
    "PublishedTrajectories",
    "PublishedTransactions",
    "PublishedWindow",
    "PublishedWindows",
    "Role",
    "SensitiveValues",
    "Symbols",
    "Table",
    "Tracks",
    "Trajectories",
    "Transactions",
    "Vocabulary",
    "inspect_file",
    "read_checkins",
    "read_events",
    "read_locations",
    "read_mixed",
    "read_published_trajectories",
    "read_sql",
    "read_table",
    "read_tracks",
    "read_trajectories",
    "read_transactions",
    "read_windows",
    "trajectories_from_checkins",
    "write_data",
    "write_published_trajectories",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'crypsis.data' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""Evaluating and comparing methods: experiments as files, their cells, the store of results, and the runner."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crypsis.evaluate.cells import Cell
    from crypsis.evaluate.dataset import Dataset
    from crypsis.evaluate.edits import EditedTable, edit_from_dict
    from crypsis.evaluate.experiment import Experiment
    from crypsis.evaluate.problems import Problem
    from crypsis.evaluate.runner import Limits, Outcome, run
    from crypsis.evaluate.store import Store

_HOME = {
    "crypsis.evaluate.cells": ("Cell",),
    "crypsis.evaluate.dataset": ("Dataset",),
    "crypsis.evaluate.edits": ("EditedTable", "edit_from_dict"),
    "crypsis.evaluate.experiment": ("Experiment",),
    "crypsis.evaluate.runner": ("Limits", "Outcome", "run"),
    "crypsis.evaluate.store": ("Store",),
    "crypsis.evaluate.problems": ("Problem",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Cell",
    "Dataset",
    "EditedTable",
    "Experiment",
    "Limits",
    "Outcome",
    "Problem",
    "Store",
    "edit_from_dict",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'crypsis.evaluate' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value

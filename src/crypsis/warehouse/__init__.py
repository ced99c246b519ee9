"""Semantic warehouse: several sources about the same people or things, integrated before they are anonymized."""

from crypsis.warehouse.configuration import Configuration
from crypsis.warehouse.hierarchies import VocabularyTree, build_hierarchy
from crypsis.warehouse.integration import IntegratedTable, decide
from crypsis.warehouse.linked_data import ReleaseDescription, check_release, describe_release
from crypsis.warehouse.warehouse import BuildReport, CompetenceResult, Warehouse

__all__ = [
    "BuildReport",
    "CompetenceResult",
    "Configuration",
    "IntegratedTable",
    "ReleaseDescription",
    "VocabularyTree",
    "Warehouse",
    "build_hierarchy",
    "check_release",
    "decide",
    "describe_release",
]

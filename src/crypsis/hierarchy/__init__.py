"""Generalization hierarchies: build, read, check, look up; and policies on what may be generalized together."""

from __future__ import annotations

from crypsis.hierarchy.balanced import FANOUT_FIVE, BalancedHierarchy, ItemHierarchy
from crypsis.hierarchy.hierarchies import Hierarchies, HierarchyPlan
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.hierarchy.item_tree import ItemTree
from crypsis.hierarchy.taxonomy import FAN_OUT_FIVE, AutomaticTaxonomy, Taxonomy
from crypsis.hierarchy.utility_policy import ONE_SET, DerivedUtility, UtilityPolicy
from crypsis.hierarchy.weights import Weights

__all__ = [
    "FANOUT_FIVE",
    "FAN_OUT_FIVE",
    "ONE_SET",
    "AutomaticTaxonomy",
    "BalancedHierarchy",
    "DerivedUtility",
    "Hierarchies",
    "Hierarchy",
    "HierarchyPlan",
    "ItemHierarchy",
    "ItemTree",
    "Taxonomy",
    "UtilityPolicy",
    "Weights",
]

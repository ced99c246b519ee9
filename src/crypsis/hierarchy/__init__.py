"""Generalization hierarchies: build, read, check, look up."""

from __future__ import annotations

from crypsis.hierarchy.hierarchies import Hierarchies, HierarchyPlan
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.hierarchy.taxonomy import FAN_OUT_FIVE, AutomaticTaxonomy, Taxonomy
from crypsis.hierarchy.weights import Weights

__all__ = ["FAN_OUT_FIVE", "AutomaticTaxonomy", "Hierarchies", "Hierarchy", "HierarchyPlan", "Taxonomy", "Weights"]

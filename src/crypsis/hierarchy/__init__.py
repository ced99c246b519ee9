"""Generalization hierarchies: build, read, check, look up."""

from __future__ import annotations

from crypsis.hierarchy.taxonomy import FAN_OUT_FIVE, AutomaticTaxonomy, Taxonomy

__all__ = ["FAN_OUT_FIVE", "AutomaticTaxonomy", "Taxonomy"]

"""What every report shows of a release, whatever kind of data it holds: the parts of its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class ManifestFacts:
    """The manifest, part by part."""

    manifest: Mapping[str, Any]

    @property
    def row_words(self) -> tuple[str, str]:
        """What one row is called, and several."""
        return "trajectory", "trajectories"

    def section(self, name: str) -> Mapping[str, Any]:
        """A part of the manifest; empty where the manifest has none."""
        part = self.manifest.get(name)
        return part if isinstance(part, Mapping) else {}

    @property
    def required(self) -> float | None:
        """The support that the guarantee asks for."""
        value = self.section("verdict").get("required")
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    @property
    def unit(self) -> str:
        """What the guarantee counts as one individual."""
        return str((self.section("guarantee").get("parameters") or {}).get("unit") or "trajectory")

    @property
    def units(self) -> str:
        return {"trajectory": "trajectories"}.get(self.unit, self.unit + "s")

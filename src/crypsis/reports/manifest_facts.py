"""What every report says, whatever kind of data was released: all of it stands in the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from crypsis.translation import marked


class ManifestFacts:
    """Base of the facts of one kind of data. `row_words` name one and many of its rows."""

    manifest: Mapping[str, Any]
    row_words: ClassVar[tuple[str, str]] = ("trajectory", "trajectories")
    level_words: ClassVar[tuple[str, str]] = ("reached", "required")
    recheck_words: ClassVar[str] = marked(
        "The verifier checks the guarantee from the published files alone and shares no code with the method."
    )

    @property
    def rows(self) -> int:
        """Published rows."""
        return int(self.section("data").get("rows", 0))

    def section(self, name: str) -> Mapping[str, Any]:
        """A part of the manifest; empty where the manifest has none."""
        part = self.manifest.get(name)
        return part if isinstance(part, Mapping) else {}

    @property
    def crs(self) -> str | None:
        """The projection of published coordinates, where the release names it."""
        crs = self.section("data").get("crs")
        return crs if isinstance(crs, str) else None

    @property
    def known(self) -> list[str]:
        """What somebody may know of a person, by the names of the columns."""
        return []

    @property
    def required(self) -> float | None:
        """The support that the guarantee asks for."""
        value = self.section("verdict").get("required")
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    @property
    def original_helps(self) -> bool:
        """With the original the verifier checks more than without."""
        return True

    @property
    def needs_original(self) -> bool:
        """Only the publisher could count, with the original, although each row is one individual."""
        return self.counts_rows and self.counted_by_publisher

    @property
    def partly_in_original(self) -> bool:
        """Something that is promised, beside the truth of records, is not in the files."""
        promised = self.section("guarantee")
        return not promised.get("recountable") or len(set(promised.get("publisher_only") or ())) > 1

    @property
    def truthful(self) -> bool:
        """Every published record is true of its original, if coarser; some methods promise less."""
        return self.section("method").get("truthful") is not False

    @property
    def counted_by_publisher(self) -> bool:
        """The files alone do not tell what level was reached."""
        return self.section("verdict").get("recounted_from") == "original"

    @property
    def unit(self) -> str:
        """What the guarantee counts as one individual."""
        return str((self.section("guarantee").get("parameters") or {}).get("unit") or self.row_words[0])

    @property
    def units(self) -> str:
        return self.row_words[1] if self.unit == self.row_words[0] else self.unit + "s"

    @property
    def counts_rows(self) -> bool:
        """Each row is one individual, so the promise can be recounted from the rows alone."""
        return self.unit == self.row_words[0]

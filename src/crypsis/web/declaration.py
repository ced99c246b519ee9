"""What the publisher declares about releases: asked once for a workspace, and kept in its folder as `about.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crypsis.atomic import write_file
from crypsis.errors import BadParameter, UnreadableFile
from crypsis.reports.about import LABELS, About
from crypsis.strict_json import indented_json, read_json

FILE = "about.json"


class Declaration:
    """The declaration of one workspace."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE

    @property
    def about(self) -> About | None:
        """What was declared; None where nobody did."""
        if not self.file.is_file():
            return None
        try:
            content = read_json(self.file)
            return About.of(content if isinstance(content, dict) else {})
        except (ValueError, OSError, BadParameter) as error:
            raise UnreadableFile(
                f"What was declared about releases cannot be read ({FILE} of the workspace); declare it again."
            ) from error

    def declare(self, told: Mapping[str, Any]) -> About:
        """Keep what is said, whole or not at all. A text that is empty was not said."""
        said = {name: value for name, value in told.items() if not (isinstance(value, str) and not value.strip())}
        try:
            about = About.of(said)
        except BadParameter as error:
            missing = error.details.get("missing")
            if isinstance(missing, list):
                names = ", ".join(LABELS[name] for name in missing)
                raise BadParameter(f"Not said yet: {names}.", parameter=missing[0], missing=missing) from None
            raise
        write_file(self.file, (indented_json(about.to_dict()) + "\n").encode(), mode=0o600)
        return about

    def forget(self) -> None:
        """Declare nothing any more."""
        self.file.unlink(missing_ok=True)

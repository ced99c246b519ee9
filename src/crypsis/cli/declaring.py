"""What the publisher declares about a release, in a file that is named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from crypsis.reports.about import About

AboutFile = Annotated[
    Path | None,
    typer.Option(
        "--about",
        help="TOML or JSON file that says who answers for the release: title, controller, purpose, recipient, "
        'legal_basis, made_by, approved_by; with language = "de" reports are in German.',
    ),
]


def declared(file: Path | None) -> About | None:
    """What the file says, whole; None where there is none."""
    from crypsis.reports.about import About, read_about

    return None if file is None else About.of(read_about(file))

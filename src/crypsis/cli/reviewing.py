"""Options and words that the commands share which show or heed the three lights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from crypsis.review import Review

Confirm = Annotated[
    list[str] | None,
    typer.Option(
        "--confirm",
        help="Publish this column although it holds direct identifiers, free text or exact dates. Repeat for several.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Write nothing unless all lights are green: exit with 6 on amber, 7 on red.")
]
FIGURES_HIDDEN = (
    "figures against the original are not shown: acting on them is not covered by the guarantee (--figures shows them)"
)
FIGURES_NOT_COVERED = "figures against the original follow; acting on them, or telling them, is not covered"


def strict_exit_code(review: Review) -> int:
    """0 where all lights are green, 6 where one is amber, 7 where one is red."""
    return {"green": 0, "amber": 6, "red": 7}[str(review.colour)]

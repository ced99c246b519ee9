"""`crypsis report`: the public report of a release, as a summary, a page or single pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.output import show


def report(
    release: Annotated[Path, typer.Argument(help="A release folder.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the page here; default is to say where it is.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Also write each picture as an SVG file into this folder.")
    ] = None,
) -> None:
    """Show where the report of a release is, or make it anew."""
    from crypsis._api import read_release

    found = read_release(release)
    path = release / "report.html" if out is None else found.report().save(out)
    drawn = [] if pictures is None else found.report().save_pictures(pictures)
    data, guarantee = found.manifest["data"], found.guarantee
    show(
        {"report": str(path), "pictures": [str(picture) for picture in drawn], "manifest": found.manifest},
        f"{guarantee}\n{_counts(data)}\nreport   {path}" + "".join(f"\npicture  {picture}" for picture in drawn),
    )


def _counts(data: dict[str, Any]) -> str:
    """The counts of a manifest in words: rows first, then whatever else this kind of data counts."""
    counted = ("rows", "visits", "occurrences", "symbols", "clusters", "terms", "empty_records")
    return ", ".join(f"{data[name]:,} {name.replace('_', ' ')}" for name in counted if isinstance(data.get(name), int))

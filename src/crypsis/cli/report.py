"""`crypsis report`: of a release, as a summary, a page or single pictures; of an experiment, made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.output import show
from crypsis.errors import BadParameter

if TYPE_CHECKING:
    from crypsis.evaluate import Store


def report(
    release: Annotated[Path, typer.Argument(help="A release folder, or the results of an experiment.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the page here; default is to say where it is.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Also write each picture as an SVG file into this folder.")
    ] = None,
) -> None:
    """Show where the report of a release is, or create it again; for an experiment, create it from current results."""
    from crypsis._api import read_release
    from crypsis.evaluate import Store

    if Store(release).exists():
        _of_experiment(Store(release), out, pictures)
        return
    found = read_release(release)
    path = release / "report.html" if out is None else found.report().save(out)
    drawn = [] if pictures is None else found.report().save_pictures(pictures)
    data, guarantee = found.manifest["data"], found.guarantee
    show(
        {"report": str(path), "pictures": [str(picture) for picture in drawn], "manifest": found.manifest},
        f"{guarantee}\n{_counts(data)}\nreport   {path}" + "".join(f"\npicture  {picture}" for picture in drawn),
    )


def _of_experiment(store: Store, out: Path | None, pictures: Path | None) -> None:
    from crypsis.atomic import write_file
    from crypsis.evaluate.report import ExperimentReport, write_report

    if pictures is not None:
        raise BadParameter("--pictures is for releases; `crypsis plot` draws those of an experiment.")
    made = ExperimentReport.of_store(store)
    if out is None:
        written = [*write_report(store)]
    else:
        write_file(out, made.to_html().encode())
        written = [out]
    states = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in made.counts.items())
    stale = f", {len(made.stale):,} stale" if made.stale else ""
    lines = "".join(f"\nreport   {path}" for path in written)
    show({"report": str(written[0]), **made.to_dict()}, f"{made.name}: {states or 'no cells'}{stale}{lines}")


def _counts(data: dict[str, Any]) -> str:
    """The counts of a manifest in words: rows first, then whatever else this kind of data counts."""
    counted = ("rows", "visits", "occurrences", "symbols", "clusters", "terms", "empty_records")
    return ", ".join(f"{data[name]:,} {name.replace('_', ' ')}" for name in counted if isinstance(data.get(name), int))

"""`crypsis measure`: what a release is still good for, against the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.command import Command
from crypsis.cli.completion import offer_metrics
from crypsis.cli.output import by_direction, show, show_table
from crypsis.cli.reading import Reader, read_original
from crypsis.cli.settings import SETTINGS
from crypsis.errors import NotApplicable

if TYPE_CHECKING:
    from crypsis.metrics.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Measure(Command):
    """Measure the utility that is left in a release."""

    read: Reader
    release: Annotated[Path, typer.Argument(help="A release folder.")]
    original: Annotated[Path, typer.Option("--original", help="The original data.")]
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            help="Metric to compute, by its full or short name (ncp, are, …). Repeat for several.",
            autocompletion=offer_metrics,
        ),
    ] = None
    taxonomy: Annotated[
        str | None,
        typer.Option("--taxonomy", help="What locations mean: a file, or auto:FANOUT; some metrics need it."),
    ] = None
    hierarchy: Annotated[
        str | None,
        typer.Option("--hierarchy", help="What items have in common: a file, or auto:FANOUT; tkd_ml2_loss needs it."),
    ] = None
    queries: Annotated[
        Path | None,
        typer.Option(
            "--queries", help="Counting queries for count_query_loss, one per line. Generated at random if not given."
        ),
    ] = None
    private_report: Annotated[
        Path | None,
        typer.Option("--private-report", help="The publisher's private report, which tells what the release must not."),
    ] = None
    seed: Annotated[int, typer.Option("--seed", help="Seed of the metrics that sample.")] = 0

    def execute(self) -> None:
        from crypsis import _api

        published = _api.read_release(self.release, private_report=self.private_report)
        against = read_original(self.read, self.original, published)
        side_inputs: dict[str, Any] = {}
        if self.taxonomy is not None:
            from crypsis.hierarchy import Taxonomy

            side_inputs["taxonomy"] = _made(Taxonomy.from_text(self.taxonomy), against)
        if self.hierarchy is not None:
            from crypsis.hierarchy import ItemHierarchy

            side_inputs["hierarchy"] = _made(ItemHierarchy.from_text(self.hierarchy), against)
        if self.queries is not None:
            from crypsis.data.count_query import read_queries

            side_inputs["queries"] = read_queries(self.queries)
        figures = measured(against, published.data, self.metric, self.seed, side_inputs)
        if SETTINGS.get().json:
            show(figures, "")
        else:
            from crypsis.metrics import figure_named

            for direction, group in by_direction(figures, lambda name: figure_named(name).better).items():
                rows = [(name, value, _titled(figure_named(name), against.crs)) for name, value in group.items()]
                show_table(("figure", "value", "meaning"), rows, direction)


def _titled(figure: Figure, crs: str | None) -> str:
    """The label of a figure, and of a distance the unit."""
    return figure.title if figure.share or not figure.unit else f"{figure.title}, in {figure.unit_in(crs)}"


def measured(
    original: Any, published: Any, names: list[str] | None, seed: int, side_inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """The figures that were asked for; the short names of experiments do, too."""
    from crypsis import metrics
    from crypsis.evaluate.measures import figures_of

    if not names:
        return dict(metrics.measure(original, published, seed=seed, side_inputs=side_inputs))
    figures: dict[str, Any] = {}
    short = metrics.short_names()
    for name in names:
        if name in short:
            found: dict[str, Any] = dict(figures_of(original, published, [name], seed=seed, side_inputs=side_inputs))
            if not found:
                raise NotApplicable(f"{name} ({' or '.join(short[name])}) cannot be measured on this release.")
        else:
            found = dict(metrics.measure(original, published, metrics=[name], seed=seed, side_inputs=side_inputs))
        figures |= found
    return figures


def _made(given: Any, data: Any) -> Any:
    """The side input itself; one that is built from the data is built now."""
    from crypsis.parameters import Deferred

    return given.make(data) if isinstance(given, Deferred) else given

"""`crypsis measure`: what a release is still good for, against the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.completion import offer_metrics
from crypsis.cli.output import by_direction, note, show, show_table
from crypsis.cli.reading import Reader, read_original
from crypsis.cli.reading.input_place import Place
from crypsis.cli.settings import SETTINGS
from crypsis.cli.where_to_run import OnParts, WhereToRun, at_work, refuse_without_parts
from crypsis.errors import NotApplicable, OptionWithoutEffect

if TYPE_CHECKING:
    from crypsis.metrics.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Measure(OnParts):
    """Measure the utility that is left in a release.

    With --executor a release in parts is measured without reading it into memory: figures that are sums over records
    (of tables information loss, sizes of classes and the queries given; of sets utility loss). Others are not measured
    on parts.
    """

    read: Reader
    release: Annotated[Path, typer.Argument(help="A release folder.")]
    original: Annotated[Place, typer.Option("--original", parser=Place.named, help="The original data.")]
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
        "What locations mean: a file, or auto:FANOUT; some metrics need it.",
    ] = None
    hierarchy: Annotated[
        str | None,
        "What items have in common: a file, or auto:FANOUT; tkd_ml2_loss needs it.",
    ] = None
    queries: Annotated[
        Path | None,
        "Counting queries for count_query_loss, one per line. Generated at random if not given.",
    ] = None
    private_report: Annotated[
        Path | None,
        "The publisher's private report, which tells what the release must not.",
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the metrics that sample.", show_default="0")] = (
        None
    )

    def execute(self) -> None:
        from crypsis import _api

        where = WhereToRun.of(self)
        if self.executor is not None:
            self._measure_parts(where)
            return
        refuse_without_parts(where)
        published = _api.read_release(self.release, private_report=self.private_report)
        against = read_original(self.read, self.original.on_disk, published)
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
        _show(measured(against, published.data, self.metric, self.seed or 0, side_inputs), against.crs)

    def _measure_parts(self, where: WhereToRun) -> None:
        """The figures of a release in parts that are sums over records; of the others it says that there are none."""
        from crypsis.cli.reading.scanned_original import scan_original
        from crypsis.data.count_query import read_queries
        from crypsis.metrics import METRICS, metric_named, short_names
        from crypsis.parts_measure import measure_release_parts

        for name in ("taxonomy", "hierarchy", "private_report", "seed"):
            if getattr(self, name) is not None:
                raise OptionWithoutEffect(
                    f"--{name.replace('_', '-')} is for figures that are not measured on parts; leave --executor out.",
                    parameter=name,
                )
        queries = () if self.queries is None else read_queries(self.queries)
        original = scan_original(self.read, self.release, self.original.files)
        with at_work(where) as (executor, _):
            measured_parts = measure_release_parts(self.release, original, executor, queries)
        short = short_names()
        asked = [
            next((one for one in short.get(name, {}) if one in measured_parts), name) for name in self.metric or ()
        ]
        lacking = [name for name in asked if metric_named(name).name not in measured_parts]
        if lacking:
            raise NotApplicable(f"{lacking[0]} is not measured on parts; leave --executor out.")
        chosen = [metric_named(name).name for name in asked] or [*measured_parts]
        kind = original.stands_for
        fitting = [name for name, metric in METRICS.items() if metric.default and kind in metric.accepts]
        others = [name for name in fitting if name not in measured_parts]
        figures = {name: value for metric in chosen for name, value in measured_parts[metric].items()}
        if not asked:
            note(f"not measured on parts: {', '.join(others)}")
            if SETTINGS.get().json:
                figures |= {figure.name: None for one in others for figure in METRICS[one].figures}
        _show(figures, None)


def _show(figures: dict[str, Any], crs: str | None) -> None:
    """The figures for people, or as they are."""
    if SETTINGS.get().json:
        show(figures, "")
        return
    from crypsis.metrics import figure_named

    for direction, group in by_direction(figures, lambda name: figure_named(name).better).items():
        rows = [(name, value, _titled(figure_named(name), crs)) for name, value in group.items()]
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

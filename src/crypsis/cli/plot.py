"""`crypsis plot`: plots of an experiment, of a release or of a file, as pictures with their numbers beside them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.command import Command
from crypsis.cli.output import show
from crypsis.cli.reading import Reader, read_original
from crypsis.errors import BadParameter, CrypsisError, MissingFile, NotApplicable

if TYPE_CHECKING:
    from crypsis.evaluate.plots import Frame

_COLUMN_OPTIONS = ("items", "types", "missing", "as_missing")


@dataclass(frozen=True, kw_only=True)
class Plot(Command):
    """Draw the plots of an experiment, a release or a file; the numbers are written beside each picture as CSV.

    crypsis plot histogram adult.csv --column age · crypsis plot results/ --kind line --x k --y are --format svg,pdf ·
    crypsis plot results/ draws what the experiment asks for · crypsis plot class_sizes release/
    """

    read: Reader
    what: Annotated[
        str, typer.Argument(help="A kind of plot (histogram, line, …), or at once the folder of an experiment.")
    ]
    source: Annotated[
        Path | None, typer.Argument(help="Folder of an experiment, release folder, or data file (histogram).")
    ] = None
    kind: Annotated[str | None, "Kind of plot, where only a folder is given."] = None
    x: Annotated[str | None, "line: a parameter; tradeoff: a figure."] = None
    y: Annotated[str | None, "line, tradeoff: a figure, such as are or runtime."] = None
    column: Annotated[str | None, "The column that the plot is about."] = None
    run: Annotated[str | None, "Experiments: the run whose published data are shown."] = None
    cell: Annotated[str | None, "Experiments: the cell whose data are shown."] = None
    original: Annotated[Path | None, "Releases: the original data, for plots that compare."] = None
    format: Annotated[str | None, "Formats: svg, pdf, png, jpg, bmp; several as svg,png."] = None
    out: Annotated[Path | None, "Folder for the files; default: plots/ of the experiment, or here."] = None
    overwrite: Annotated[bool, "Replace files that exist."] = False

    def execute(self) -> None:
        from crypsis.evaluate.plot_requests import formats_of
        from crypsis.evaluate.plots import PLOTS
        from crypsis.evaluate.plots.of_store import write_plots
        from crypsis.evaluate.store import Store

        source, chosen = self._source_and_kind(PLOTS)
        options = {"x": self.x, "y": self.y, "column": self.column}
        store = Store(source)
        if store.exists():
            _refuse_options(self.read, (), "the experiment says how its data are read")
            drawn = _of_experiment(store, chosen, {**options, "run": self.run, "cell": self.cell}, self.format)
            written = write_plots(
                drawn,
                source / "plots" if self.out is None else self.out,
                overwrite=self.out is None or self.overwrite,
            )
        else:
            for name, value in (("--run", self.run), ("--cell", self.cell)):
                if value is not None:
                    raise BadParameter(f"{name} is for experiments, and {source.name} is none.")
            if chosen is None:
                raise BadParameter(f"{source.name} is no experiment; say which plot: {', '.join(PLOTS)}.")
            frame = (
                _of_release(self.read, source, chosen, self.original, options)
                if source.is_dir()
                else _of_file(self.read, source, chosen, options)
            )
            written = write_plots([(frame, formats_of(self.format))], self.out or Path(), overwrite=self.overwrite)
        show({"files": [str(path) for path in written]}, "\n".join(f"written  {path}" for path in written))

    def _source_and_kind(self, known: Collection[str]) -> tuple[Path, str | None]:
        """What is drawn, and the kind of plot where one is named: `plot KIND SOURCE` or `plot SOURCE --kind KIND`."""
        if self.source is not None and self.kind is not None and self.kind != self.what:
            raise BadParameter(f"The kind of plot is given twice: {self.what} and --kind {self.kind}.")
        source, chosen = (Path(self.what), self.kind) if self.source is None else (self.source, self.what)
        if self.source is None and not source.exists() and self.what.replace("-", "_") in known:
            raise BadParameter(f"crypsis plot {self.what} needs a folder or a file to draw.")
        if not source.exists():
            raise MissingFile(f"{source} does not exist.", where=str(source))
        return source, chosen


def _refuse_options(read: Reader, understood: tuple[str, ...], why: str) -> None:
    """No wish is passed over in silence."""
    for name in (*read.typed.given(), *read.typed.file_options, *(["step"] if read.typed.steps else ())):
        if name not in understood:
            raise BadParameter(f"--{name.replace('_', '-')} has no effect here: {why}.", parameter=name)


def _of_experiment(
    store: Any, kind: str | None, options: dict[str, Any], format: str | None
) -> list[tuple[Frame, list[str]]]:
    from crypsis.evaluate.plot_requests import PlotRequest, formats_of
    from crypsis.evaluate.plots.of_store import frames_of_experiment, requested_frames

    if kind is not None:
        return [(frame, formats_of(format)) for frame in requested_frames(store, PlotRequest(kind=kind, **options))]
    unused = [f"--{name}" for name, value in options.items() if value is not None]
    if unused:
        raise BadParameter(f"{' and '.join(unused)} need --kind; without it the experiment's own plots are drawn.")
    refused: list[CrypsisError] = []
    drawn = frames_of_experiment(store, refused=lambda plot, error: refused.append(error))
    if not drawn and refused:
        raise refused[0]
    if not drawn:
        raise NotApplicable("No cell of the experiment is done yet, so there is nothing to draw.")
    return [(frame, plot.formats if format is None else formats_of(format)) for plot, frame in drawn]


def _of_release(read: Reader, folder: Path, kind: str, original: Path | None, options: dict[str, Any]) -> Frame:
    """A plot of published data, against the original where it compares."""
    from crypsis._api import read_release
    from crypsis.evaluate.plots import frame_of, plot_named

    wanted = plot_named(kind)
    if wanted.inputs == ("original",) or "results" in wanted.inputs or "private" in wanted.inputs:
        raise NotApplicable(f"The plot {wanted.name} is not about published data; {folder.name} is a release.")
    release = read_release(folder)
    inputs: dict[str, Any] = {"published": release.data}
    if "original" in wanted.inputs:
        if original is None:
            raise BadParameter(f"The plot {wanted.name} compares with the original data; name them (--original FILE).")
        inputs["original"] = read_original(read, original, release)
    elif original is not None:
        raise BadParameter(f"The plot {wanted.name} shows published data alone; leave out --original.")
    else:
        _refuse_options(read, (), f"the plot {wanted.name} reads no original data")
    promised = getattr(release.guarantee, "k", None)
    k = promised if "k" in wanted.takes and isinstance(promised, int) else None
    return frame_of(kind, **inputs, **options, k=k)


def _of_file(read: Reader, path: Path, kind: str, options: dict[str, Any]) -> Frame:
    """A histogram of a file: of one column of a table, or of its items or locations."""
    from crypsis.evaluate.plots import frame_of, plot_named

    if plot_named(kind).inputs != ("original",):
        raise NotApplicable(f"The plot {kind} needs an experiment or a release; of a data file there is the histogram.")
    return frame_of(kind, original=_read_file(read, path, options["column"]), **options)


def _read_file(read: Reader, path: Path, column: str | None) -> Any:
    from crypsis.cli.reading.column_options import listed, pairs, separators
    from crypsis.cli.reading.typed import file_options
    from crypsis.data.formats.columns import unknown_column
    from crypsis.data.inspection import inspect_file
    from crypsis.data.mixed import Mixed
    from crypsis.data.relational import Table
    from crypsis.data.trajectory import Trajectories
    from crypsis.data.transaction import Transactions
    from crypsis.data.usual_columns import item_column

    looked = inspect_file(path, **read.typed.file_options, change=read.typed.file(path).change)
    usual = item_column([one.name for one in looked.columns]) is not None
    if looked.kind == "transactions" and (column is None or usual or not looked.uses):
        return read(path, Transactions)
    if looked.kind == "trajectories" and column is None:
        return read(path, Trajectories)
    frame, source = read.typed.frame(path)
    if column is None:
        raise BadParameter(f"Name the column (--column): {', '.join(frame.columns)}.", parameter="column")
    if column not in frame.columns:
        raise unknown_column(column, frame.columns, str(path))
    _refuse_options(
        read, (*_COLUMN_OPTIONS, *file_options(), "format", "step"), "a histogram of one column does not look at it"
    )
    divided = separators(read.typed["items"]) if read.typed["items"] else {}
    if column in divided:
        numbered = frame.select(column).with_row_index(f"{column} row")
        return Mixed.from_frame(
            numbered, {f"{column} row": "other"}, {column: divided[column]}, source=source
        ).transactions
    types = pairs(read.typed["types"], "--types")
    return Table.from_frame(
        frame.select(column),
        {column: "other"},
        {name: type for name, type in types.items() if name == column},
        missing_tokens=tuple(listed(read.typed["missing"])) or ("?",),
        unparsable="missing" if read.typed["as_missing"] else "error",
        source=source,
    )

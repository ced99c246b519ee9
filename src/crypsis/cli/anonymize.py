"""`crypsis anonymize`: from a file to a verified release."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

import typer

from crypsis.cli.completion import offer_methods
from crypsis.cli.declaring import AboutFile, declared
from crypsis.cli.keys import Sign
from crypsis.cli.measure import measured
from crypsis.cli.output import figure_lines, note, progress, review_words, show, show_table, verdict_words
from crypsis.cli.reading import Reader, words_on
from crypsis.cli.reading.input_place import Place
from crypsis.cli.reviewing import FIGURES_HIDDEN, FIGURES_NOT_COVERED, Confirm, Strict
from crypsis.cli.settings import SETTINGS, checked_from_settings
from crypsis.cli.where_to_run import InBlocks, WhereToRun, refuse_without_parts, started
from crypsis.errors import BadParameter, OptionWithoutEffect, OutputExists
from crypsis.run_context import RunContext, peak_memory

if TYPE_CHECKING:  # a method is imported when one is asked for
    from crypsis.methods import Method
    from crypsis.methods.private_method import PrivateMethod

_FIGURES = "Figures and private report"


@dataclass(frozen=True, kw_only=True)
class Anonymize(InBlocks):
    """Anonymize a file, prove the result, and write a release.

    The method's own parameters are options too, e.g. -k 5 -m 2; `crypsis methods NAME` lists them. Nothing is
    written unless the independent verifier confirms the guarantee. Three lights say whether the guarantee holds, what
    the release discloses beside it, and what is left; with --strict nothing is written unless all are green.
    With --executor a table is worked on in parts and never whole in memory; the release is the same.
    """

    read: Reader
    input: Annotated[
        Place,
        typer.Argument(
            parser=Place.named,
            help="The data: CSV, Parquet, JSON Lines or FIMI/SPMF text, compressed or not; with --executor also an "
            "address such as s3://bucket/parts/*.parquet.",
        ),
    ]
    method: Annotated[
        str,
        typer.Option("--method", help="Method by name; `crypsis methods` lists them.", autocompletion=offer_methods),
    ]
    out: Annotated[Path, "Folder to write the release to."]
    format: Annotated[
        str | None,
        "Format of the published data. The choice depends on the kind of data.",
    ] = None
    order: Annotated[str, "'sorted' by published values; 'input' for evaluation only."] = "sorted"
    overwrite: Annotated[bool, "Replace an existing release."] = False
    private_report: Annotated[
        Path | None,
        typer.Option(
            "--private-report",
            rich_help_panel=_FIGURES,
            help="File for what only you may see: figures against the original, merges, row mapping and timings, as "
            "JSON and as a page beside it; default OUT.private.json.",
        ),
    ] = None
    no_private_report: Annotated[
        bool,
        typer.Option(
            "--no-private-report",
            rich_help_panel=_FIGURES,
            help="Do not write a private report. Figures are only shown here.",
        ),
    ] = False
    publish_figures: Annotated[
        str | None,
        typer.Option(
            "--publish-figures",
            rich_help_panel=_FIGURES,
            help="Figures against the original to put into the release, by name, separated by commas; rounded to two "
            "digits and not covered by the guarantee.",
        ),
    ] = None
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            rich_help_panel=_FIGURES,
            help="Figures against the original to compute, by full or short names separated by commas (ncp,are); "
            "default all that are quick.",
        ),
    ] = None
    no_measure: Annotated[
        bool, typer.Option("--no-measure", rich_help_panel=_FIGURES, help="Compute no figures against the original.")
    ] = False
    timings: Annotated[
        bool,
        typer.Option(
            "--timings",
            rich_help_panel=_FIGURES,
            help="Also show how long each stage took, and the most memory until its end.",
        ),
    ] = False
    confirm: Confirm = None
    strict: Strict = False
    figures: Annotated[
        bool,
        typer.Option(
            "--figures",
            rich_help_panel=_FIGURES,
            help="Also show figures of a differentially private release against the original; acting on them is not "
            "covered by the guarantee.",
        ),
    ] = False
    sign: Sign = None
    about: AboutFile = None

    def execute(self) -> None:
        from crypsis import _api
        from crypsis.guarantees import DifferentialPrivacy
        from crypsis.methods import Method, method_named
        from crypsis.publication import KINDS
        from crypsis.release import check_writing, private_paths
        from crypsis.release_folder import refuse_replacing
        from crypsis.signatures import check_private_key

        if self.format is not None:
            _check_format(self.format)
        chosen = checked_from_settings(method_named(self.method))
        assert isinstance(chosen, Method)
        if os.path.lexists(self.out) and not self.overwrite:
            raise OutputExists(f"{self.out} exists already; choose another folder or add --overwrite.")
        refuse_replacing(self.out)
        if self.private_report is not None and self.no_private_report:
            raise BadParameter("--private-report and --no-private-report contradict each other; give one of them.")
        if self.sign is not None:
            check_private_key(self.sign)
        about = declared(self.about)
        if _is_private(chosen):  # whatever can be refused is refused before the budget is charged
            self._refuse_for_private()
            check_writing(
                KINDS[chosen.publishes],
                self.out,
                format=self.format,
                order=self.order,
                private_report=self.private_report,
            )
        wanted = _wanted_figures(
            self.measure, self.no_measure, self.figures, self.publish_figures, private=_is_private(chosen)
        )
        if self.timings and _is_private(chosen) and not self.figures:
            raise BadParameter(
                "--timings tells about the data, which a differentially private release protects; add --figures if you "
                "want them all the same."
            )
        where = WhereToRun.of(self)
        if self.executor is None:
            refuse_without_parts(where)
        elif wanted is not None or self.figures or (_is_private(chosen) and self.publish_figures):
            raise BadParameter(
                "--measure, --no-measure and --figures have no effect with --executor, nor have the figures of a "
                "differentially private release: nothing is measured against the original there; leave them out."
            )
        elif not _is_private(chosen):
            self._work_on_parts(chosen, where)
            return
        started = time.perf_counter()
        data = self._input_for(chosen)
        reading = time.perf_counter() - started, peak_memory()
        private = self.private_report
        if not chosen.by_record:  # how much a private method was given must not be shown
            note(words_on(data, self.read.typed))
            private = self._usual_private_report()
        with progress(chosen.stages) as listener, self._place_to_run(where) as place:
            release = _api.anonymize(data, chosen, listener=listener, **place)
            release.about = about
            release.context.prepend_stage("read", *reading)
            verdict = release.verify()
            if wanted is not None:
                with release.context.stage("measure"):
                    release.tell_utility(
                        measured(release.original, release.data, wanted, 0, chosen.side_inputs()) if wanted else {}
                    )
            folder = release.write(self.out, private_report=private, **self._writing())
            review = release.review()
        for warning in release.context.warnings:
            note(warning)
        if release.guarantee.trivial:
            note("no protection was requested: with these parameters the guarantee says nothing")
        for words in release.kind.notes(release.data):
            note(words)
        hidden = isinstance(release.guarantee, DifferentialPrivacy) and not self.figures
        utility = {} if hidden else release.utility()
        if isinstance(release.guarantee, DifferentialPrivacy):
            note(FIGURES_HIDDEN if hidden else FIGURES_NOT_COVERED)
        report, pages = folder / "report.html", private_paths(private) if private else ()
        lines = [f"release  {folder}", f"report   {report}", *(f"private  {path} (yours alone)" for path in pages[1:])]
        budget = release.data.budget if _is_private(chosen) else {}
        show(
            {
                "folder": str(folder),
                "report": str(report),
                "private_report": [str(path) for path in pages],
                "verdict": verdict.to_dict(),
                "review": review.to_dict(),
                "figures": release.figures(),
                "utility": utility,
                **({} if hidden else {"timings": release.context.timings, "memory": release.context.memory}),
                **({"dataset": budget.get("dataset"), "dataset_ledger": budget["dataset_ledger"]} if budget else {}),
            },
            f"{verdict_words(verdict)}\n\n{review_words(review)}\n\n{_listed('in the release', release.figures())}"
            f"{_listed('against the original (private, not in the release)', utility)}"
            f"{_ledger_words(budget)}" + "\n".join(lines),
        )
        if self.timings:
            _show_stages(release.context)

    def _refuse_for_private(self) -> None:
        """Refuse what says nothing of a differentially private release."""
        if self.confirm:
            raise OptionWithoutEffect(
                "--confirm is for columns that are published; a differentially private release publishes none.",
                parameter="confirm",
            )
        if self.block_rows is not None:
            raise OptionWithoutEffect(
                "--block-rows has no effect here: differentially private methods never work in blocks; leave it out.",
                parameter="block_rows",
            )
        if self.publish_figures:
            from crypsis.publication.figures import without_noise

            raise without_noise()

    def _input_for(self, method: Method) -> Any:
        """The data: read, or scanned where they are worked on in parts."""
        from crypsis.cli.reading.typed import source_of
        from crypsis.methods.scaling import Scaling

        if self.executor is None:
            return self.read(self.input.on_disk, method.accepts, for_method=method)
        if method.scaling is Scaling.NONE:
            raise method.not_scalable()
        return self.read.typed.scan(self.input.files, source_of(method.accepts))

    @contextmanager
    def _place_to_run(self, where: WhereToRun) -> Iterator[dict[str, Any]]:
        """The options of `anonymize` that say where it works; nothing for data in memory."""
        if self.executor is None:
            yield {}
            return
        from crypsis.methods.scaling import BLOCK_ROWS

        running = started(where)
        try:
            yield {"executor": running, "block_rows": where.block_rows or BLOCK_ROWS}
        finally:
            running.close()

    def _usual_private_report(self) -> Path | None:
        usual = self.private_report or self.out.with_name(f"{self.out.name}.private.json")
        return None if self.no_private_report else usual

    def _writing(self) -> dict[str, Any]:
        """How the release is written."""
        return {
            "format": self.format,
            "order": self.order,
            "overwrite": self.overwrite,
            "publish_figures": [name.strip() for name in (self.publish_figures or "").split(",") if name.strip()],
            "confirm": self.confirm or (),
            "strict": self.strict,
            "sign": self.sign,
        }

    def _work_on_parts(self, method: Any, where: WhereToRun) -> None:
        """The same on parts: scanned, worked on, verified and written part by part."""
        from crypsis import _api
        from crypsis.release import private_paths

        scanned = self._input_for(method)
        private = self._usual_private_report()
        with self._place_to_run(where) as place, progress(method.stages) as listener:
            release = _api.anonymize(scanned, method, listener=listener, **place)
            release.about = declared(self.about)
            verdict = release.verify()
            folder = release.write(self.out, private_report=private, **self._writing())
            review = release.review()
            figures, utility = release.figures(), release.utility()
        for warning in release.context.warnings:
            note(warning)
        pages = private_paths(private)[:1] if private else ()
        lines = [
            f"release  {folder}",
            f"report   {folder / 'report.html'}",
            *(f"private  {path} (yours alone)" for path in pages),
        ]
        show(
            {
                "folder": str(folder),
                "report": str(folder / "report.html"),
                "private_report": [str(path) for path in pages],
                "verdict": verdict.to_dict(),
                "review": review.to_dict(),
                "figures": figures,
                "utility": utility,
                "timings": release.context.timings,
                "memory": release.context.memory,
            },
            f"{verdict_words(verdict)}\n\n{review_words(review)}\n\n{_listed('in the release', figures)}"
            f"{_listed('against the original (private, not in the release)', utility)}" + "\n".join(lines),
        )
        if self.timings:
            _show_stages(release.context)


def _is_private(method: Method) -> TypeGuard[PrivateMethod]:
    """What private methods need is imported only with one of them."""
    return method.by_record


def _check_format(format: str) -> None:
    """Some kind of data is published in this format; tables are asked first, so that the others need not be loaded."""
    from crypsis.publication import KINDS, kind_named

    if any(format in kind.files for kind in chain([kind_named("table")], KINDS.values())):
        return
    formats = {known for kind in KINDS.values() for known in kind.files}
    raise BadParameter(f"--format must be one of {', '.join(sorted(formats))}, got {format!r}.")


def _wanted_figures(
    measure: str | None, no_measure: bool, figures: bool, publish_figures: str | None, *, private: bool
) -> list[str] | None:
    """The figures to compute; None stands for all that are quick. What contradicts itself is refused."""
    names = [name.strip() for name in (measure or "").split(",") if name.strip()]
    if measure is not None and (no_measure or not names):
        raise BadParameter("--measure names at least one figure, and --no-measure says that there is none; give one.")
    if no_measure and (figures or publish_figures):
        other = "--figures" if figures else "--publish-figures"
        raise BadParameter(f"--no-measure and {other} contradict each other; give one of them.")
    if private and names and not figures:
        raise BadParameter(
            "--measure has no effect on a differentially private release, whose figures against the original are not "
            "shown; add --figures if you want them."
        )
    if names:
        from crypsis.metrics import metric_named, short_names

        short = short_names()
        for name in names:
            if name not in short:
                metric_named(name)
    return [] if no_measure else names or None


def _show_stages(context: RunContext) -> None:
    """Where time and memory went; as JSON they are told already."""
    if SETTINGS.get().json:
        return
    rows = [
        (stage, round(seconds, 3), None if memory is None else round(memory / 2**20))
        for stage, seconds, memory in context.stages()
    ]
    show_table(("stage", "seconds", "most MiB so far"), rows)


def _listed(title: str, figures: Mapping[str, Any]) -> str:
    """Figures below their title; nothing where there are none."""
    lines = figure_lines(figures)
    return "\n".join([title, *lines, "", ""]) if lines else ""


def _ledger_words(budget: Mapping[str, Any]) -> str:
    """On which dataset a private release spent, and whether a ledger adds it up."""
    if not budget:
        return ""
    of = f" on {budget['dataset']}" if budget.get("dataset") else ""
    none = budget["dataset_ledger"] == "none"
    words = f"none: nothing adds up what is spent{of}" if none else f"kept: what is spent{of} adds up there"
    return f"dataset ledger  {words}\n"

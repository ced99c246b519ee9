"""Release: published data together with what is promised, how it was made, what it cost, and the proof.

On disk a release is a folder: the published data, `release.json` (the manifest), `datapackage.json`
(Frictionless), `report.html`, and what the kind of data adds, such as coordinates. The folder is a function of the
published records and of declared public inputs: everything in it is computed from the data as a recipient reads them.
What only the publisher may see, figures against the original above all, goes to a private report, elsewhere.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crypsis import notebook
from crypsis.arrays import Int64s
from crypsis.atomic import check_place, new_folder, write_file
from crypsis.errors import (
    BadParameter,
    BadRelease,
    CrypsisError,
    NotApplicable,
    OriginalRequired,
    OutputExists,
    VerificationFailed,
    WriteFailed,
)
from crypsis.guarantees import DifferentialPrivacy, Guarantee, Verdict, guarantee_from_dict
from crypsis.guarantees.verdict import PUBLISHERS_WORD
from crypsis.methods import Method
from crypsis.metrics import measure
from crypsis.publication import PublishedKind, kind_named, kind_of
from crypsis.publication.deposit import deposit_files
from crypsis.publication.figures import finite, published_figures, rounded
from crypsis.release_folder import (
    DATA_PACKAGE,
    MANIFEST,
    REPORT,
    SCHEMA,
    WORKING_COPY,
    WORKING_SCHEMA,
    open_release_folder,
    refuse_replacing,
    sha256,
)
from crypsis.reports.about import About, report_language
from crypsis.reports.report import Report
from crypsis.review import Review, ReviewThresholds, Subject, review
from crypsis.review.refusal import confirmable_names, confirmed_names, refuse_colours, refuse_unconfirmed
from crypsis.run_context import RunContext
from crypsis.signatures import UNSIGNED, Signature, check_private_key, read_signature, sign_files
from crypsis.strict_json import WholeNumbers, indented_parts, read_json
from crypsis.translation import reading
from crypsis.verifiers import verify
from crypsis.version import VERSION

if TYPE_CHECKING:
    from crypsis.data.count_query import CountQuery
    from crypsis.drawing.markup import Markup
    from crypsis.query.count import CountAnswer
    from crypsis.query.visits import PublishedVisits

PRIVATE_SCHEMA = "crypsis-private-report/1"
LARGEST_PRIVATE_REPORT = 4 << 30
_BEGINNING = 200  # characters in which a private report says what it is
_RECORDS_BESIDE = 50_000  # from here on figures are worked out beside the writing
NEVER_TOLD = ("seed", "pseudonym_key", "key")  # parameters with which the publisher's choices could be made again


@dataclass(eq=False)
class Release:
    """Published data and their manifest. `crypsis.anonymize` makes one, `crypsis.read_release` reads one.

    `declared` is the method as it was given; `method` the same with everything that was made from the data, which
    a release must not tell.
    """

    data: Any
    guarantee: Guarantee
    side_file: Any = None  # what is published beside the rows, such as coordinates
    method: Method | None = None
    original: Any = field(default=None, repr=False)
    context: RunContext = field(default_factory=RunContext, repr=False)
    manifest: dict[str, Any] = field(default_factory=dict, repr=False)
    damage: tuple[str, ...] = ()
    confirmed: frozenset[str] = frozenset()  # columns whose findings the publisher has looked at
    thresholds: ReviewThresholds = field(default_factory=ReviewThresholds, repr=False)
    signature: Signature = field(default=Signature(UNSIGNED))  # of the folder that it was read from
    declared: Method | None = None
    about: About | None = None  # what the publisher declares; it goes into release, reports and deposit files
    scaling: dict[str, Any] | None = None  # where blocks of the data are anonymized apart, how large these may be
    _verified: tuple[Any, Guarantee, Verdict] | None = field(default=None, repr=False)
    _measured: tuple[Any, dict[str, Any]] | None = field(default=None, repr=False)
    _figured: tuple[Any, dict[str, Any]] | None = field(default=None, repr=False)
    _visits: tuple[Any, PublishedVisits] | None = field(default=None, repr=False)
    _reviewed: tuple[tuple[Any, ...], Review] | None = field(default=None, repr=False)
    _ordered: tuple[Any, Any, Int64s] | None = field(default=None, repr=False)

    @property
    def kind(self) -> PublishedKind:
        """How this kind of data is written, read and shown."""
        return kind_of(self.data)

    def verify(self, original: Any = None) -> Verdict:
        """Check the guarantee from the published data; with the original also that they recode it honestly.

        A release read from a folder also fails when its files are not the ones that were written.
        """
        against = original if original is not None else self.original
        if self._verified is not None and against is self.original:
            data, guarantee, verdict = self._verified
            if data is self.data and guarantee is self.guarantee:  # both can be assigned again
                return verdict
        with self.context.stage("verify"):
            verdict = verify(self.data, self.guarantee, against)
        if verdict.holds and self.damage:
            verdict = Verdict(
                self.guarantee,
                False,
                verdict.achieved,
                verdict.required,
                verdict.counted,
                problem=self.damage[0],
            )
        if against is self.original:
            self._verified = (self.data, self.guarantee, verdict)
        return verdict

    @property
    def truthful(self) -> bool:
        """Every published record is true of its original, if coarser or shorter: only then do counts have bounds."""
        return self._told_of_method("truthful")

    @property
    def complete(self) -> bool:
        """Nothing was left out; False where the method may have left something out."""
        return self._told_of_method("complete")

    @property
    def visits(self) -> PublishedVisits:
        """The published visits as `crypsis.query` asks them; made once."""
        from crypsis.query.published_movements import visits_of

        if self._visits is None or self._visits[0] is not self.data:
            self._visits = (self.data, visits_of(self.data, truthful=self.truthful, complete=self.complete))
        return self._visits[1]

    def count(self, query: str | CountQuery) -> CountAnswer:
        """How many original records satisfy a counting query: at least, at most, and the expected number.

        `age in [20:30] and origin in {France, Greece} and items all {E, F}`; a release that is not truthful has an
        estimate only.
        """
        from crypsis.query.count import count_records

        return count_records(self.data, query, truthful=self.truthful, complete=self.complete)

    def _told_of_method(self, name: str) -> bool:
        made_with = self.declared or self.method
        if made_with is not None:
            return bool(getattr(made_with, name))
        return (self.manifest.get("method") or {}).get(name) is True

    def _repr_html_(self) -> str:
        """The verdict, the lights, the first rows and a picture, for a notebook."""
        drawn = next(iter(self.report().pictures.items()), None)
        parts = [notebook.heading("Release", str(self.guarantee)), self.verify()._repr_html_()]
        parts += [self.review()._repr_html_(), self.data._repr_html_()]
        if drawn is not None:
            parts.append(notebook.picture(drawn[1], drawn[0].replace("_", " ")))
        return notebook.framed(*parts)

    def read_original(self, path: str | Path, **options: Any) -> Any:
        """The table that this release was made of, from a file: roles, types and items are those of the release.

        Options are those of `crypsis.read_table` that say how the file is written, and `person`.
        """
        described = self.manifest.get("data") or self.describe()["data"]
        return self.kind.read_original(path, self.data, described, **options)

    def figures(self) -> dict[str, Any]:
        """Figures of the published data alone; these stand in the release, too."""
        if self._figured is None or self._figured[0] is not self.data:
            self._figured = (self.data, rounded(finite(self.kind.figures(self.data))))
        return dict(self._figured[1])

    def utility(self, original: Any = None) -> dict[str, Any]:
        """Remaining utility: every default metric, original against published. For the publisher alone.

        A release that was read without its original has figures of the published data, and those that were published.
        """
        against = original if original is not None else self.original
        if against is None:
            if "utility" in self.manifest:  # a working copy keeps what was measured
                return dict(self.manifest["utility"])
            return self.figures() | dict(self.manifest.get("figures_against_original", {}))
        if original is not None:
            measured: dict[str, Any] = rounded(finite(measure(original, self.data, side_inputs=self._side_inputs)))
            return measured
        if self._measured is None or self._measured[0] is not self.data:
            with self.context.stage("measure"):
                figures = measure(against, self.data, side_inputs=self._side_inputs)
            self._measured = (self.data, rounded(finite(figures)))
        return self._measured[1]

    def tell_utility(self, figures: Mapping[str, Any]) -> None:
        """Let these be the figures against the original, where somebody chose what to measure, or nothing."""
        self._measured = (self.data, rounded(finite(figures)))

    def with_original(self, original: Any) -> Release:
        """A release that was read, with the data it was made of: verified against them, with the figures it tells."""
        figures = self.manifest.get("utility")
        measured = None if figures is None else (self.data, dict(figures))
        return replace(self, original=original, _verified=None, _measured=measured)

    def review(
        self,
        original: Any = None,
        *,
        thresholds: ReviewThresholds | None = None,
        confirm: Iterable[str] = (),
        public: bool = False,
    ) -> Review:
        """The three lights: does the guarantee hold, what is disclosed beside it, what is left.

        `public` uses only what a recipient holds. `confirm` names columns that the publisher has looked at. Of a
        differentially private release the original is never used.
        """
        subject = self._subject(original, confirm, public=public)
        limits = thresholds or self.thresholds
        asked = (self.data, subject.verdict, subject.original, subject.confirmed, limits, public)
        if self._reviewed is None or not _is_same(asked, self._reviewed[0]):
            with self.context.stage("review"):
                self._reviewed = (asked, review(subject, limits))
        return self._reviewed[1]

    def _subject(self, original: Any = None, confirm: Iterable[str] = (), *, public: bool = False) -> Subject:
        """What is reviewed."""
        against = None if public else original if original is not None else self.original
        made_here = self.method is not None or not self.manifest  # so the rows stand as they came
        in_order = self.kind.aligned and (made_here or self.manifest.get("data", {}).get("order") == "input")
        return Subject(
            self.data,
            self.guarantee,
            self.verify(None if public else original),
            against,
            aligned=in_order,
            settings=self._settings,
            confirmed=self._confirmed(confirm),
            public=public,
        )

    def _confirmed(self, confirm: Iterable[str]) -> frozenset[str]:
        """What was confirmed before, and these columns, each of which must be published."""
        return self.confirmed | confirmable_names(self.data, confirm)

    def refuse_unconfirmed(self, confirm: Iterable[str] = ()) -> None:
        """Refuse to publish columns of direct identifiers, free text or exact dates that were not confirmed."""
        refuse_unconfirmed(self._subject(confirm=confirm, public=True), self.thresholds)

    def to_pandas(self) -> Any:
        """Every record as a pandas row, as it is published: in the order and with the index of the input.

        Columns that are not generalized have the type that they came with, others are intervals or categories. For
        whoever made the release: order and index may identify people. A release that was read has neither.
        """
        return self._rows.to_pandas(getattr(self._like, "frame_types", None), getattr(self._like, "index", None))

    def to_polars(self) -> Any:
        """The same as a polars table."""
        return self._rows.to_polars(getattr(self._like, "frame_types", None))

    def to_arrow(self) -> Any:
        """The same as an arrow table."""
        return self._rows.to_arrow(getattr(self._like, "frame_types", None))

    @property
    def _rows(self) -> Any:
        if not hasattr(self.data, "to_pandas"):
            raise NotApplicable(
                f"{type(self.data).__name__} have no columns to show as a table; see release.data, or write it."
            )
        return self.data

    @property
    def _like(self) -> Any:
        """The table that the release was made of."""
        return getattr(self.original, "table", self.original)

    def describe(self) -> dict[str, Any]:
        """The manifest as a release has it, without the checksums of its files."""
        with tempfile.TemporaryDirectory(prefix="crypsis-") as folder:
            return self._public(Path(folder), self._default_format, "sorted")[0]

    def report(self, language: str | None = None) -> Report:
        """The public report as one HTML page, in the declared language or another; shows itself in a notebook."""
        with tempfile.TemporaryDirectory(prefix="crypsis-") as folder:
            manifest, data, side_file = self._public(Path(folder), self._default_format, "sorted")
        with reading(language or report_language(self.about)):
            page = self.kind.report.render(manifest, data, side_file)
            return Report(page, self.kind.report.draw(manifest, data, side_file))

    def private_report(self, language: str | None = None) -> Report:
        """The report for the publisher, with every figure against the original. It is not part of a release."""
        with reading(language or report_language(self.about)):
            page, manifest = self._private_page(self._default_format)
            return Report(page, self.kind.report.draw(manifest, self.data, self.side_file), private=True)

    def _private_page(self, format: str) -> tuple[str, dict[str, Any]]:
        """The page of the private report, and the manifest that it shows."""
        timings = {name: round(seconds, 6) for name, seconds in self.context.timings.items()}
        private = {"timings": timings, "memory": dict(self.context.memory), "review": self.review().to_dict()}
        manifest = self._own_manifest(format, "sorted") | {"private": private}
        return self.kind.report.render(manifest, self.data, self.side_file, self._compared()), manifest

    def _compared(self) -> Markup | None:
        """Original and release in pictures; of a differentially private release the original is not shown."""
        from crypsis.reports.sections.compared import compared

        if self.original is None or isinstance(self.guarantee, DifferentialPrivacy):
            return None
        return compared(self.original, self.data, self.side_file) or None

    def write(
        self,
        folder: str | Path,
        *,
        format: str | None = None,
        order: str = "sorted",
        overwrite: bool = False,
        private_report: str | Path | None = None,
        publish_figures: Iterable[str] = (),
        confirm: Iterable[str] = (),
        strict: bool = False,
        sign: str | Path | None = None,
    ) -> Path:
        """Verify and review, then write the release folder whole or not at all; returns the folder.

        `order="input"` keeps the rows as they came, for evaluation only: their order may identify people.
        `private_report` names the file, outside the folder, for what only the publisher may see: JSON, and an HTML page
        beside it. `publish_figures` puts figures against the original into the release, rounded to two digits; the
        guarantee does not cover them, and the release says so. Columns with direct identifiers, free text or exact
        dates are refused unless `confirm` names them. `strict` writes nothing unless all three lights are green. `sign`
        is the file of a private key (`crypsis keys make`).
        """
        target = Path(folder)
        format = self._default_format if format is None else format
        check_writing(self.kind, target, format=format, order=order, private_report=private_report, sign=sign)
        verdict = self.verify()
        if not verdict.holds:
            raise VerificationFailed(f"Nothing was written: {verdict}", **verdict.to_dict())
        self.confirmed = self._confirmed(confirm)
        self.refuse_unconfirmed()
        if strict:
            refuse_colours(self.review())
        chosen = published_figures(self, publish_figures)
        comparing = self._comparing_beside() if private_report is not None else nullcontext()
        with self.context.stage("write"), comparing, new_folder(target, overwrite=overwrite) as partial:
            manifest = self._write_files(partial, format, order, chosen)
            if sign is not None:
                sign_files(partial, sign)
        self.manifest = manifest
        if private_report is not None:
            self.write_private_report(private_report, format=format, order=order)
        return target

    @contextmanager
    def _comparing_beside(self) -> Iterator[None]:
        """Measure and review against the original in a thread, where there is much to do, as the private report asks.

        What is written and read back meanwhile depends on neither. Seconds of both count for what is measured.
        """
        if len(self.data) < _RECORDS_BESIDE:
            yield
            return
        with ThreadPoolExecutor(1) as thread:
            compared = thread.submit(copy_context().run, self._compare)  # in the language of this thread
            yield
            compared.result()

    def _compare(self) -> None:
        """Figures and lights of the private report; they are kept."""
        self.review()
        if self.original is not None:
            self.utility()

    def write_working_copy(self, folder: str | Path, utility: Mapping[str, Any]) -> None:
        """Data and manifest in a new folder, rows in the order of the input, also where the promise is broken.

        What an evaluation keeps to go on with, readable by its owner alone, never what is published: the order of the
        rows may identify people, and the figures that were measured (`utility`) tell of the original.
        `read_working_copy` reads it; writing that makes a release.
        """
        target = Path(folder)
        self.tell_utility(utility)
        target.mkdir(parents=True, mode=0o700)
        rows = np.arange(len(self.data))
        self.kind.write(target, self.data, self.side_file, rows, self._default_format)
        manifest = self._own_manifest(self._default_format, "input")
        facts = self.kind.private_facts(self.data)
        if "cells" in self.context.private:
            facts["cells"] = self.context.private["cells"]
        if facts and getattr(self.data, "owners", None) is not None:  # so that people can be counted, and attacked
            facts["published_row_of_input_row"] = self.published_rows("input")
        manifest |= {"schema": WORKING_SCHEMA, "files": checksums(target)}
        manifest["private"] = {"order": "input", **facts} if facts else None
        (target / WORKING_COPY).write_bytes(json_bytes(manifest))
        for path in target.iterdir():
            path.chmod(0o600)

    def published_rows(self, order: str = "sorted") -> list[int | None]:
        """Private: the published row of each input row, as rows are written in this order; None where it was lost."""
        place = self._places(order)
        kept = _private_form(self.context.private.get("published_input_rows"))
        if kept is None:
            return [*place.tolist()]
        published_row: list[int | None] = [None] * int(self.context.private["accounting"]["input"])
        for input_row, at in zip(kept, place.tolist(), strict=True):
            published_row[input_row] = at
        return published_row

    def _places(self, order: str) -> Int64s:
        """Where each row of the data is written."""
        _, rows = self._in_order(order)
        place = np.empty(len(rows), np.int64)
        place[rows] = np.arange(len(rows))
        return place

    def write_private_report(self, path: str | Path, *, format: str | None = None, order: str = "sorted") -> Path:
        """What only the publisher may see: merges, what was cut, which input row became which row, figures, timings.

        JSON, and beside it the same as an HTML page; both can be read by their owner alone. `format` and `order` are
        those of the release that was written.
        """
        published_row = (
            self.published_rows(order)
            if "published_input_rows" in self.context.private
            else WholeNumbers(self._places(order))
        )
        facts = {
            name: _private_form(value) for name, value in self.context.private.items() if name != "published_input_rows"
        }
        ids = getattr(self.original, "ids", None)
        method = self.method
        links = {"published_row_of_input_row": published_row, "input_ids": None if ids is None else ids.to_list()}
        warning = "This file links input rows to published rows. It is not part of the release."
        if not self.kind.aligned:
            links, warning = {}, "This file tells what the release must not tell. It is not part of the release."
        content = {
            "schema": PRIVATE_SCHEMA,
            "warning": warning,
            "method": None if method is None else {"name": method.name(), **method.described_parameters()},
            "verdict": self.verify().to_dict(),
            "review": self.review().to_dict(),
            "figures": self.figures(),
            "utility": self.utility() if self.original is not None else dict(self.manifest.get("utility", {})),
            **facts,
            **self.kind.private_facts(self.data),
            **links,
            "timings": {name: round(seconds, 6) for name, seconds in self.context.timings.items()},
            "memory": dict(self.context.memory),
        }
        target, page = private_paths(path)
        write_file(target, json_parts(content), mode=0o600)
        with reading(report_language(self.about)):
            shown = self._private_page(format or self._default_format)[0]
            write_file(page, shown.encode(), mode=0o600)
        return target

    @property
    def _side_inputs(self) -> dict[str, Any]:
        return {} if self.method is None else dict(self.method.side_inputs())

    @property
    def _default_format(self) -> str:
        return next(iter(self.kind.files))

    def _in_order(self, order: str) -> tuple[Any, Int64s]:
        """The data as they are written, and their rows in the order in which they are."""
        if order != "sorted":
            form = self.kind.as_written(self.data)
            return form, np.arange(len(form))
        if self._ordered is None or self._ordered[0] is not self.data:
            form = self.kind.as_written(self.data)
            self._ordered = (self.data, form, self.kind.sorted_rows(form))
        return self._ordered[1:]

    def _write_files(self, folder: Path, format: str, order: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
        manifest, data, side_file = self._public(folder, format, order, chosen)
        with reading(report_language(self.about)):  # whoever writes the folder, and in whatever language they read
            page = self.kind.report.render(manifest, data, side_file)
        (folder / REPORT).write_text(page, encoding="utf-8")
        resources = self.kind.resources(manifest["data"], side_file)
        write_descriptions(folder, manifest, resources, self.about)
        manifest["files"] = checksums(folder)
        (folder / MANIFEST).write_bytes(json_bytes(manifest))
        return manifest

    def _public(
        self, folder: Path, format: str, order: str, chosen: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], Any, Any]:
        """Write the data, read them back as a recipient does, and describe what was read: manifest, data, side file."""
        form, rows = self._in_order(order)
        kept = self.kind.write(folder, form, self.side_file, rows, format)
        files = dict.fromkeys(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        description = {"data": self._described(form, self.side_file, format, order), "files": files}
        data, side_file = self.kind.read_back(folder, description, form, rows, kept)
        del kept  # which may be large
        guarantee = guarantee_from_dict(_as_json(self.guarantee.to_dict()))
        verdict = self._recount(data, guarantee)
        subject = Subject(
            data,
            guarantee,
            verdict or self._publishers_word(),
            settings=self._settings,
            confirmed=self.confirmed,
            public=True,
        )
        manifest = self._manifest(data, side_file, format, order)
        manifest["verdict"] = rounded((verdict or self._publishers_word()).to_dict()) | {
            "recounted_from": "original" if verdict is None else "files"
        }
        manifest["review"] = review_entry(review(subject, self.thresholds), self.confirmed)
        if chosen:
            manifest["guarantee"]["not_covered"] = [
                *manifest["guarantee"]["not_covered"],
                *(f"{name}: computed from the original, rounded to two digits." for name in chosen),
            ]
            manifest["figures_against_original"] = dict(chosen)
            manifest["verdict"]["note"] = (
                f"{', '.join(chosen)}: computed from the original and published beside the data; not covered."
            )
        return manifest, data, side_file

    def _recount(self, data: Any, guarantee: Guarantee) -> Verdict | None:
        """The verdict of a recipient; None where only the publisher can count."""
        try:
            verdict = verify(data, guarantee)
        except OriginalRequired:
            return None
        if not verdict.holds and self.verify().holds:
            raise VerificationFailed(f"Nothing was written: read back, {verdict}", **verdict.to_dict())
        return verdict

    def _publishers_word(self) -> Verdict:
        """What a release tells where only the publisher can count: that it was counted, and nothing else."""
        own = self.verify()
        problem = None if own.holds else own.problem
        return Verdict(self.guarantee, own.holds, None, own.required, PUBLISHERS_WORD, problem=problem)

    @property
    def _settings(self) -> frozenset[str]:
        """The names of the method's parameters."""
        if self.method is not None:
            return frozenset(self.method.parameters())
        return frozenset((self.manifest.get("method") or {}).get("parameters") or ())

    def _manifest(self, data: Any, side_file: Any, format: str, order: str) -> dict[str, Any]:
        """The manifest of these data with the publisher's verdict and review, without the checksums of the files."""
        declared = self.declared or self.method
        return {
            "schema": SCHEMA,
            "created": datetime.now(UTC).date().isoformat(),
            "software": {"name": "crypsis", "version": VERSION},
            **about_entry(self.about),
            "method": self.manifest.get("method") if declared is None else method_entry(declared),
            **({} if self.scaling is None else {"scaling": self.scaling}),
            "guarantee": self.guarantee.to_dict(),
            "verdict": {},
            "review": {},
            "figures": self.figures() if data is self.data else rounded(finite(self.kind.figures(data))),
            "data": self._described(data, side_file, format, order),
            "provenance": {"python": platform.python_version(), "numpy": np.__version__},
        }

    def _own_manifest(self, format: str, order: str) -> dict[str, Any]:
        """The manifest of working copies and of the private page: the publisher's own verdict, review and figures."""
        manifest = self._manifest(self.data, self.side_file, format, order)
        manifest["verdict"] = rounded(self.verify().to_dict())
        manifest["review"] = review_entry(self.review(), self.confirmed)
        manifest["utility"] = self.utility()
        return manifest

    def _described(self, data: Any, side_file: Any, format: str, order: str) -> dict[str, Any]:
        kind = self.kind
        named = {"kind": kind.name, "file": kind.files[format], "format": format, "order": order}
        return {**named, **kind.describe(data), **kind.describe_side_file(side_file)}


def check_writing(
    kind: PublishedKind,
    folder: str | Path,
    *,
    format: str | None = None,
    order: str = "sorted",
    private_report: str | Path | None = None,
    sign: str | Path | None = None,
) -> None:
    """Refuse what could not be written, before anything is drawn or charged."""
    target = Path(folder)
    if format is not None and format not in kind.files:
        raise BadParameter(f"write: format must be one of {', '.join(kind.files)}, got {format!r}.")
    if order not in ("sorted", "input"):
        raise BadParameter(f"write: order must be 'sorted' or 'input', got {order!r}.")
    check_place(target)
    if private_report is not None:
        check_place(Path(private_report))
        if any(_inside(path, target) for path in private_paths(private_report)):
            raise BadParameter("write: the private report must not lie inside the release folder.")
        _refuse_replacing_others(*private_paths(private_report))
    if target.exists() and not target.is_dir():
        raise OutputExists(f"{target.name} is not a folder, so it is not replaced.")
    refuse_replacing(target)
    if private_report is not None:
        refuse_replacing(private_paths(private_report)[0].with_suffix(".rows"), own=False)
    if sign is not None:
        check_private_key(sign)
    for path in (target, *([] if private_report is None else [Path(private_report)])):
        above = next(parent for parent in path.absolute().parents if parent.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            raise WriteFailed(f"Could not write {path.name}: {above.name or above} is no folder to write to.")


def read_release(folder: str | Path, *, private_report: str | Path | None = None) -> Release:
    """Read a release folder; what was changed after it was written is remembered and fails verification.

    A folder that is not closed in itself is refused: links, files that are not listed, parameters that are missing.
    The publisher's private report, where there is one, adds what a check against the original needs and the release
    does not tell, such as the generators of the cells of tracks.
    """
    return _read(Path(folder), private_report, working_copy=False)


def read_working_copy(folder: str | Path) -> Release:
    """What `write_working_copy` wrote: rows in the order of the input, with what the publisher knows of them."""
    return _read(Path(folder), None, working_copy=True)


def _read(folder: Path, private_report: str | Path | None, *, working_copy: bool) -> Release:
    opened = open_release_folder(folder, working_copy=working_copy)
    manifest = opened.manifest
    signature = read_signature(folder, opened.digests)
    described = manifest["data"]
    guarantee = guarantee_from_dict(manifest["guarantee"])
    kind = kind_named(described["kind"])
    try:
        data, side_file = kind.read(folder, manifest)
    except CrypsisError:
        raise
    except _NOT_UNDERSTOOD as error:
        raise BadRelease(
            f"{described['file']} does not hold what {MANIFEST} describes ({type(error).__name__}).", where=str(folder)
        ) from error
    if working_copy and isinstance(manifest.get("private"), dict):
        data = kind.with_private_facts(data, manifest["private"])
    if private_report is not None:
        data = kind.with_private_facts(data, _read_private_report(Path(private_report)))
    damage = (*opened.damage, *signature.damage, *opened.miscounted(len(data)))
    reviewed = manifest.get("review")
    return Release(
        data=data,
        guarantee=guarantee,
        side_file=side_file,
        manifest=manifest,
        damage=damage,
        confirmed=confirmed_names(reviewed.get("confirmed") if isinstance(reviewed, Mapping) else None, data),
        signature=signature,
        about=None if "about" not in manifest else About.of(manifest["about"]),
    )


# What a reader may run into where a manifest and its data do not fit each other
_NOT_UNDERSTOOD = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError, OSError)


def private_paths(path: str | Path) -> tuple[Path, Path]:
    """The JSON file and the HTML page of a private report, by the name of either."""
    named = Path(path)
    if named.suffix == ".html":
        return named.with_suffix(".json"), named
    return named, named.with_suffix(".html") if named.suffix == ".json" else Path(f"{named}.html")


def _read_private_report(path: Path) -> dict[str, Any]:
    try:
        facts = read_json(path, largest=LARGEST_PRIVATE_REPORT)
    except (ValueError, OSError) as error:
        raise BadRelease(f"The private report cannot be read: {error}.", where=str(path)) from error
    if not isinstance(facts, dict) or facts.get("schema") != PRIVATE_SCHEMA:
        raise BadRelease(f"A private report has the schema {PRIVATE_SCHEMA}; this file has not.", where=str(path))
    return facts


def review_entry(seen: Review, confirmed: Iterable[str]) -> dict[str, Any]:
    """What a manifest says about the review."""
    return {**rounded(seen.to_dict()), "confirmed": sorted(confirmed)}


def method_entry(method: Method) -> dict[str, Any]:
    """What a manifest says about the method."""
    return {
        "name": method.name(),
        "class": type(method).__name__,
        "summary": method.summary(),
        "parameters": {name: value for name, value in method.public_parameters().items() if name not in NEVER_TOLD},
        "assured": method.assured,
        "truthful": method.truthful,
        "complete": method.complete,
    }


def write_descriptions(
    folder: Path, manifest: Mapping[str, Any], resources: list[dict[str, Any]], about: About | None
) -> None:
    """The Frictionless description and, where the publisher has declared enough, those that repositories take."""
    described = data_package(manifest, resources, about)
    (folder / DATA_PACKAGE).write_bytes(json_bytes(described))
    if about is not None:
        for name, content in deposit_files(about, manifest, checksums(folder)).items():
            (folder / name).write_bytes(json_bytes(content))


def data_package(
    manifest: Mapping[str, Any], resources: list[dict[str, Any]], about: About | None = None
) -> dict[str, Any]:
    """The Frictionless description."""
    title = f"{manifest['data']['kind'].capitalize()} under {manifest['guarantee']['model']}"
    return {
        "name": "crypsis-release",
        "title": title if about is None else about.title,
        "description": manifest["guarantee"]["scope"],
        "created": f"{manifest['created']}T00:00:00Z",
        "resources": resources,
    }


def about_entry(about: About | None) -> dict[str, Any]:
    """What a manifest says about who answers for the release; nothing where nobody declared it."""
    return {} if about is None else {"about": about.to_dict()}


def _is_same(asked: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Whether two reviews are of the same objects with the same settings; data are too large to be compared."""
    return all(one is other for one, other in zip(asked[:3], before[:3], strict=True)) and asked[3:] == before[3:]


def _private_form(value: Any) -> Any:
    return value.to_pairs() if hasattr(value, "to_pairs") and not hasattr(value, "indented") else value


def _inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _refuse_replacing_others(report: Path, page: Path) -> None:
    """Refuse to replace a file that is no private report: it may be the only copy of the original."""
    for path in (report, page):
        if path.is_dir():
            raise OutputExists(f"{path.name} is a folder, so it is not replaced by a private report.", where=str(path))
        if path.is_file() and path.stat().st_size and not _is_private(path):
            raise OutputExists(
                f"{path.name} is there already and is no private report, so it is not replaced; choose another name.",
                where=str(path),
            )


def _is_private(path: Path) -> bool:
    """Whether a file is a private report of ours, in JSON or as a page."""
    from crypsis.reports.release_page import is_private_page

    content = path.read_text(encoding="utf-8", errors="replace")
    return PRIVATE_SCHEMA in content[:_BEGINNING] or is_private_page(content)


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """JSON as files of a release hold it."""
    return b"".join(json_parts(content))


def json_parts(content: Mapping[str, Any]) -> Iterator[bytes]:
    """The same part by part."""
    for part in indented_parts(content):
        yield part.encode()
    yield b"\n"


def _as_json(content: Mapping[str, Any]) -> dict[str, Any]:
    """The same as it comes back from a file."""
    told: dict[str, Any] = json.loads(json_bytes(content))
    return told


def checksums(folder: Path) -> dict[str, dict[str, Any]]:
    """Size and checksum of every file of a folder, by its path there."""
    return {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": sha256(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }

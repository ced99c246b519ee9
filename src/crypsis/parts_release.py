"""A release of data in parts: published, sorted and verified part by part, and committed at once.

Up to `WHOLE_ROWS` records everything beside the records (figures, review, reports) is made by the code that makes it of
data in memory. Above, memory is bounded: figures that are sums are added up, and what would need all records at once is
not measured, which the review says.
"""

from __future__ import annotations

import json
import platform
import shutil
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.atomic import new_folder, write_file
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.data.values import POLARS_TYPES
from crypsis.errors import (
    BadParameter,
    NotApplicable,
    OptionWithoutEffect,
    OriginalRequired,
    UnconfirmedColumn,
    VerificationFailed,
)
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import load
from crypsis.guarantees import Guarantee, Verdict, guarantee_from_dict
from crypsis.methods import Method
from crypsis.methods.relational.applied_mapping import AppliedMapping
from crypsis.methods.relational.whole_columns import shares_by_value
from crypsis.metrics.class_sizes import ClassSizes
from crypsis.metrics.published_widths import column_width, mean_widths
from crypsis.publication import PublishedKind, kind_named
from crypsis.publication.figures import finite, rounded
from crypsis.publication.parts_sort import PublishedBlocks
from crypsis.publication.published_parts import PublishedParts
from crypsis.publication.table_parts import PARTS, part_name
from crypsis.release import (
    PRIVATE_SCHEMA,
    Release,
    about_entry,
    check_writing,
    checksums,
    json_bytes,
    method_entry,
    private_paths,
    review_entry,
    write_descriptions,
)
from crypsis.release_folder import MANIFEST, REPORT, SCHEMA, ReleaseFolder, data_files, open_release_folder, sha256
from crypsis.reports.about import About, report_language
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.table_facts import ColumnFacts, TableFacts
from crypsis.review import CHECKS, Colour, Finding, Light, Review, ReviewThresholds, Subject
from crypsis.review.refusal import refuse_colours
from crypsis.run_context import RunContext
from crypsis.shards.people import persons_of_rows
from crypsis.shards.table import EncodedTable
from crypsis.signatures import Signature, read_signature, sign_files
from crypsis.translation import reading
from crypsis.verifiers.counted_people import refuse_uncounted
from crypsis.verifiers.table_parts import CountedParts, PublishedColumns, RowsOfPeople, count_parts, verify_parts
from crypsis.version import VERSION

WHOLE_ROWS = 1_000_000


@dataclass(eq=False)
class PartsRelease:
    """What `crypsis.anonymize` makes of data in parts. Its files lie in scratch until it is written or closed."""

    not_measured: ClassVar[str] = (
        "Not measured on parts: which sensitive values classes reveal, who is unique by unchanged columns, and how "
        "many records lack a value. Look at them on a sample before publishing."
    )

    parts: Any
    guarantee: Guarantee
    method: Method
    declared: Method
    encoded: Any
    executor: Executor
    context: RunContext = field(default_factory=RunContext, repr=False)
    confirmed: frozenset[str] = frozenset()
    thresholds: ReviewThresholds = field(default_factory=ReviewThresholds, repr=False)
    manifest: dict[str, Any] = field(default_factory=dict, repr=False)
    about: About | None = None
    scaling: dict[str, Any] | None = None  # where blocks of the data are anonymized apart, how large these may be
    _counted: Any = field(default=None, repr=False)
    _digests: list[str] = field(default_factory=list, repr=False)
    _whole: Release | None = field(default=None, repr=False)
    _finalizer: Any = field(default=None, repr=False)

    def own_executor(self) -> None:
        """Close the executor, and remove its scratch, with this release."""
        self._finalizer = weakref.finalize(self, self.executor.close)

    @property
    def kind(self) -> PublishedKind:
        """How this kind of data is written, read and shown."""
        return kind_named("table")

    @property
    def data(self) -> Any:
        """The published records."""
        columns = self.parts.columns
        told = PublishedColumns(
            {column.name: column.role for column in columns},
            {column.name: column.type for column in columns},
            {column.name: list(column.hierarchy.leaves) for column in columns if column.hierarchy is not None},
        )
        hierarchies = {column.name: column.hierarchy for column in columns if column.hierarchy is not None}
        return PublishedParts(self.parts.files, told, self.parts.n_records, hierarchies)

    def verify(self) -> Verdict:
        """Recount the guarantee from the published parts, in bounded memory; few records are counted at once."""
        if self.is_whole:
            return self.in_memory().verify()
        return verify_parts(self._count(), self.data.columns, self.guarantee, original=True)

    def _count(self) -> Any:
        """What the parts hold, counted once; their digests tell later that a copy is what was counted."""
        if self._counted is None:
            files = self.data.files
            with self.context.stage("verify"):
                counted = self._count_parts(files)
                if counted.checksum != self.parts.checksum or counted.n_records != self._n_published:
                    raise VerificationFailed(
                        "Nothing was written: the parts do not hold the records that were published."
                    )
                self._digests = self.executor.map(sha256, [Path(file) for file in files])
                self._counted = counted
        return self._counted

    def _count_parts(self, files: tuple[str, ...]) -> Any:
        columns, executor = self.data.columns, self.executor
        return count_parts(
            files, columns, self.guarantee, executor, self._originals(), self.parts.seeds, self._rows_of_people()
        )

    def _rows_of_people(self) -> RowsOfPeople | None:
        """Whose the rows of the parts are, where a person has several."""
        people = self.encoded.person
        if people is None:
            return None
        places = self.encoded.places("sensitive")
        shares = shares_by_value(self.encoded, places, self.executor)
        persons = persons_of_rows(self.parts.numbers, people, self.encoded.shards, self.executor)
        return RowsOfPeople(
            persons, {self.encoded.names[place]: own for place, own in zip(places, shares, strict=True)}
        )

    @property
    def _n_published(self) -> int:
        """Rows that the parts must hold."""
        return len(self.encoded)

    def _originals(self) -> dict[str, tuple[pl.Series, Any]]:
        """How often each sensitive value occurs in the original, in the types that are published."""
        values = {}
        types = {column.name: column.type for column in self.parts.columns}
        for column, counts in zip(self.encoded.columns, self.encoded.counts, strict=True):
            if column.role == "sensitive":
                domain = column.domain
                if types[column.name] != column.type:
                    domain = domain.cast(POLARS_TYPES[types[column.name]], strict=False)
                values[column.name] = (domain, counts[:-1])
        return values

    @property
    def is_whole(self) -> bool:
        """Few enough records for everything to be made in memory."""
        return bool(self.parts.n_records <= WHOLE_ROWS)

    def in_memory(self) -> Release:
        """The same release of data in memory, rows in input order."""
        if self._whole is None:
            original = self.encoded.whole
            published = replace(_published(self.parts, self.encoded), person=original.person)
            self.context.private["applied_mapping"] = AppliedMapping(original, published)
            self.context.private["suppressed_records"] = np.flatnonzero(published.suppressed).tolist()
            self._whole = Release(
                data=published,
                guarantee=self.guarantee,
                method=self.method,
                declared=self.declared,
                original=original,
                context=self.context,
                confirmed=self.confirmed,
                thresholds=self.thresholds,
                scaling=self.scaling,
            )
        return self._whole

    def figures(self) -> dict[str, Any]:
        """Figures of the published data alone."""
        if self.is_whole:
            return self.in_memory().figures()
        return figures_of_counts(self.data, self._count())

    def utility(self) -> dict[str, Any]:
        """Remaining utility, for the publisher alone; of many records it is not measured."""
        return self.in_memory().utility() if self.is_whole else {}

    def review(self, *, confirm: Iterable[str] = ()) -> Review:
        """The three lights."""
        if self.is_whole:
            return self.in_memory().review(confirm=confirm)
        return self._review_of(self._count(), self.verify(), self.confirmed | self._confirmable(confirm))

    def _review_of(self, counted: Any, verdict: Verdict, confirmed: frozenset[str]) -> Review:
        subject = self._subject(verdict, confirmed)
        found: dict[str, list[Finding]] = {"guarantee": [], "disclosure": [], "usefulness": []}
        found["guarantee"] += CHECKS["verdict"].findings(subject, self.thresholds)
        found["disclosure"] += self._refused(counted, verdict, confirmed)
        found["disclosure"].append(Finding("not-measured-on-parts", Colour.AMBER, self.not_measured))
        guarantee, disclosure, usefulness = (Light.of(findings) for findings in found.values())
        return Review(guarantee, disclosure, usefulness, "the published data alone")

    def _refused(self, counted: Any, verdict: Verdict, confirmed: frozenset[str]) -> list[Finding]:
        """What stands against publishing a column, looked for in every distinct cell."""
        findings: list[Finding] = []
        for name in self.data.names:
            column, weights = self.data.column_of_counts(name, counted)
            own = replace(self._subject(verdict, confirmed), published=PublishedTable((column,)), weights=weights)
            for check in CHECKS.values():
                if check.refuses:
                    findings += check.findings(own, self.thresholds)
        return findings

    def _subject(self, verdict: Verdict, confirmed: frozenset[str]) -> Subject:
        return self._subject_of(self.data, None, verdict, confirmed)

    def _subject_of(self, published: Any, weights: Any, verdict: Verdict, confirmed: frozenset[str]) -> Subject:
        """What the review looks at; `weights` are the records that each published one stands for."""
        return Subject(
            published,
            self.guarantee,
            verdict,
            settings=frozenset(self.method.parameters()),
            confirmed=confirmed,
            public=True,
            weights=weights,
        )

    def _confirmable(self, confirm: Iterable[str]) -> frozenset[str]:
        names = (confirm,) if isinstance(confirm, str) else tuple(confirm)
        for name in names:
            if name not in self.data.names:
                raise BadParameter(f"Column {name!r} cannot be confirmed: it is not published.", parameter="confirm")
        return frozenset(names)

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

        The records are written as parts. Options as for a release of data in memory.
        """
        target = Path(folder)
        if format not in (None, PARTS) or order != "sorted":
            raise OptionWithoutEffect("A release of data in parts is written as sorted parts.", parameter="format")
        check_writing(self.kind, target, format=PARTS, private_report=private_report, sign=sign)
        verdict = self.verify()
        if not verdict.holds:
            raise VerificationFailed(f"Nothing was written: {verdict}", **verdict.to_dict())
        if self.is_whole:
            whole = self.in_memory()
            whole.about = self.about
            written = whole.write(
                target, format=PARTS, overwrite=overwrite, private_report=private_report,
                publish_figures=publish_figures, confirm=confirm, strict=strict, sign=sign,
            )  # fmt: skip
            self.manifest = whole.manifest
            return written
        return self._write_large(target, overwrite, private_report, list(publish_figures), confirm, strict, sign)

    def _write_large(
        self,
        target: Path,
        overwrite: bool,
        private_report: str | Path | None,
        publish_figures: list[str],
        confirm: Iterable[str],
        strict: bool,
        sign: str | Path | None,
    ) -> Path:
        if publish_figures:
            raise OptionWithoutEffect("Figures against the original are not measured on parts.", parameter="figures")
        self.confirmed |= self._confirmable(confirm)
        refused = [
            one for one in self._refused(self._count(), self.verify(), self.confirmed) if one.colour == Colour.RED
        ]
        if refused:
            raise UnconfirmedColumn(
                f"Nothing was written: {' '.join(one.sentence for one in refused)} Leave them out, or confirm that "
                f"they may be published (confirm={[one.column for one in refused]!r}).",
                columns=[one.column for one in refused],
            )
        if strict:
            refuse_colours(self.review())
        with self.context.stage("write"), new_folder(target, overwrite=overwrite) as partial:
            folder = partial / self.kind.files[PARTS]
            folder.mkdir()
            files = []
            for index, file in enumerate(self.parts.files):
                placed = folder / part_name(index)
                shutil.copyfile(file, placed)
                files.append(str(placed))
            self._place_beside(partial)
            if self.executor.map(sha256, [Path(file) for file in files]) != self._digests:  # as read back
                raise VerificationFailed("Nothing was written: read back, the parts are not those that were verified.")
            self.manifest = self._write_descriptions(partial, self._count())
            if sign is not None:
                sign_files(partial, sign)
        if private_report is not None:
            self._write_private_report(private_report)
        return target

    def _write_descriptions(self, folder: Path, counted: Any) -> dict[str, Any]:
        own = guarantee_from_dict(json.loads(json_bytes(self.guarantee.to_dict())))
        try:
            verdict, recounted = self._recount(counted, own), "files"
        except OriginalRequired:
            said = self.verify()
            words = "counted by the publisher with the original; the files alone do not tell"
            verdict, recounted = Verdict(own, said.holds, None, said.required, words), "original"
        manifest: dict[str, Any] = {
            "schema": SCHEMA,
            "created": datetime.now(UTC).date().isoformat(),
            "software": {"name": "crypsis", "version": VERSION},
            **about_entry(self.about),
            "method": method_entry(self.declared),
            **({} if self.scaling is None else {"scaling": self.scaling}),
            "guarantee": self.guarantee.to_dict(),
            "verdict": rounded(verdict.to_dict()) | {"recounted_from": recounted},
            "review": review_entry(self._review_of(counted, verdict, self.confirmed), self.confirmed),
            "figures": self.figures(),
            "data": self._described(counted),
            "provenance": {"python": platform.python_version(), "numpy": np.__version__},
        }
        with reading(report_language(self.about)):  # whoever writes the folder, and in whatever language they read
            page = self.kind.report.render_facts(self._facts(manifest, counted))
        (folder / REPORT).write_text(page, encoding="utf-8")
        resources = self._write_beside(folder, manifest["data"])
        write_descriptions(folder, manifest, resources, self.about)
        manifest["files"] = checksums(folder)
        (folder / MANIFEST).write_bytes(json_bytes(manifest))
        return manifest

    def _recount(self, counted: Any, promised: Guarantee) -> Verdict:
        """The verdict of a recipient, who cannot tell whose the rows are."""
        if getattr(self.encoded, "person", None) is not None:
            refuse_uncounted(None)
        return verify_parts(counted, self.data.columns, promised)

    def _described(self, counted: Any) -> dict[str, Any]:
        """The entry of the manifest on the data."""
        described: dict[str, Any] = self.data.describe(counted)
        return described

    def _facts(self, manifest: Mapping[str, Any], counted: Any) -> ManifestFacts:
        """What the report shows."""
        return self._table_facts(manifest, counted)

    def _table_facts(self, manifest: Mapping[str, Any], counted: CountedParts, items: str | None = None) -> TableFacts:
        """What it shows of the columns; `items` names the one with sets."""
        sizes = np.repeat(np.array(list(counted.sizes), np.int64), np.array(list(counted.sizes.values()), np.int64))
        columns = tuple(ColumnFacts.of(*self.data.column_of_counts(name, counted)) for name in self.data.names)
        return TableFacts(manifest, sizes, counted.n_suppressed, columns, items)

    def _place_beside(self, folder: Path) -> None:
        """Write what is needed to read the parts; nothing, unless a kind of data says otherwise."""
        return

    def _write_beside(self, folder: Path, described: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Write what is published beside the records; all files as a data package lists them."""
        return self.kind.resources(described, None)

    def _write_private_report(self, path: str | Path) -> None:
        """Facts as JSON; which input row became which published row is in the folder beside it."""
        target, _ = private_paths(path)
        facts = {
            name: value for name, value in self.context.private.items() if isinstance(value, (int, str, bool, list))
        }
        content = {
            "schema": PRIVATE_SCHEMA,
            "warning": "This file tells what the release must not tell. It is not part of the release.",
            "method": {"name": self.method.name(), **self.method.described_parameters()},
            "verdict": self.verify().to_dict(),
            "figures": self.figures(),
            **facts,
            "timings": {name: round(seconds, 6) for name, seconds in self.context.timings.items()},
        }
        write_file(target, json_bytes(content), mode=0o600)
        rows = target.with_suffix(".rows")
        with new_folder(rows, overwrite=True) as partial:
            first = 0
            for index, file in enumerate(self.parts.numbers):
                told = self._rows_of_part(file, first)
                told.write_parquet(partial / part_name(index))
                first += len(told)
            for one in partial.iterdir():
                one.chmod(0o600)
        rows.chmod(0o700)

    def _rows_of_part(self, file: str, first: int) -> pl.DataFrame:
        """Which input row became which published row, in a part whose first row is the given one."""
        inputs = load(file)
        published = np.arange(first, first + len(inputs), dtype=np.int64)
        return pl.DataFrame({"input_row": inputs, "published_row": published})

    def close(self) -> None:
        """Remove the scratch folder, where it is this release's own."""
        if self._finalizer is not None:
            self._finalizer()

    def __enter__(self) -> PartsRelease:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def figures_of_counts(data: PublishedParts, counted: CountedParts) -> dict[str, Any]:
    """Figures of a published table alone, by what was counted in its parts."""
    widths = {name: column_width(*data.column_of_counts(name, counted)) for name in data.quasi}
    told: dict[str, Any] = rounded(finite({**class_sizes_of(counted).figures(), **mean_widths(widths)}))
    return told


def class_sizes_of(counted: CountedParts) -> ClassSizes:
    """How many classes there are in all parts, and how large they are."""
    sizes, suppressed = counted.sizes, counted.n_suppressed
    total = sum(size * count for size, count in sizes.items())
    discernibility = sum(size * size * count for size, count in sizes.items()) + suppressed * counted.n_records
    mean = total / max(counted.n_classes, 1)
    return ClassSizes(counted.n_classes, min(sizes, default=0), mean, max(sizes, default=0), suppressed, discernibility)


def open_parts(folder: str | Path) -> tuple[ReleaseFolder, dict[str, Any]]:
    """A release whose records lie in parts, and what its manifest says of them."""
    opened = open_release_folder(Path(folder))
    described: dict[str, Any] = opened.manifest["data"]
    if described["format"] != PARTS:
        raise NotApplicable(
            f"{Path(folder).name} holds its records in one file, not in parts; leave out the executor.",
            where=str(folder),
        )
    return opened, described


def columns_of_release(folder: str | Path) -> dict[str, dict[str, str]]:
    """Role and type of each published column of a table in parts."""
    _, described = open_parts(folder)
    if described["kind"] != "table":
        raise NotApplicable("This release in parts holds no table.", where=str(folder))
    return told_columns(described)


def told_columns(described: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Role and type of each published column, as a manifest describes them."""
    return {column["name"]: {"role": column["role"], "type": column["type"]} for column in described["columns"]}


def verify_release_parts(folder: str | Path, executor: Executor) -> Verdict:
    """Recount the guarantee of a release of parts from its files alone, in bounded memory."""
    return verify_signed_parts(folder, executor)[0]


def verify_signed_parts(folder: str | Path, executor: Executor) -> tuple[Verdict, Signature]:
    """The same, and what the signature says."""
    opened, described = open_parts(folder)
    guarantee = guarantee_from_dict(opened.manifest["guarantee"])
    signature = read_signature(opened.path, opened.digests)
    files = tuple(str(opened.path / name) for name in data_files(described))
    kind = kind_named(described["kind"])
    kind.read_beside(opened.path, opened.manifest)
    n_records, verdict = kind.verify_parts(files, described, guarantee, executor)
    problems = [*opened.damage, *signature.damage, *opened.miscounted(n_records)]
    if verdict.holds and problems:
        return replace(verdict, holds=False, problem=problems[0]), signature
    return verdict, signature


def _published(parts: PublishedBlocks, encoded: EncodedTable) -> PublishedTable:
    """The published records in input order, with the types of the original columns."""
    contents = [load(file) for file in parts.blocks]
    rows = np.concatenate([content["rows"] for content in contents]) if contents else np.zeros(0, np.int64)
    order = np.argsort(rows, kind="stable")
    if len(contents) == 1:
        held = zip(parts.columns, contents[0]["columns"], strict=True)
        return PublishedTable(
            tuple(
                PublishedColumn(fact.name, fact.role, codes[order], cells, fact.hierarchy, fact.guessed)
                for fact, (codes, cells) in held
            )
        )
    frame: dict[str, pl.Series] = {}
    for index, column in enumerate(encoded.columns):
        texts = [
            cells.text_series.gather(codes) for codes, cells in (content["columns"][index] for content in contents)
        ]
        whole = pl.concat(texts) if texts else pl.Series([], dtype=pl.String)
        frame[column.name] = whole.gather(order)
    hierarchies: Mapping[str, Any] = {one.name: one.hierarchy for one in parts.columns if one.hierarchy is not None}
    published = PublishedTable.from_frame(
        pl.DataFrame(frame),
        {column.name: column.role for column in encoded.columns},
        {column.name: column.type for column in encoded.columns},
        nodes={one.name: list(one.hierarchy.leaves) if one.hierarchy is not None else [] for one in parts.columns},
        hierarchies=hierarchies,
    )
    guessed = {column.name: column.guessed for column in encoded.columns}
    return replace(
        published, columns=tuple(replace(column, guessed=guessed[column.name]) for column in published.columns)
    )

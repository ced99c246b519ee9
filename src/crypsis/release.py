"""Release: published data together with what is promised, how it was made, what it cost, and the proof.

On disk a release is a folder: the published data, `release.json` (the manifest), `datapackage.json`
(Frictionless), `report.html`, and what the kind of data adds, such as coordinates. It holds no input path, no
identity, no mapping and no seed. What only the publisher may see goes to a private report, elsewhere, on request.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.atomic import new_folder, write_file
from crypsis.data.arrays import Int64s
from crypsis.errors import BadParameter, BadRelease, MissingExtra, NotApplicable, VerificationFailed
from crypsis.guarantees import Guarantee, Verdict, guarantee_from_dict
from crypsis.journal import Journal
from crypsis.methods import Method
from crypsis.metrics import measure
from crypsis.publication import PublishedKind, kind_named, kind_of
from crypsis.release_folder import DATA_PACKAGE, MANIFEST, REPORT, SCHEMA, open_release_folder, sha256
from crypsis.reports.report import Report
from crypsis.review import Review, ReviewThresholds, Subject, review
from crypsis.review.refusal import confirmable_names, confirmed_names, refuse_colours, refuse_unconfirmed
from crypsis.signatures import BROKEN, UNSIGNED, Signature, check_private_key, read_signature, sign_files
from crypsis.strict_json import read_json
from crypsis.verifiers import verify
from crypsis.version import VERSION

PRIVATE_SCHEMA = "crypsis-private-report/1"
LARGEST_PRIVATE_REPORT = 4 << 30
NEVER_TOLD = ("seed", "pseudonym_key", "key")  # parameters with which the publisher's choices could be made again


@dataclass(eq=False)
class Release:
    """Published data and their manifest. `crypsis.anonymize` makes one, `crypsis.read_release` reads one."""

    data: Any
    guarantee: Guarantee
    companion: Any = None  # what is published beside the rows, such as coordinates
    method: Method | None = None
    original: Any = field(default=None, repr=False)
    journal: Journal = field(default_factory=Journal, repr=False)
    manifest: dict[str, Any] = field(default_factory=dict, repr=False)
    damage: tuple[str, ...] = ()
    confirmed: frozenset[str] = frozenset()  # columns whose findings the publisher has looked at
    thresholds: ReviewThresholds = field(default_factory=ReviewThresholds, repr=False)
    signature: Signature = field(default=Signature(UNSIGNED))  # of the folder that it was read from
    _verified: tuple[Any, Guarantee, Verdict] | None = field(default=None, repr=False)
    _measured: tuple[Any, dict[str, Any]] | None = field(default=None, repr=False)

    @property
    def kind(self) -> PublishedKind:
        """How this kind of data is written, read and shown."""
        return kind_of(self.data)

    def verify(self, original: Any = None) -> Verdict:
        """Recount the promise from the published data; with the original also that they recode it honestly.

        A release read from a folder also fails when its files are not the ones that were written.
        """
        against = original if original is not None else self.original
        if self._verified is not None and against is self.original:
            data, guarantee, verdict = self._verified
            if data is self.data and guarantee is self.guarantee:  # both can be assigned anew
                return verdict
        with self.journal.stage("verify"):
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

    def read_original(self, path: str | Path, **options: Any) -> Any:
        """The table that this release was made of, from a file: roles, types and items are those of the release.

        Options are those of `crypsis.read_table` that say how the file is written, and `person`.
        """
        described = self.manifest.get("data") or self._describe(self._default_format, "sorted")["data"]
        return self.kind.read_original(path, self.data, described, **options)

    def utility(self, original: Any = None) -> dict[str, Any]:
        """What is left for analysis: every default metric, original against published."""
        against = original if original is not None else self.original
        if against is None:
            if "utility" in self.manifest:
                return dict(self.manifest["utility"])
            raise NotApplicable("Utility is measured against the original data; give it.")
        if original is not None:
            return _finite(measure(original, self.data, companions=self._companions))
        if self._measured is None or self._measured[0] is not self.data:
            with self.journal.stage("measure"):
                self._measured = (self.data, _finite(measure(against, self.data, companions=self._companions)))
        return self._measured[1]

    def beside(self, original: Any) -> Release:
        """A release that was read, with the data it was made of: verified against them, with the figures it tells."""
        told = self.manifest.get("utility")
        measured = None if told is None else (self.data, dict(told))
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
        with self.journal.stage("review"):
            return review(subject, thresholds or self.thresholds)

    def _subject(self, original: Any = None, confirm: Iterable[str] = (), *, public: bool = False) -> Subject:
        """What is reviewed."""
        against = None if public else original if original is not None else self.original
        made_here = self.method is not None or not self.manifest  # so the rows stand as they came
        in_order = self.kind.aligned and (made_here or self.manifest["data"].get("order") == "input")
        settings = frozenset(() if self.method is None else self.method.parameters())
        return Subject(
            self.data,
            self.guarantee,
            self.verify(None if public else original),
            against,
            aligned=in_order,
            settings=settings or frozenset((self.manifest.get("method") or {}).get("parameters") or ()),
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

        For whoever made the release: order and index may identify people. A release that was read has neither.
        """
        try:
            frame = self.data.to_frame().to_pandas()
        except ImportError as error:
            raise MissingExtra(
                "A pandas table needs pandas; install it with: pip install 'crypsis[interop]'"
            ) from error
        index = getattr(getattr(self.original, "table", self.original), "index", None)
        return frame if index is None or len(index) != len(frame) else frame.set_axis(index, axis=0)

    def report(self) -> Report:
        """The public report as one HTML page; shows itself in a notebook."""
        manifest = self.manifest or self._describe(self._default_format, "sorted")
        page = self.kind.report(manifest, self.data, self.companion)
        return Report(page, self.kind.pictures(manifest, self.data, self.companion))

    def write(
        self,
        folder: str | Path,
        *,
        format: str | None = None,
        order: str = "sorted",
        overwrite: bool = False,
        private_report: str | Path | None = None,
        confirm: Iterable[str] = (),
        strict: bool = False,
        sign: str | Path | None = None,
    ) -> Path:
        """Verify and review, then write the release folder whole or not at all; returns the folder.

        `order="input"` keeps the rows as they came, for evaluation only: their order may identify people. Columns with
        direct identifiers, free text or exact dates are refused unless `confirm` names them. `strict` writes nothing
        unless all three lights are green. `sign` is the file of a private key (`crypsis keys make`).
        """
        target = Path(folder)
        format = self._default_format if format is None else format
        if format not in self.kind.files:
            raise BadParameter(f"write: format must be one of {', '.join(self.kind.files)}, got {format!r}.")
        if order not in ("sorted", "input"):
            raise BadParameter(f"write: order must be 'sorted' or 'input', got {order!r}.")
        if private_report is not None and _inside(Path(private_report), target):
            raise BadParameter("write: the private report must not lie inside the release folder.")
        if sign is not None:
            check_private_key(sign)
        verdict = self.verify()
        if not verdict.holds:
            raise VerificationFailed(f"Nothing was written: {verdict}", **verdict.to_dict())
        self.confirmed = self._confirmed(confirm)
        self.refuse_unconfirmed()
        if strict:
            refuse_colours(self.review())
        manifest = self._describe(format, order)
        rows = self.kind.sorted_rows(self.data) if order == "sorted" else np.arange(len(self.data))
        with self.journal.stage("write"), new_folder(target, overwrite=overwrite) as partial:
            self._write_files(partial, manifest, rows, format)
            if sign is not None:
                sign_files(partial, sign)
        self.manifest = manifest
        if private_report is not None:
            self.write_private_report(private_report, rows)
        return target

    def write_working_copy(self, folder: str | Path, utility: Mapping[str, Any]) -> None:
        """Data and manifest in a new folder, rows in the order of the input, also where the promise is broken.

        What an evaluation keeps to go on with, never what is published: the order of the rows may identify people.
        `utility` are the figures that were measured. `read_release` reads it; writing that sorts the rows.
        """
        target = Path(folder)
        self._measured = (self.data, _finite(utility))
        manifest = self._describe(self._default_format, "input")
        target.mkdir(parents=True)
        self.kind.write(target, self.data, self.companion, np.arange(len(self.data)), self._default_format)
        manifest["files"] = _checksums(target)
        (target / MANIFEST).write_bytes(_json_bytes(manifest))

    def write_private_report(self, path: str | Path, rows: Int64s | None = None) -> Path:
        """What only the publisher may see: merges, what was cut, which input row became which row, timings."""
        rows = self.kind.sorted_rows(self.data) if rows is None else rows
        place = np.empty(len(rows), np.int64)
        place[rows] = np.arange(len(rows))
        published_row: list[int | None] = [*place.tolist()]
        facts = {name: _private_form(value) for name, value in self.journal.private.items()}
        kept = facts.pop("published_input_rows", None)
        if kept is not None:  # the others were lost
            published_row = [None] * int(self.journal.private["accounting"]["input"])
            for input_row, at in zip(kept, place.tolist(), strict=True):
                published_row[input_row] = at
        ids = getattr(self.original, "ids", None)
        method = self.method
        links = {"published_row_of_input_row": published_row, "input_ids": None if ids is None else ids.to_list()}
        warning = "This file links input rows to published rows. It is not part of the release."
        if not self.kind.aligned:
            links, warning = {}, "This file tells what the release must not tell. It is not part of the release."
        if not self.kind.tells_utility and self.original is not None:
            facts["utility"] = self.utility()
        content = {
            "schema": PRIVATE_SCHEMA,
            "warning": warning,
            "method": None if method is None else {"name": method.name(), **method.described_parameters()},
            **facts,
            **self.kind.private_facts(self.data),
            **links,
            "timings": {name: round(seconds, 6) for name, seconds in self.journal.timings.items()},
        }
        write_file(Path(path), _json_bytes(content), mode=0o600)
        return Path(path)

    @property
    def _companions(self) -> dict[str, Any]:
        return {} if self.method is None else dict(self.method.companions())

    @property
    def _default_format(self) -> str:
        return next(iter(self.kind.files))

    def _describe(self, format: str, order: str) -> dict[str, Any]:
        """The manifest, without the checksums of the files."""
        original = self.original
        provenance: dict[str, Any] = {"python": platform.python_version(), "numpy": np.__version__}
        if original is None and "input" in self.manifest.get("provenance", {}):  # written anew after it was read
            provenance["input"] = self.manifest["provenance"]["input"]
        described = {} if original is None else self.kind.describe_input(original)
        if described:
            provenance["input"] = described
        return {
            "schema": SCHEMA,
            "created": datetime.now(UTC).date().isoformat(),
            "software": {"name": "crypsis", "version": VERSION},
            "method": self.manifest.get("method") if self.method is None else _method_entry(self.method),
            "guarantee": self.guarantee.to_dict(),
            "verdict": self.verify().to_dict(),
            "review": self.review(public=True).to_dict() | {"confirmed": sorted(self.confirmed)},
            "utility": self._told_utility(),
            "data": {
                "kind": self.kind.name,
                "file": self.kind.files[format],
                "format": format,
                "order": order,
                **self.kind.describe(self.data),
                **self.kind.describe_companion(self.companion),
            },
            "provenance": provenance,
        }

    def _told_utility(self) -> dict[str, Any]:
        """The figures that a recipient may see: none where they would tell what only the original tells."""
        if not self.kind.tells_utility:
            return {}
        return self.utility() if self.original is not None else dict(self.manifest.get("utility", {}))

    def _write_files(self, folder: Path, manifest: dict[str, Any], rows: Int64s, format: str) -> None:
        self.kind.write(folder, self.data, self.companion, rows, format)
        (folder / REPORT).write_text(self.kind.report(manifest, self.data, self.companion), encoding="utf-8")
        resources = self.kind.resources(manifest["data"], self.companion)
        (folder / DATA_PACKAGE).write_bytes(_json_bytes(_data_package(manifest, resources)))
        manifest["files"] = _checksums(folder)
        (folder / MANIFEST).write_bytes(_json_bytes(manifest))


def read_release(folder: str | Path, *, private_report: str | Path | None = None) -> Release:
    """Read a release folder; what was changed after it was written is remembered and fails verification.

    A folder that is not closed in itself is refused: links, files that are not listed, parameters that are missing.
    The publisher's private report, where there is one, adds what a check against the original needs and the release
    does not tell, such as the generators of the cells of tracks.
    """
    return _read(Path(folder), private_report, working_copy=False)


def read_working_copy(folder: str | Path, *, private_report: str | Path | None = None) -> Release:
    """What `write_working_copy` wrote: data and manifest, without a report and a data package."""
    return _read(Path(folder), private_report, working_copy=True)


def _read(folder: Path, private_report: str | Path | None, *, working_copy: bool) -> Release:
    opened = open_release_folder(folder, working_copy=working_copy)
    manifest, damage = opened.manifest, list(opened.damage)
    signature = read_signature(folder, opened.digests)
    if signature.state == BROKEN:
        damage.append("The release is wrongly signed: release.sig is not the signature of these files.")
    described = manifest["data"]
    guarantee = guarantee_from_dict(manifest["guarantee"])
    kind = kind_named(described["kind"])
    try:
        data, companion = kind.read(folder, manifest)
    except _NOT_UNDERSTOOD as error:
        raise BadRelease(
            f"{described['file']} does not hold what {MANIFEST} describes ({type(error).__name__}).", where=str(folder)
        ) from error
    if private_report is not None:
        data = kind.with_private_facts(data, _read_private_report(Path(private_report)))
    if len(data) != described["rows"]:
        damage.append(f"{described['file']} has {len(data)} rows, the manifest says {described['rows']}.")
    told = manifest.get("review")
    return Release(
        data=data,
        guarantee=guarantee,
        companion=companion,
        manifest=manifest,
        damage=tuple(damage),
        confirmed=confirmed_names(told.get("confirmed") if isinstance(told, Mapping) else None, data),
        signature=signature,
    )


# What a reader may run into where a manifest and its data do not fit each other
_NOT_UNDERSTOOD = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError, OSError)


def _read_private_report(path: Path) -> dict[str, Any]:
    try:
        facts = read_json(path, largest=LARGEST_PRIVATE_REPORT)
    except (ValueError, OSError) as error:
        raise BadRelease(f"The private report cannot be read: {error}.", where=str(path)) from error
    if not isinstance(facts, dict) or facts.get("schema") != PRIVATE_SCHEMA:
        raise BadRelease(f"A private report has the schema {PRIVATE_SCHEMA}; this file has not.", where=str(path))
    return facts


def _method_entry(method: Method) -> dict[str, Any]:
    return {
        "name": method.name(),
        "class": type(method).__name__,
        "summary": method.summary(),
        "parameters": {name: value for name, value in method.described_parameters().items() if name not in NEVER_TOLD},
        "assured": method.assured,
    }


def _data_package(manifest: Mapping[str, Any], resources: list[dict[str, Any]]) -> dict[str, Any]:
    """The Frictionless description."""
    return {
        "name": "crypsis-release",
        "title": f"{manifest['data']['kind'].capitalize()} under {manifest['guarantee']['model']}",
        "description": manifest["guarantee"]["scope"],
        "created": f"{manifest['created']}T00:00:00Z",
        "resources": resources,
    }


def _finite(figures: Mapping[str, Any]) -> dict[str, Any]:
    """JSON knows no infinity: such a figure is null."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }


def _private_form(value: Any) -> Any:
    return value.to_pairs() if hasattr(value, "to_pairs") else value


def _inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _json_bytes(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _checksums(folder: Path) -> dict[str, dict[str, Any]]:
    return {path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)} for path in sorted(folder.iterdir())}

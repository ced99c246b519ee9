"""Export: published data with a sidecar that says what they promise, and everything an experiment was given, as files.

Published data leave the store sorted by what they say, so that their order says nothing more. What the verifier found
broken stays in quarantine unless somebody says that they know. The sidecar never holds a seed, a record mapping or
original values.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import polars as pl

from crypsis.atomic import write_file
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.formats.sql import write_sql
from crypsis.data.formats.sql_file import address_of
from crypsis.data.writing import write_data
from crypsis.errors import (
    BadParameter,
    BadRelease,
    MissingFile,
    NotApplicable,
    OutputExists,
    UnreadableFile,
    VerificationFailed,
)
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.experiment import Experiment
from crypsis.evaluate.store import PUBLISHED, Store
from crypsis.hierarchy import Hierarchy
from crypsis.parameters import Deferred
from crypsis.release import NEVER_TOLD, Release, read_working_copy
from crypsis.reports.about import About
from crypsis.review.refusal import refuse_colours

FORMATS = ("csv", "jsonl", "parquet", "json")
SIDECAR = ".about.json"
SIDECAR_SCHEMA = "crypsis-export/1"
_NO_SEPARATORS = '"\r\n'
_FORMULA = (
    "^[=+\\-@\t\r\n\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}"
    "\N{FULLWIDTH COMMERCIAL AT}]"
)


@dataclass(frozen=True, kw_only=True)
class Publishing:
    """How a release is written; see `Release.write`. `about` overrules what the experiment declares."""

    overwrite: bool = False
    confirm: Iterable[str] = ()
    strict: bool = False
    sign: str | Path | None = None
    publish_figures: Iterable[str] = ()
    about: About | None = None

    def write(self, release: Release, folder: str | Path) -> Path:
        return release.write(
            folder,
            overwrite=self.overwrite,
            confirm=self.confirm,
            strict=self.strict,
            sign=self.sign,
            publish_figures=[*self.publish_figures],
        )


AS_USUAL = Publishing()


def export_release(store: Store, id: str, folder: str | Path, how: Publishing = AS_USUAL) -> Path:
    """The published data of a cell as a release folder: sorted, verified and reviewed once more, with its report.

    Figures against the original stay out of it, unless `publish_figures` names them; they are those of the run.
    """
    release = declared_release(store, id, how.about)
    original = unchanged_original(store, id)
    if original is not None:
        try:
            return how.write(release.with_original(original), folder)
        except (NotApplicable, BadRelease):  # what only a private report would tell is not in the store
            pass
    return how.write(release, folder)


def declared_release(store: Store, id: str, about: About | None = None) -> Release:
    """What a cell published, with what is declared about it here or in the experiment; never what is in quarantine."""
    _refuse_unsafe(store, id, i_know=False)
    release: Release = store.release(id)
    release.about = about or store.experiment().about
    return release


def unchanged_original(store: Store, id: str) -> Any:
    """The data that a cell was made of; None where they, or what went with them, are others by now."""
    experiment = store.experiment()
    try:
        cell = next((one for one in experiment.cells() if one.id == id), None)
        return None if cell is None else experiment.data_for(cell)
    except (MissingFile, UnreadableFile):  # gone, or no longer what they were
        return None


@dataclass(frozen=True, kw_only=True)
class ExportedFile:
    """A file for other programs: csv, jsonl or parquet, and json for disassociated data; by its suffix if not said."""

    path: Path
    format: str | None = None
    separator: str = ","
    spreadsheet_safe: bool = False
    overwrite: bool = False


def export_published(
    store: Store,
    id: str,
    file: ExportedFile,
    *,
    i_know: bool = False,
    confirm: Iterable[str] = (),
    strict: bool = False,
) -> list[Path]:
    """The published data of a cell in one file, and the sidecar beside it; returns both paths.

    `i_know` also exports what is in quarantine. `confirm` and `strict` as for a release.
    """
    _refuse_unsafe(store, id, i_know=i_know)
    unsafe = store.published_folder(id) is None
    release = read_working_copy(store.quarantine / id / PUBLISHED) if unsafe else store.release(id)
    stored = store.cell(id)
    release.refuse_unconfirmed(confirm)
    if strict:
        refuse_colours(stored.review or release.review(confirm=confirm))
    written = write_published(release, file)
    verdict = {} if stored.proof is None else stored.proof.verdict
    return [written, write_about(written, release.manifest, publishers_word(verdict))]


class PublishersWord(TypedDict, total=False):
    """What may travel of a verdict; nothing where there is none."""

    holds: bool
    required: Any
    counted: str


class Sidecar(TypedDict):
    """The content of the file that travels with an export."""

    schema: str
    method: Mapping[str, Any] | None
    guarantee: Mapping[str, Any] | None
    verdict: Mapping[str, Any] | None
    safe: bool
    software: Mapping[str, Any] | None
    exported: str


def publishers_word(verdict: Mapping[str, Any]) -> PublishersWord:
    """What may travel of a verdict that was counted with the original: that it was, and what it came to.

    The level reached, witnesses and figures of the original stay with the publisher.
    """
    if not verdict:
        return {}
    counted = "counted by the publisher with the original; the file alone may not tell"
    return {"holds": bool(verdict.get("holds")), "required": verdict.get("required"), "counted": counted}


def write_about(file: Path, manifest: Mapping[str, Any], verdict: Mapping[str, Any]) -> Path:
    """The sidecar of an exported file, beside it."""
    path = Path(str(file) + SIDECAR)
    content = json.dumps(sidecar(manifest, verdict), ensure_ascii=False, indent=1, default=str)
    write_file(path, (content + "\n").encode())
    return path


def write_published(release: Release, to: ExportedFile) -> Path:
    """The data of a release in one file, rows sorted by what they say."""
    file = to.path
    chosen = to.format or file.suffix.lstrip(".")
    if chosen not in FORMATS:
        raise BadParameter(f"export: the format must be one of {', '.join(FORMATS)}, got {chosen!r}.")
    if os.path.lexists(file) and not to.overwrite:
        raise OutputExists(f"{file} exists already; choose another name or allow overwriting (overwrite=True).")
    data = release.kind.as_written(release.data)
    if chosen == "json":
        if not isinstance(data, DisassociatedTransactions):
            raise BadParameter("export: json is the form of disassociated data; use csv, jsonl or parquet.")
        write_file(file, data.document)
        return file
    write_file(file, frame_bytes(_sorted_frame(release, data), chosen, to.separator, to.spreadsheet_safe))
    return file


def write_into_database(release: Release, table: str, connection: str, *, overwrite: bool = False) -> None:
    """The same as a table of a database; `connection` names the environment variable with its address."""
    frame = _sorted_frame(release, release.kind.as_written(release.data))
    write_sql(frame, table, address_of(connection), overwrite=overwrite)


def _sorted_frame(release: Release, data: Any) -> pl.DataFrame:
    if not isinstance(data, DisassociatedTransactions) and hasattr(data, "take"):
        data = data.take(np.asarray(release.kind.sorted_rows(data), np.int64))
    frame: pl.DataFrame = data.to_export()
    return frame


def frame_bytes(frame: pl.DataFrame, format: str, separator: str = ",", spreadsheet_safe: bool = False) -> bytes:
    """A table as CSV (RFC 4180, UTF-8), JSON Lines or Parquet."""
    if spreadsheet_safe:
        frame = safe_for_spreadsheets(frame)
    if format == "csv":
        if len(separator.encode()) != 1 or separator in _NO_SEPARATORS:
            raise BadParameter(
                f"export: the separator must be one ASCII character, no quote and no line end, got {separator!r}.",
                parameter="separator",
            )
        style: Any = "always" if frame.width == 1 else "necessary"
        return frame.write_csv(separator=separator, line_terminator="\r\n", quote_style=style).encode()
    packed = io.BytesIO()
    if format == "parquet":
        frame.write_parquet(packed, statistics=False)
    else:
        frame.write_ndjson(packed)
    return packed.getvalue()


def safe_for_spreadsheets(frame: pl.DataFrame) -> pl.DataFrame:
    """With an apostrophe before every cell and name that a spreadsheet would take for a formula."""
    texts = [name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.Categorical, pl.Enum)]
    escaped = frame.with_columns(pl.col(name).cast(pl.String) for name in texts).with_columns(
        pl.when(pl.col(name).str.contains(_FORMULA)).then("'" + pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name in texts
    )
    taken = set(frame.columns)
    names = {}
    for name in frame.columns:
        if re.match(_FORMULA, name):
            safe = f"'{name}"
            while safe in taken:
                safe = f"'{safe}"
            taken.add(safe)
            names[name] = safe
    return escaped.rename(names)


def sidecar(manifest: Mapping[str, Any], verdict: Mapping[str, Any]) -> Sidecar:
    """What travels with an export: method, parameters, guarantee, the verdict as a recipient may see it, and time."""
    method = dict(manifest.get("method") or {})  # empty where data came without it
    if method:
        method["parameters"] = {
            name: value for name, value in dict(method.get("parameters", {})).items() if name not in NEVER_TOLD
        }
    return {
        "schema": SIDECAR_SCHEMA,
        "method": method or None,
        "guarantee": manifest.get("guarantee"),
        "verdict": dict(verdict) or publishers_word(manifest.get("verdict") or {}) or None,
        "safe": bool((dict(verdict) or manifest.get("verdict") or {}).get("holds")),
        "software": manifest.get("software"),
        "exported": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _refuse_unsafe(store: Store, id: str, *, i_know: bool) -> None:
    end = store.cell(id).end
    if end.state == "unsafe" and not i_know:
        raise VerificationFailed(
            f"Cell {id} is not safe: {end.message} It stays in quarantine; i_know=True exports it all the same.",
            cell=id,
        )


def export_inputs(experiment: Experiment, folder: str | Path) -> list[Path]:
    """Everything an experiment was given as files: the edited data, hierarchies, policies and queries.

    Recipes are carried out. `experiment.toml` beside them is the same experiment on these files.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise OutputExists(f"{target} is a file; an experiment is exported into a folder.")
    if target.exists() and any(target.iterdir()):
        raise OutputExists(f"{target} is not empty; choose another folder.")
    target.mkdir(parents=True, exist_ok=True)
    content: dict[str, Any] = {name: value for name, value in experiment.content.items() if value is not None}
    data = experiment.dataset.load()
    written: list[Path] = []
    content["dataset"], files = _exported_data(experiment.dataset, target)
    written += files
    content.update(_exported_hierarchies(experiment, data, target, written))
    content.update(_exported_policies(experiment, data, target, written))
    queries = experiment.inputs.workload(data)
    if queries is not None:
        from crypsis.data.count_query import write_queries

        write_queries(queries, target / "queries.txt")
        written.append(target / "queries.txt")
        content["queries"] = {"path": "queries.txt"}
    write_file(target / "experiment.toml", Experiment(content, target).to_toml().encode())
    return [*written, target / "experiment.toml"]


def _exported_data(dataset: Dataset, target: Path) -> tuple[dict[str, Any], list[Path]]:
    section = {
        name: value for name, value in dataset.section.items() if name not in ("edits", "path", "rows", "sets", "step")
    }
    section["kind"] = dataset.kind
    if dataset.is_table_file() and "rows" not in dataset.section:
        frame, _ = dataset.frame()
        lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
        file = target / ("data.parquet" if lists else "data.csv")
        write_file(file, frame_bytes(frame, file.suffix[1:]))
        columns = dict(section.get("columns") or {})
        for name in lists:
            declared = dict(dataset.section.get("sets", {}).get(name, {}))
            columns[name] = {"type": "items"} | (
                {"sensitive": declared["sensitive"]} if declared.get("sensitive") else {}
            )
        if columns:
            section["columns"] = columns
        section.pop("separator", None)
        section.pop("format", None)
    else:
        data = dataset.load()
        suffix = ".csv" if dataset.kind in ("table", "mixed", "events", "tracks") else ".jsonl"
        file = target / f"data{suffix}"
        write_data(data, file)
        section.pop("separator", None)
        section.pop("format", None)
    files = [file]
    if "locations" in dataset.section:
        from crypsis.evaluate.dataset import resolved

        source = resolved(str(dataset.section["locations"]), dataset.folder)
        copied = target / f"locations{''.join(source.suffixes)}"
        write_file(copied, source.read_bytes())
        section["locations"] = copied.name
        files.append(copied)
    return {"path": file.name, **section}, files


def _exported_hierarchies(
    experiment: Experiment, data: Any, target: Path, written: list[Path]
) -> dict[str, dict[str, Any]]:
    if not experiment.inputs.hierarchy:
        return {}
    inputs, section = experiment.inputs, {}
    planned = inputs.hierarchies(data)
    trees: dict[str, Any] = {}
    if planned is not None:
        table = getattr(data, "table", data)
        trees |= dict((planned.make(table) if isinstance(planned, Deferred) else planned).items())
    for name, read in (("items", inputs.item_hierarchy), ("locations", inputs.taxonomy)):
        key = inputs.hierarchy_of_items(data) if name == "items" else name
        if key in inputs.hierarchy and key not in trees:
            tree = read(data)
            items = getattr(data, "transactions", data)
            trees[key] = tree.make(items) if isinstance(tree, Deferred) else tree
    for name, tree in trees.items():
        path = _unused(target / f"hierarchy_{_file_name(name)}.csv", written)
        if isinstance(tree, Hierarchy):
            tree.write(path, form="edges")
        else:
            tree.write(path)
        written.append(path)
        section[name] = {"path": path.name}
    return {"hierarchy": section}


def _exported_policies(
    experiment: Experiment, data: Any, target: Path, written: list[Path]
) -> dict[str, dict[str, Any]]:
    section = {}
    held = getattr(data, "transactions", data)
    for name in experiment.inputs.policy:
        policy = getattr(experiment.inputs, name)(data)
        policy = policy.make(held) if isinstance(policy, Deferred) else policy
        path = target / f"{name}.txt"
        write_label_lists(label_lists(policy), path)
        written.append(path)
        section[name] = {"path": path.name}
    return {"policy": section} if section else {}


def label_lists(policy: Any) -> list[tuple[str, ...]]:
    """The sets of a policy, in one order."""
    for name in ("itemsets", "sets", "groups"):
        listed = getattr(policy, name, None)
        if listed is not None:
            return sorted(tuple(sorted(labels)) for labels in listed)
    raise BadParameter(f"{type(policy).__name__} has no sets to write.")


def write_label_lists(lists: Iterable[Sequence[str]], path: str | Path) -> None:
    """A policy as a file that is read again as the same."""
    write_file(Path(path), label_lines(lists).encode())


def label_lines(lists: Iterable[Sequence[str]]) -> str:
    """One list per line, separated by semicolons; as JSON where labels would be torn apart."""
    listed = [list(labels) for labels in lists]
    labels = [label for entry in listed for label in entry]
    plain = any(len(entry) > 1 for entry in listed) or not any(" " in label for label in labels)
    plain = plain and not any(re.search(r"[\t\n\r;|,]|^\s|\s$|^\[", label) for label in labels)
    lines = (";".join(entry) if plain else json.dumps(entry, ensure_ascii=False) for entry in listed)
    return "".join(f"{line}\n" for line in lines)


def _unused(path: Path, written: Sequence[Path]) -> Path:
    """A name that no other column has taken: of `a/b` and `a_b` the second is numbered."""
    free, number = path, 2
    while free in written:
        free, number = path.with_stem(f"{path.stem}_{number}"), number + 1
    return free


def _file_name(column: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", column)

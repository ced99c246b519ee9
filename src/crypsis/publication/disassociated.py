"""Disassociated transactions in a release: one forest, as a JSON object in canonical order, or Parquet.

    {"empty_records":0,"k":3,"m":2,"nodes":[…],"version":1}

Parquet has a row per subrecord and the columns node, parent (null at a root), type (leaf or joint), size, chunk (0, 1,
… inside the node), count and items. Every node has one row with neither chunk nor count, whose items are its term
chunk; k, m, empty_records and version stand in the file's own metadata. Both forms read back equal, and the same data
give the same bytes. Parts are such Parquet files, each a forest of its own: the roots in canonical order, cut between
roots. The first part tells how many records were empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.disassociated import VERSION, DisassociatedTransactions
from crypsis.data.disassociated_objects import parsed
from crypsis.data.disassociated_text import arranged
from crypsis.data.forest_counts import ForestCounts
from crypsis.data.forest_parts import join_forests, root_sizes, take_roots
from crypsis.data.formats import parquet
from crypsis.data.formats.columns import refuse_other_columns
from crypsis.data.formats.compression import read_bytes, readable_file
from crypsis.data.formats.failures import POLARS_FAILURES, writing
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadPublication, BadRelease, UnknownFormat, UnreadableFile
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee
from crypsis.guarantees.verdict import Verdict
from crypsis.metrics.cluster_structure import structure_of
from crypsis.publication.kind import PublishedKind, declared_labels, is_list_of_labels
from crypsis.publication.table_parts import PARTS, data_paths, part_files, part_name, part_rows
from crypsis.strict_json import parse_json
from crypsis.verifiers.forest_parts import count_forests, verify_forest_parts

FORMATS = ("json", "parquet")
_MEMORY_PER_BYTE = 12.0
_HEADER = ("k", "m", "empty_records", "version")
_PREFIX = "crypsis."
_COLUMNS: dict[str, Any] = {
    "node": pl.Int64,
    "parent": pl.Int64,
    "type": pl.String,
    "size": pl.Int64,
    "chunk": pl.Int64,
    "count": pl.Int64,
    "items": pl.List(pl.String),
}


class DisassociatedKind(PublishedKind):
    """Clusters with record chunks, shared chunks and term chunks."""

    name = "disassociated"
    files: ClassVar[dict[str, str]] = {
        "json": "disassociated.json",
        "parquet": "disassociated.parquet",
        PARTS: "disassociated",
    }
    report_place = "disassociation_report.DISASSOCIATION_REPORT"

    def side_file(self, original: Transactions, published: DisassociatedTransactions) -> None:
        return None

    def sorted_rows(self, published: DisassociatedTransactions) -> Int64s:
        """There are no rows: what is written has one order whatever the input's was."""
        return np.zeros(0, np.int64)

    def write(
        self, folder: Path, published: DisassociatedTransactions, side_file: None, rows: Int64s, format: str
    ) -> None:
        if format != PARTS:
            write_disassociated(published, folder / self.files[format], format=format)
            return
        parts = folder / self.files[format]
        parts.mkdir(exist_ok=True)
        ordered = published.canonical()
        for index, (first, last) in enumerate(roots_of_parts(root_sizes(ordered))):
            part = take_roots(ordered, np.arange(first, last))
            self.write_part(replace(part, empty_records=0 if index else part.empty_records), parts / part_name(index))

    def write_part(self, published: DisassociatedTransactions, file: Path) -> None:
        with writing(file):
            _write_parquet(published, file)

    def verify_parts(
        self, files: Sequence[str], described: Mapping[str, Any], guarantee: Guarantee, executor: Executor
    ) -> tuple[int, Verdict]:
        counted = count_forests(files, read_disassociated, guarantee, executor)
        sensitive = declared_labels(described, [counted.counts.labels.to_list()], described["file"])
        return counted.n_records, verify_forest_parts(counted, guarantee, sensitive)

    def read_file(self, path: Path) -> DisassociatedTransactions:
        return read_disassociated(path)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[DisassociatedTransactions, None]:
        described = manifest["data"]
        if described["format"] == PARTS:
            parts = [read_disassociated(folder / name) for name in part_files(described)]
            if len({(part.k, part.m) for part in parts}) > 1:
                raise BadPublication("The parts were made with different k or m.")
            published = join_forests(parts)
        else:
            published = read_disassociated(folder / described["file"], described["format"])
        sensitive = declared_labels(described, [published.vocabulary.labels], described["file"])
        return replace(published, sensitive=sensitive), None

    def private_facts(self, published: DisassociatedTransactions) -> dict[str, Any]:
        """The cluster of each record, by the number of its node in the published order."""
        if published.leaf_of_record is None:
            return {}
        ordered = published.canonical().leaf_of_record
        return {} if ordered is None else {"cluster_of_record": ordered.tolist()}

    def with_private_facts(
        self, published: DisassociatedTransactions, facts: Mapping[str, Any]
    ) -> DisassociatedTransactions:
        """With the cluster of each record, so that every chunk can be compared with the records."""
        clusters = facts.get("cluster_of_record")
        try:
            leaves = np.array(clusters, np.int64)
            if leaves.shape != (len(published),):
                raise ValueError
            return replace(published, leaf_of_record=leaves)
        except (TypeError, ValueError, OverflowError, BadPublication) as error:
            raise BadRelease("The private report does not list the clusters of the records of this release.") from error

    def notes(self, published: DisassociatedTransactions) -> list[str]:
        if not published.empty_records:
            return []
        return [f"{published.empty_records:,} empty records were set aside; the release tells their number"]

    def describe(self, published: DisassociatedTransactions) -> dict[str, Any]:
        return describe_forest(ForestCounts.of(published), published.sensitive)

    def figures(self, published: DisassociatedTransactions) -> dict[str, Any]:
        return structure_of(published).figures()

    def resources(self, described: Mapping[str, Any], side_file: None) -> list[dict[str, Any]]:
        json = described["format"] == "json"
        return [
            {
                "name": "disassociated",
                "type": "file",
                "path": data_paths(described),
                "format": "json" if json else "parquet",
                "mediatype": "application/json" if json else "application/vnd.apache.parquet",
                "description": "A forest of clusters. Subrecords of one chunk are parts of different records; nothing "
                "says which subrecords of two chunks are of one record. Terms of a term chunk occur in their cluster.",
            }
        ]

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        return (
            super().is_sound(described)
            and described.get("format") in self.files
            and is_list_of_labels(described.get("sensitive"))
        )


def describe_forest(counts: ForestCounts, sensitive: Sequence[str]) -> dict[str, Any]:
    """The manifest's entry on what was counted. Of sensitive terms that do not occur a release says nothing."""
    return {
        "rows": counts.records,
        "empty_records": counts.empty_records,
        "clusters": counts.clusters,
        "joint_nodes": counts.joint_nodes,
        "record_chunks": counts.record_chunks,
        "shared_chunks": counts.shared_chunks,
        "terms": len(counts.labels),
        "sensitive": sorted(set(counts.labels.to_list()).intersection(sensitive)),
    }


def roots_of_parts(sizes: Int64s) -> list[tuple[int, int]]:
    """The first root of each part and the end, by the records below each root: a root is in the part that its first
    record would be in, were records written one by one. A root of several parts leaves the later ones empty."""
    before = np.cumsum(sizes) - sizes
    ends = [last for _, last in part_rows(int(sizes.sum()))]
    bounds = [0, *np.searchsorted(before, ends[:-1]).tolist(), len(sizes)]
    return list(pairwise(bounds))


def read_disassociated(path: str | Path, format: str | None = None) -> DisassociatedTransactions:
    """Disassociated transactions of a JSON or Parquet file."""
    file = readable_file(path)
    chosen = format or ("parquet" if ".parquet" in file.suffixes or ".pq" in file.suffixes else "json")
    if chosen not in FORMATS:
        raise UnknownFormat(f"Disassociated data are read from json or parquet, not {chosen!r}.", where=str(file))
    try:
        return _read_json(file) if chosen == "json" else _read_parquet(file)
    except BadPublication as error:
        where = f"{file}: {error.where}" if error.where else str(file)
        raise BadPublication(error.message, where=where) from error


def write_disassociated(data: DisassociatedTransactions, path: str | Path, format: str = "json") -> None:
    """Write `json` or `parquet`; the order in which the data are kept does not show."""
    file = Path(path)
    if format not in FORMATS:
        raise UnknownFormat(f"Disassociated data are written as json or parquet, not {format!r}.", where=str(file))
    with writing(file):
        if format == "json":
            file.write_bytes(data.document)
        else:
            _write_parquet(data.canonical(), file)


def _write_parquet(ordered: DisassociatedTransactions, file: Path) -> None:
    """A forest in canonical order."""
    header = {"k": ordered.k, "m": ordered.m, "empty_records": ordered.empty_records, "version": VERSION}
    _frame(ordered).write_parquet(
        file,
        compression="zstd",
        compression_level=3,
        row_group_size=1 << 17,
        statistics=False,
        metadata={_PREFIX + name: str(value) for name, value in header.items()},
    )


def _read_json(file: Path) -> DisassociatedTransactions:
    content = read_bytes(file, _MEMORY_PER_BYTE)
    try:
        published = parse_json(content)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{file.name} is not JSON: {error}.", where=str(file)) from error
    del content
    if isinstance(published, dict) and published.get("version", VERSION) != VERSION:
        raise BadPublication(f"The version is {published['version']!r}; {VERSION} can be read.", where="version")
    return parsed(published)


def _frame(data: DisassociatedTransactions) -> pl.DataFrame:
    """Rows node after node: its head with the term chunk, then the entries of its chunks."""
    chunk_of_entry = np.repeat(np.arange(data.n_chunks), np.diff(data.chunk_offsets))
    node_of_entry = data.chunk_node[chunk_of_entry]
    first_chunk = np.searchsorted(data.chunk_node, np.arange(data.n_nodes))
    node = np.concatenate([np.arange(data.n_nodes), node_of_entry])
    order = np.argsort(node, kind="stable")
    lists = pl.concat(
        [_lists(data, data.term_offsets, data.terms), _lists(data, data.entry_offsets, data.items)], rechunk=True
    )
    missing = np.full(data.n_nodes, -1)
    number = np.concatenate([missing, chunk_of_entry - first_chunk[node_of_entry]])
    count = np.concatenate([missing, data.counts])
    return pl.DataFrame(
        {
            "node": node[order],
            "parent": data.parent[node[order]],
            "type": pl.Series(["joint", "leaf"]).gather(data.is_leaf[node[order]].astype(np.uint32)),
            "size": data.size[node[order]],
            "chunk": number[order],
            "count": count[order],
            "items": lists.gather(order),
        },
        schema=_COLUMNS,
    ).with_columns(pl.col(name).replace(-1, None) for name in ("parent", "chunk", "count"))


def _lists(data: DisassociatedTransactions, offsets: Int64s, codes: Any) -> pl.Series:
    """One list of labels per record, empty ones included."""
    rows = pl.Series(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), dtype=pl.Int64)
    held = pl.DataFrame({"row": rows, "items": data.vocabulary.decode(codes)})
    grouped = held.group_by("row", maintain_order=True).agg("items")
    every = pl.DataFrame({"row": pl.Series(range(len(offsets) - 1), dtype=pl.Int64)})
    joined = every.join(grouped, on="row", how="left", maintain_order="left")["items"]
    return joined.fill_null(pl.Series([[]], dtype=pl.List(pl.String)))


def _read_parquet(file: Path) -> DisassociatedTransactions:
    frame, written = parquet.read_frame_and_metadata(file)
    header = _header(written)
    refuse_other_columns(frame.columns, _COLUMNS, str(file))
    try:
        frame = frame.select(pl.col(name).cast(kind) for name, kind in _COLUMNS.items())
    except POLARS_FAILURES as error:
        raise BadPublication(f"The columns are {', '.join(_COLUMNS)}: {str(error).strip()}.") from error
    if frame["items"].list.eval(pl.element().is_null()).list.any().fill_null(True).any():
        raise BadPublication("A row has no items, or items without a label.")
    frame = frame.sort("node", "chunk", nulls_last=False, maintain_order=True)
    heads = frame.filter(pl.col("chunk").is_null())
    entries = frame.filter(pl.col("chunk").is_not_null())
    nodes = heads.height
    if not np.array_equal(heads["node"].to_numpy(), np.arange(nodes)):
        raise BadPublication("The nodes are not numbered 0, 1, … with one row for each.")
    if entries["node"].null_count() or (entries.height and not 0 <= int(entries["node"].min()) < nodes):  # type: ignore[arg-type]
        raise BadPublication("A chunk belongs to a node that has no row of its own.")
    if entries.height and int(entries["node"].max()) >= nodes:  # type: ignore[arg-type]
        raise BadPublication("A chunk belongs to a node that has no row of its own.")
    if entries["count"].null_count() or heads["size"].null_count() or heads["type"].null_count():
        raise BadPublication("A size, a type or a count is missing.")
    if not heads["type"].is_in(["leaf", "joint"]).all():
        raise BadPublication("A node's type is 'leaf' or 'joint'.")
    key = entries["node"].to_numpy() * (1 << 32) + entries["chunk"].to_numpy()
    starts = np.flatnonzero(np.diff(key, prepend=-1)) if len(key) else np.zeros(0, np.int64)
    items = entries["items"].explode() if entries.height else pl.Series([], dtype=pl.String)
    lengths = entries["items"].list.len().to_numpy().astype(np.int64)
    if (lengths == 0).any():
        raise BadPublication("A subrecord is empty; empty subrecords are not listed.")
    held = heads["items"].list.len().to_numpy().astype(np.int64)
    terms = (
        heads.filter(pl.col("items").list.len() > 0)["items"].explode()
        if held.any()
        else pl.Series([], dtype=pl.String)
    )
    vocabulary = Vocabulary.of(pl.concat([items, terms.alias(items.name)]))
    data = arranged(
        DisassociatedTransactions(
            vocabulary=vocabulary,
            k=header["k"],
            m=header["m"],
            empty_records=header["empty_records"],
            parent=heads["parent"].fill_null(-1).to_numpy().astype(np.int64),
            size=heads["size"].to_numpy().astype(np.int64),
            chunk_node=entries["node"].to_numpy()[starts].astype(np.int64),
            chunk_offsets=np.append(starts, len(key)).astype(np.int64),
            counts=entries["count"].to_numpy().astype(np.int64),
            entry_offsets=offsets_of(lengths),
            items=vocabulary.encode(items),
            term_offsets=offsets_of(held),
            terms=vocabulary.encode(terms),
        )
    )
    if not np.array_equal(data.is_leaf, (heads["type"] == "leaf").to_numpy()):
        raise BadPublication("A leaf has nodes below it, or a joint node has none.")
    return data


def _header(written: dict[str, str]) -> dict[str, int]:
    header = {}
    for name in _HEADER:
        value = written.get(_PREFIX + name)
        if value is None or not value.isdecimal() or len(value) > 18:
            raise BadPublication(f"The metadata of the file lack {name!r}.")
        header[name] = int(value)
    if header["version"] != VERSION:
        raise BadPublication(f"The version is {header['version']}; {VERSION} can be read.")
    return header

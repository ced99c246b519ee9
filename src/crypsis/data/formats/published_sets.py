"""Published sets as files: records of names, and beside them what the names of generalized items stand for.

    ["milk","#1.0"]            JSON Lines, one array of names per record
    [milk, #1.0]               Parquet, column 'items'
    record,item                CSV, one row per item; a record without items has one row with an empty item

`generalized_items.csv` has the columns name and item: one row per item behind each name. A name that is not in it is an
item. Names keep files small: a node above a thousand items is written once, not in every record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.formats import csv, json_lines, parquet
from crypsis.data.formats.columns import is_empty, refuse_other_columns
from crypsis.data.formats.failures import writing
from crypsis.data.formats.source import place
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadLabel, BadPublication, UnknownFormat

MEANINGS = "generalized_items.csv"
COLUMN = "items"
FORMATS = ("jsonl", "parquet", "csv")


def write_published_sets(
    data: PublishedTransactions, path: str | Path, format: str = "jsonl", *, alone: bool = False
) -> None:
    """Write the records in the order in which they come, and beside them, unless `alone`, the meanings of names."""
    file = Path(path)
    if format not in FORMATS:
        raise UnknownFormat(
            f"Published sets are written as {', '.join(FORMATS)}, not {format!r}.", where=str(file), known=FORMATS
        )
    with writing(file):
        if format == "csv":
            every = pl.DataFrame({"record": np.arange(len(data))})
            shown = _shown(data, data.symbol_names)
            every.join(shown, on="record", how="left", maintain_order="left_right").write_csv(file)
        elif format == "parquet":
            _lists(_shown(data, data.symbol_names), len(data)).write_parquet(
                file, compression="zstd", compression_level=3, row_group_size=1 << 17, statistics=False
            )
        else:
            file.write_bytes("".join(f"{line}\n" for line in json_rows(data)).encode())
        if not alone:
            write_meanings(data, file.parent)


def read_published_sets(path: str | Path, format: str | None = None) -> PublishedTransactions:
    """Published sets of a file and of the meanings beside it; without these every name is an item.

    A folder holds parts, and the meanings lie beside it; a part of it is read with `read_set_part`.
    """
    file = Path(path)
    if file.is_dir():
        parts = sorted(file.glob("*.parquet"))
        if not parts:
            raise UnknownFormat("The folder holds no parts of published sets (*.parquet).", where=str(file))
        return read_set_part(*parts)
    chosen = format or {".jsonl": "jsonl", ".parquet": "parquet", ".csv": "csv"}.get(file.suffix)
    if chosen == "jsonl":
        offsets, labels, _ = json_lines.read_sequences(file)
    elif chosen == "parquet":
        offsets, labels = _read_parquet(file)
    elif chosen == "csv":
        offsets, labels = _read_csv(file)
    else:
        raise UnknownFormat(f"Published sets are read from {', '.join(FORMATS)}.", where=str(file))
    return assembled(offsets, labels, read_meanings(file.parent), str(file))


def read_set_part(*files: str | Path) -> PublishedTransactions:
    """Published sets of some of the parts of a folder; the meanings lie beside the folder."""
    read = [_read_parquet(Path(file)) for file in files]
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in read])
    meanings = read_meanings(Path(files[0]).parent.parent)
    return assembled(offsets_of(lengths), pl.concat([labels for _, labels in read]), meanings, str(files[0]))


def json_rows(data: PublishedTransactions) -> pl.Series:
    """Each record as a JSON array of names, in the order of what these stand for."""
    quoted = tuple(json.dumps(name, ensure_ascii=False) for name in data.symbol_names)
    inside = _lists(_shown(data, quoted), len(data))[COLUMN].list.join(",")
    return ("[" + inside + "]").alias(COLUMN)


def _shown(data: PublishedTransactions, names: Sequence[str]) -> pl.DataFrame:
    """One row per record and name."""
    rows = np.repeat(np.arange(len(data)), data.lengths)
    codes = data.codes[np.lexsort((data.symbols.rank[data.codes], rows))]
    return pl.DataFrame({"record": rows, "item": pl.Series(names, dtype=pl.String).gather(pl.Series(codes))})


def _lists(shown: pl.DataFrame, n_records: int) -> pl.DataFrame:
    grouped = shown.group_by("record", maintain_order=True).agg(pl.col("item").alias(COLUMN))
    every = pl.DataFrame({"record": np.arange(n_records)})
    empty = pl.lit([], dtype=pl.List(pl.String))
    return (
        every.join(grouped, on="record", how="left", maintain_order="left")
        .select(pl.col(COLUMN).fill_null(empty))
        .rechunk()
    )


def write_meanings(data: PublishedTransactions, folder: Path) -> None:
    """What the names in records stand for, one row per item; only of names that occur."""
    used = np.unique(data.codes)
    used = used[data.symbols.sizes[used] > 1]
    used = used[np.argsort(data.symbols.rank[used])]
    meant = {data.symbol_names[symbol]: data.symbols.label_lists[symbol] for symbol in used.tolist()}
    names = pl.Series(list(meant), dtype=pl.String)
    sizes = np.fromiter(map(len, meant.values()), np.int64, len(meant))
    pl.DataFrame(
        {
            "name": names.gather(pl.Series(np.repeat(np.arange(len(meant)), sizes))),
            "item": pl.Series([label for labels in meant.values() for label in labels], dtype=pl.String),
        }
    ).write_csv(folder / MEANINGS)


def _read_parquet(file: Path) -> tuple[Int64s, pl.Series]:
    frame, source = parquet.read_frame(file)
    refuse_other_columns(frame.columns, [COLUMN], source)
    rows = frame[COLUMN]
    if rows.dtype != pl.List(pl.String):
        raise BadPublication(f"Column '{COLUMN}' must hold lists of names, it holds {rows.dtype}.", where=str(source))
    if rows.is_null().any():
        raise BadPublication("A record is missing; an empty one is an empty list.", where=str(source))
    labels = rows.explode(empty_as_null=False)
    if labels.is_null().any():
        raise BadPublication("A name is missing.", where=str(source))
    return offsets_of(rows.list.len().to_numpy().astype(np.int64)), labels


def _read_csv(file: Path) -> tuple[Int64s, pl.Series]:
    frame, source = csv.read_frame(file)
    if frame.columns != ["record", "item"]:
        raise BadPublication("Published sets as CSV have the columns record and item.", where=str(source))
    numbers = frame["record"].cast(pl.Int64, strict=False)
    if numbers.is_null().any() or not (numbers == numbers.sort()).all():
        raise BadPublication("Column 'record' must hold ascending record numbers.", where=str(source))
    if len(numbers) and not 0 <= int(numbers[0]) <= int(numbers[-1]) < len(numbers):  # every record has a row
        raise BadPublication("Column 'record' must count the records from 0, each with a row.", where=str(source))
    n_records = int(numbers[-1]) + 1 if len(numbers) else 0
    filled = frame["item"].is_not_null() & (frame["item"] != "")
    rows = numbers.filter(filled).to_numpy()
    return offsets_of(np.bincount(rows, minlength=n_records)), frame["item"].filter(filled)


def read_meanings(folder: Path) -> dict[str, list[str]]:
    """The items behind each name of a folder's records; nothing where no file tells any."""
    file = folder / MEANINGS
    if not file.is_file():
        return {}
    frame, source = csv.read_frame(file)
    if frame.columns != ["name", "item"]:
        raise BadPublication(f"{file.name} has the columns name and item.", where=str(source))
    empty = (is_empty(frame["name"]) | is_empty(frame["item"])).arg_true()
    if len(empty):
        raise BadPublication("A name or an item is empty.", **place(source, int(empty[0])))
    again = (~frame.select(pl.struct("name", "item").is_first_distinct()).to_series()).arg_true()
    if len(again):
        name, item = frame.row(int(again[0]))
        raise BadPublication(f"Item {item!r} is listed twice for {name!r}.", **place(source, int(again[0])))
    grouped = frame.group_by("name", maintain_order=True).agg("item")
    return dict(zip(grouped["name"].to_list(), grouped["item"].to_list(), strict=True))


def assembled(
    offsets: Int64s, labels: pl.Series, meanings: Mapping[str, Sequence[str]], source: str | None
) -> PublishedTransactions:
    """Records of names together with what these mean; a name without a meaning is an item."""
    if (labels == "").any():
        raise BadLabel("A name is empty.", where=source)
    names = Vocabulary.of(labels)
    members = [sorted(meanings.get(name, [name])) for name in names.labels]
    vocabulary = Vocabulary(sorted({label for member in members for label in member}))
    code_of = {label: code for code, label in enumerate(vocabulary.labels)}
    symbols = Symbols(
        vocabulary,
        offsets_of(np.fromiter(map(len, members), np.int64, len(members))),
        np.array([code for member in members for code in sorted(code_of[label] for label in member)], np.int32),
    )
    codes: Int32s = names.encode(labels)
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    keys = np.sort(rows * max(len(names), 1) + codes)
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        row = int(keys[twice[0]] // len(names))
        raise BadPublication(f"Record {row} lists a name twice.", where=source, row=row)
    return PublishedTransactions(offsets, codes, symbols, names=names.labels)

"""Published windows of a stream: who (by pseudonym) was where when, window after window.

Record r of a window has the doublets offsets[r] to offsets[r + 1] - 1; doublet i is location places[i] at times[i].
`classes[r]` says which sensitive values the person has. As text a window is one JSON object.

Where ends of visits are published a doublet is a visit: it began in times[i] and ended in exits[i], or is open. As text
it has four bounds: timestamp t stands for the time from t to t + 1.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import EqualByContent, FrozenArrays, Int32s, Int64s, offsets_of
from crypsis.data.microdata import VISITS, PublishedData
from crypsis.data.sensitive_values import Token
from crypsis.data.stream import OPEN
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadRelease, InputError
from crypsis.strict_json import parse_json

NO_TOKENS: frozenset[Token] = frozenset()
FIELDS = {"seq": int, "x": int, "y": int, "n_records": int, "records": list, "digest": str}
FACTS = {"mode": str, "L": int, "K": int, "C": str}  # of the stream; a written release has them in its manifest
FIELDS_OF_A_RECORD = {"p", "doublets", "visits", "sa"}


@dataclass(frozen=True, eq=False)
class PublishedWindow(FrozenArrays, EqualByContent):
    """One window [x, y]. `people` is who the records are about; it stays with the publisher and is never written."""

    seq: int
    x: int
    y: int
    pseudonyms: tuple[str, ...]
    offsets: Int64s
    places: Int32s
    times: Int64s
    classes: Int32s
    people: Int32s | None = field(default=None, repr=False)
    exits: Int64s | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.pseudonyms) == len(self.offsets) - 1 == len(self.classes):
            raise InputError(f"Window {self.seq} has columns of different lengths.")
        if self.exits is not None and len(self.exits) != len(self.times):
            raise InputError(f"Window {self.seq} has columns of different lengths.")

    def __len__(self) -> int:
        return len(self.pseudonyms)

    @property
    def compared(self) -> tuple[object, ...]:
        arrays = self.offsets, self.places, self.times, self.classes, self.exits
        return (self.seq, self.x, self.y, self.pseudonyms, *arrays)


@dataclass(frozen=True, eq=False)
class PublishedWindows(PublishedData):
    """The windows of a stream in order; classes[c] is a set of sensitive values that a person can have.

    `linkable`: a person has the same pseudonym in all windows. `drops_exits`: the original says when visits ended and
    the windows do not. `refused` is how many events were not accepted, `key`
    what pseudonyms are made with; these and who is who are known to the publisher only.
    """

    windows: tuple[PublishedWindow, ...]
    locations: Vocabulary
    classes: tuple[frozenset[Token], ...]
    linkable: bool = False
    refused: int | None = field(default=None, repr=False)
    key: bytes | None = field(default=None, repr=False)
    drops_exits: bool = False

    def __len__(self) -> int:
        return len(self.windows)

    def __iter__(self) -> Iterator[PublishedWindow]:
        return iter(self.windows)

    @property
    def records(self) -> int:
        return sum(map(len, self.windows))

    @property
    def tells_exits(self) -> bool:
        """Visits have ends, or are open."""
        return any(window.exits is not None for window in self)

    def rows(self, window: PublishedWindow) -> list[list[tuple[str, int]]]:
        """The doublets of each record as (location, t)."""
        labels = self.locations.labels
        doublets = [(labels[place], t) for place, t in zip(window.places.tolist(), window.times.tolist(), strict=True)]
        bounds = window.offsets.tolist()
        return [doublets[start:end] for start, end in pairwise(bounds)]

    @property
    def contents(self) -> int:
        return self.records

    def to_texts(self) -> pl.DataFrame:
        rows = [
            {"window": str(index), VISITS: json.dumps(row, ensure_ascii=False)}
            for index, window in enumerate(self)
            for row in self.rows(window)
        ]
        return pl.DataFrame(rows, schema={"window": pl.String, VISITS: pl.String})

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.windows, self.locations, self.classes, self.linkable)

    def __repr__(self) -> str:
        return f"PublishedWindows({len(self)} windows, {self.records} records)"


def window_object(
    window: PublishedWindow, labels: Sequence[str], classes: Sequence[frozenset[Token]], said: Mapping[str, Any]
) -> dict[str, Any]:
    """The window as it is published; `said` are the facts about the stream that stand in every window."""
    tokens = [_by_attribute(tokens) for tokens in classes]
    bounds = window.offsets.tolist()
    doublets = [
        _written(labels[place], t, None if window.exits is None else int(window.exits[index]))
        for index, (place, t) in enumerate(zip(window.places.tolist(), window.times.tolist(), strict=True))
    ]
    records = [
        {"p": pseudonym, _content_name(window): doublets[start:end], "sa": tokens[of]}
        for pseudonym, start, end, of in zip(
            window.pseudonyms, bounds[:-1], bounds[1:], window.classes.tolist(), strict=True
        )
    ]
    content = {"seq": window.seq, "x": window.x, "y": window.y, "n_records": len(window), **said, "records": records}
    return {**content, "digest": digest_of(content)}


def window_line(content: Mapping[str, Any]) -> bytes:
    """A window as one line of text, always the same for the same content."""
    return _json(content).encode() + b"\n"


def window_text(
    window: PublishedWindow, labels: Sequence[str], classes: Sequence[frozenset[Token]], said: Mapping[str, Any]
) -> tuple[bytes, str]:
    """The line of `window_object` and its digest, written from the distinct doublets and classes at once."""
    held = _doublet_texts(window, labels)
    tokens = [_json(_by_attribute(tokens)) for tokens in classes]
    bounds = window.offsets.tolist()
    records = ",".join(
        [
            f'{{"p":"{pseudonym}","{_content_name(window)}":[{",".join(held[start:end])}],"sa":{tokens[of]}}}'
            for pseudonym, start, end, of in zip(
                window.pseudonyms, bounds[:-1], bounds[1:], window.classes.tolist(), strict=True
            )
        ]
    )
    first = {"seq": window.seq, "x": window.x, "y": window.y, "n_records": len(window), **said}
    text = f'{_json(first)[:-1]},"records":[{records}]'.encode()
    digest = hashlib.sha256(text + b"}\n").hexdigest()
    return text + f',"digest":"{digest}"}}\n'.encode(), digest


def _doublet_texts(window: PublishedWindow, labels: Sequence[str]) -> list[str]:
    """Each doublet or visit as text, made once for equal ones."""
    width = max(len(labels), 1)
    keys = (window.times - window.x) * width + window.places.astype(np.int64)
    if window.exits is None:
        distinct, which = np.unique(keys, return_inverse=True)
        texts = [_json([labels[key % width], key // width + window.x]) for key in distinct.tolist()]
    else:
        pairs, which = np.unique(np.column_stack([keys, window.exits]), axis=0, return_inverse=True)
        texts = [_json(_written(labels[key % width], key // width + window.x, exit)) for key, exit in pairs.tolist()]
    return [texts[code] for code in which.reshape(-1).tolist()]


def _content_name(window: PublishedWindow) -> str:
    return "doublets" if window.exits is None else "visits"


def _written(label: str, t: int, exit: int | None) -> list[Any]:
    """A doublet; or a visit with the bounds of its beginning and its end, which are none where it is open."""
    if exit is None:
        return [label, t]
    return [label, t, t + 1, t, None] if exit == OPEN else [label, t, t + 1, exit, exit + 1]


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of the line without its digest."""
    return hashlib.sha256(window_line({name: content[name] for name in content if name != "digest"})).hexdigest()


def read_windows(lines: Iterable[str | bytes], linkable: bool = False) -> PublishedWindows:
    """The windows of an NDJSON file; raises `BadRelease` where a line is not what was written."""
    parsed = [_parsed(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    ends = any("visits" in record for content in parsed for record in content["records"])
    name = "visits" if ends else "doublets"
    if not all(name in record for content in parsed for record in content["records"]):
        raise BadRelease("Some windows tell when visits ended, and others do not.")
    labels = sorted({doublet[0] for content in parsed for record in content["records"] for doublet in record[name]})
    number_of = {label: index for index, label in enumerate(labels)}
    class_of: dict[frozenset[Token], int] = {NO_TOKENS: 0}
    windows = []
    for content in parsed:
        records = content["records"]
        doublets = [doublet for record in records for doublet in record[name]]
        tokens = [
            frozenset((attribute, value) for attribute, values in record["sa"].items() for value in values)
            for record in records
        ]
        windows.append(
            PublishedWindow(
                content["seq"],
                content["x"],
                content["y"],
                tuple(record["p"] for record in records),
                offsets_of(np.array([len(record[name]) for record in records], np.int64)),
                np.array([number_of[doublet[0]] for doublet in doublets], np.int32),
                np.array([doublet[1] for doublet in doublets], np.int64),
                np.array([class_of.setdefault(token, len(class_of)) for token in tokens], np.int32),
                exits=np.array([OPEN if visit[4] is None else visit[3] for visit in doublets], np.int64)
                if ends
                else None,
            )
        )
    return PublishedWindows(tuple(windows), Vocabulary(labels), tuple(class_of), linkable)


def _by_attribute(tokens: frozenset[Token]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for attribute, value in sorted(tokens):
        grouped.setdefault(attribute, []).append(value)
    return grouped


def _parsed(line: str | bytes, number: int) -> dict[str, Any]:
    try:
        content = parse_json(line)
    except ValueError as error:
        raise BadRelease(f"Line {number} is no published window: it is no JSON ({error}).") from error
    if not _is_window(content):
        raise BadRelease(f"Line {number} is no published window: a field is missing or of another form.")
    if content.get("digest") != digest_of(content):
        raise BadRelease(f"Window {content['seq']} is not the one that was written: its digest differs.")
    return dict(content)


def _is_window(content: Any) -> bool:
    return (
        isinstance(content, dict)
        and FIELDS.keys() <= content.keys() <= FIELDS.keys() | FACTS.keys()
        and all(type(value) is {**FIELDS, **FACTS}[name] for name, value in content.items())
        and content["n_records"] == len(content["records"])
        and all(map(_is_record, content["records"]))
    )


def _is_record(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and record.keys() <= FIELDS_OF_A_RECORD
        and isinstance(record.get("p"), str)
        and ("doublets" in record) != ("visits" in record)
        and isinstance(record.get("doublets", []), list)
        and all(map(_is_doublet, record.get("doublets", [])))
        and isinstance(record.get("visits", []), list)
        and all(map(_is_visit, record.get("visits", [])))
        and isinstance(record.get("sa"), dict)
        and all(
            isinstance(values, list) and all(isinstance(value, str) for value in values)
            for values in record["sa"].values()
        )
    )


def _is_doublet(doublet: Any) -> bool:
    return isinstance(doublet, list) and len(doublet) == 2 and isinstance(doublet[0], str) and type(doublet[1]) is int


def _is_visit(visit: Any) -> bool:
    """A place and four bounds, of which the last is null where the visit is open."""
    if not (isinstance(visit, list) and len(visit) == 5 and isinstance(visit[0], str)):
        return False
    begun, begun_until, ended, ended_until = visit[1:]
    if not all(type(bound) is int for bound in (begun, begun_until, ended)) or begun_until != begun + 1:
        return False
    return ended == begun if ended_until is None else type(ended_until) is int and ended_until == ended + 1

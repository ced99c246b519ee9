"""One more line: whatever bytes are appended to a file, a private method sees at most one record more.

For every private method and every reader, with the noise replaced by zero: no refusal, the same sequence of calls, and
no true count moved by more than what the sensitivity says. Lines are drawn at random, made from sound lines by small
accidents, and made by hand.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import (
    AttributeDomains,
    CategoryDomain,
    DiffGen,
    DiffMulti,
    DiffPart,
    ItemDomain,
    LocationDomain,
    NGrams,
    NumericDomain,
    SafePath,
    SeqPT,
    TimeDomain,
)
from crypsis.data.formats import tabular
from tests.noiseless_runs import Recording, run_without_noise

QUICK, LONG = 150, 10_000  # lines; the long ones for each reader, shared out over what it reads
EVERY_LINE = bool(os.environ.get("CRYPSIS_EVERY_LINE"))  # each is read as a private method reads it, and none left out
COPIES = 400  # of each sound line where a method is run: far from every threshold

TABLE = [["20", "0", "no"], ["40", "1", "yes"], ["60", "1", "yes"]]
SETS = [["a", "b"], ["c"], ["a", "c", "d"]]
TRIPS = [[("home", 1), ("work", 3)], [("home", 2)], [("park", 1), ("park", 2), ("work", 5)]]

DOMAINS = AttributeDomains(
    {"age": NumericDomain(18, 66), "ill": CategoryDomain(("0", "1")), "pays": CategoryDomain(("no", "yes"))}
)
ITEMS = ItemDomain(["a", "b", "c", "d", "e"])
PLACES, TIMES = LocationDomain(["home", "park", "work"]), TimeDomain(0, 8)

TABLE_METHODS = [
    DiffMulti(domains=DOMAINS, specializations=3, epsilon=2),
    DiffMulti(domains=DOMAINS, specializations=3, score="max", epsilon=2, clamp=False),
    DiffGen(domains=DOMAINS, specializations=2, score="max", epsilon=2),
]
SET_METHODS = [DiffPart(item_domain=ITEMS, fan_out=2, epsilon=4)]
TRIP_METHODS = [
    SafePath(location_domain=PLACES, time_domain=TIMES, height=2, scheme="flat", epsilon=4),
    SafePath(location_domain=PLACES, time_domain=TIMES, height=2, epsilon=8),
    SeqPT(location_domain=PLACES, time_domain=TIMES, height=2, epsilon=4),
    NGrams(location_domain=PLACES, time_domain=TIMES, longest=3, grams=2, epsilon=8),
]


@dataclass
class Format:
    """A way to write records: the header, one line of each record, and how the file is named and read."""

    name: str
    suffix: str
    kind: str
    how: dict[str, Any] = field(default_factory=dict)

    def header(self) -> bytes:
        if self.suffix in (".csv", ".tsv"):
            return (
                self.how.get("separator", "\t" if self.suffix == ".tsv" else ",").join(COLUMNS[self.kind])
            ).encode() + b"\n"
        return b"@CONVERTED_FROM_TEXT\n@ITEM=1=a\n" if self.suffix == ".spmf" else b""

    def lines(self, copies: int) -> list[bytes]:
        """One line per record of a table, several per set or trip where the table is long."""
        if self.kind == "table":
            return [self._row(row) for _ in range(copies) for row in TABLE]
        found = []
        for copy in range(copies):
            for number, record in enumerate(SETS if self.kind == "sets" else TRIPS):
                if self.kind == "sets" and not self.long:
                    found.append(self._set(record))
                    continue
                for entry in record:
                    cells = (entry,) if isinstance(entry, str) else entry
                    found.append(self._row([f"p{copy}-{number}", *map(str, cells)]))
        return found

    @property
    def long(self) -> bool:
        return self.kind == "events" or self.suffix in (".csv", ".parquet") or self.name.endswith("objects")

    def _row(self, cells: list[str]) -> bytes:
        if self.suffix == ".jsonl":
            return json.dumps(dict(zip(COLUMNS[self.kind], cells, strict=True))).encode()
        return self.how.get("separator", "\t" if self.suffix == ".tsv" else ",").join(cells).encode()

    def _set(self, record: list[str]) -> bytes:
        if self.suffix == ".jsonl":
            return json.dumps(record).encode()
        if self.suffix == ".spmf":
            return " -1 ".join(record).encode() + b" -1 -2"
        return self.how.get("separator", " ").join(record).encode()

    def write(self, path: Path, lines: list[bytes], more: bytes | None = None) -> Path:
        if self.suffix == ".parquet":
            rows = [line.split(b",") for line in [*lines, *([] if more is None else [more])]]
            texts = [[cell.decode("utf-8", errors="replace") for cell in row] for row in rows]
            wide = [[*row, *[None] * len(COLUMNS[self.kind])][: len(COLUMNS[self.kind])] for row in texts]
            pl.DataFrame(wide, schema=dict.fromkeys(COLUMNS[self.kind], pl.String), orient="row").write_parquet(path)
        else:
            path.write_bytes(self.header() + b"".join(line + b"\n" for line in lines) + (more or b""))
        return path

    def read(self, path: Path, method: Any) -> Any:
        if self.kind == "table":
            roles = {"age": "quasi", "ill": "quasi", "pays": "label"}
            return crypsis.read_table(path, roles, for_method=method, **self.how)
        if self.kind == "sets":
            return crypsis.read_transactions(path, for_method=method, **self.how)
        return crypsis.read_events(path, for_method=method, **self.how)


COLUMNS = {"table": ["age", "ill", "pays"], "sets": ["id", "item"], "events": ["id", "location", "t"]}
METHODS = {"table": TABLE_METHODS, "sets": SET_METHODS, "events": TRIP_METHODS}
FORMATS = [
    Format("csv", ".csv", "table"),
    Format("csv with semicolons", ".csv", "table", {"separator": ";"}),
    Format("jsonl", ".jsonl", "table"),
    Format("parquet", ".parquet", "table"),
    Format("csv", ".csv", "sets"),
    Format("jsonl objects", ".jsonl", "sets"),
    Format("jsonl arrays", ".jsonl", "sets"),
    Format("fimi", ".dat", "sets"),
    Format("fimi with commas", ".txt", "sets", {"separator": ","}),
    Format("spmf", ".spmf", "sets"),
    Format("parquet", ".parquet", "sets"),
    Format("csv", ".csv", "events"),
    Format("tsv", ".tsv", "events"),
    Format("jsonl", ".jsonl", "events"),
    Format("parquet", ".parquet", "events"),
]

BY_HAND = [
    b"", b" ", b"\r", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe1\x00", b'"', b'""', b'"""', b'",', b'"a',
    b'a"b,c,d', b"40,1,0.5", b"40,1,yes", b"40,1", b"40,1,yes,more", b'"40","1","yes"', b'40,"1,yes', b'40,1,"yes"x',
    b"forty,1,yes", b"40,01,yes", b"40,1.0,yes", b"1e999,1,yes", b"nan,1,yes", b"-inf,1,yes", b"+40,1,yes",
    b" 40 ,1,yes", b"40,,yes", b"40.7,1,yes", b"1_0,1,yes", b"0x10,1,yes", "４０,1,yes".encode(),
    b"9" * 400 + b",1,yes", b"age,ill,pays", b"40\r,1,yes", b"40,1,yes\r", b"p0-0,c", b"p0-0,zzz", b"new,a", b",a",
    b"new,", b"new,a,b", b"id,item", b"a", b"a a a", b"a,,b", b",", b"zzz", b"a -1 b -1 -2", b"a -2 b -2", b"-2",
    b"-1", b"@ITEM=2=a", b"@ITEM=a=b", b"% comment", b"# 1", b"@CONVERTED_FROM_TEXT", b"p0-0,home,7", b"new,home,1",
    b"new,mars,1", b"new,home,99999999999999999999", b"new,home,1.5", b"new,home,", b"new,,1",
    b"new,home,2020-01-01T00:00:00", b",home,1", b"new,home,-1", b"new\thome\t1", b"40;1;yes", b'"40;1;yes', b"{}",
    b"[]", b"null", b"1", b'"a"', b"[" * 5000, b'{"a":' * 5000, b'["a","b"]', b'["a",""]', b'["a",1]', b'["a",null]',
    b'["a",["b"]]', b'["\\ud800"]', b'["a"', b'["a"]]', b'[NaN]', b'{"age":40,"ill":1,"pays":"yes"}',
    b'{"age":40,"ill":0.5,"pays":"yes"}', b'{"age":"40","ill":"1","pays":"yes","age":"60"}',
    b'{"age":[40],"ill":1,"pays":"yes"}', b'{"age":1e999,"ill":1,"pays":true}', b'{"age":NaN,"ill":1,"pays":"yes"}',
    b'{"age":' + b"9" * 5000 + b',"ill":1,"pays":"yes"}', b'{"id":"p0-0","item":"d"}', b'{"id":7,"item":"a"}',
    b'{"id":"new","item":""}', b'{"id":null,"item":"a"}', b'{"id":"new","location":"home","t":1}',
    b'{"id":"new","location":"home","t":"1"}', b'{"id":"new","location":"home","t":1.5}',
    b'{"id":"new","location":"home","t":true}', b'{"id":"p0-0","location":"park","t":2}',
    b'{"id":"\\udfff","location":"home","t":1}', b"x" * 300_000, b'"' + b"x" * 300_000 + b'",1,yes',
]  # fmt: skip
ALPHABET = b',;"\t\r\0 -.@#%{}[]:\\0123459aeinostyhmwrkp\xff\xc3\xa9\xed\xa0\x80'


def lines_for(one: Format, count: int, seed: int) -> list[bytes]:
    """By hand, from sound lines by small accidents, and of random bytes."""
    chance = random.Random(f"{one.kind}{one.name}{seed}")
    sound = one.lines(1)
    found = list(BY_HAND)
    while len(found) < count:
        if chance.random() < 0.6:
            line = bytearray(chance.choice(sound))
            for _ in range(chance.randint(1, 3)):
                at = chance.randint(0, len(line))
                accident = chance.random()
                if accident < 0.4 or not line:
                    line[at:at] = bytes([chance.choice(ALPHABET)])
                elif accident < 0.7:
                    line[at : at + 1] = bytes([chance.choice(ALPHABET)])
                else:
                    del line[at : at + chance.randint(1, 4)]
            found.append(bytes(line).replace(b"\n", b""))
        elif chance.random() < 0.5:
            found.append(bytes(chance.choices(ALPHABET, k=chance.randint(1, 30))))
        else:
            found.append(chance.randbytes(chance.randint(1, 40)).replace(b"\n", b""))
    return found if count >= len(BY_HAND) else chance.sample(found, count)


def records_of(data: Any) -> Counter:
    """What a method sees: the bag of records, each with all that is one person's."""
    if isinstance(data, crypsis.Table):
        return Counter(data.to_frame().rows())
    if isinstance(data, crypsis.Transactions):
        return Counter(map(tuple, data.to_lists()))
    people: dict[Any, list[Any]] = {}
    for id, location, t in data.to_frame().rows():
        people.setdefault(id, []).append((location, t))
    return Counter(map(tuple, people.values()))


def assert_one_person_differs(before: Counter, after: Counter) -> None:
    """One record more, or one record changed where the line belongs to it, or none."""
    more, fewer = after - before, before - after
    assert sum(more.values()) <= 1, more
    assert sum(fewer.values()) <= sum(more.values()), (more, fewer)


def assert_calls_alike(one: tuple[Recording, Any], other: tuple[Recording, Any], most: int) -> None:
    """The same calls with the same budgets; no count moved by more than `most` in all, no score by more than 1."""
    assert one[1] == other[1]
    assert len(one[0].counts) == len(other[0].counts)
    for before, after in zip(one[0].counts, other[0].counts, strict=True):
        size = max(len(before), len(after))
        padded = [np.sort(np.pad(part, (0, size - len(part)))) for part in (before, after)]
        assert np.abs(padded[0] - padded[1]).sum() <= most
    assert [len(scores) for scores in one[0].scores] == [len(scores) for scores in other[0].scores]
    for before, after in zip(one[0].scores, other[0].scores, strict=True):
        assert np.abs(np.subtract(before, after)).max(initial=0) <= 1 + 1e-9


def share_of(one: Format) -> int:
    reader = lambda of: (of.suffix.replace(".tsv", ".csv").replace(".txt", ".dat"), of.name == "jsonl arrays")  # noqa: E731
    return -(-LONG // sum(reader(other) == reader(one) for other in FORMATS))


def rows_of(one: Format, path: Path) -> Counter:
    """What the reader alone gives: the rows of a table, or records of items."""
    how = {name: value for name, value in one.how.items() if name in ("separator", "format")}
    if one.kind != "sets":
        return Counter(tabular.read_rows(path, COLUMNS[one.kind], **how)[0].rows())
    if one.suffix in (".csv", ".parquet"):
        return Counter(tabular.read_rows(path, COLUMNS[one.kind], **how)[0].rows())
    held = tabular.read_sets(path, **how)
    labels, bounds = held.labels.to_list(), held.offsets.tolist()
    return Counter(tuple(labels[start:end]) for start, end in pairwise(bounds))


def check_reader(one: Format, count: int, folder: Path, runs: int | None, raw: bool = False) -> None:
    """Lines that give a method the same records are one to it; of these outcomes so many are run, or all."""
    method, sound = METHODS[one.kind][0], one.lines(2)
    file = folder / f"data{one.suffix}"

    def read(line: bytes | None) -> Counter:
        path = one.write(file, sound, line)
        return rows_of(one, path) if raw else records_of(one.read(path, method))

    before = read(None)
    assert sum(before.values()) >= 6
    telling: dict[Any, bytes] = {}
    lines = lines_for(one, count, 1)
    for line in lines:
        after = read(line)
        assert_one_person_differs(before, after)
        change = (after - before, before - after)
        telling.setdefault(tuple(tuple(sorted(part.items(), key=repr)) for part in change), line)
    many = one.lines(COPIES)
    chosen = list(telling.values())
    if runs is not None:
        rest = chosen[runs // 2 :]
        chosen = chosen[: runs // 2] + random.Random(2).sample(rest, min(runs // 2, len(rest)))
    print(f"{one.kind}, {one.name}: {len(lines)} lines, {len(telling)} outcomes, {len(chosen)} run with each method")
    for method in METHODS[one.kind]:
        base = run_without_noise(method, one.read(one.write(file, many), method))
        tokens = method.longest + 1 if isinstance(method, NGrams) else 1
        for line in chosen:
            made = run_without_noise(method, one.read(one.write(file, many, line), method), base[0])
            assert_calls_alike(base, made, tokens if one.kind == "table" or not one.long else 2 * tokens)


@pytest.mark.long
@pytest.mark.parametrize("one", FORMATS, ids=lambda one: f"{one.kind}, {one.name}")
def test_one_more_line_of_any_bytes_is_at_most_one_record(one, tmp_path):
    check_reader(one, QUICK, tmp_path, 6)


@pytest.mark.long
@pytest.mark.parametrize("one", FORMATS, ids=lambda one: f"{one.kind}, {one.name}")
def test_ten_thousand_lines_are_each_at_most_one_record(one, tmp_path):
    check_reader(one, share_of(one), tmp_path, None if EVERY_LINE else 12, raw=not EVERY_LINE)

"""Tampered release folders: whatever was done to a folder, reading and verifying it ends in a verdict or in our errors.

    python -m tests.tampering --folders 5000 --seconds 600 --seed 1

takes releases of every method in every format, changes them (bytes, JSON values, missing keys, deep nesting, huge
numbers, swapped and cut files, links, other tables), mends the checksums of most as a forger would, and reads and
verifies each. No foreign exception, no abort, nothing over ten seconds of processor time. `--show` prints every
tampering.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import crypsis
from crypsis.data.formats import parquet
from crypsis.errors import CrypsisError, InternalError
from crypsis.methods import METHODS, Method
from tests.damaged_files import aborting_parquet
from tests.strategies import settings_with_data

LONGEST = 10.0  # seconds of processor time for one folder
PATIENCE = 120.0  # seconds on the clock, where the machine is busy

Tampering = Callable[[Path, random.Random, list[Path]], None]


@dataclass(frozen=True)
class Base:
    """A release as it was written, with its private report and the data that it was made of."""

    folder: Path
    private: Path
    original: Any


@dataclass
class Outcome:
    """What became of the folders: counts by ending, and whatever should not have happened."""

    folders: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def __str__(self) -> str:
        counted = ", ".join(f"{count:,} {ending}" for ending, count in self.endings.most_common())
        told = f"{self.folders:,} tampered folders: {counted}; slowest {self.slowest:.2f} s"
        return told + "".join(f"\n\n{failure}" for failure in self.failures[:20])


def write_bases(place: Path, methods: list[type[Method]], examples: int = 2) -> list[Base]:
    """Small releases of every method in every format."""
    bases: list[Base] = []
    for method in methods:
        made = _releases_of(method, examples) or _releases_of(method, examples, draws=400)
        for number, (release, original) in enumerate(made):
            for format in release.kind.files:
                folder = place / f"{method.name()}-{number}-{format}"
                private = folder.with_suffix(".private.json")
                try:
                    release.write(folder, format=format, private_report=private)
                except CrypsisError:
                    continue
                bases.append(Base(folder, private, original))
    return bases


def _releases_of(method: type[Method], examples: int, draws: int = 12) -> list[tuple[Any, Any]]:
    """Releases of at least two records with their originals; always the same ones."""
    made: list[tuple[Any, Any]] = []

    @settings(
        max_examples=examples * draws,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        setting, original = data.draw(settings_with_data(method))
        if len(made) == examples:
            return
        try:
            release = crypsis.anonymize(original, setting)
        except CrypsisError:
            return
        if len(release.data) >= 2:
            made.append((release, original))

    collect()
    return made


def attack_folders(bases: list[Base], *, folders: int, seconds: float, seed: int, show: bool = False) -> Outcome:
    """Tamper with copies until there were so many, or so many seconds are over."""
    outcome, until = Outcome(), time.monotonic() + seconds
    every = [base.folder for base in bases]
    with tempfile.TemporaryDirectory() as place, _alarm():
        while outcome.folders < folders and time.monotonic() < until:
            draw = random.Random(f"{seed} {outcome.folders}")
            base = draw.choice(bases)
            folder = Path(place) / "release"
            shutil.copytree(base.folder, folder)
            done = _tamper(folder, draw, every)
            words = f"folder {outcome.folders} of seed {seed}, {base.folder.name}: {', '.join(done)}"
            if show:
                print(words, flush=True)
            _check(folder, base, draw, words, outcome)
            shutil.rmtree(folder, ignore_errors=True)
            outcome.folders += 1
    return outcome


def _tamper(folder: Path, draw: random.Random, every: list[Path]) -> list[str]:
    done = []
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        tampering = draw.choice(TAMPERINGS)
        try:
            tampering(folder, draw, every)
        except (
            CrypsisError,
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
            pl.exceptions.PolarsError,
        ):
            continue  # an earlier tampering left nothing of that kind
        done.append(tampering.__name__)
    if draw.random() < 0.75:
        _mend_checksums(folder)
        done.append("checksums mended")
    if draw.random() < 0.01:  # last, or the tamperer would wait for it
        path = folder / draw.choice(("release.json", "report.html", "datapackage.json"))
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        done.append("a pipe")
    return done


def _check(folder: Path, base: Base, draw: random.Random, words: str, outcome: Outcome) -> None:
    started = time.process_time()
    private = base.private if draw.random() < 0.3 else None
    against = base.original if draw.random() < 0.3 else None
    try:
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            release = crypsis.read_release(folder, private_report=private)
            verdict = release.verify(against)
            str(verdict)
            json.dumps(verdict.to_dict())
            json.dumps(release.review(against).to_dict())
            outcome.endings["verdict holds" if verdict.holds else "verdict broken"] += 1
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
    except InternalError as error:
        outcome.failures.append(f"{words}\n{error!r}")
    except CrypsisError as error:
        json.dumps(error.to_dict(), default=str)
        outcome.endings[error.code] += 1
    except TimeoutError:
        outcome.failures.append(f"{words}\ntook more than {LONGEST:g} s\n{traceback.format_exc(limit=-4)}")
    except BaseException:
        outcome.failures.append(f"{words}\n{traceback.format_exc(limit=-6)}")
        if isinstance(sys.exc_info()[1], KeyboardInterrupt):
            raise
    outcome.slowest = max(outcome.slowest, time.process_time() - started)


class _alarm:  # noqa: N801 - reads as a statement
    """A folder that takes too long ends with `TimeoutError`."""

    def __enter__(self) -> None:
        self.before = {number: signal.signal(number, self._ring) for number in (signal.SIGALRM, signal.SIGPROF)}

    def __exit__(self, *raised: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _ring(self, number: int, frame: object) -> None:
        raise TimeoutError


# --- what a tamperer does --------------------------------------------------------------------------------------------


def _file(folder: Path, draw: random.Random) -> Path:
    return draw.choice(sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink()))


def _data_file(folder: Path) -> Path:
    manifest = json.loads((folder / "release.json").read_text())
    return folder / manifest["data"]["file"]


def change_bytes(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = _file(folder, draw)
    body = bytearray(path.read_bytes())
    for _ in range(draw.choice((1, 1, 3, 20))):
        body[draw.randrange(len(body))] = draw.randrange(256)
    path.write_bytes(body)


def cut_file(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = _file(folder, draw)
    body = path.read_bytes()
    path.write_bytes(body[: draw.randrange(len(body) + 1)])


def cut_data(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = _data_file(folder)
    body = path.read_bytes()
    path.write_bytes(body[: draw.randrange(len(body) + 1)])


def change_data_bytes(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = _data_file(folder)
    body = bytearray(path.read_bytes())
    for _ in range(draw.choice((1, 2, 5))):
        body[draw.randrange(len(body))] = draw.choice((0, 10, 13, 34, 44, 48, 91, 93, 126, 255, draw.randrange(256)))
    path.write_bytes(body)


def change_lines(folder: Path, draw: random.Random, every: list[Path]) -> None:
    """Drop, repeat or swap lines."""
    path = _file(folder, draw)
    lines = path.read_bytes().splitlines(keepends=True)
    at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    kind = draw.randrange(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines = lines[:1]
    path.write_bytes(b"".join(lines))


def _odd(draw: random.Random) -> Any:
    nested: Any = 1
    for _ in range(draw.choice((3, 60, 101))):
        nested = [nested]
    return draw.choice(
        (
            None,
            True,
            False,
            0,
            1,
            -1,
            2**31,
            2**40,
            2**63 - 1,
            2**63,
            10**30,
            0.5,
            -0.0,
            1e308,
            "",
            "x",
            "0",
            "-1",
            "~",
            "*",
            "?",
            "[",
            "{a|b}",
            "[9:1]",
            "\\",
            "\0",
            "é" * 3,
            "x" * 5000,
            "../release.json",
            "/etc/passwd",
            [],
            {},
            [[]],
            [None],
            ["a", "a"],
            [1, 2, 3],
            {"a": 1},
            {"": []},
            nested,
        )
    )


def _places(content: Any) -> list[tuple[Any, Any]]:
    """(container, key) of everything inside."""
    found: list[tuple[Any, Any]] = []
    pending = [content]
    while pending:
        one = pending.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            found.append((one, key))
            pending.append(one[key])
    return found


def _edit(content: Any, draw: random.Random) -> Any:
    places = _places(content)
    if not places:
        return _odd(draw)
    container, key = draw.choice(places)
    kind = draw.randrange(8)
    if kind <= 2:
        container[key] = _odd(draw)
    elif kind == 3:
        del container[key]
    elif kind == 4:
        other, place = draw.choice(places)
        container[key], other[place] = other[place], container[key]
    elif kind == 5:
        if isinstance(container, dict):
            container[draw.choice(("k", "x", "exceptions", ""))] = _odd(draw)
        else:
            container.insert(key, _odd(draw))
    elif kind == 6:
        container[key] = [container[key]]
    else:
        value = container[key]
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            container[key] = str(value)
        else:
            container[key] = draw.choice((-value, value + 1, value * 10**6, float(value), str(value)))
    return content


def _change_json(path: Path, draw: random.Random) -> None:
    """Change one value somewhere; of JSON Lines, on one line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        lines = text.splitlines()
        at = draw.randrange(len(lines))
        lines[at] = json.dumps(_edit(json.loads(lines[at]), draw))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return
    path.write_text(json.dumps(_edit(json.loads(text), draw)), encoding="utf-8")


def change_manifest(folder: Path, draw: random.Random, every: list[Path]) -> None:
    _change_json(folder / "release.json", draw)


def change_described_data(folder: Path, draw: random.Random, every: list[Path]) -> None:
    manifest = json.loads((folder / "release.json").read_text())
    _edit(manifest[draw.choice(("data", "guarantee", "method", "review", "verdict"))], draw)
    (folder / "release.json").write_text(json.dumps(manifest))


def change_parameters(folder: Path, draw: random.Random, every: list[Path]) -> None:
    manifest = json.loads((folder / "release.json").read_text())
    _edit(manifest["guarantee"]["parameters"], draw)
    (folder / "release.json").write_text(json.dumps(manifest))


def change_some_json(folder: Path, draw: random.Random, every: list[Path]) -> None:
    names = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl", ".geojson"))
    _change_json(draw.choice(names), draw)


def change_data_json(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = _data_file(folder)
    if path.suffix not in (".json", ".jsonl"):
        path = draw.choice(sorted(path for path in folder.iterdir() if path.suffix == ".json"))
    _change_json(path, draw)


def repeat_a_key(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = draw.choice(sorted(path for path in folder.iterdir() if path.suffix == ".json"))
    text = path.read_text()
    at = draw.choice([place for place, sign in enumerate(text) if sign == "{"])
    path.write_text(text[: at + 1] + '"k": 1, "k": 2, ' + text[at + 1 :])


def nest_deeply(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = draw.choice(sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl")))
    text = path.read_text()
    at = draw.choice([place for place, sign in enumerate(text) if sign in "[{:"])
    deep = draw.choice((99, 101, 1000, 100_000))
    path.write_text(text[: at + 1] + "[" * deep + "]" * deep + ("," if text[at] == "[" else "") + text[at + 1 :])


def write_huge_numbers(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = _file(folder, draw)
    text = path.read_text(encoding="utf-8")
    digits = [place for place, sign in enumerate(text) if sign.isdigit()]
    at = draw.choice(digits)
    huge = draw.choice(("1e999", "NaN", "Infinity", "9" * 30, "9" * 5000, "-9223372036854775809", "1e-999", "0x10"))
    path.write_text(text[:at] + huge + text[at + 1 :], encoding="utf-8")


def swap_files(folder: Path, draw: random.Random, every: list[Path]) -> None:
    """Files of another release under the names of this one."""
    other = draw.choice(every)
    path = _file(folder, draw)
    donor = other / path.name
    if not donor.exists():
        donor = draw.choice(sorted(other.iterdir()))
    shutil.copy(donor, path)


def swap_two(folder: Path, draw: random.Random, every: list[Path]) -> None:
    one, other = _file(folder, draw), _file(folder, draw)
    body = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(body)


def link_out(folder: Path, draw: random.Random, every: list[Path]) -> None:
    path = _file(folder, draw)
    path.unlink()
    path.symlink_to(draw.choice(every) / draw.choice((path.name, "nowhere", "")))


def add_or_take(folder: Path, draw: random.Random, every: list[Path]) -> None:
    kind = draw.randrange(3)
    if kind == 0:
        _file(folder, draw).unlink()
    elif kind == 1:
        (folder / draw.choice(("notes.txt", "release.sig", "locations.csv", "domains.json"))).write_text("x")
    else:
        (folder / "more").mkdir()


def write_other_table(folder: Path, draw: random.Random, every: list[Path]) -> None:
    """A table of the same format with other columns, types or rows."""
    path = _data_file(folder)
    if path.suffix == ".parquet":
        if draw.random() < 0.1:
            path.write_bytes(aborting_parquet())
            return
        frame, _ = parquet.read_frame(path)  # in a process of its own: it may have been damaged before
    else:
        frame = pl.read_csv(path, infer_schema=False)
    name = draw.choice(frame.columns)
    kind = draw.randrange(8)
    if kind == 0:
        frame = frame.drop(name)
    elif kind == 1:
        frame = frame.rename({name: draw.choice(("x", "", "node", "k"))})
    elif kind == 2:
        frame = frame.with_columns(pl.lit(draw.choice((None, -1, 2**63 - 1, "x", "", "~", "*", 1.5))).alias(name))
    elif kind == 3:
        frame = frame[:0]
    elif kind == 4:
        frame = frame.sample(frame.height * 2, with_replacement=True, seed=draw.randrange(1000))
    elif kind == 5:
        frame = frame.with_columns(extra=pl.lit("x"))
    elif kind == 6:
        rows = pl.int_range(pl.len())
        frame = frame.with_columns(pl.when(rows == draw.randrange(frame.height)).then(None).otherwise(name).alias(name))
    else:
        frame = frame.reverse().select(sorted(frame.columns, reverse=True))
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path)


def change_a_cell(folder: Path, draw: random.Random, every: list[Path]) -> None:
    names = sorted(path for path in folder.iterdir() if path.suffix == ".csv")
    path = draw.choice(names)
    lines = path.read_text(encoding="utf-8").splitlines()
    at = draw.randrange(len(lines))
    cells = lines[at].split(",")
    place = draw.randrange(len(cells))
    cells[place] = draw.choice(
        ("", "~", "*", "?", "[1:2]", "[2:1]", "[:]", "[", "{a|b}", "{}", "{a|a}", "\\", '"', "a\0b", "1e999", "é", "[]")
    )
    lines[at] = ",".join(cells)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


TAMPERINGS: tuple[Tampering, ...] = (
    change_bytes,
    cut_file,
    cut_data,
    change_data_bytes,
    change_lines,
    change_manifest,
    change_described_data,
    change_described_data,
    change_parameters,
    change_parameters,
    change_some_json,
    change_data_json,
    change_data_json,
    repeat_a_key,
    nest_deeply,
    write_huge_numbers,
    swap_files,
    swap_two,
    link_out,
    add_or_take,
    write_other_table,
    write_other_table,
    change_a_cell,
)


def _mend_checksums(folder: Path) -> None:
    """As a forger would: whatever the manifest lists has the checksum of what lies there now."""
    try:
        manifest = json.loads((folder / "release.json").read_text())
        for name in manifest["files"]:
            body = (folder / name).read_bytes() if (folder / name).is_file() else b""
            manifest["files"][name] = {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
        (folder / "release.json").write_text(json.dumps(manifest))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folders", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--methods", default="", help="only these, separated by commas")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    names = [name for name in asked.methods.split(",") if name] or list(METHODS)
    with tempfile.TemporaryDirectory() as place:
        bases = write_bases(Path(place), [METHODS[name] for name in names])
        print(f"{len(bases)} releases of {len(names)} methods", flush=True)
        outcome = attack_folders(bases, folders=asked.folders, seconds=asked.seconds, seed=asked.seed, show=asked.show)
    print(outcome)
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())

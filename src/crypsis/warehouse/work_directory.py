"""The work directory of a warehouse: builds side by side, one of them active, readable by its owner alone.

raw/<source>/        as fetched, with `fetch.json` (time, size, digest)
build-<n>/           rdf/, links/, view/, inferred/, derived/, store/, report.json, report.html, metrics.ttl
current              a link to the active build; it is switched in one step
review.json          what a person decided on candidates
"""

from __future__ import annotations

import csv
import fcntl
import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crypsis.atomic import write_file
from crypsis.errors import BadWarehouse, CrypsisError, StateInUse, UnreadableFile, WriteFailed
from crypsis.warehouse.assembly import Decisions
from crypsis.warehouse.matching import Link
from crypsis.warehouse.terms import SAME_AS, Term, Triple

CURRENT = "current"
CONVERTED = "converted"
REVIEW = "review.json"


class WorkDirectory:
    """Files of one warehouse on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def active(self) -> Path | None:
        """The active build, if there is one."""
        link = self.path / CURRENT
        return link.resolve() if link.is_symlink() and link.exists() else None

    @contextmanager
    def new_build(self) -> Iterator[Path]:
        """A folder for a build. Only one process builds at a time; what an ended one left behind is removed."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.chmod(0o700)
        with (self.path / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise StateInUse("Another process is building this warehouse.") from error
            self._remove_leftovers()
            build = self.path / f"build-{self._next_number()}"
            try:
                build.mkdir(mode=0o700)
                yield build
            except BaseException as error:
                shutil.rmtree(build, ignore_errors=True)
                if isinstance(error, OSError) and not isinstance(error, CrypsisError):
                    raise WriteFailed(f"The build was not written: {error.strerror or error}.") from error
                raise

    def activate(self, build: Path) -> None:
        """Make a build the active one, in one step."""
        partial = self.path / f".{CURRENT}-{os.getpid()}"
        partial.unlink(missing_ok=True)
        partial.symlink_to(build.name)
        partial.replace(self.path / CURRENT)

    def remove_old(self, keep: int = 2) -> None:
        """Remove builds before the last ones; readers may still be in the one that was active until now."""
        builds = sorted(self.path.glob("build-*"), key=lambda path: int(path.name.partition("-")[2]))
        for build in builds[:-keep]:
            if build.resolve() != self.active:
                shutil.rmtree(build, ignore_errors=True)

    def keep_raw(self, source: str, files: Iterable[tuple[Path, str]]) -> Path:
        """Copies of the files of a source as they were fetched, with their sizes and digests."""
        target = self.path / "raw" / source
        partial = target.with_name(f".{source}-{os.getpid()}")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True, mode=0o700)
        log = []
        for path, name in files:
            copy = partial / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            content = copy.read_bytes()
            log.append({"file": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()})
        fetched = {"fetched": datetime.now(UTC).isoformat(timespec="seconds"), "files": log}
        (partial / "fetch.json").write_text(json.dumps(fetched, indent=2), encoding="utf-8")
        old = target.with_name(f".{source}-old")
        shutil.rmtree(old, ignore_errors=True)
        if target.exists():
            target.rename(old)
        partial.rename(target)
        shutil.rmtree(old, ignore_errors=True)
        return target

    def decisions(self) -> Decisions:
        """What was decided on candidates."""
        path = self.path / REVIEW
        if not path.exists():
            return Decisions()
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return Decisions(
                frozenset((left, right) for left, right in content["accepted"]),
                frozenset((left, right) for left, right in content["rejected"]),
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadWarehouse(f"{REVIEW} cannot be read: {error}.", where=REVIEW) from error

    def decide(self, left: Term, right: Term, *, accept: bool | None) -> Decisions:
        """Accept a candidate, reject it, or take a decision back (`None`)."""
        old, pair = self.decisions(), (left, right)
        accepted, rejected = set(old.accepted) - {pair}, set(old.rejected) - {pair}
        if accept is not None:
            (accepted if accept else rejected).add(pair)
        content = {"accepted": sorted(accepted), "rejected": sorted(rejected)}
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_file(self.path / REVIEW, json.dumps(content, indent=2).encode(), mode=0o600)
        return self.decisions()

    # What a build that was ended had converted by then

    def keep_converted(self, source: str, key: str, raw: set[Triple], triples: set[Triple]) -> None:
        """Keep a converted source until a build is active; `key` tells what it was made from."""
        folder = self.path / CONVERTED / source
        write_triples(folder / "raw.nt.gz", raw)
        write_triples(folder / "triples.nt.gz", triples)
        write_file(folder / "key", key.encode(), mode=0o600)  # last: without it the rest does not count

    def converted(self, source: str, key: str) -> tuple[set[Triple], set[Triple]] | None:
        """The source as an ended build converted it; None where that was made from something else."""
        folder = self.path / CONVERTED / source
        try:
            if (folder / "key").read_text(encoding="utf-8") != key:
                return None
            return read_triples(folder / "raw.nt.gz"), read_triples(folder / "triples.nt.gz")
        except (OSError, UnreadableFile):
            return None

    def forget_converted(self) -> None:
        shutil.rmtree(self.path / CONVERTED, ignore_errors=True)

    def _next_number(self) -> int:
        return 1 + max((int(path.name.partition("-")[2]) for path in self.path.glob("build-*")), default=0)

    def _remove_leftovers(self) -> None:
        """Builds after the active one belong to nobody: whoever made them holds no lock any more."""
        active = self.active
        number = int(active.name.partition("-")[2]) if active else 0
        for build in self.path.glob("build-*"):
            with suppress(ValueError):
                if int(build.name.partition("-")[2]) > number:
                    shutil.rmtree(build, ignore_errors=True)
        for partial in [*self.path.glob(f".{CURRENT}-*"), *self.path.glob("raw/.*")]:
            shutil.rmtree(partial, ignore_errors=True) if partial.is_dir() else partial.unlink(missing_ok=True)


def write_triples(path: Path, triples: Iterable[Triple]) -> None:
    """Triples as sorted N-Triples, compressed; the same triples give the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=1) as packed:
        for chunk in _chunks(sorted(triples)):
            packed.write("".join(f"{s} {p} {o} .\n" for s, p, o in chunk).encode())
    path.chmod(0o600)


def read_triples(path: Path) -> set[Triple]:
    """The triples of a file that `write_triples` wrote."""
    triples = set[Triple]()
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                subject, property, rest = line.rstrip("\n").split(" ", 2)
                triples.add((subject, property, rest.removesuffix(" .")))
    except (OSError, ValueError, EOFError) as error:
        raise UnreadableFile(f"{path.name} of the work directory is damaged; build again.", where=path.name) from error
    return triples


def write_links(folder: Path, rule: str, links: Iterable[Link]) -> None:
    """Firm links of a rule as owl:sameAs."""
    write_triples(
        folder / f"{rule}.nt.gz", ((link.left, SAME_AS, link.right) for link in links if link.status == "sameAs")
    )


def write_candidates(path: Path, candidates: Iterable[Link]) -> None:
    """Pairs for review as a table."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["rule", "left", "right", "status", "score"])
        table.writerows(
            [link.rule, link.left[1:-1], link.right[1:-1], link.status, f"{link.score:.6f}"] for link in candidates
        )
    path.chmod(0o600)


def read_candidates(path: Path) -> list[Link]:
    """The pairs that `write_candidates` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Link(f"<{row['left']}>", f"<{row['right']}>", row["rule"], row["status"], float(row["score"]))
            for row in csv.DictReader(file)
        ]


def _chunks(listed: list[Any], size: int = 50_000) -> Iterator[list[Any]]:
    for start in range(0, len(listed), size):
        yield listed[start : start + size]

"""BudgetLedger: what has been spent on one dataset, in a file that outlives every run.

One file per dataset, one JSON object per line, lines are only ever added. Each line holds a digest of the line before
it, so a line that is changed or taken out is noticed. Beside it lies its head (`trips.ledger.head`): how many lines
there are, the digest of the last, and the total. It is replaced as a whole with every line, so a ledger that was cut,
written again or deleted is noticed, too. Who adds a line holds a lock on the file and returns only when line and head
are on disk. A charge is written before the first draw: a run that dies afterwards has spent its budget.

    {"schema": "crypsis-ledger/2", "dataset": "trips", "unit": "person", "relation": "…", "previous": ""}
    {"limit": "3", "when": "2026-03-01T12:00:00Z", "previous": "9c0f…"}
    {"charge": "1", "what": "safe-path", "id": "5e1d…", "when": "2026-03-01T12:00:05Z", "previous": "77aa…"}

If a process dies between line and head, the ledger has a line more than its head knows, which counts as spent.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from crypsis.atomic import write_file
from crypsis.driver_only import refuse_in_task
from crypsis.errors import (
    AnotherDataset,
    BadEpsilon,
    BadLedger,
    BadParameter,
    BudgetExhausted,
    CrypsisError,
    LedgerDamaged,
    MissingFile,
    WriteFailed,
)
from crypsis.parameters import SideInput, exact_number

SCHEMA = "crypsis-ledger/2"
FIRST_SCHEMA = "crypsis-ledger/1"  # without a name and a head; it gets both with the next line
HEAD_SCHEMA = "crypsis-ledger-head/1"
LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class Charge:
    """One line that spends."""

    epsilon: Fraction
    what: str
    when: str
    id: str


@dataclass(frozen=True)
class LedgerState:
    """What a file says: of which dataset, who is protected in which sense, the charges so far and the limit.

    The limit is None where there is none, the dataset where a ledger of an earlier version has no name yet.
    """

    dataset: str | None
    unit: str
    relation: str
    charges: tuple[Charge, ...] = ()
    limit: Fraction | None = None

    @property
    def spent(self) -> Fraction:
        return sum((charge.epsilon for charge in self.charges), Fraction(0))

    @property
    def left(self) -> Fraction | None:
        return None if self.limit is None else max(self.limit - self.spent, Fraction(0))


@dataclass(frozen=True)
class _Read:
    """A ledger that was read: its state, the digest of each line, and where the next line goes."""

    state: LedgerState
    digests: tuple[str, ...]
    end: int


class BudgetLedger(SideInput):
    """The ledger file of a dataset. It is made with the first charge or limit."""

    in_words = "a ledger file"

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @classmethod
    def from_text(cls, text: str) -> BudgetLedger:
        return cls(text)

    @property
    def head(self) -> Path:
        """The file that says how far the ledger has come."""
        return self.path.with_name(self.path.name + ".head")

    def state(self) -> LedgerState:
        """What the file says now."""
        self._refuse_gone()
        if not self.path.is_file():
            raise MissingFile(f"There is no ledger {self.path.name} yet; a charge or a limit makes it.")
        with self._locked(fcntl.LOCK_SH, "rb") as stream:
            return self._read(stream.read()).state

    def charge(
        self,
        epsilon: Fraction,
        what: str,
        *,
        dataset: str | None = None,
        unit: str = "person",
        relation: str = "add-or-remove-one",
    ) -> str:
        """Spend, unless the limit forbids it; returns the name of the charge once it is on disk.

        A new ledger is of the dataset that is named, or called after its file; with another name nothing is charged.
        """
        refuse_in_task("A ledger was charged")
        if epsilon <= 0:
            raise BadEpsilon(f"A charge must be a positive number, got {epsilon}.", parameter="epsilon")
        name = secrets.token_hex(8)
        with self._locked(fcntl.LOCK_EX, "r+b", create=True) as stream:
            read = self._opened(stream, dataset, unit, relation)
            state = read.state
            if (unit, relation) != (state.unit, state.relation):
                raise BadLedger(
                    f"{self.path.name} counts what is spent per {state.unit} ({state.relation}); this charge is per "
                    f"{unit} ({relation}). Budgets of different units do not add up; keep a ledger for each.",
                    where=str(self.path),
                )
            if state.limit is not None and state.spent + epsilon > state.limit:
                raise BudgetExhausted(
                    f"This release would spend {epsilon}, and of the limit {state.limit} only {state.left} is left "
                    f"({state.spent} was spent by {len(state.charges)} earlier charges). Lower epsilon, or raise the "
                    "limit if you can answer for it (crypsis ledger limit).",
                    spent=str(state.spent),
                    limit=str(state.limit),
                    asked=str(epsilon),
                )
            self._append(stream, read, {"charge": str(epsilon), "what": what, "id": name, "when": _now()})
        return name

    def set_limit(
        self,
        limit: Fraction,
        *,
        dataset: str | None = None,
        unit: str = "person",
        relation: str = "add-or-remove-one",
    ) -> LedgerState:
        """From now on charges beyond this total are refused. What was spent stays spent."""
        refuse_in_task("The limit of a ledger was set")
        if limit <= 0:
            raise BadEpsilon(f"A limit must be a positive number, got {limit}.", parameter="limit")
        with self._locked(fcntl.LOCK_EX, "r+b", create=True) as stream:
            read = self._opened(stream, dataset, unit, relation)
            return self._append(stream, read, {"limit": str(limit), "when": _now()}).state

    def _opened(self, stream: Any, dataset: str | None, unit: str, relation: str) -> _Read:
        """The ledger, checked against its head; a new file gets its first line, an unnamed one its name."""
        if dataset is not None:
            check_name(dataset)
        content = stream.read()
        if not content and not self.head.exists():
            first = {"schema": SCHEMA, "dataset": dataset or self.path.stem, "unit": unit, "relation": relation}
            return self._append(stream, _Read(LedgerState(None, unit, relation), (), 0), first)
        read = self._read(content)
        if read.state.dataset is None:
            read = self._append(stream, read, {"dataset": dataset or self.path.stem, "when": _now()})
        if dataset not in (None, read.state.dataset):
            raise AnotherDataset(
                f"{self.path.name} keeps account of the dataset {read.state.dataset!r}. {dataset!r} is another one, "
                "with a guarantee of its own: name the right dataset, or keep another ledger for it.",
                where=str(self.path),
                dataset=read.state.dataset,
            )
        return read

    def _read(self, content: bytes) -> _Read:
        """What a content says; refuses one that is behind its head, or another than its head knows."""
        read = _parsed(content, str(self.path))
        known = self._known_head()
        torn = content[read.end :]
        if known is None:
            if read.state.dataset is not None and len(read.digests) > 1:
                raise self._damaged(f"its head {self.head.name} is gone")
            if torn:
                raise self._damaged("its last line has no end")
            return read
        count, last = known
        if len(read.digests) < count:
            raise self._damaged(f"it has {len(read.digests)} whole lines, and its head knows of {count}")
        if read.digests[count - 1] != last:
            raise self._damaged("it is not the one that its head belongs to")
        return read

    def _known_head(self) -> tuple[int, str] | None:
        """How many lines there were and the digest of the last; None where there is no head."""
        try:
            content = self.head.read_bytes()
        except FileNotFoundError:
            return None
        try:
            record = json.loads(content[:LONGEST_LINE])
            if record["schema"] != HEAD_SCHEMA or type(record["count"]) is not int or record["count"] < 1:
                raise ValueError
            return record["count"], str(record["last"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._damaged(f"its head {self.head.name} cannot be understood") from error

    def _append(self, stream: Any, read: _Read, entry: dict[str, Any]) -> _Read:
        """Add a line, then replace the head; both are on disk when this returns."""
        last = read.digests[-1] if read.digests else ""
        line = json.dumps(entry | {"previous": last}, ensure_ascii=False).encode()
        stream.seek(read.end)
        stream.truncate()
        stream.write(line + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
        state = _after(read.state if read.digests else None, entry)
        read_on = _Read(state, (*read.digests, _digest(line)), read.end + len(line) + 1)
        head = {
            "schema": HEAD_SCHEMA,
            "dataset": state.dataset,
            "count": len(read_on.digests),
            "last": read_on.digests[-1],
        }
        self._write_head(json.dumps(head | {"spent": str(state.spent)}, ensure_ascii=False).encode() + b"\n")
        return read_on

    def _write_head(self, content: bytes) -> None:
        write_file(self.head, content, mode=0o600)

    def _refuse_gone(self) -> None:
        if not self.path.exists() and self.head.exists():
            raise self._damaged(f"it is gone, and its head {self.head.name} is there")

    def _damaged(self, how: str) -> LedgerDamaged:
        return LedgerDamaged(
            f"The ledger {self.path.name} is damaged: {how}. What was spent is not known, so nothing is spent; "
            "restore the ledger and its head together from a copy.",
            where=str(self.path),
        )

    @contextmanager
    def _locked(self, kind: int, mode: str, *, create: bool = False) -> Iterator[Any]:
        try:
            if create:
                self._refuse_gone()
                self.path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
                _sync_folder(self.path.parent)
            with self.path.open(mode) as stream:
                fcntl.flock(stream, kind)
                yield stream
        except CrypsisError:
            raise
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise WriteFailed(f"The ledger {self.path.name} cannot be used: {reason}. Nothing was drawn.") from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BudgetLedger) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __str__(self) -> str:
        return "kept"  # a release says that there is a ledger, not where

    def __repr__(self) -> str:
        return f"BudgetLedger({str(self.path)!r})"


def check_name(dataset: str) -> None:
    """The name of a dataset is one short line."""
    if not dataset.strip() or len(dataset) > 200 or not dataset.isprintable():
        raise BadParameter(
            f"The name of a dataset is one line of up to 200 characters, got {dataset[:40]!r}.", parameter="dataset"
        )


def _parsed(content: bytes, where: str) -> _Read:
    end = content.rfind(b"\n") + 1
    state, digests = None, [""]
    for number, line in enumerate(content[:end].split(b"\n")[:-1], 1):
        place = f"{where}, line {number}"
        try:
            if len(line) > LONGEST_LINE:
                raise ValueError
            entry = json.loads(line)
            if entry["previous"] != digests[-1]:
                raise BadLedger("A line of the ledger was changed or taken out.", where=place)
            state = _after(state, entry)
        except CrypsisError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, RecursionError) as error:
            raise BadLedger("This line of the ledger cannot be understood.", where=place) from error
        digests.append(_digest(line))
    if state is None:
        raise LedgerDamaged(
            "The ledger is empty; restore it, or delete the file if nothing was ever spent.", where=where
        )
    return _Read(state, tuple(digests[1:]), end)


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()[:32]


def _after(state: LedgerState | None, entry: dict[str, Any]) -> LedgerState:
    if state is None:
        if entry["schema"] not in (SCHEMA, FIRST_SCHEMA):
            raise ValueError
        named = None if entry["schema"] == FIRST_SCHEMA else str(entry["dataset"])
        return LedgerState(named, str(entry["unit"]), str(entry["relation"]))
    if "charge" in entry:
        epsilon = exact_number(entry["charge"])
        if epsilon <= 0:
            raise ValueError
        charge = Charge(epsilon, str(entry["what"]), str(entry["when"]), str(entry["id"]))
        return replace(state, charges=(*state.charges, charge))
    if "limit" in entry:
        return replace(state, limit=exact_number(entry["limit"]))
    if state.dataset is not None:
        raise ValueError
    return replace(state, dataset=str(entry["dataset"]))


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems cannot sync a folder
        pass
    finally:
        os.close(handle)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

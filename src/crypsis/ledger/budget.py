"""BudgetLedger: what has been spent on one dataset, in a file that outlives every run.

One file per dataset, one JSON object per line, lines are only ever added. Each line holds a digest of the line before
it, so a line that is changed or taken out is noticed. Who adds a line holds a lock on the file and returns only when
the line is on disk. A charge is written before the first draw: a run that dies afterwards has spent its budget.

    {"schema": "crypsis-ledger/1", "unit": "person", "relation": "add-or-remove-one", "previous": ""}
    {"limit": "3", "when": "2026-03-01T12:00:00Z", "previous": "9c0f…"}
    {"charge": "1", "what": "safe-path", "id": "5e1d…", "when": "2026-03-01T12:00:05Z", "previous": "77aa…"}
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from crypsis.errors import BadEpsilon, BadLedger, BudgetExhausted, MissingFile, WriteFailed
from crypsis.parameters import Companion

SCHEMA = "crypsis-ledger/1"


@dataclass(frozen=True)
class Charge:
    """One line that spends."""

    epsilon: Fraction
    what: str
    when: str
    id: str


@dataclass(frozen=True)
class LedgerState:
    """What a file says: who is protected in which sense, the charges so far and the limit, None where there is none."""

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


class BudgetLedger(Companion):
    """The ledger file of a dataset. It is made with the first charge or limit."""

    in_words: ClassVar[str] = "a ledger file"

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @classmethod
    def from_text(cls, text: str) -> BudgetLedger:
        return cls(text)

    def state(self) -> LedgerState:
        """What the file says now."""
        if not self.path.is_file():
            raise MissingFile(f"There is no ledger {self.path.name} yet; a charge or a limit makes it.")
        with self._locked(fcntl.LOCK_SH, "rb") as stream:
            return _parsed(stream.read(), str(self.path))[0]

    def charge(self, epsilon: Fraction, what: str, *, unit: str = "person", relation: str = "add-or-remove-one") -> str:
        """Spend, unless the limit forbids it; returns the name of the charge once it is on disk."""
        if epsilon <= 0:
            raise BadEpsilon(f"A charge must be a positive number, got {epsilon}.", parameter="epsilon")
        name = secrets.token_hex(8)
        with self._locked(fcntl.LOCK_EX, "r+b", create=True) as stream:
            state, last, end = self._opened(stream, unit, relation)
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
            _append(stream, end, last, {"charge": str(epsilon), "what": what, "id": name, "when": _now()})
        return name

    def set_limit(self, limit: Fraction, *, unit: str = "person", relation: str = "add-or-remove-one") -> LedgerState:
        """From now on charges beyond this total are refused. What was spent stays spent."""
        if limit <= 0:
            raise BadEpsilon(f"A limit must be a positive number, got {limit}.", parameter="limit")
        with self._locked(fcntl.LOCK_EX, "r+b", create=True) as stream:
            _, last, end = self._opened(stream, unit, relation)
            _append(stream, end, last, {"limit": str(limit), "when": _now()})
        return self.state()

    def _opened(self, stream: Any, unit: str, relation: str) -> tuple[LedgerState, str, int]:
        """State, digest of the last line, and where the next line goes; a new file gets its first line."""
        content = stream.read()
        end = content.rfind(b"\n") + 1  # a torn last line was never acted upon
        if end == 0:
            _append(stream, 0, "", {"schema": SCHEMA, "unit": unit, "relation": relation})
            stream.seek(0)
            content = stream.read()
            end = len(content)
        state, last = _parsed(content, str(self.path))
        return state, last, end

    @contextmanager
    def _locked(self, kind: int, mode: str, *, create: bool = False) -> Iterator[Any]:
        try:
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
                _sync_folder(self.path.parent)
            with self.path.open(mode) as stream:
                fcntl.flock(stream, kind)
                yield stream
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


def _append(stream: Any, end: int, last: str, entry: dict[str, Any]) -> None:
    line = json.dumps(entry | {"previous": last}, ensure_ascii=False) + "\n"
    stream.seek(end)
    stream.truncate()
    stream.write(line.encode())
    stream.flush()
    os.fsync(stream.fileno())


def _parsed(content: bytes, where: str) -> tuple[LedgerState, str]:
    whole = content[: content.rfind(b"\n") + 1]
    state, last = None, ""
    for number, line in enumerate(whole.splitlines(), 1):
        place = f"{where}, line {number}"
        try:
            entry = json.loads(line)
            if entry["previous"] != last:
                raise BadLedger("A line of the ledger was changed or taken out.", where=place)
            state = _after(state, entry)
        except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
            raise BadLedger("This line of the ledger cannot be understood.", where=place) from error
        last = hashlib.sha256(line).hexdigest()[:32]
    if state is None:
        raise BadLedger("The ledger is empty; restore it, or delete the file if nothing was ever spent.", where=where)
    return state, last


def _after(state: LedgerState | None, entry: dict[str, Any]) -> LedgerState:
    if state is None:
        if entry["schema"] != SCHEMA:
            raise ValueError
        return LedgerState(str(entry["unit"]), str(entry["relation"]))
    charges, limit = state.charges, state.limit
    if "charge" in entry:
        epsilon = Fraction(entry["charge"])
        if epsilon <= 0:
            raise ValueError
        charges = (*charges, Charge(epsilon, str(entry["what"]), str(entry["when"]), str(entry["id"])))
    elif "limit" in entry:
        limit = Fraction(entry["limit"])
    else:
        raise ValueError
    return LedgerState(state.unit, state.relation, charges, limit)


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

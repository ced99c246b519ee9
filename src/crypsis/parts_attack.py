"""Attacks on a release in parts, against the parts that it was made of, in bounded memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crypsis.attacks import ATTACKS
from crypsis.attacks.attack import Attack, PartsAttackResult
from crypsis.attacks.pieces_in_parts import KnownShards, PublishedFiles
from crypsis.attacks.table_risk import LIMIT, TableRisk
from crypsis.attacks.tables_in_parts import table_risk_of_parts
from crypsis.data.declarations import Declarations
from crypsis.data.formats.published import read_published_trajectories
from crypsis.data.formats.published_sets import read_set_part
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.scanned import ScannedTable
from crypsis.data.scanned_mixed import ScannedMixed
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.executors.executor import Executor
from crypsis.parts_release import open_parts
from crypsis.publication.published_parts import PublishedParts
from crypsis.release_folder import data_files
from crypsis.shards.mixed import encode_mixed
from crypsis.shards.records import EncodedRecords, encode_records
from crypsis.shards.table import EncodedTable, encode_table

_KINDS: dict[str, type] = {
    "table": Table,
    "mixed": Mixed,
    "transactions": Transactions,
    "trajectories": Trajectories,
}


def kind_of_parts(folder: str | Path) -> str:
    """The kind of data that a release in parts holds."""
    return str(open_parts(folder)[1]["kind"])


def attacks_on_parts(folder: str | Path) -> dict[str, type[Attack]]:
    """The adversaries of such a release who can be counted on parts, by name."""
    known = _KINDS.get(kind_of_parts(folder))
    return {name: kind for name, kind in ATTACKS.items() if known in kind.accepts and kind.works_on_parts()}


def attack_release_parts(
    folder: str | Path, original: ScannedTable | ScannedMixed | ScannedRecords, adversary: Attack, executor: Executor
) -> PartsAttackResult:
    """Attack everybody in the original parts. The figures are those of the attack on all records in memory."""
    published = _published(folder)
    known = original.stands_for
    kind = kind_of_parts(folder)
    if _KINDS.get(kind) is not known or known not in adversary.accepts:
        kinds = ", ".join(accept.__name__ for accept in adversary.accepts)
        raise NotApplicable(
            f"{type(adversary).__name__} knows pieces of {kinds}; here are {known.__name__} and a release of {kind}."
        )
    shards: Any
    if isinstance(original, ScannedTable):
        shards = encode_table(original, Declarations(), executor)
        _refuse_people(shards)
    elif isinstance(original, ScannedMixed):
        shards = encode_mixed(original, Declarations(), executor).table
        _refuse_people(shards)
    else:
        records = encode_records(original, executor)
        _refuse_people(records)
        shards = KnownShards(records.shards, records.one_of_each)
    return adversary.run_on_parts(published, shards, executor)


def _refuse_people(data: EncodedTable | EncodedRecords) -> None:
    if data.person is not None:
        raise OriginalRequired(
            "Published rows do not say whose they are, so people with several records cannot be attacked on parts; "
            "leave the executor out, and give the private report."
        )


def risk_of_release_parts(
    folder: str | Path,
    executor: Executor,
    *,
    quasi: list[str] | None = None,
    share: float = 1.0,
    limit: float = LIMIT,
    sets: int = 1,
) -> TableRisk:
    """How surely people can be picked out of a table in parts: prosecutor, journalist and marketer."""
    published = _published(folder)
    if not isinstance(published, PublishedParts):
        raise NotApplicable(f"Risks of classes are those of a table or mixed data, not of {kind_of_parts(folder)}.")
    return table_risk_of_parts(published, executor, quasi=quasi, share=share, limit=limit, sets=sets)


def _published(folder: str | Path) -> PublishedParts | PublishedFiles:
    opened, described = open_parts(folder)
    files = tuple(str(opened.path / name) for name in data_files(described))
    if described["kind"] in ("table", "mixed"):
        return PublishedParts.described(files, described)
    reading: dict[str, Any] = {"trajectories": read_published_trajectories, "transactions": read_set_part}
    if described["kind"] not in reading:
        raise NotApplicable(f"Attacks on {described['kind']} are not measured on parts; leave the executor out.")
    return PublishedFiles(files, reading[described["kind"]], described)

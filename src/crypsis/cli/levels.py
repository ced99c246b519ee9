"""The part of `crypsis verify` that looks at tables of others: which level is reached under each model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crypsis.cli.output import note, show, show_table, verdict_words
from crypsis.cli.person_question import note_person
from crypsis.cli.reading import Reader
from crypsis.cli.settings import SETTINGS
from crypsis.errors import BadParameter

if TYPE_CHECKING:
    from crypsis.verifiers.table_levels import TableLevels

NEEDS_SENSITIVE = ("l-diversity", "t-closeness")


def show_levels(read: Reader, path: Path, model: str | None, chosen: Any) -> int:
    """Show the levels of a table; with parameters of a model also whether it keeps them. The exit code: 0, or 4."""
    from crypsis import _api
    from crypsis.data.relational import PublishedTable
    from crypsis.guarantees import Guarantee
    from crypsis.verifiers.table_levels import table_levels

    if model in NEEDS_SENSITIVE and read.typed["sensitive"] is None:
        raise BadParameter(
            f"{model} looks at sensitive columns; name them (--sensitive disease).", parameter="sensitive"
        )
    if model in ("kkm-anonymity", "klm-diversity") and read.typed["items"] is None:
        raise BadParameter(f"{model} looks at a set-valued column; name it (--items 'diagnoses= ').", parameter="items")
    published = read(path, PublishedTable)
    levels = table_levels(published)
    if levels.people is not None and hasattr(chosen, "unit"):
        chosen = replace(chosen, unit="person")
    if read.typed["person"] is None:
        note_person(read.typed.frame(path)[0])
    # A model without parameters asks what is reached; with them, whether that is enough.
    judged = isinstance(chosen, Guarantee) and bool(SETTINGS.get().chosen)
    verdict = _api.verify(published, chosen) if judged else None
    holds = levels.problem is None and (verdict is None or verdict.holds)
    if SETTINGS.get().json:
        content = {"file": path.name, "levels": levels.to_dict()}
        if verdict is not None:
            content |= {"guarantee": verdict.promised.to_dict(), "verdict": verdict.to_dict()}
        show(content, "")
    else:
        show_table(("model", "column", "level reached"), _rows(levels, model), _title(path, levels))
        if levels.problem is not None:
            note(f"Nothing can be relied on: {levels.problem}.")
        if verdict is not None:
            print(verdict_words(verdict))
    return 0 if holds else 4


def _title(path: Path, levels: TableLevels) -> str:
    hidden = f", {levels.suppressed:,} of them suppressed" if levels.suppressed else ""
    people = "" if levels.people is None else f" of {levels.people:,} people"
    return f"{path.name}: {levels.records:,} records{people}{hidden}, {levels.classes:,} classes"


def _rows(levels: TableLevels, model: str | None) -> list[tuple[object, ...]]:
    rows: list[tuple[str, object, object]] = []
    if model in (None, "k-anonymity", "kkm-anonymity", "klm-diversity"):
        rows.append(("k-anonymity", None, f"k = {_told(levels.k)}"))
    for column in levels.sensitive:
        if model in (None, "l-diversity"):
            rows += [
                ("distinct l-diversity", column.column, f"l = {_told(column.distinct_l)}"),
                ("entropy l-diversity", column.column, f"l = {_told(column.entropy_l)}"),
                ("recursive (c,l)-diversity", column.column, f"l = {_told(column.recursive_l)} for c = {column.c:g}"),
            ]
        if model in (None, "t-closeness") and levels.suppressed:
            rows.append(("t-closeness", column.column, "not known: what was suppressed is not shown"))
        elif model in (None, "t-closeness"):
            rows.append(("t-closeness, equal distance", column.column, f"t = {_told(column.equal_t)}"))
            if column.ordered_t is not None:
                rows.append(("t-closeness, ordered distance", column.column, f"t = {_told(column.ordered_t)}"))
    return list(rows)


def _told(level: float | int | None) -> str:
    if level is None:
        return "any (nothing is shown)"
    return f"{level:,}" if isinstance(level, int) else f"{level:.4g}"

"""Suggestions beside the truth: the table that stands in docs/guides/suggestions-measured.md.

`python -m tests.data.suggestions.agreement` writes it; a test compares.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crypsis.data.inspection import inspect_file
from tests.shared_data import ROOT, data_folder

PAGE = ROOT / "docs" / "guides" / "suggestions-measured.md"
TRUTH = Path(__file__).parent / "truth.toml"


@dataclass(frozen=True)
class Compared:
    """One file: what is suggested beside what is right. `columns` are name, suggested role, confidence, right role."""

    path: str
    about_nobody: bool
    kind: str
    right_kind: str
    reason: str
    columns: tuple[tuple[str, str, str, str], ...]

    @property
    def agreeing(self) -> int:
        return sum(suggested == right for _, suggested, _, right in self.columns)


def truth() -> list[dict[str, Any]]:
    return list(tomllib.loads(TRUTH.read_text(encoding="utf-8"))["file"])


def compared(told: dict[str, Any]) -> Compared:
    """Inspect one file of the public datasets."""
    found = inspect_file(data_folder() / told["path"])
    by_name = {column.name: column for column in found.columns}
    columns = []
    for name, right in told.get("columns", {}).items():
        column = by_name[name]
        role = "items" if column.item_separator is not None and column.role == "quasi" else str(column.role)
        columns.append((name, role, str(column.confidence), right))
    if told.get("columns"):
        assert list(by_name) == list(told["columns"]), told["path"]
    nobody = bool(told.get("about_nobody"))
    return Compared(told["path"], nobody, found.kind, told["kind"], found.reason, tuple(columns))


def page(files: list[Compared]) -> str:
    """The page."""
    total = sum(len(one.columns) for one in files)
    agreeing = sum(one.agreeing for one in files)
    kinds = sum(one.kind == one.right_kind for one in files)
    of_tables = [right for one in files if one.right_kind in ("table", "mixed") for *_, right in one.columns]
    quasi, rows = of_tables.count("quasi"), len(of_tables)
    lines = [
        "# How good the suggestions are",
        "",
        "`crypsis data inspect` and the browser suggest a kind of data for a file and a role for each column, with",
        "the reason and how sure it is ([how they are made](suggestions.md)). This page compares them with",
        "what a statistician says of public datasets. It is made by `python -m tests.data.suggestions.agreement`; a",
        "test compares it. The labels are in `tests/data/suggestions/truth.toml`; none of them is read by the program.",
        "",
        f"**Kind of data: right for {kinds} of {len(files)} files. Role: right for {agreeing} of {total} columns "
        f"({agreeing / total:.1%}).**",
        "",
        f"To call every column a quasi-identifier would be right for {quasi} of the {rows} columns of tables "
        f"({quasi / rows:.1%}).",
        "",
        "| file | kind | suggested | columns | right | misses: column (suggested, right) |",
        "|---|---|---|---:|---:|---|",
    ]
    for one in files:
        missed = [
            f"{name} ({role}, {right}; {confidence} confidence)"
            for name, role, confidence, right in one.columns
            if role != right
        ]
        counts = (str(len(one.columns)), str(one.agreeing)) if one.columns else ("–", "–")
        kind = one.right_kind + (" (about nobody)" if one.about_nobody else "")
        lines.append(f"| {one.path} | {kind} | {one.kind} | {' | '.join(counts)} | {', '.join(missed) or '–'} |")
    by_confidence: dict[str, list[bool]] = {}
    for one in files:
        for _, role, confidence, right in one.columns:
            by_confidence.setdefault(confidence, []).append(role == right)
    lines += ["", "| confidence | columns | right |", "|---|---:|---:|"]
    lines += [
        f"| {name} | {len(by_confidence[name])} | {sum(by_confidence[name])} |"
        for name in ("high", "medium", "low")
        if name in by_confidence
    ]
    lines += [
        "",
        "Files of lists have no columns. Files about nobody (species, venues, categories) count for the kind only.",
        "The Adult, FARS, German Credit and INFORMS files are ones that the word lists were tried on while they were",
        "written, so the figure says less about files with other names than about these.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page([compared(one) for one in truth()]), encoding="utf-8")

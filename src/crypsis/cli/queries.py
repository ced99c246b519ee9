"""`crypsis queries`: workloads of counting queries, drawn, checked, and put to the original and to a release."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.command import Group
from crypsis.cli.loading import loaded
from crypsis.cli.output import show, show_table
from crypsis.cli.reading import Reader, ReadingCommand, read_original
from crypsis.cli.settings import EVERY_COMMAND, SETTINGS
from crypsis.errors import NotApplicable, OutputExists

queries_app = Group("Workloads of counting queries.")


def make(
    *,
    read: Reader,
    input: Annotated[Path, typer.Argument(help="A table, mixed data or transactions.")],
    out: Annotated[Path, typer.Option("--out", help="File to write, one query on each line.")],
    count: Annotated[int, typer.Option("--count", min=1, help="How many queries.")] = 100,
    relational: Annotated[int, typer.Option("--relational", min=0, help="Columns that each asks for.")] = 2,
    items_asked: Annotated[int, typer.Option("--items-asked", min=0, help="Items that each asks for.")] = 2,
    range_share: Annotated[float, typer.Option("--range-share", help="Share of a column that a range covers.")] = 0.1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draw.")] = 0,
) -> None:
    """Draw queries that are true of somebody."""
    from crypsis.data.count_query import CountQuery, write_queries
    from crypsis.metrics.itemset_queries import draw_itemsets
    from crypsis.metrics.query_workload import drawn_queries

    if os.path.lexists(out):
        raise OutputExists(f"{out} exists already; choose another name or remove it.")
    data = loaded(input, read, rest="other")
    if data.table_part is None and data.set_part is not None:
        drawn = draw_itemsets(data, count=count, items=max(items_asked, 1), seed=seed)
        queries = tuple(CountQuery((), tuple(labels)) for labels in drawn)
    elif data.table_part is not None:
        items = 0 if data.set_part is None else items_asked
        queries = drawn_queries(data, count, relational=relational, items=items, share=range_share, seed=seed)
    else:
        raise NotApplicable(f"Counting queries are put to tables and sets of items, not to {type(data).__name__}.")
    write_queries(queries, out)
    show({"file": str(out), "queries": len(queries)}, f"wrote {out}: {len(queries):,} queries")


def check(
    *,
    read: Reader,
    file: Annotated[Path, typer.Argument(help="The queries, one on each line.")],
    data: Annotated[Path | None, typer.Option("--data", help="Also check that they can be put to these data.")] = None,
) -> None:
    """Check the grammar of a workload, with the character at which it goes wrong; with data also columns and values."""
    from crypsis.data.count_query import read_queries

    queries = read_queries(file)
    if data is not None:
        counts_of(loaded(data, read, rest="other"), queries)
    show({"file": str(file), "queries": len(queries)}, f"✓ {file.name}: {len(queries):,} queries")


def run(
    *,
    read: Reader,
    file: Annotated[Path, typer.Argument(help="The queries, one on each line.")],
    data: Annotated[Path, typer.Option("--data", help="The original data.")],
    release: Annotated[Path | None, typer.Option("--release", help="Also estimate from this release.")] = None,
) -> None:
    """Count the records that satisfy each query, and with a release how far off its estimates are."""
    from crypsis.data.count_query import read_queries

    queries = read_queries(file)
    headings = ["query", "count"]
    if release is None:
        original = loaded(data, read, rest="other")
        actual = counts_of(original, queries)
        rows: list[list[Any]] = [[str(query), int(count)] for query, count in zip(queries, actual, strict=True)]
        mean = None
    else:
        from crypsis._api import read_release
        from crypsis.metrics.count_query_error import count_query_error

        published = read_release(release)
        error_figures = count_query_error(read_original(read, data, published), published.data, queries)
        headings += ["estimate", "relative error"]
        columns = (error_figures.actual.tolist(), error_figures.estimated.tolist(), error_figures.errors.tolist())
        rows = [[str(query), *figures] for query, *figures in zip(queries, *columns, strict=True)]
        mean = error_figures.figures()["count_query_loss"]
    if SETTINGS.get().json:
        show({"queries": [dict(zip(headings, row, strict=True)) for row in rows], "are": mean}, "")
        return
    show_table(headings, rows)
    if mean is not None:
        print(f"average relative error {mean:.4g}")


def counts_of(data: Any, queries: Any) -> list[int]:
    """The records that satisfy each query."""
    from crypsis.metrics.itemset_queries import exact_counts
    from crypsis.metrics.query_answers import actual_counts

    if data.table_part is not None:
        return [int(count) for count in actual_counts(data, queries)]
    if data.set_part is not None and all(not query.relational for query in queries):
        return [int(count) for count in exact_counts(data, [query.items for query in queries])]
    raise NotApplicable(f"These queries cannot be put to {type(data).__name__}.")


queries_app.command("make", cls=ReadingCommand, epilog=EVERY_COMMAND)(make)
queries_app.command("check", cls=ReadingCommand, epilog=EVERY_COMMAND)(check)
queries_app.command("run", cls=ReadingCommand, epilog=EVERY_COMMAND)(run)

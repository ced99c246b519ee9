"""`/api/queries`: counting queries and what they count on the original."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse
from pydantic import Field

from crypsis.web.api.shapes import Body, Revision, resource
from crypsis.web.workbench import Workbench

QueryText = Annotated[str, Field(min_length=1, max_length=4000)]
Dataset = Annotated[str, Query(pattern="^[0-9a-f]{12}$")]


class Workload(Body):
    """Queries, as they stand in a file."""

    queries: list[QueryText] = Field(max_length=2000)


class Drawing(Body):
    """How queries are drawn at random."""

    count: int = Field(50, ge=1, le=2000)
    relational: int = Field(1, ge=0, le=20)
    items: int = Field(1, ge=0, le=20)
    range_share: float = Field(0.1, gt=0, le=1)
    seed: int = Field(0, ge=0, le=2**31)


def router(workbench: Workbench) -> APIRouter:
    api = resource("queries")
    side_inputs = workbench.side_inputs

    @api.get("")
    def show(dataset: Dataset) -> dict[str, Any]:
        """The workload of a dataset: its counting queries."""
        entry = side_inputs.workload(dataset)
        return {"queries": []} if entry is None else entry.to_dict()

    @api.put("")
    def keep(dataset: Dataset, workload: Workload, revision: Revision = None) -> dict[str, Any]:
        """Keep a workload; every query is parsed first, and an error says at which character."""
        return side_inputs.keep_queries(dataset, workload.queries, revision).to_dict()

    @api.get("/queries.txt", response_class=PlainTextResponse)
    def export(dataset: Dataset) -> str:
        """The workload as the file that is loaded again, one query on each line."""
        entry = side_inputs.workload(dataset)
        return side_inputs.queries_text([] if entry is None else entry.content["queries"])

    @api.post("/counts")
    def counts(dataset: Dataset, workload: Workload) -> list[int]:
        """How many records of the original each query counts."""
        return side_inputs.counts(dataset, workload.queries)

    @api.post("/drawn")
    def drawn(dataset: Dataset, how: Drawing) -> list[str]:
        """Queries drawn from the data; nothing is kept."""
        return side_inputs.drawn(
            dataset,
            count=how.count,
            relational=how.relational,
            items=how.items,
            share=how.range_share,
            seed=how.seed,
        )

    return api

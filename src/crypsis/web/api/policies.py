"""`/api/policies`: which items must not identify anybody, and which may be generalized together."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse
from pydantic import Field

from crypsis.errors import BadParameter
from crypsis.evaluate.export import label_lines
from crypsis.web.api.shapes import Body, Number, resource
from crypsis.web.side_inputs import POLICIES
from crypsis.web.workbench import Workbench

Label = Annotated[str, Field(min_length=1, max_length=400)]


class NewPolicy(Body):
    """A policy that is made for a dataset."""

    dataset: str = Field(pattern="^[0-9a-f]{12}$")
    policy: Literal["privacy", "utility", "constraints"]
    auto: str | None = Field(None, max_length=100, description="A recipe such as all:2 or frequency:5.")
    sets: list[list[Label]] | None = Field(None, max_length=100_000)
    upload: str | None = Field(None, pattern="^[0-9a-f]{12}$", description="A file with labels on each line.")


def router(workbench: Workbench) -> APIRouter:
    api = resource("policies")
    side_inputs = workbench.side_inputs

    @api.get("")
    def list_policies(dataset: Annotated[str, Query(pattern="^[0-9a-f]{12}$")]) -> list[dict[str, Any]]:
        """The policies that were kept for a dataset."""
        return [entry.to_dict() for entry in side_inputs.of(POLICIES, dataset)]

    @api.post("", status_code=201)
    def keep(new: NewPolicy) -> dict[str, Any]:
        """Keep a policy; overlaps are refused, labels that the data do not have are listed."""
        sets = new.sets
        if new.upload is not None:
            if sets is not None or new.auto is not None:
                raise BadParameter("Give one of auto, sets and upload.", parameter="auto")
            sets = side_inputs.policy_of_upload(new.policy, new.upload)
        entry = side_inputs.keep_policy(new.dataset, new.policy, auto=new.auto, sets=sets)
        unknown = [] if sets is None else side_inputs.unknown_labels(new.dataset, sets)
        return {**entry.to_dict(), "unknown": unknown}

    @api.get("/{number}/sets")
    def sets(number: Number) -> list[list[str]]:
        """The sets, derived where the policy is a recipe."""
        return side_inputs.policy_sets(workbench.workspace.entry(POLICIES, number))

    @api.get("/{number}/policy.txt", response_class=PlainTextResponse)
    def export(number: Number) -> str:
        """The sets as the file that is loaded again."""
        return label_lines(side_inputs.policy_sets(workbench.workspace.entry(POLICIES, number)))

    @api.delete("/{number}", status_code=204)
    def remove(number: Number) -> None:
        """Remove a policy."""
        workbench.workspace.remove(POLICIES, number)

    return api

"""Results to plot: a sweep with an infeasible end and repeats, worked out by hand in the tests."""

from __future__ import annotations

from typing import Any


def cell(label: str, state: str = "done", repeat: int = 0, **given: Any) -> dict[str, Any]:
    """One row; figures and phases in `metrics` and `phases`, everything else is a parameter."""
    metrics, phases = given.pop("metrics", {}), given.pop("phases", {})
    return {
        "label": label,
        "parameters": given,
        "state": state,
        "repeat": repeat,
        "metrics": metrics,
        "phases": phases,
        "verified": True if state == "done" else None,
        "id": f"{label}{sorted(given.items())}{repeat}",
    }


def sweep() -> list[dict[str, Any]]:
    """Two configurations over k; one is infeasible at k=2, the other has two repeats at k=5."""
    return [
        cell("generalize", "infeasible", k=2),
        cell("generalize", k=5, metrics={"ncp": 0.2, "ul": 0.5}, phases={"prepare": 1.0, "publish": 0.5}),
        cell("generalize", k=10, metrics={"ncp": 0.4, "ul": 0.1}, phases={"prepare": 1.5, "publish": 0.5}),
        cell("suppress", k=2, metrics={"ncp": 0.1, "ul": 0.9}, phases={"publish": 0.25}),
        cell("suppress", k=5, metrics={"ncp": 0.3, "ul": 0.6}, phases={"publish": 0.25}),
        cell("suppress", k=5, repeat=1, metrics={"ncp": 0.5, "ul": 0.7}, phases={"publish": 0.75}),
    ]

"""Experiments as browser tests start and await them."""

from __future__ import annotations

import time
from typing import Any

import httpx


def experiment(api: httpx.Client, number: str, **tables: Any) -> str:
    told = {"metrics": {"list": ["ncp"]}, "workers": 1, **tables}
    answer = api.post("/api/experiments", json={"dataset": number, "mode": "compare", "tables": told})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def ended(api: httpx.Client, made: str, **how: Any) -> dict[str, Any]:
    answer = api.post(f"/api/experiments/{made}/start", json={"workers": 1, **how})
    assert answer.status_code == 202, answer.text
    until = time.monotonic() + 300
    while (seen := api.get(f"/api/experiments/{made}/progress").json())["running"]:
        assert time.monotonic() < until
        time.sleep(0.1)
    return dict(seen)

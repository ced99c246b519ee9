"""A table with its roles, the finished result of a dataset, and the lights of a page, as several tests need them."""

from __future__ import annotations

from typing import Any

import httpx

from tests.web.conftest import uploaded
from tests.web.experiments import ended

# Twenty people in two age groups: of the first ten everybody has the flu.
ILL = "age,ill\n" + "".join(f"{20 + n},{'flu' if n < 10 or n % 2 else 'cold'}\n" for n in range(20))


def table(api: httpx.Client, name: str, content: str, **roles: str) -> str:
    number = str(uploaded(api, name, content)["id"])
    types = {"age": "int"}
    columns = {column: {"type": types.get(column, "category"), "role": role} for column, role in roles.items()}
    section: dict[str, Any] = {"kind": "table", "columns": columns, "each_row_is_a_person": True}
    answer = api.put(f"/api/datasets/{number}/section", json={"section": section})
    assert answer.status_code == 200, answer.text
    return number


def light(page: Any, name: str) -> Any:
    return page.locator(f'[data-light="{name}"]')


def cell_of(api: httpx.Client, number: str) -> tuple[str, str]:
    """The experiment of a dataset and its finished cell."""
    (made,) = [one["id"] for one in api.get("/api/experiments").json() if one["dataset"] == number]
    (cell,) = ended(api, made)["cells"]
    assert cell["state"] == "done", cell
    return made, str(cell["cell"])


def attacked(api: httpx.Client, number: str, name: str) -> dict[str, Any]:
    made, cell = cell_of(api, number)
    answer = api.post(f"/api/experiments/{made}/cells/{cell}/attacks", json={"attack": name}, timeout=480)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())

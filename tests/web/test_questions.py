"""Questions to a finished result through REST: at least, at most; what cannot be asked has a code."""

from __future__ import annotations

import httpx
import pytest

from tests.web.experiments import ended, experiment
from tests.web.lights import ILL, table

pytestmark = pytest.mark.long


def test_a_result_is_asked_how_many(api: httpx.Client) -> None:
    number = table(api, "ill.csv", ILL, age="quasi", ill="other")
    made = experiment(api, number, run=[{"method": "mondrian", "params": {"k": 5}}])
    (cell,) = ended(api, made)["cells"]
    address = f"/api/experiments/{made}/cells/{cell['cell']}/query"
    answer = api.post(address, json={"kind": "count", "conditions": ["age in [20:29]", "ill in {flu}"]})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["definite"] <= 10 <= told["at_most"]
    assert told["words"].startswith("at least ")
    for wrong, code in (
        ({"kind": "count", "conditions": ["aged in [1:2]"]}, "bad-query"),
        ({"kind": "count"}, "bad-query"),
        ({"kind": "weather"}, "bad-query"),
        ({"kind": "count", "conditions": ["age in [1:2]"], "mode": "within"}, "option-without-effect"),
        ({"kind": "places"}, "not-applicable"),
    ):
        refused = api.post(address, json=wrong)
        assert refused.status_code in (400, 422), refused.text
        assert refused.json()["error"]["code"] == code

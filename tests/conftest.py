"""What all tests share: hypothesis profiles, tests on real datasets, and what the end of a run says about both.

`@pytest.mark.real_data("gowalla_nyc")` marks a test that reads a real dataset. Where the dataset is absent the test is
left out and named at the end of the run; under CI=true it fails instead.

`@pytest.mark.long` marks a test that takes long: brokers, clusters, browsers, faults. Tests on real data and tests that
open a browser are long without saying so. `make test` runs the others, `make test-long` these.

A test that opens a browser and fails is run once more, in a new tab, and is named at the end of the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests import shared_data
from tests.conformance import summary

# No deadline: the first call of a kernel compiles it. No database: a failure prints the line that repeats it.
settings.register_profile(
    "crypsis",
    deadline=None,
    database=None,
    print_blob=True,
    max_examples=30,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# The same examples each time, so that a test never fails by chance; `make fuzz` draws new ones.
settings.register_profile("fuzz", settings.get_profile("crypsis"), derandomize=False, max_examples=400)
settings.register_profile("few", settings.get_profile("crypsis"), max_examples=8)  # interpreted kernels are slow
settings.load_profile("crypsis")

FIXTURES_OF_A_BROWSER = {"browser"}

LEFT_OUT = pytest.StashKey[set[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_data(name): reads a real dataset; see tests/conftest.py")
    config.addinivalue_line("markers", "long: takes long; run by `make test-long`")
    config.stash[LEFT_OUT] = set()


@pytest.hookimpl(tryfirst=True)  # before the expression of `-m` is applied
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("real_data") or FIXTURES_OF_A_BROWSER & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.long)
        if FIXTURES_OF_A_BROWSER & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.flaky(reruns=1))
    if shared_data.required():
        return
    absent = [item for item in items if _absent_datasets(item)]
    if absent:
        config.hook.pytest_deselected(items=absent)
        items[:] = [item for item in items if item not in absent]
        config.stash[LEFT_OUT] |= {f"{item.nodeid} needs {', '.join(_absent_datasets(item))}" for item in absent}


def pytest_runtest_setup(item: pytest.Item) -> None:
    if absent := _absent_datasets(item):
        pytest.fail(
            f"The dataset {', '.join(absent)} is not in {shared_data.data_folder()}; set CRYPSIS_DATA.", pytrace=False
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    # Under xdist the workers collect and the controller writes the summary.
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = sorted(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[LEFT_OUT] |= set(getattr(node, "workeroutput", {}).get("left_out", ()))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    if any("tests/conformance/" in getattr(report, "nodeid", "") for report in reports):
        terminalreporter.section("golden vectors")
        for line in summary.lines():
            terminalreporter.write_line(line)
    if left_out := sorted(config.stash[LEFT_OUT]):
        terminalreporter.section("left out: real datasets that are not here (set CRYPSIS_DATA)")
        for line in left_out:
            terminalreporter.write_line(line)


def _absent_datasets(item: pytest.Item) -> list[str]:
    wanted: Iterator[str] = (name for mark in item.iter_markers("real_data") for name in mark.args)
    return [name for name in wanted if not shared_data.dataset(name).is_dir()]

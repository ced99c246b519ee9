"""The whole sample through two real SPARQL servers gives what the embedded store gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crypsis.errors import BadQuery, SourceUnreachable
from crypsis.warehouse import Warehouse
from tests.warehouse import sample, servers

pytestmark = pytest.mark.long

YELLOWFIN = "http://dbpedia.org/resource/Yellowfin_tuna"
NAMES = "SELECT ?s ?n WHERE { ?s tlo:LX6_type_was_attributed_by ?a . ?a tlo:assignedName ?n }"


@pytest.fixture(scope="module", params=[servers.oxigraph, servers.virtuoso], ids=["oxigraph", "virtuoso"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch, request.param(tmp_path_factory.mktemp("server")) as address:
        for name in servers.LOGIN:
            patch.setenv(name, "dba")
        yield address


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    warehouse = Warehouse(sample.configuration(), tmp_path_factory.mktemp("embedded") / "work")
    assert warehouse.build().active
    return warehouse


def test_a_server_holds_what_the_embedded_store_holds(
    engine: dict[str, Any], embedded: Warehouse, tmp_path: Path
) -> None:
    remote = Warehouse(sample.configuration(engine=engine), tmp_path / "work")
    report = remote.build()
    assert (report.active, report.failed) == (True, [])
    assert remote.dump() == embedded.dump()
    assert remote.card(YELLOWFIN) == embedded.card(YELLOWFIN)
    assert remote.query(NAMES, provenance=True) == embedded.query(NAMES, provenance=True)
    assert [result.to_dict() for result in remote.competence()] == [one.to_dict() for one in embedded.competence()]


def test_a_build_that_fails_leaves_the_active_one_on_the_server(engine: dict[str, Any], tmp_path: Path) -> None:
    work = tmp_path / "work"
    good = Warehouse(sample.configuration(engine=engine), work)
    assert good.build().active
    held = good.dump()
    impossible = [{"id": "nothing", "sparql": "SELECT ?s WHERE { ?s a tlo:Nothing }"}]
    bad = Warehouse(sample.configuration(engine=engine, competence=impossible), work)
    report = bad.build()
    assert (report.active, report.failed) == (False, ["nothing"])
    assert good.dump() == held
    assert good.refresh("worms").active
    assert good.dump() == held


def test_what_a_server_refuses_is_told(engine: dict[str, Any], tmp_path: Path) -> None:
    remote = Warehouse(sample.configuration(engine=engine), tmp_path / "work")
    assert remote.build().active
    with pytest.raises(BadQuery):
        remote.query("SELECT ?s WHERE { ?s ?p }")
    unreachable = {**engine, "query_url": f"http://127.0.0.1:{servers.free_port()}/query"}
    with pytest.raises(SourceUnreachable, match="cannot be reached"):
        Warehouse(sample.configuration(engine=unreachable), tmp_path / "work").query(NAMES)

"""Golden vectors of mixed data: what is promised, counted and by definition; merging clusters; what items lose."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import Infeasible
from crypsis.guarantees import KKmAnonymity, KLmDiversity
from crypsis.hierarchy import Hierarchies, Hierarchy
from crypsis.kernels.item_losses import record_losses as cluster_losses
from crypsis.methods import RumBound, TumBound
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.item_recoding import ItemRecoder
from crypsis.methods.mixed.loss_bound import exact_loss
from crypsis.methods.mixed.mixed_method import MixedMethod
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.metrics.certainty_penalty import ncp_loss
from crypsis.metrics.record_distance import cluster_distance
from crypsis.metrics.utility_loss import record_losses
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from crypsis.verifiers.loss_bounds import item_loss, table_loss
from crypsis.verifiers.mixed_by_definition import is_klm_diverse, kkm_violations
from crypsis.verifiers.mixed_recoding import recoding_problem
from tests.conformance.rt_columns import cell_of, published_column
from tests.conformance.rt_tables import edge_table, fraction, table_of
from tests.conformance.vectors import case, load

CHECKS = "rt/kkm_check_random.json"
CASES = [case(CHECKS, one, name=number) for number, one in enumerate(load(CHECKS)["cases"])]


@pytest.mark.parametrize("vector", CASES)
def test_kkm_anonymity(vector) -> None:
    verdict = verify(published(vector, with_secrets=False), KKmAnonymity(k=vector["k"], m=vector["m"]))
    assert verdict.holds == vector["ok"]
    expected = [(one["record"], tuple(one["items"]), one["group"]) for one in vector["violations"]]
    found = kkm_violations(vector["classes"], vector["transactions"], vector["k"], vector["m"])
    assert sorted(map(tuple, found)) == sorted(expected)
    if not vector["ok"]:
        smallest = min(len(items) for _, items, _ in expected)
        of_that_size = [group for _, items, group in expected if len(items) == smallest]
        assert (verdict.witness.size, verdict.witness.violations) == (smallest, len(of_that_size))
        assert verdict.witness.support == min(of_that_size)


@pytest.mark.parametrize("vector", CASES)
def test_klm_diversity(vector) -> None:
    k, m = vector["k"], vector["m"]
    assert verify(published(vector, with_secrets=True), KLmDiversity(k=k, l=2, m=m)).holds == vector["klm_l2"]
    assert is_klm_diverse(vector["classes"], vector["transactions"], vector["sensitive"], k, 2, m) == vector["klm_l2"]


def published(vector, *, with_secrets: bool) -> PublishedMixed:
    table = PublishedTable.from_texts(pl.DataFrame({"class": vector["classes"]}), {"class": "quasi"})
    rows = [
        [*items, *(secrets if with_secrets else ())]
        for items, secrets in zip(vector["transactions"], vector["sensitive"], strict=True)
    ]
    return PublishedMixed(table, PublishedTransactions.from_lists(rows), "items", ("Z",) if with_secrets else ())


FIGURES = "rt/rt_figures.json"


@pytest.mark.parametrize(
    "figure", [case(FIGURES, one, part="claims", name=one["figure"]) for one in load(FIGURES)["figures"]]
)
def test_what_the_figures_of_the_paper_promise(figure) -> None:
    vector = load(FIGURES)
    k, m, sensitive = vector["k"], vector["m"], set(vector["sensitive"])
    released, original = released_figure(figure), original_of_the_figures()
    # The printed Figure 2a is broken twice over: its symbols overlap, too.
    assert verify(released, KKmAnonymity(k=k, m=m)).holds == figure["kkm_all_items"]
    assert verify(released, KLmDiversity(k=k, l=1, m=m)).holds == figure["kkm_nonsensitive"]
    assert verify(released, KLmDiversity(k=k, l=2, m=m)).holds == figure["klm_l2"]
    classes = [str(cells) for cells in figure["relational"]]
    known = [["|".join(g) for g in row if not sensitive & set(g)] for row in figure["transactions"]]
    secrets = [[g[0] for g in row if sensitive & set(g)] for row in figure["transactions"]]
    assert (kkm_violations(classes, known, k, m) == []) == figure["kkm_nonsensitive"]
    assert (kkm_violations(["all"] * len(known), known, k, m) == []) == figure["k2m2_nonsensitive"]
    assert is_klm_diverse(classes, known, secrets, k, 2, m) == figure["klm_l2"]
    problem = recoding_problem(released, original)
    if figure["rows_not_truthful"]:
        assert f"row {figure['rows_not_truthful'][0]} " in problem
    else:
        assert problem is None


def original_of_the_figures() -> Mixed:
    vector = load(FIGURES)
    frame = pl.DataFrame(vector["relational"], schema=vector["attributes"], orient="row")
    table = Table.from_frame(frame, dict.fromkeys(vector["attributes"], "quasi"))
    items = Transactions.from_lists(vector["transactions"], vector["sensitive"])
    return Mixed(table, items, "items", ("items",))


def released_figure(figure) -> PublishedMixed:
    vector = load(FIGURES)
    columns = []
    for place, name in enumerate(vector["attributes"]):
        tree = Hierarchy(vector["hierarchies"][name]) if name in vector["hierarchies"] else None
        cells = [cell_of(row[place], tree) for row in figure["relational"]]
        columns.append(published_column(name, "category" if tree else "int", cells, tree))
    rows = [[symbol[0] if len(symbol) == 1 else symbol for symbol in row] for row in figure["transactions"]]
    items = PublishedTransactions.from_lists(rows)
    return PublishedMixed(PublishedTable(tuple(columns)), items, "items", tuple(vector["sensitive"]))


def merged(data: Mixed, method: MixedMethod) -> tuple[PublishedMixed, list[list[int]]]:
    """The verified publication and the clusters of a run."""
    context = RunContext()
    published = method.anonymize(data, context)
    verdict = verify(published, method.guarantee_of(data, published), data)
    assert verdict.holds, verdict
    return published, sorted(context.private["clusters"])


def shown_items(published: PublishedMixed, without: Sequence[str] = ()) -> list[list[list[str]]]:
    return [
        [[symbol] if isinstance(symbol, str) else symbol for symbol in row if symbol not in without]
        for row in published.transactions.to_lists()
    ]


def method_of(merge: str, rum: bool, **settings: Any) -> MixedMethod:
    return (RumBound if rum else TumBound)(merge=merge.lower(), seeds="first", **settings)


FIGURE_TREES = Hierarchies({name: Hierarchy(tree) for name, tree in load(FIGURES)["hierarchies"].items()})


@pytest.mark.parametrize(
    "figure", [case(FIGURES, one, part="ul", name=one["figure"]) for one in load(FIGURES)["figures"]]
)
def test_what_the_items_of_the_figures_lose(figure: Any) -> None:
    sensitive = load(FIGURES)["sensitive"]
    released = released_figure(figure)
    assert item_loss(released, tuple(sensitive)) == fraction(figure["ul"])
    known = [[symbol for symbol in row if symbol[0] not in sensitive] for row in figure["transactions"]]
    for literal, name in ((False, "ul"), (True, "ul_literal")):
        assert np.mean(losses_of(known, literal=literal)) == pytest.approx(figure[name]["value"], abs=1e-14)


def losses_of(rows: Sequence[Sequence[Sequence[str]]], *, literal: bool = False) -> Any:
    sizes = np.array([len(symbol) for row in rows for symbol in row], np.int64)
    offsets = np.cumsum([0, *map(len, rows)])
    codes = np.arange(len(sizes), dtype=np.int32)
    found = record_losses(offsets, codes, sizes, literal=literal)
    weights = np.ones(len(sizes)) if literal else (sizes > 1).astype(np.float64)
    np.testing.assert_allclose(cluster_losses(offsets, codes, sizes, weights), found, rtol=1e-13, atol=0)
    return found


@pytest.mark.parametrize(
    "described",
    [
        case(FIGURES, one, part="transaction_generalization", name=str(one["cluster"]))
        for one in load(FIGURES)["transaction_generalization"]
    ],
)
def test_the_items_of_a_cluster_of_the_figures(described: Any) -> None:
    vector, data = load(FIGURES), original_of_the_figures()
    rows = np.array(described["cluster"])
    recoder = ItemRecoder.of(data.transactions, vector["k"], vector["m"], 1, None)
    recoded = recoder.recoded(rows)
    assert recoded is not None
    found = [
        sorted(list(recoded.symbols[code]) for code in recoded.codes[start:end])
        for start, end in zip(recoded.offsets[:-1], recoded.offsets[1:], strict=True)
    ]
    assert found == described["transactions"]
    assert exact_loss([recoded], 0, len(rows)) == fraction(described["ul"])
    assert cluster_distance(recoder.offsets, recoder.items, rows) == fraction(described["btd"])
    quasi = QuasiIdentifiers.of(data.table, FIGURE_TREES, None, "test")
    alone = Clusters.of_lists(quasi, [rows])
    mean = Fraction(alone.cost() - alone.suppressed * quasi.denominator, quasi.denominator * len(rows))
    assert mean == fraction(described["rum"])


@pytest.mark.parametrize(
    "described", [case(FIGURES, one, part="rmerge", name=n) for n, one in enumerate(load(FIGURES)["rmerge"])]
)
def test_uniting_the_clusters_of_the_figures(described: Any) -> None:
    method = RumBound(
        k=load(FIGURES)["k"],
        m=load(FIGURES)["m"],
        merge=described["heuristic"].lower(),
        delta=described["delta"],
        policy=described["policy"],
        score=described["transaction_score"],
        seeds="first",
        hierarchy=FIGURE_TREES,
    )
    assert merged(original_of_the_figures(), method)[1] == described["clusters"]


@pytest.mark.parametrize(
    "described", [case(FIGURES, one, part="tum_bound", name=n) for n, one in enumerate(load(FIGURES)["tum_bound"])]
)
def test_bounding_the_loss_of_the_items_of_the_figures(described: Any) -> None:
    method = TumBound(
        k=load(FIGURES)["k"],
        m=load(FIGURES)["m"],
        merge=described["heuristic"].lower(),
        delta=described["delta"],
        seeds="first",
        hierarchy=FIGURE_TREES,
    )
    if "error" in described:
        with pytest.raises(Infeasible):
            merged(original_of_the_figures(), method)
    else:
        assert merged(original_of_the_figures(), method)[1] == described["clusters"]


METHODS = "rt/rt_methods_random.json"
POLICY = "rt/rmerge_policy_random.json"


def random_case(file: str, described: Any) -> tuple[Mixed, dict[str, Any]]:
    table = table_of(["age", "city", "job"], described["rows"], ["int", "category", "category"])
    data = Mixed(table, Transactions.from_lists(described["transactions"]), "items", ("items",))
    trees = Hierarchies({name: Hierarchy(tree) for name, tree in load(file)["hierarchies"].items()})
    return data, {"k": described["k"], "m": described["m"], "hierarchy": trees}


@pytest.mark.parametrize(
    ("described", "run"),
    [
        case(METHODS, described, run, part="runs", name=f"{number} {place}")
        for number, described in enumerate(load(METHODS)["cases"])
        for place, run in enumerate(described["runs"])
    ],
)
def test_the_six_methods(described: Any, run: Any) -> None:
    data, settings = random_case(METHODS, described)
    kind, heuristic = run["method"].split("_")
    policy = {"policy": run["policy"]} if "policy" in run else {}
    score = run["transaction_score"]
    method = method_of(heuristic, kind == "RMERGE", delta=run["delta"], score=score, **policy, **settings)
    if "error" in run:
        with pytest.raises(Infeasible):
            merged(data, method)
        return
    published, clusters = merged(data, method)
    assert clusters == run["clusters"]
    assert shown_items(published) == run.get("transactions", shown_items(published))
    assert table_loss(published, data) == ncp_loss(data.table, published.table).total == fraction(run["ncp"])
    assert item_loss(published, ()) == fraction(run["ul"])


@pytest.mark.parametrize(
    ("described", "policy"),
    [
        case(POLICY, described, policy, name=f"{number} {policy}")
        for number, described in enumerate(load(POLICY)["cases"])
        for policy in ("exhaustive", "paper")
    ],
)
def test_when_uniting_stops(described: Any, policy: str) -> None:
    data, settings = random_case(POLICY, described)
    heuristic = described["method"].removeprefix("RMERGE_")
    method = method_of(heuristic, True, delta=described["delta"]["value"], policy=policy, **settings)
    published, clusters = merged(data, method)
    assert clusters == described[policy]
    assert table_loss(published, data) == fraction(described[f"ncp_{policy}"])


EDGES = "rt/edges_random.json"


@pytest.mark.parametrize("described", [case(EDGES, one, part="rt", name=one["why"]) for one in load(EDGES)["rt"]])
def test_clusters_that_must_be_united(described: Any) -> None:
    table, trees = edge_table(described)
    data = Mixed(table, Transactions.from_lists(described["transactions"]), "items", ("items",))
    policy = {"policy": described["policy"]} if "policy" in described else {}
    method = method_of(
        described["heuristic"],
        described["method"] == "RMERGE",
        k=described["k"],
        m=described["m"],
        delta=described["delta"],
        hierarchy=Hierarchies(trees) if trees else None,
        **policy,
    )
    published, clusters = merged(data, method)
    assert clusters == described["clusters"]
    assert shown_items(published) == described.get("published", shown_items(published))
    assert table_loss(published, data) == fraction(described["ncp"])
    assert item_loss(published, ()) == fraction(described["ul"])


LOSSES = "rt/ul_btd_diversity_random.json"


@pytest.mark.parametrize(
    "described",
    [
        case(LOSSES, one, part=part, name=number)
        for part in ("ul", "ul_large")
        for number, one in enumerate(load(LOSSES)[part])
    ],
)
def test_what_a_record_of_generalized_items_loses(described: Any) -> None:
    record = [["x"] * size for size in described["sizes"]]
    expected = described["ul_float"] if "ul_float" in described else described["ul"]["value"]
    (found,) = losses_of([record])
    assert found == pytest.approx(expected, rel=1e-12, abs=0)
    if "ul_literal" in described:
        assert losses_of([record], literal=True)[0] == pytest.approx(described["ul_literal"]["value"], rel=1e-12)

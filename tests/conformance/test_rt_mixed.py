"""Golden vectors of mixed data: (k,k^m)-anonymity and (k,l^m)-diversity, counted and by definition."""

from __future__ import annotations

import polars as pl
import pytest

from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.guarantees import KKmAnonymity, KLmDiversity
from crypsis.hierarchy import Hierarchy
from crypsis.verifiers import verify
from crypsis.verifiers.mixed_by_definition import is_klm_diverse, kkm_violations
from crypsis.verifiers.mixed_recoding import recoding_problem
from tests.conformance.test_rt_queries import cell_of, published_column
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

"""Golden vectors of the methods that generalize items: Apriori, LRA, VPA, COAT, PCTA, their order and their promise."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import PoliciesConflict
from crypsis.guarantees import ItemsetDiversity, ItemsetKmAnonymity
from crypsis.hierarchy import ItemHierarchy, UtilityPolicy
from crypsis.kernels.gray_order import gray_order
from crypsis.methods import COAT, LRA, PCTA, VPA, Apriori, Method
from crypsis.metrics.item_ncp import item_ncp
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.conformance.vectors import case, load

KM_CHECK = "transaction/km_check_random.json"
CUTS = "transaction/aa_lra_vpa_random.json"
POLICIES = "transaction/coat_pcta_random.json"
DIVERSITY = "transaction/lm_diversity_random.json"
GRAY = "transaction/gray_order_random.json"


def cases(file: str) -> list[Any]:
    return [case(file, described, name=number) for number, described in enumerate(load(file)["cases"])]


def run(method: Method, data: Transactions) -> tuple[PublishedTransactions, dict[str, Any]]:
    context = RunContext()
    return method.anonymize(data, context), context.private


def named_rows(published: PublishedTransactions) -> list[list[str]]:
    names = published.symbol_names
    return [
        sorted(names[code] for code in published.codes[start:end].tolist())
        for start, end in zip(published.offsets[:-1], published.offsets[1:], strict=True)
    ]


@pytest.mark.parametrize("described", cases(KM_CHECK))
def test_km_check(described: dict[str, Any]) -> None:
    published = PublishedTransactions.from_lists(described["input"])
    promised = ItemsetKmAnonymity(k=described["k"], m=described["m"])
    verdict = verify(published, promised)
    assert verdict.holds is described["ok"]
    found = {(tuple(found["items"]), found["support"]) for found in described["violations"]}
    if verdict.witness is not None:
        assert (tuple(name for (name,) in verdict.witness.symbols), verdict.witness.support) in found
    listed = verdict.figures["violations_by_size"]
    sizes = Counter(len(items) for items, _ in found)
    assert listed == [sizes[size] for size in range(1, len(listed) + 1)]
    assert sum(listed) == len(found)


@pytest.mark.parametrize("described", cases(CUTS))
def test_aa_lra_vpa(described: dict[str, Any]) -> None:
    data = Transactions.from_lists(described["input"])
    tree = ItemHierarchy(described["hierarchy"].items())
    setting = {"k": described["k"], "m": described["m"], "hierarchy": tree}

    published, private = run(Apriori(**setting), data)
    expected = described["aa"]
    assert private["steps"] == [["generalize", nodes] for nodes in expected["steps"]]
    assert private["cut"] == {item: node for item, node in expected["cut"].items() if item in private["cut"]}
    assert item_ncp(data, published) == Fraction(expected["ncp"]["fraction"])

    published, private = run(LRA(**setting, partition_size=described["lra"]["partition_size"]), data)
    assert private["parts"] == described["lra"]["groups"]
    assert named_rows(published) == [sorted(row) for row in described["lra"]["published"]]

    published, private = run(VPA(**setting, parts=described["vpa"]["parts"]), data)
    assert private["domains"] == described["vpa"]["domains"]
    assert private["cut"] == {item: node for item, node in described["vpa"]["cut"].items() if item in private["cut"]}
    assert item_ncp(data, published) == Fraction(described["vpa"]["ncp"]["fraction"])


@pytest.mark.parametrize("described", cases(POLICIES))
def test_coat_pcta(described: dict[str, Any]) -> None:
    data = Transactions.from_lists(described["input"])
    setting = {"k": described["k"], "privacy": PrivacyPolicy(described["privacy"])}
    utility = UtilityPolicy(described["utility"])
    methods = {
        "coat_suppress_0": COAT(**setting, utility=utility),
        "coat_suppress_100": COAT(**setting, utility=utility, max_suppressed=1.0),
        "pcta": PCTA(**setting),
        "pcta_dataset_objective": PCTA(**setting, objective="dataset"),
    }
    for name, method in methods.items():
        expected = described[name]
        if expected["status"] != "ok":
            with pytest.raises(PoliciesConflict) as raised:
                run(method, data)
            assert raised.value.details["steps"] == expected["trace"]
            continue
        published, private = run(method, data)
        assert private["steps"] == expected["trace"], name
        assert named_rows(published) == [sorted(row) for row in expected["published"]]
        assert list(published.suppressed) == expected["suppressed"]
        assert verify(published, method.guarantee_of(data, published), data).holds


@pytest.mark.parametrize("described", cases(DIVERSITY))
def test_lm_diversity(described: dict[str, Any]) -> None:
    secrets = {secret for record in described["sensitive"] for secret in record}
    rows = [usual + secret for usual, secret in zip(described["input"], described["sensitive"], strict=True)]
    data = Transactions.from_lists(rows, sensitive=secrets)
    k, l, m = described["k"], described["l"], described["m"]  # noqa: E741
    method = Apriori(k=k, l=l, m=m, hierarchy=ItemHierarchy(described["hierarchy"].items()))
    published, private = run(method, data)
    assert private["cut"] == {item: node for item, node in described["cut"].items() if item in private["cut"]}
    assert verify(published, method.guarantee_of(data, published), data).holds

    untouched = PublishedTransactions.from_lists(rows, sensitive=secrets)
    verdict = verify(untouched, ItemsetDiversity(k=1, l=l, m=m))
    assert verdict.holds is (not described["violations_before"])
    if verdict.witness is not None:
        *items, secret = (name for (name,) in verdict.witness.symbols)
        broken = {
            (tuple(items), secret): (both, alone) for items, secret, both, alone in described["violations_before"]
        }
        both, alone = broken[tuple(items), secret]
        assert verdict.witness.support == both
        assert f"{both} of {alone}" in str(verdict.problem)


@pytest.mark.parametrize("described", cases(GRAY))
def test_gray_order(described: dict[str, Any]) -> None:
    data = Transactions.from_lists(described["input"])
    assert list(data.vocabulary.labels) == [item for item in described["order"] if item in data.vocabulary]
    order = gray_order(data.offsets, data.items)
    rows = data.to_lists()
    assert [rows[row] for row in order.tolist()] == described["sorted"]

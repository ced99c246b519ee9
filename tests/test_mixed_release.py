"""Releases of mixed data: written sorted and whole, read back with sensitive items and scopes, bounds rechecked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.mixed import Mixed
from crypsis.data.transaction import PublishedTransactions
from crypsis.errors import BadParameter, BadRelease, Infeasible, InfeasibleDiversity
from crypsis.guarantees import KKmAnonymity, KLmDiversity
from crypsis.hierarchy import Hierarchies, Hierarchy, UtilityPolicy
from crypsis.hierarchy.balanced import BalancedHierarchy
from crypsis.methods import LRA, RFirst, RumBound, TFirst, TumBound
from crypsis.verifiers import verify

PEOPLE = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal"],
        "age": [34, 20, 22, 36, 70, 21, 66, 35],
        "city": ["Rome", "Oslo", "Riga", "Rome", "Oslo", "Oslo", "Rome", "Riga"],
        "codes": ["flu burn", "flu", "flu hiv", "burn cold", "cold", "flu cold", "cold hiv", ""],
    }
)
ROLES = {"name": "identifier", "age": "quasi", "city": "quasi"}
CITIES = Hierarchy({"Oslo": "North", "Riga": "North", "Rome": "South", "North": "Any", "South": "Any"})
TREES = Hierarchies({"city": CITIES})


def people(sensitive: tuple[str, ...] = ()) -> Mixed:
    return Mixed.from_frame(PEOPLE, ROLES, {"codes": " "}, sensitive={"codes": sensitive} if sensitive else None)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("secrets", [(), ("hiv",)])
def test_a_written_release_is_read_back_and_verified(tmp_path: Path, format: str, secrets: tuple[str, ...]) -> None:
    data = people(secrets)
    release = crypsis.anonymize(data, RumBound(k=2, m=2, l=2, delta=0.8, hierarchy=TREES))
    folder = release.write(tmp_path / "r", format=format, private_report=tmp_path / "private.json")
    again = crypsis.read_release(folder)
    assert isinstance(again.guarantee, KLmDiversity if secrets else KKmAnonymity)
    assert again.data.sensitive == secrets
    assert again.verify().holds
    assert again.verify(data).holds
    assert sorted(again.data.to_frame().rows()) == sorted(release.data.to_frame().rows())
    assert "name" not in again.data.table.names
    assert "Ann" not in (folder / "report.html").read_text()
    private = json.loads((tmp_path / "private.json").read_text())
    assert sorted(row for rows in private["clusters"] for row in rows) == list(range(8))


def test_recodings_inside_a_class_are_told_and_read_back(tmp_path: Path) -> None:
    n_records = 60
    frame = pl.DataFrame(
        {
            "age": [30] * n_records,
            "codes": [["a", "b"] if one % 2 else ["c", f"d{one % 4}"] for one in range(n_records)],
        }
    )
    data = Mixed.from_frame(frame, {"age": "quasi"}, {"codes": None})
    release = crypsis.anonymize(data, RFirst(k=2, m=2, transaction="lra"))
    assert LRA(k=2)._parts(np.arange(n_records))[1:]
    assert release.data.scopes is not None
    again = crypsis.read_release(release.write(tmp_path / "r"))
    assert again.data.scopes is not None
    assert sorted(again.data.scopes.tolist()) == sorted(release.data.scopes.tolist())
    assert again.verify(data).holds


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_generalized_items_are_names_whose_meaning_is_told_once(tmp_path: Path, format: str) -> None:
    items = [f"d{number:03}" for number in range(300)]
    frame = pl.DataFrame({"age": [30] * 300, "codes": [[item] for item in items]})
    data = Mixed.from_frame(frame, {"age": "quasi"}, {"codes": None})
    release = crypsis.anonymize(data, RFirst(k=150, m=1))
    folder = release.write(tmp_path / "r", format=format)
    file = folder / f"mixed.{format}"
    shown = (pl.read_csv(file, infer_schema=False) if format == "csv" else pl.read_parquet(file))["codes"]
    meanings = pl.read_csv(folder / "generalized_items.csv", infer_schema=False)
    names = {name for text in shown for name in json.loads(text)}
    assert names == set(meanings["name"])
    assert sorted(meanings["item"]) == items
    assert not any(item == name for item in items for name in names)
    again = crypsis.read_release(folder)
    assert sorted(map(repr, again.data.transactions.to_lists())) == sorted(
        map(repr, release.data.transactions.to_lists())
    )
    package = json.loads((folder / "datapackage.json").read_text())
    assert [resource["path"] for resource in package["resources"]] == [file.name, "generalized_items.csv"]
    assert again.verify(data).holds


def test_a_changed_meaning_breaks_the_promise(tmp_path: Path) -> None:
    data = people()
    folder = crypsis.anonymize(data, RFirst(k=7, m=1)).write(tmp_path / "r")
    file = folder / "generalized_items.csv"
    assert '"(burn,cold,flu,hiv)",flu' in file.read_text()
    file.write_text(file.read_text().replace('"(burn,cold,flu,hiv)",flu\n', ""))
    again = crypsis.read_release(folder)
    assert "generalized_items.csv is not the file that was written" in str(again.verify())
    assert "cannot be paired" in str(again.verify(data))
    file.unlink()
    with pytest.raises(BadRelease, match=r"lacks its file generalized_items\.csv"):
        crypsis.read_release(folder)


def test_names_in_a_file_say_nothing_about_how_items_were_generalized() -> None:
    many = [f"x{number}" for number in range(9)]
    sets = [["a", "b"], ["a", "b", "c", "d", "e", *many[:4]], ["a", "b", "c", "d", "e", *many[4:8]], ["(a,b)"]]
    one = PublishedTransactions.from_lists([[symbol] for symbol in sets])
    turned = PublishedTransactions.from_lists([[symbol] for symbol in sets[::-1]])
    assert one.symbol_names == turned.symbol_names[::-1]
    assert one.symbol_names == ("(a,b)'", "(a,b,c,d,e,x0,x1,x2,x3)", "(a,b,c,d,e,x4,x5,x6,x7)", "(a,b)")
    with pytest.MonkeyPatch.context() as patch:  # where the names of all records would take too much room
        patch.setattr("crypsis.data.transaction.LONGEST_NAMES", 10)
        short = PublishedTransactions.from_lists([[symbol] for symbol in sets])
        assert short.symbol_names == ("(a,b)'", "(a,b,c,d,+5)", "(a,b,c,d,+5)'", "(a,b)")


def test_with_the_private_report_rows_are_compared_one_by_one(tmp_path: Path) -> None:
    data = people()
    release = crypsis.anonymize(data, RumBound(k=2, m=2, delta=0.8, hierarchy=TREES))
    folder = release.write(tmp_path / "r", private_report=tmp_path / "private.json")
    again = crypsis.read_release(folder, private_report=tmp_path / "private.json")
    assert again.data == release.data
    (tmp_path / "private.json").write_text('{"schema": "crypsis-private-report/1"}')
    with pytest.raises(BadRelease, match="which input record became which"):
        crypsis.read_release(folder, private_report=tmp_path / "private.json")


def test_the_order_of_a_written_release_says_nothing_about_the_input(tmp_path: Path) -> None:
    data = people()
    turned = data.take(np.arange(len(data))[::-1].copy())
    method = TFirst(k=7, m=2)
    written = [
        (crypsis.anonymize(one, method).write(tmp_path / name) / "mixed.csv").read_text()
        for one, name in ((data, "a"), (turned, "b"))
    ]
    assert written[0] == written[1]


@pytest.mark.parametrize("method", [RumBound(k=2, delta=0.8), TumBound(k=2, delta=0.9)])
def test_a_bound_on_the_loss_is_part_of_the_promise_and_rechecked(method) -> None:
    data = people()
    release = crypsis.anonymize(data, method)
    bounded = "ncp" if isinstance(method, RumBound) else "ul"
    assert getattr(release.guarantee, bounded) == method.delta
    assert release.verify().holds
    tighter = replace(release.guarantee, **{bounded: 0.0})
    verdict = verify(release.data, tighter, data)
    assert not verdict.holds
    assert f"bound: {bounded.upper()} is" in str(verdict)


def test_with_weights_the_bound_is_kept_but_not_promised() -> None:
    release = crypsis.anonymize(people(), RumBound(k=2, delta=0.8, weights=crypsis.Weights({"age": 3})))
    assert release.guarantee.ncp is None
    assert release.context.private["ncp"] <= 0.8


@pytest.mark.parametrize("form", ["literal", "semantic"])
def test_another_form_of_the_items_loss_bounds_but_promises_nothing(form: str) -> None:
    data = people()
    release = crypsis.anonymize(data, TumBound(k=2, delta=0.9, item_loss=form, merge="rt", score="ul"))
    assert release.guarantee == KKmAnonymity(k=2, m=2)
    assert release.context.private["ul"] <= 0.9
    pairs = BalancedHierarchy(fanout=2)
    bounded = [
        crypsis.anonymize(data, RumBound(k=2, delta=0.8, item_loss=one, item_hierarchy=pairs)).context
        for one in ("zero", form)
    ]
    assert bounded[0].private["ul"] != bounded[1].private["ul"]


def test_an_unreachable_bound_is_refused_with_the_least_one() -> None:
    with pytest.raises(Infeasible, match="more than delta=0.01") as refused:
        crypsis.anonymize(people(), RumBound(k=2, delta=0.01))
    reached = crypsis.anonymize(people().take(np.arange(6)), RumBound(k=2, delta=0.8)).context.private["ncp"]
    assert 0.01 < refused.value.details["least_delta"] < 0.8
    assert reached <= 0.8
    with pytest.raises(Infeasible, match="best_effort"):
        crypsis.anonymize(people(), TumBound(k=3, delta=0.0))


def test_best_effort_promises_no_bound() -> None:
    release = crypsis.anonymize(people(), TumBound(k=3, delta=0.0, best_effort=True))
    assert release.guarantee == KKmAnonymity(k=3, m=2)
    assert release.verify().holds
    assert "best that was seen" in release.context.warnings[0]


def test_a_sensitive_item_of_too_many_is_named() -> None:
    with pytest.raises(InfeasibleDiversity, match="'flu' is in 4 of 8 records, more than one in 3"):
        crypsis.anonymize(people(("flu",)), RumBound(k=2, l=3, delta=1))


def test_clusters_whose_items_cannot_be_generalized_are_refused() -> None:
    frame = pl.DataFrame({"age": [1, 1, 9, 9], "codes": ["a", "", "a", "b"]})
    data = Mixed.from_frame(frame, {"age": "quasi"}, {"codes": " "})
    with pytest.raises(Infeasible, match="the items of 2 records in 1 cluster ") as refused:
        crypsis.anonymize(data, RFirst(k=2))
    assert "utility policy" not in str(refused.value)
    with pytest.raises(Infeasible, match="allow larger sets in the utility policy"):
        crypsis.anonymize(data, RFirst(k=2, utility=UtilityPolicy([])))
    assert crypsis.anonymize(data, RumBound(k=2, delta=1)).verify().holds


def test_suppression_belongs_to_methods_that_suppress() -> None:
    with pytest.raises(BadParameter, match="relational='cluster' suppresses no records"):
        RumBound(max_suppressed=0.1)
    release = crypsis.anonymize(
        people(), RumBound(k=3, delta=1, relational="incognito", max_suppressed=0.4, hierarchy=TREES)
    )
    assert release.verify().holds


@pytest.mark.parametrize("relational", ["cluster", "mondrian", "incognito", "top-down", "bottom-up"])
@pytest.mark.parametrize("transaction", ["pcta", "apriori", "lra", "vpa", "coat"])
@pytest.mark.parametrize("method", [RumBound, TumBound])
def test_every_pair_of_methods_makes_a_verified_release(method, relational: str, transaction: str) -> None:
    setting = method(k=2, m=2, delta=1, relational=relational, transaction=transaction, merge="rt", hierarchy=TREES)
    release = crypsis.anonymize(people(), setting)
    assert release.verify().holds, release.verify()


def test_one_changed_symbol_is_noticed() -> None:
    data = people()
    release = crypsis.anonymize(data, RumBound(k=2, m=2, delta=0.8, hierarchy=TREES))
    shown = release.data.transactions.to_lists()
    shown[1] = ["burn"]
    tampered = replace(release.data, transactions=PublishedTransactions.from_lists(shown))
    assert not verify(tampered, release.guarantee, data).holds

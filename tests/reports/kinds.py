"""A small release of every kind, to report on, and what is declared about it."""

from __future__ import annotations

import polars as pl

import crypsis
from crypsis.reports.about import About

ABOUT = About(
    title="Łódź & Zürich <2026>",
    controller="Town hospital",
    purpose="Research",
    recipient="Institute",
    legal_basis="Art. 6 (1) (e) GDPR",
    made_by="A. Registrar",
    approved_by="B. Officer",
)


def a_table() -> crypsis.Release:
    frame = pl.DataFrame({"age": [20, 21, 22, 50, 51, 52] * 4, "ill": ["flu", "cold", "gout"] * 8})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    return crypsis.anonymize(table, crypsis.Mondrian(k=3))


def sets() -> crypsis.Release:
    records = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread", "wine"]] * 6
    return crypsis.anonymize(crypsis.Transactions.from_lists(records), crypsis.Apriori(k=3, m=2))


def chunks() -> crypsis.Release:
    records = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread", "wine"]] * 6
    return crypsis.anonymize(crypsis.Transactions.from_lists(records), crypsis.Disassociation(k=3, m=2))


def sequences() -> crypsis.Release:
    rows = [["home", "shop", "work"], ["home", "work"], ["shop", "work"], ["home", "shop"]] * 6
    places = {"home": (0.0, 0.0), "shop": (500.0, 100.0), "work": (800.0, 900.0)}
    return crypsis.anonymize(crypsis.Trajectories.from_lists(rows, places), crypsis.SeqAnon(k=3, m=2))


def several_promises() -> crypsis.Release:
    frame = pl.DataFrame({"age": [20, 21, 22, 50, 51, 52] * 4, "<=50K": ["yes", "no", "never"] * 8})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "<=50K": "sensitive"})
    return crypsis.anonymize(table, crypsis.Mondrian(k=3, l=2))


def mixed() -> crypsis.Release:
    frame = pl.DataFrame({"age": [20, 22, 38, 41, 60, 63] * 4, "codes": [["flu"], ["flu", "burn"], ["cold"]] * 8})
    return crypsis.anonymize(
        crypsis.Mixed.from_frame(frame, {"age": "quasi"}, {"codes": None}), crypsis.RFirst(k=3, m=1)
    )


def cut_sequences() -> crypsis.Release:
    rows = [["home", "shop", "work"], ["home", "work"], ["shop", "work"], ["home", "shop"]] * 6 + [["inn", "home"]]
    return crypsis.anonymize(crypsis.Trajectories.from_lists(rows), crypsis.KAMRec(k=3, p=40))


def replaced() -> crypsis.Release:
    rows = [["home", "shop", "work"], ["home", "work"], ["shop", "work"], ["home", "shop"]] * 6 + [["inn", "home"]]
    return crypsis.anonymize(crypsis.Trajectories.from_lists(rows), crypsis.BFP2kA(k=3))


def cells() -> crypsis.Release:
    walks = [[(0.0, 0.0, 0), (900.0, float(turn), 60), (1800.0, 0.0, 120)] for turn in range(8)]
    return crypsis.anonymize(crypsis.Tracks.from_lists(walks), crypsis.PPSG(k=3, radius=300))


def windows() -> crypsis.Release:
    seen = [(f"p{person}", place, t) for t, place in enumerate("abac") for person in range(8)]
    return crypsis.anonymize(crypsis.Events.from_lists(seen), crypsis.ITSA(L=1, K=3, N=2))


def counts() -> crypsis.Release:
    frame = pl.DataFrame({"age": [20, 21, 50, 51] * 30, "ill": ["flu", "cold"] * 60})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "label"})
    domains = {"age": crypsis.NumericDomain(0, 100), "ill": crypsis.CategoryDomain(("cold", "flu"))}
    return crypsis.anonymize(table, crypsis.DiffMulti(epsilon=1, domains=crypsis.AttributeDomains(domains)))


def counts_of_many_classes() -> crypsis.Release:
    wards = [f"inpatient department {number}" for number in range(11)]
    frame = pl.DataFrame({"age": [20, 21, 50, 51] * 33, "ward": wards * 12})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ward": "label"})
    domains = {"age": crypsis.NumericDomain(0, 100), "ward": crypsis.CategoryDomain(tuple(wards))}
    return crypsis.anonymize(table, crypsis.DiffGen(epsilon=1, domains=crypsis.AttributeDomains(domains)))


def made_up_sets() -> crypsis.Release:
    records = [["milk", "bread"], ["milk"], ["bread"]] * 200
    method = crypsis.DiffPart(epsilon=1, fan_out=2, item_domain=crypsis.ItemDomain(["beer", "bread", "milk"]))
    return crypsis.anonymize(crypsis.Transactions.from_lists(records), method)


def made_up_sequences() -> crypsis.Release:
    seen = [(f"p{person}", place, t) for t, place in enumerate(["home", "work"]) for person in range(300)]
    method = crypsis.SafePath(
        epsilon=2,
        height=2,
        scheme="flat",
        location_domain=crypsis.LocationDomain(["home", "park", "work"]),
        time_domain=crypsis.TimeDomain(0, 4),
    )
    return crypsis.anonymize(crypsis.Events.from_lists(seen), method)


KINDS = [
    *(a_table, several_promises, sets, chunks, mixed, sequences, cut_sequences, cells),
    *(windows, counts, counts_of_many_classes, made_up_sets, made_up_sequences),
]

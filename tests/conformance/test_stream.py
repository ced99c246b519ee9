"""The specification's vectors of streams: windows in all modes, the verifier, the intake, the metrics."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from crypsis.data.sensitive_values import SensitiveValues
from crypsis.data.vocabulary import Vocabulary
from crypsis.data.windows import PublishedWindow, PublishedWindows
from crypsis.guarantees import LKCPrivacy
from crypsis.methods.stream.intake import Intake
from crypsis.methods.stream.sliding_window import Slide
from crypsis.metrics.suppression import distortion_ratio, information_distortion
from crypsis.verifiers.lkc_privacy import Table, joined_table, lkc_findings
from tests.conformance.vectors import all_files, case, load
from tests.methods.stream.streams import Case, slides
from tests.reference import itsa as reference

FILES = sorted(file for file in all_files() if file.startswith("stream/") and "params" in load(file))
VERIFIER, METRICS, INGEST = "stream/verifier.json", "stream/metrics.json", "stream/ingest.json"
TRIE, LINKAGE, TABLE = "stream/table_4_1_trie.json", "stream/linkage_examples.json", "stream/table_4_1.json"
MODES = ("itsa", "cumulative", "static")


class Stream:
    """A vector's stream with people and locations as numbers, and the way back to its labels."""

    def __init__(self, vector: Any, mode: str) -> None:
        given = vector["params"]
        self.people = sorted({event["id"] for event in vector["events"]})
        self.places = sorted({event["loc"] for event in vector["events"]})
        self.values = given["sensitive_values"]
        person, place = self.people.index, self.places.index
        tokens = {
            person(name): [self.values.index(value)] if value in self.values else []
            for name, value in vector["sensitive"].items()
            if name in self.people
        }
        settings = {"step": given["step_size"], "mode": mode, "H": given.get("H"), "prune": False}
        settings |= {name: given[name] for name in ("L", "K", "N", "t0", "t_last")} | {"flush_partial": False}
        self.case = Case(
            [(person(event["id"]), place(event["loc"]), event["t"]) for event in vector["events"]],
            tokens,
            [Fraction(given["C"])] * len(self.values),
            settings,
            {int(window): [person(name) for name in names] for window, names in vector.get("erase", {}).items()},
        )

    def names(self, slide: Slide, codes: Any) -> list[str]:
        return [f"{self.places[slide.place[code]]}.{slide.time[code]}" for code in codes]

    def described(self, slide: Slide) -> dict[str, Any]:
        people, offsets, codes = slide.published
        shown = slide.suppressed_instances
        return {
            "x": slide.x,
            "y": slide.y,
            "critical_violations": [self.names(slide, one) for one in slide.violations],
            "suppressed": self.names(slide, slide.suppressed),
            "published": {
                self.people[person]: self.names(slide, codes[start:end])
                for person, (start, end) in zip(people.tolist(), pairwise(offsets.tolist()), strict=True)
            },
            "empty_records": sorted(self.people[person] for person in slide.emptied.tolist()),
            "distortion_ratio": str(Fraction(shown, slide.instances) if slide.instances else Fraction(0)),
        }


@pytest.mark.parametrize(
    ("file", "mode"),
    [case(file, file, mode, name=mode) for file in FILES for mode in MODES if mode in load(file)["expected"]],
)
def test_windows(file: str, mode: str) -> None:
    vector = load(file)
    stream = Stream(vector, mode)
    expected = [{**window, "empty_records": sorted(window["empty_records"])} for window in vector["expected"][mode]]
    assert [stream.described(slide) for slide in slides(stream.case)] == expected


@pytest.mark.parametrize("file", [case(file, file, name="union of the windows") for file in FILES])
def test_what_a_recipient_who_keeps_every_window_can_find(file: str) -> None:
    vector = load(file)
    stream = Stream(vector, "itsa")
    made = slides(stream.case)
    given = vector["params"]
    promised = LKCPrivacy(
        L=given["L"], K=given["K"], C=given["C"], sensitive_values=SensitiveValues({"sa": given["sensitive_values"]})
    )
    published = as_published(stream, made)
    table = joined_table(published, published.windows, promised, None, given["t_last"])
    found = lkc_findings(
        table, promised.L, promised.K, promised.sensitive_values.shares(promised.C), given["sensitive_values"]
    )
    names = [[f"{stream.places[place]}.{t}" for t, place in one] for one in found.listed]
    assert names == vector["expected"]["itsa_union_violations"][:100]
    assert found.violations == len(vector["expected"]["itsa_union_violations"])


def as_published(stream: Stream, made: list[Slide]) -> PublishedWindows:
    classes = [frozenset[tuple[str, str]]()] + [frozenset({("sa", value)}) for value in stream.values]
    held = np.array([1 + stream.case.tokens[p][0] if stream.case.tokens[p] else 0 for p in range(len(stream.people))])
    windows = []
    for slide in made:
        people, offsets, codes = slide.published
        names = tuple(stream.people[person] for person in people.tolist())
        windows.append(
            PublishedWindow(
                slide.seq,
                slide.x,
                slide.y,
                names,
                offsets,
                slide.place[codes],
                slide.time[codes],
                held[people].astype(np.int32),
                people,
            )
        )
    return PublishedWindows(tuple(windows), Vocabulary(stream.places), tuple(classes), linkable=True)


@pytest.mark.parametrize("vector", [case(TABLE, load(TABLE), name="candidates and scores")])
def test_the_running_example_step_by_step(vector: Any) -> None:
    stream = Stream(vector, "itsa")
    _, slide = slides(stream.case)
    expected = vector["expected"]
    assert stream.names(slide, slide.winners) == [round["winner"] for round in expected["score_trace_window_2_4"]]
    table = {
        person: {(t, place) for who, place, t in stream.case.events if who == person and 2 <= t <= 4}
        for person in range(len(stream.people))
    }
    new = {(t, place) for _, place, t in stream.case.events if t == 4} - {(4, stream.places.index("e"))}
    pairs = [
        [f"{stream.places[place]}.{t}" for t, place in one]
        for one in sorted(reference.sequences(table, 2))
        if new.intersection(one)
    ]
    assert pairs == expected["cand2_window_2_4"]
    assert slide.counted == len(pairs) + 2  # and the two new doublets
    assert [
        [f"{stream.places[place]}.{t}" for t, place in one]
        for one in sorted(reference.sequences(table, 3))
        if new.intersection(one) and not {(2, stream.places.index("b"))}.intersection(one)
    ] == expected["cand3_window_2_4_if_L3"]
    scores = [
        {name: Fraction(score) for name, score in round["table"].items()}
        for round in expected["score_trace_window_2_4"]
    ]
    for table_of_round, round in zip(scores, expected["score_trace_window_2_4"], strict=True):
        assert max(table_of_round, key=table_of_round.__getitem__) == round["winner"]
    by_time = (
        {event["t"] for event in expected["outdated_window_2_4"]},
        {event["t"] for event in expected["new_window_2_4"]},
    )
    assert by_time == ({1}, {4})


@pytest.mark.parametrize("vector", [case(TRIE, load(TRIE))])
def test_supports_of_the_running_example(vector: Any) -> None:
    stream = Stream(load(TABLE), "itsa")
    rows: dict[int, set[str]] = {}
    for person, place, t in stream.case.events:
        if t >= 2:
            rows.setdefault(person, set()).add(f"{stream.places[place]}.{t}")
    assert len(rows) == vector["root_count"]
    for counted, sensitive_only in (("supports_raw", False), ("sensitive_supports_raw", True)):
        for sequence, support in vector[counted].items():
            holders = [person for person, row in rows.items() if set(sequence.split(">")) <= row]
            if sensitive_only:
                holders = [person for person in holders if stream.case.tokens[person]]
            assert len(holders) == support
    _, slide = slides(stream.case)
    published = stream.described(slide)["published"]
    for kind, table in (("raw", rows.values()), ("anonymous", published.values())):
        ordered = [sorted(row, key=lambda name: (name.split(".")[1], name)) for row in table]
        for node in vector[kind]:
            assert sum(row[: len(node["path"])] == node["path"] for row in ordered) == node["count"]


def doublet(name: str) -> tuple[int, str]:
    place, _, t = name.rpartition(".")
    return int(t), place


@pytest.mark.parametrize(
    "vector", [case(VERIFIER, one, name=number) for number, one in enumerate(load(VERIFIER)["cases"])]
)
def test_verifier(vector: Any) -> None:
    values = sorted({value for held in vector["sensitive"].values() for value in held} | {"s"})
    table = Table.of(
        [[doublet(name) for name in row] for row in vector["table"].values()],
        [[values.index(value) for value in vector["sensitive"][person]] for person in vector["table"]],
    )
    found = lkc_findings(table, vector["L"], vector["K"], [Fraction(vector["C"])] * len(values), values)
    assert found.private is vector["private"]
    assert [[f"{place}.{t}" for t, place in one] for one in found.listed] == vector["violations"]
    assert found.violations == len(vector["violations"])
    obvious = reference.critical(found.listed)
    assert [[f"{place}.{t}" for t, place in one] for one in obvious] == vector["critical"]


@pytest.mark.parametrize(
    "vector", [case(METRICS, one, name=number) for number, one in enumerate(load(METRICS)["cases"])]
)
def test_metrics(vector: Any) -> None:
    raw = sum(map(len, vector["raw"].values()))
    lost = raw - sum(map(len, vector["published"].values()))
    assert distortion_ratio(lost, raw) == Fraction(vector["distortion_ratio"])
    longest = Fraction(vector["max_point_translation"])
    assert information_distortion(lost, longest) == Fraction(vector["information_distortion"])


@pytest.mark.parametrize(
    ("log", "vector"),
    [case(INGEST, load(INGEST)["log"], one, name=number) for number, one in enumerate(load(INGEST)["cases"])],
)
def test_intake(log: Any, vector: Any) -> None:
    intake = Intake(**vector["options"])
    accepted = [event for event in log if intake.offer(event) == "accepted"]
    assert [{name: event[name] for name in ("id", "loc", "t")} for event in accepted] == vector["accepted"]
    assert dict(intake.counters) == vector["counters"]
    values = {number: values for values, number in intake.classes.items()}
    kept = {person: next(iter(values[intake.class_of[number]]), None) for person, number in intake.people.items()}
    assert kept == vector["sensitive"]
    people, places, times, _ = intake.take(10**6)
    names, labels = list(intake.people), list(intake.places)
    taken = {(names[p], labels[place], t) for p, place, t in zip(people, places, times.tolist(), strict=True)}
    assert taken == {(event["id"], event["loc"], event["t"]) for event in vector["accepted"]}


@pytest.mark.parametrize(
    "vector", [case(LINKAGE, one, name=number) for number, one in enumerate(load(LINKAGE)["stream"]["cases"])]
)
def test_what_knowledge_about_a_stream_fits(vector: Any) -> None:
    example = load(LINKAGE)["stream"]
    held = reference.sequences(
        {person: [doublet(name) for name in row] for person, row in example["table"].items()},
        len(vector["knowledge"]),
    )
    matches = held[tuple(sorted(map(doublet, vector["knowledge"])))]
    assert matches == vector["matches"]
    sure = [person for person in matches if example["sensitive"][person] == "sen_val1"]
    assert Fraction(len(sure), len(matches)) == Fraction(vector["confidence_sen_val1"])
    table = Table.of(
        [[doublet(name) for name in row] for row in example["table"].values()],
        [[0] if example["sensitive"][person] == "sen_val1" else [] for person in example["table"]],
    )
    below = Fraction(len(sure), len(matches)) - Fraction(1, 100)
    found = lkc_findings(table, 3, len(matches), [below], ["sen_val1"])
    assert tuple(sorted(map(doublet, vector["knowledge"]))) in found.listed
    found = lkc_findings(table, 3, len(matches) + 1, [Fraction(1)], ["sen_val1"])
    assert tuple(sorted(map(doublet, vector["knowledge"]))) in found.listed


@pytest.mark.parametrize("vector", [case(LINKAGE, load(LINKAGE)["relational"], name="tables")])
def test_what_knowledge_about_a_table_fits(vector: Any) -> None:
    for kind, value in (("record_linkage", None), ("attribute_linkage", "HIV")):
        told = vector[kind]
        matches = [n for n, row in enumerate(vector["raw"], 1) if row[:3] == told["knowledge"]]
        assert matches == told["matches"]
        if value is not None:
            share = Fraction(sum(vector["raw"][n - 1][3] == value for n in matches), len(matches))
            assert share == Fraction(told["confidence_HIV"])
    groups: dict[str, list[str]] = {}
    for *known, value in vector["generalized"]:
        groups.setdefault("|".join(known), []).append(value)
    assert sorted(map(len, groups.values())) == sorted(vector["group_sizes"])
    # A table is one window in which nobody has more than one doublet, the group: L = 1.
    numbers = {name: number for number, name in enumerate(groups)}
    rows = [[(0, numbers[name])] for name, values in groups.items() for _ in values]
    tokens = [[0] if value == "HIV" else [] for values in groups.values() for value in values]
    table = Table.of(rows, tokens)
    assert lkc_findings(table, 1, vector["k"], [Fraction(1)], ["HIV"]).private
    for name, share in vector["confidence_HIV_per_group"].items():
        found = lkc_findings(table, 1, 1, [Fraction(share) - Fraction(1, 100)], ["HIV"])
        assert ((0, numbers[name]),) in found.listed
    entropies = {
        name: float(np.exp2(-sum(p * np.log2(p) for p in (values.count(v) / len(values) for v in set(values)))))
        for name, values in groups.items()
    }
    assert entropies == pytest.approx(vector["entropy_l"], abs=vector["tolerance"])
    assert min(entropies.values()) == pytest.approx(vector["entropy_l_table"], abs=vector["tolerance"])


@pytest.mark.parametrize(
    "vector", [case(LINKAGE, one, name=f"rows {n}") for n, one in enumerate(load(LINKAGE)["trajectories"]["cases"])]
)
def test_what_knowledge_about_rows_fits(vector: Any) -> None:
    data = load(LINKAGE)["trajectories"]["data"]
    matches = [number for number, row in enumerate(data, 1) if set(vector["knowledge"]) <= set(row)]
    assert matches == vector["matches"]
    for name, share in vector.get("other_doublets", {}).items():
        assert Fraction(sum(name in data[number - 1] for number in matches), len(matches)) == Fraction(share)

"""Sensitive values of several attributes, each with its own bound; and those known before the stream begins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crypsis.data.windows import read_windows
from crypsis.errors import BadConfiguration, BadRow, ConfigurationChanged, UnknownColumn, UnreadableFile
from crypsis.runtime import StreamConfiguration, StreamRun, stream
from crypsis.verifiers.lkc_privacy import verify_lkc_privacy
from tests.runtime.streams import event, prepared, published, tables, windows_of

TWO = {"ward": {"values": ["oncology"], "C": "1/3"}, "fare": ["student"]}


def patients(times: range, *, tell: bool = True) -> list[str]:
    """Six people at a, of whom two have the ward and three the fare; six at b, of whom three have the ward."""
    lines = []
    for t in times:
        for person in range(12):
            held = {"ward": "oncology" if person % 6 < 2 + (person >= 6) else "surgery"}
            if person % 2 == 0:
                held["fare"] = "student"
            lines.append(event(str(person), "ab"[person // 6], t, **({"sa": held} if tell else {})))
    return lines


def shown_places(folder: Path) -> set[str]:
    return {doublet[0] for window in windows_of(folder) for one in window["records"] for doublet in one["doublets"]}


def test_each_attribute_has_its_own_bound(tmp_path: Path) -> None:
    for bound, places in (("1/3", {"a"}), ("1/2", {"a", "b"}), ("1/4", set())):
        values = {**TWO, "ward": {"values": ["oncology"], "C": bound}}
        folder = tmp_path / bound.replace("/", "-")
        configuration = prepared(folder, patients(range(1, 8)), privacy={"sensitive_values": values})
        stream(configuration)
        assert shown_places(folder) == places
        read = read_windows(published(folder)[0].splitlines())
        assert verify_lkc_privacy(read, configuration.method.guarantee).holds


def test_values_are_published_by_attribute_and_undeclared_attributes_are_left_out(tmp_path: Path) -> None:
    lines = [
        event(str(person), "a", t, sa={"fare": "student", "name": "secret"}) for t in range(1, 8) for person in range(5)
    ]
    stream(prepared(tmp_path / "run", lines, privacy={"C": 1, "sensitive_values": {"fare": ["student"]}}))
    held = [one["sa"] for window in windows_of(tmp_path / "run") for one in window["records"]]
    assert held
    assert all(one == {"fare": ["student"]} for one in held)


def test_columns_of_a_csv_file_are_attributes(tmp_path: Path) -> None:
    changes = {"privacy": {"sensitive_values": TWO}}
    stream(prepared(tmp_path / "ndjson", patients(range(1, 8)), **changes))
    configuration = prepared(tmp_path / "csv", [], source={"kind": "csv", "path": "events.csv"}, **changes)
    rows = [json.loads(line) for line in patients(range(1, 8))]
    text = "".join(
        f"{one['id']},{one['loc']},{one['t']},{one['sa']['ward']},{one['sa'].get('fare', '')}\n" for one in rows
    )
    (tmp_path / "csv" / "events.csv").write_text("id,loc,t,ward,fare\n" + text, encoding="utf-8")
    stream(configuration)
    assert published(tmp_path / "csv") == published(tmp_path / "ndjson")


def test_plain_values_and_those_of_an_attribute_are_not_the_same(tmp_path: Path) -> None:
    lines = [
        event("1", "a", 1, sa="student"),
        event("1", "a", 2, sa={"fare": "student"}),
        event("1", "a", 3, sa={"sa": ["student"]}),
    ]
    done = stream(prepared(tmp_path / "run", lines, privacy={"sensitive_values": {"fare": ["student"], "sa": ["x"]}}))
    assert done["events"] == {"accepted": 2, "sa_conflict": 1}


@pytest.mark.parametrize("told", [{"fare": 3}, {"fare": {"x": "y"}}, {"fare": [["x"]]}, {"fare": ""}])
def test_strange_values_are_malformed(told: Any, tmp_path: Path) -> None:
    changes = {"privacy": {"sensitive_values": {"fare": ["student"]}}}
    lines = [event("1", "a", 1, sa=told), event("2", "a", 1, sa={"fare": "student"})]
    assert stream(prepared(tmp_path / "run", lines, **changes))["events"] == {"accepted": 1, "malformed": 1}


def test_a_stream_with_attributes_goes_on_after_a_stop(tmp_path: Path) -> None:
    changes = {"privacy": {"sensitive_values": TWO}}
    stream(prepared(tmp_path / "whole", patients(range(1, 30)), **changes))
    configuration = prepared(tmp_path / "run", patients(range(1, 30)), **changes)
    running = StreamRun(configuration)
    running.listener = lambda observed: running.stop() if observed.windows > 5 else None
    assert not running.execute()["finished"]
    stream(configuration)
    assert published(tmp_path / "run") == published(tmp_path / "whole")


@pytest.mark.parametrize("values", [{"fare": 3}, {"fare": {"values": ["x"], "C": "200%"}}, {"": ["x"]}])
def test_bad_sensitive_values_are_refused(values: Any) -> None:
    with pytest.raises(BadConfiguration, match="sensitive_values"):
        StreamConfiguration.from_tables(tables(privacy={"sensitive_values": values}))


def with_people(folder: Path, text: str, **run: Any) -> StreamConfiguration:
    configuration = prepared(
        folder,
        patients(range(1, 8), tell=False),
        privacy={"sensitive_values": TWO},
        run={"people": "people.csv", **run},
    )
    (folder / "people.csv").write_text(text, encoding="utf-8")
    return configuration


def test_values_known_beforehand_are_those_of_the_events(tmp_path: Path) -> None:
    """People who are in the table tell nothing and are protected all the same; who tells something else is refused."""
    stream(prepared(tmp_path / "told", patients(range(1, 8)), privacy={"sensitive_values": TWO}))
    held = {one["id"]: one["sa"] for one in map(json.loads, patients(range(1, 2)))}
    rows = "".join(f"{who},{sa['ward']},{sa.get('fare', '')},x\n" for who, sa in held.items())
    stream(with_people(tmp_path / "known", f"id,ward,fare,name\n{rows}"))
    assert published(tmp_path / "known")[0] == published(tmp_path / "told")[0]
    configuration = with_people(tmp_path / "other", f"id,ward,fare,name\n{rows}")
    (tmp_path / "other" / "events.ndjson").write_text(event("0", "a", 1, sa={"ward": "other"}), encoding="utf-8")
    assert stream(configuration)["events"] == {"sa_conflict": 1}


def test_another_table_of_people_cannot_go_on(tmp_path: Path) -> None:
    configuration = with_people(tmp_path / "run", "id,ward\n0,oncology\n")
    stream(configuration)
    (tmp_path / "run" / "people.csv").write_text("id,ward\n0,surgery\n", encoding="utf-8")
    with pytest.raises(ConfigurationChanged):
        stream(configuration)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("name,ward\n", UnknownColumn),
        ("id,ward\n1\n", BadRow),
        ("id,ward\n1,x\n1,y\n", BadRow),
        ("id,ward\n,x\n", BadRow),
        ('id,ward\n"1,x\n', UnreadableFile),
    ],
)
def test_a_bad_table_of_people_is_refused_with_its_line(text: str, error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error) as refused:
        stream(with_people(tmp_path / "run", text))
    assert "people.csv" in str(refused.value.where)

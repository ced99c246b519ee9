"""A bad configuration is refused before anything is read, with words that say what would do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crypsis.errors import BadConfiguration, SensitiveLocation
from crypsis.runtime import StreamConfiguration
from tests.runtime.streams import tables


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        ("privacy", "L", 0),
        ("privacy", "K", 0),
        ("privacy", "C", "140%"),
        ("privacy", "C", -0.1),
        ("privacy", "C", "much"),
        ("privacy", "N", 0),
        ("privacy", "step_size", 0),
        ("privacy", "step_size", 5),
        ("privacy", "H", 3),
        ("privacy", "mode", "fast"),
        ("privacy", "lateness", -1),
        ("privacy", "sensitive_values", "all"),
        ("privacy", "sensitive_values", []),
        ("privacy", "pseudonyms", "stable"),
        ("privacy", "k", 3),
        ("source", "kind", "kafka"),
        ("source", "path", 3),
        ("source", "topic", "x"),
        ("sink", "kind", ["ndjson"]),
        ("sink", "path", ""),
        ("run", "state", ""),
        ("run", "verify", "sometimes"),
        ("run", "verify", "sample:2"),
        ("run", "queue", 0),
        ("run", "queue", True),
        ("run", "max_bad_fraction", 1.5),
        ("run", "max_bad_fraction", float("nan")),
        ("run", "locations", ["a", "a"]),
        ("run", "locations", ["a\nb"]),
        ("run", "time_unit", "week"),
        ("run", "pseudonym_epoch", 3),
        ("run", "port", -1),
        ("run", "colour", "red"),
    ],
)
def test_a_bad_setting_is_refused_by_name(table: str, name: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration) as refused:
        StreamConfiguration.from_tables(tables(**{table: {name: value}}), tmp_path)
    assert refused.value.code == "bad-configuration"
    assert refused.value.details["parameter"] in (name, "sensitive_values", "topic")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("missing", ["path", "state"])
def test_what_is_needed_must_be_given(missing: str) -> None:
    content = tables()
    for table in ("source", "run"):
        content[table].pop(missing, None)
    with pytest.raises(BadConfiguration, match=missing):
        StreamConfiguration.from_tables(content)


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(BadConfiguration, match="privacy"):
        StreamConfiguration.from_tables({**tables(), "privac": {}})


def test_a_sensitive_value_that_is_a_location_is_refused() -> None:
    with pytest.raises(SensitiveLocation):
        StreamConfiguration.from_tables(tables(run={"locations": ["a", "ill"]}))


def test_a_live_source_needs_a_horizon_in_cumulative_mode() -> None:
    live = {"kind": "redis", "stream": "events"}
    with pytest.raises(BadConfiguration, match="give H"):
        StreamConfiguration.from_tables(tables(privacy={"mode": "cumulative"}, source=live))
    assert StreamConfiguration.from_tables(tables(privacy={"mode": "cumulative", "H": 8}, source=live)).live


def test_unbounded_may_be_said_in_words_for_a_file() -> None:
    said = StreamConfiguration.from_tables(tables(privacy={"mode": "cumulative", "H": "unbounded"}))
    assert said.method.H is None


def test_a_file_is_read_with_paths_relative_to_it(tmp_path: Path) -> None:
    file = tmp_path / "stream.toml"
    file.write_text(
        '[privacy]\nL = 2\nK = 3\nN = 4\n[source]\nkind = "csv"\npath = "in.csv"\n'
        '[sink]\nkind = "folder"\npath = "out"\n[run]\nstate = "state"\n',
        encoding="utf-8",
    )
    read = StreamConfiguration.read(file)
    assert read.path(read.source["path"]) == tmp_path / "in.csv"


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    file = tmp_path / "stream.toml"
    file.write_text("[privacy\n", encoding="utf-8")
    with pytest.raises(BadConfiguration, match="no TOML") as refused:
        StreamConfiguration.read(file)
    assert refused.value.where == str(file)


def test_only_what_decides_the_windows_is_in_the_digest() -> None:
    base = StreamConfiguration.from_tables(tables()).digest
    assert StreamConfiguration.from_tables(tables(run={"queue": 10, "verify": "off"})).digest == base
    for changed in ({"privacy": {"K": 4}}, {"sink": {"path": "other"}}, {"run": {"locations": ["a"]}}):
        assert StreamConfiguration.from_tables(tables(**changed)).digest != base
    other_value = tables(privacy={"sensitive_values": ["sick"]})
    assert StreamConfiguration.from_tables(other_value).digest != base

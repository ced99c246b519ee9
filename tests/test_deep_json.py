"""Deeply nested JSON, wherever a file may hold JSON, is refused with an error of ours and at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crypsis
from crypsis.cli.data import read_edits
from crypsis.data.attribute_domains import AttributeDomains
from crypsis.data.category_trees import CategoryTrees
from crypsis.data.constraints import UtilityConstraints
from crypsis.data.count_query import read_queries
from crypsis.data.inspection import inspect_file
from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.data.sensitive_values import SensitiveValues
from crypsis.data.windows import read_windows
from crypsis.errors import CrypsisError, InternalError
from crypsis.evaluate import Experiment
from crypsis.hierarchy.utility_policy import UtilityPolicy
from crypsis.publication.disassociated import read_disassociated
from crypsis.runtime.configuration import StreamConfiguration

READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "table": (".jsonl", lambda path: crypsis.read_table(path, {"a": "quasi"})),
    "transactions": (".jsonl", crypsis.read_transactions),
    "trajectories": (".jsonl", crypsis.read_trajectories),
    "inspection": (".jsonl", inspect_file),
    "tracks": (".geojson", crypsis.read_tracks),
    "experiment": (".json", Experiment.read),
    "experiment as TOML": (".toml", Experiment.read),
    "stream": (".toml", StreamConfiguration.read),
    "edits": (".json", read_edits),
    "domains": (".json", lambda path: AttributeDomains.from_text(str(path))),
    "trees": (".json", lambda path: CategoryTrees.from_text(str(path))),
    "constraints": (".json", UtilityConstraints.from_file),
    "queries": (".json", read_queries),
    "disassociated": (".json", read_disassociated),
    "privacy policy": (".json", PrivacyPolicy.from_file),
    "utility policy": (".json", UtilityPolicy.from_file),
    "sensitive values": (".json", SensitiveValues.from_file),
    "windows": (".ndjson", lambda path: read_windows(path.read_bytes().splitlines())),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("levels", [150, 20_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_nesting_is_refused(tmp_path: Path, name: str, levels: int, opening: str, closing: str) -> None:
    suffix, read = READERS[name]
    path = tmp_path / f"deep{suffix}"
    for text in (opening * levels, opening * levels + "1" + closing * levels):
        path.write_text(f"a = {text}\n" if suffix == ".toml" else f"{text}\n", encoding="utf-8")
        try:
            read(path)
        except CrypsisError as error:
            assert not isinstance(error, InternalError)
        else:
            assert text.startswith("{")  # a line that is no JSON list is a list of labels
            assert name in ("constraints", "privacy policy", "utility policy")

"""What a page shows as an experiment file, and a file as what a page shows."""

from __future__ import annotations

import tomllib
from typing import Any

from crypsis.errors import BadExperiment
from crypsis.evaluate.toml import toml_text
from crypsis.web.datasets import Datasets
from crypsis.web.workspace import Entry


def whole_section(entry: Entry) -> dict[str, Any]:
    """The table `[dataset]` with paths that hold everywhere on this machine."""
    section = dict(entry.content["section"])
    section["path"] = str(entry.folder / section["path"])
    if "locations" in section:
        section["locations"] = str(entry.folder / section["locations"])
    return section


def dataset_text(datasets: Datasets, entry: Entry) -> str:
    return toml_text({"name": entry.name, "dataset": whole_section(entry)})


def take_dataset_text(datasets: Datasets, number: str, text: str, revision: int | None) -> Entry:
    """Roles, types and options of the file, for the dataset that is open."""
    try:
        content = tomllib.loads(text)
    except ValueError as error:
        raise BadExperiment(f"This is no TOML: {error}.") from error
    section = content.get("dataset")
    if not isinstance(section, dict):
        raise BadExperiment("The file has no table [dataset].")
    kept = {key: value for key, value in section.items() if key not in ("path", "edits", "locations")}
    current = datasets.entry(number).content["section"]
    if "locations" in current:
        kept["locations"] = current["locations"]
    return datasets.set_section(number, kept, revision)

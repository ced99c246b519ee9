"""What a page shows as an experiment file, and a file as what a page shows.

Taking a file back changes the dataset that is open, where it is the same file with the same edits. Otherwise what the
file says is opened as a dataset of its own, so that nothing that others work on changes under their hands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crypsis.errors import BadExperiment
from crypsis.evaluate import Experiment
from crypsis.evaluate.toml import toml_text
from crypsis.web.datasets import Datasets, whole_table
from crypsis.web.side_inputs import SideInputs
from crypsis.web.workspace import Entry

COMPANIONS = ("hierarchy", "policy", "queries")


def dataset_text(entry: Entry) -> str:
    """The table [dataset], as the page Data shows it."""
    return toml_text({"name": entry.name, "dataset": whole_table(entry)})


def side_inputs_text(side_inputs: SideInputs, entry: Entry, **instead: Any) -> str:
    """The dataset and what goes with it: hierarchies, policies and queries; `instead` is what is not saved yet."""
    sections = {**side_inputs.sections(entry.number), **instead}
    sources = {name: sections[name] for name in COMPANIONS if sections.get(name)}
    return toml_text({"name": entry.name, "dataset": whole_table(entry), **sources})


def take_dataset(
    datasets: Datasets,
    side_inputs: SideInputs,
    content: Mapping[str, Any],
    current: Entry | None,
    sections: tuple[str, ...] = COMPANIONS,
    revision: int | None = None,
) -> str:
    """The number of the dataset that a file speaks of; roles, edits and `sections` are then as the file says."""
    told = content.get("dataset")
    if not isinstance(told, Mapping) or not told.get("path"):
        raise BadExperiment("The file has no table [dataset] with the path of the data.")
    wanted = {key: content.get(key) for key in sections if not is_drawn(content.get(key))}
    if not all(isinstance(value, Mapping) for value in wanted.values() if value is not None):
        raise BadExperiment(f"{', '.join(wanted)} must be tables.")
    if current is not None and _same_data(current, told):
        number = current.number
    else:
        equal = next((entry for entry in datasets.entries() if _is(entry, told, side_inputs, wanted)), None)
        if equal is not None:
            return equal.number
        number, revision = datasets.open_again(str(told["path"]), list(told.get("edits") or [])).number, None
    known = datasets.entry(number).content["section"]
    section = {key: value for key, value in told.items() if key not in ("path", "edits", "locations")}
    if "locations" in told:
        section["locations"] = _place(datasets.entry(number), str(told["locations"]))
    if any(known.get(key) != value for key, value in section.items()):
        datasets.set_section(number, {**_kept(known, section), **section}, revision)
    side_inputs.take_sections(number, wanted)
    return number


def take_text(
    datasets: Datasets,
    side_inputs: SideInputs,
    number: str,
    text: str,
    sections: tuple[str, ...] = COMPANIONS,
    revision: int | None = None,
) -> Entry:
    """The same from the text of a file, for the dataset that is open; returns the one to look at now."""
    content = Experiment.parse(text).content
    return datasets.entry(take_dataset(datasets, side_inputs, content, datasets.entry(number), sections, revision))


def is_drawn(queries: Any) -> bool:
    """Whether a table [queries] says how to draw them, which is part of the experiment and not of the dataset."""
    return isinstance(queries, Mapping) and "generate" in queries


def _same_data(entry: Entry, told: Mapping[str, Any]) -> bool:
    known = whole_table(entry)
    return str(known["path"]) == str(told.get("path")) and (known.get("edits") or []) == (told.get("edits") or [])


def _is(entry: Entry, told: Mapping[str, Any], side_inputs: SideInputs, wanted: Mapping[str, Any]) -> bool:
    known = whole_table(entry)
    if not _same_data(entry, told) or any(known.get(key) != value for key, value in told.items() if key != "edits"):
        return False
    sections = side_inputs.sections(entry.number)
    return all((sections.get(key) or {}) == (value or {}) for key, value in wanted.items())


def _kept(known: Mapping[str, Any], section: Mapping[str, Any]) -> dict[str, Any]:
    """What a file that says nothing about it leaves as it is: where the locations are."""
    return {"locations": known["locations"]} if "locations" in known and "locations" not in section else {}


def _place(entry: Entry, locations: str) -> str:
    """Our own table of locations by its name, another by its path."""
    known = entry.content["section"].get("locations")
    return str(known) if known is not None and str(entry.folder / known) == locations else locations

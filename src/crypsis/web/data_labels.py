"""Kinds of data and types as people choose them on pages, and commands that try a method on sample data."""

from __future__ import annotations

from dataclasses import dataclass

from crypsis.data.encoded_column import TYPE_LABELS
from crypsis.data.sources import SOURCES
from crypsis.hierarchy import Hierarchies
from crypsis.methods import METHODS
from crypsis.methods.method import Method
from crypsis.parameters import parameters_of
from crypsis.translation import _, marked, translated

ROLE_LABELS = {
    "identifier": marked("identifier · names a person"),
    "quasi": marked("quasi-identifier · others may know it"),
    "sensitive": marked("sensitive · must not be learned"),
    "label": marked("label · for classification"),
    "other": marked("other · kept as it is"),
}

POLICY_LABELS = {
    "privacy": marked("Privacy policy"),
    "utility": marked("Utility policy"),
    "constraints": marked("Places that may be joined"),
}


def kind_labels() -> dict[str, str]:
    """The kinds of data in the reader's language."""
    return {kind: translated(source.label) for kind, source in SOURCES.items()}


def type_labels() -> dict[str, str]:
    """The types of columns in the reader's language."""
    return {type: translated(label) for type, label in TYPE_LABELS.items()}


def role_labels() -> dict[str, str]:
    """The roles of columns in the reader's language."""
    return {role: _(label) for role, label in ROLE_LABELS.items()}


@dataclass(frozen=True)
class DataLabels:
    """A kind of data as people know it, and sample data to try it with: how to make them, how to read them."""

    name: str
    example: str
    sample: str
    makes: str
    reads: str


_PATIENTS = "patients.csv --quasi age,sex,zip --types zip=category"
DATA_KINDS: dict[str, DataLabels] = {  # by the class of data that a method takes
    "Table": DataLabels(
        marked("Tables"),
        marked("one row for each person: age, city, income"),
        "patients",
        "--out patients.csv",
        f"{_PATIENTS} --sensitive ward,admitted,diagnoses --identifier patient_id",
    ),
    "Mixed": DataLabels(
        marked("Tables with sets"),
        marked("rows with a list in a column: patients and their diagnoses"),
        "patients",
        "--out patients.csv",
        f"{_PATIENTS} --items 'diagnoses= ' --identifier patient_id,admitted,ward",
    ),
    "Transactions": DataLabels(
        marked("Baskets and other sets"),
        marked("what each person bought, searched, clicked"),
        "baskets",
        "--out baskets.csv",
        "baskets.csv",
    ),
    "Trajectories": DataLabels(
        marked("Visits to places"),
        marked("check-ins, stops of a trip, pages in order"),
        "checkins",
        "--out checkins.csv --locations places.csv",
        "checkins.csv --locations places.csv",
    ),
    "Tracks": DataLabels(
        marked("GPS tracks"), marked("positions with times"), "tracks", "--out tracks.csv", "tracks.csv"
    ),
    "Events": DataLabels(
        marked("Streams of visits"),
        marked("who was where when, as it comes in"),
        "metro",
        "--out metro.csv",
        "metro.csv",
    ),
}


def data_labels(method: type[Method]) -> DataLabels:
    """Return the words for the kind of data that a method takes."""
    return DATA_KINDS[method.accepts.__name__]


def commands(name: str) -> tuple[str, str]:
    """Two lines that make sample data and run the method on them."""
    method = METHODS[name]
    data = data_labels(method)
    trees = {parameter.name: parameter.type for parameter in parameters_of(method)}.get("hierarchy") is Hierarchies
    parts = (data.reads, "--hierarchy zip=prefix" if trees else "", f"--method {name}", method.example_options)
    options = " ".join(part for part in parts if part)
    return f"crypsis sample {data.sample} {data.makes}", f"crypsis anonymize {options} --out release"

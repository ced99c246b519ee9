"""A folder that somebody else made: whatever cannot be trusted is refused with its code, before it is believed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import crypsis
from crypsis.data.relational import Table
from crypsis.data.track import Tracks
from crypsis.errors import BadRelease, CrypsisError
from crypsis.guarantees import GUARANTEES, AllOf, KAnonymity, LDiversity, TCloseness, guarantee_from_dict
from crypsis.methods import Mondrian
from crypsis.parameters import parameters_of

Change = Callable[[Path], None]

ROWS = pl.DataFrame(
    {
        "age": [20, 21, 22, 23, 50, 51, 52, 53],
        "zip": ["a", "a", "b", "b", "c", "c", "d", "d"],
        "ill": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "cold"],
    }
)
ROLES = {"age": "quasi", "zip": "quasi", "ill": "sensitive"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    release = crypsis.anonymize(Table.from_frame(ROWS, ROLES), Mondrian(k=2))
    return release.write(tmp_path / "release")


def changed(folder: Path, change: Callable[[dict[str, Any]], None], name: str = "release.json") -> None:
    """Change a JSON file as a careful forger would: with the checksum in the manifest."""
    content = json.loads((folder / name).read_text())
    change(content)
    (folder / name).write_text(json.dumps(content))
    if name != "release.json":
        forged_checksum(folder, name)


def forged_checksum(folder: Path, name: str) -> None:
    manifest = json.loads((folder / "release.json").read_text())
    body = (folder / name).read_bytes()
    manifest["files"][name] = {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    (folder / "release.json").write_text(json.dumps(manifest))


def linked_data(folder: Path) -> None:
    (folder / "table.csv").rename(folder.parent / "elsewhere.csv")
    (folder / "table.csv").symlink_to(folder.parent / "elsewhere.csv")


def linked_manifest(folder: Path) -> None:
    (folder / "release.json").rename(folder.parent / "elsewhere.json")
    (folder / "release.json").symlink_to("../elsewhere.json")


def linked_inside(folder: Path) -> None:
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to("table.csv")


def linked_folder(folder: Path) -> None:
    (folder.parent / "other").mkdir()
    (folder / "more").symlink_to(folder.parent / "other", target_is_directory=True)


def dangling_link(folder: Path) -> None:
    (folder / "notes.txt").symlink_to("nowhere")


def listed_elsewhere(name: str) -> Change:
    def change(folder: Path) -> None:
        (folder.parent / "outside.csv").write_text("x")
        changed(folder, lambda manifest: manifest["files"].update({name: {"bytes": 1, "sha256": "0" * 64}}))

    return change


def resource_elsewhere(folder: Path) -> None:
    changed(folder, lambda content: content["resources"][0].update(path="../outside.csv"), "datapackage.json")


def subfolder(folder: Path) -> None:
    (folder / "more").mkdir()


def extra_file(folder: Path) -> None:
    (folder / "original.csv").write_text("age\n20\n")


def not_a_resource(folder: Path) -> None:
    changed(folder, lambda content: content.update(resources=[]), "datapackage.json")


def hidden_resource(folder: Path) -> None:
    (folder / "original.csv").write_text("age\n20\n")
    forged_checksum(folder, "original.csv")


def unknown_resource(folder: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["resources"].append({**content["resources"][0], "path": "other.csv"})

    changed(folder, change, "datapackage.json")


def no_data_package(folder: Path) -> None:
    (folder / "datapackage.json").unlink()
    changed(folder, lambda manifest: manifest["files"].pop("datapackage.json"))


def in_manifest(change: Callable[[dict[str, Any]], Any]) -> Change:
    return lambda folder: changed(folder, lambda manifest: change(manifest) and None)


def duplicate_key(folder: Path) -> None:
    text = (folder / "release.json").read_text()
    (folder / "release.json").write_text(text.replace('"schema"', '"schema": "crypsis-release/1", "schema"', 1))


def non_finite(folder: Path) -> None:
    changed(folder, lambda manifest: manifest["verdict"].update(achieved=float("nan")))


def deep(folder: Path) -> None:
    text = (folder / "release.json").read_text().rstrip().removesuffix("}")
    (folder / "release.json").write_text(text + ', "more": ' + "[" * 101 + "]" * 101 + "}")


def very_deep(folder: Path) -> None:
    text = (folder / "release.json").read_text().rstrip().removesuffix("}")
    (folder / "release.json").write_text(text + ', "more": ' + "[" * 200_000 + "]" * 200_000 + "}")


def deep_data_package(folder: Path) -> None:
    (folder / "datapackage.json").write_text('{"resources":' + "[" * 100_000 + "]" * 100_000 + "}")
    forged_checksum(folder, "datapackage.json")


def columns(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return manifest["data"]["columns"]


def different_fields(folder: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["resources"][0]["schema"]["fields"][0]["name"] = "other"

    changed(folder, change, "datapackage.json")


REFUSED: list[tuple[Change, str]] = [
    (linked_data, "leaves-folder"),
    (linked_manifest, "leaves-folder"),
    (linked_inside, "leaves-folder"),
    (linked_folder, "leaves-folder"),
    (dangling_link, "leaves-folder"),
    (listed_elsewhere("../outside.csv"), "leaves-folder"),
    (listed_elsewhere("/etc/hostname"), "leaves-folder"),
    (listed_elsewhere("more/../../outside.csv"), "leaves-folder"),
    (listed_elsewhere("..\\outside.csv"), "leaves-folder"),
    (listed_elsewhere(".."), "leaves-folder"),
    (listed_elsewhere(""), "leaves-folder"),
    (resource_elsewhere, "leaves-folder"),
    (subfolder, "unlisted-file"),
    (extra_file, "unlisted-file"),
    (not_a_resource, "unlisted-file"),
    (hidden_resource, "unlisted-file"),
    (unknown_resource, "unlisted-file"),
    (no_data_package, "bad-release"),
    (duplicate_key, "bad-release"),
    (non_finite, "bad-release"),
    (deep, "bad-release"),
    (very_deep, "bad-release"),
    (deep_data_package, "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"].pop("parameters")), "missing-parameters"),
    (in_manifest(lambda manifest: manifest["guarantee"].update(parameters={})), "missing-parameters"),
    (in_manifest(lambda manifest: manifest["guarantee"].update(parameters=[])), "missing-parameters"),
    (in_manifest(lambda manifest: manifest["guarantee"].update(model=["k-anonymity"])), "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"]["parameters"].update(k=0)), "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"]["parameters"].update(k=True)), "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"]["parameters"].update(k="2")), "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"]["parameters"].update(k=[2])), "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"]["parameters"].update(z=1)), "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"].update(exceptions=["Ann"])), "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"].update(assumptions="none")), "bad-release"),
    (in_manifest(lambda manifest: manifest["guarantee"].update(trivial=0)), "bad-release"),
    (in_manifest(lambda manifest: manifest["files"].update({"table.csv": "0" * 64})), "bad-release"),
    (in_manifest(lambda manifest: manifest["files"]["table.csv"].update(sha256=7)), "bad-release"),
    (in_manifest(lambda manifest: manifest["files"]["table.csv"].pop("sha256")), "bad-release"),
    (in_manifest(lambda manifest: manifest.update(method=["mondrian"])), "bad-release"),
    (in_manifest(lambda manifest: manifest["data"].update(rows=True)), "bad-release"),
    (in_manifest(lambda manifest: manifest["data"].update(rows=-1)), "bad-release"),
    (in_manifest(lambda manifest: manifest["data"].update(rows=8.0)), "bad-release"),
    (in_manifest(lambda manifest: manifest["data"].update(format="parquet")), "bad-release"),
    (in_manifest(lambda manifest: manifest["data"].update(format=["csv"])), "bad-release"),
    (in_manifest(lambda manifest: manifest["data"].update(order="any")), "bad-release"),
    (in_manifest(lambda manifest: manifest["data"].update(kind="mixed")), "bad-release"),
    (in_manifest(lambda manifest: manifest["data"].update(kind=["table"])), "bad-release"),
    (in_manifest(lambda manifest: columns(manifest).append(dict(columns(manifest)[0]))), "contradictory-roles"),
    (in_manifest(lambda manifest: columns(manifest)[2].update(role="identifier")), "contradictory-roles"),
    (in_manifest(lambda manifest: columns(manifest)[0].update(name="other")), "contradictory-roles"),
    (in_manifest(lambda manifest: columns(manifest)[0].update(role="public")), "bad-release"),
    (different_fields, "contradictory-roles"),
]


@pytest.mark.parametrize(("change", "code"), REFUSED, ids=lambda value: getattr(value, "__name__", None))
def test_what_cannot_be_trusted_is_refused_with_its_code(folder: Path, change: Change, code: str) -> None:
    assert crypsis.read_release(folder).verify().holds
    change(folder)
    with pytest.raises(CrypsisError) as caught:
        crypsis.read_release(folder).verify()
    assert caught.value.code == code, caught.value
    assert isinstance(caught.value, BadRelease)


def test_a_promise_without_quasi_identifiers_is_refused(folder: Path) -> None:
    def change(manifest: dict[str, Any]) -> None:
        for column in columns(manifest):
            column["role"] = "sensitive"

    changed(folder, change)
    with pytest.raises(CrypsisError) as caught:
        crypsis.read_release(folder).verify()
    assert caught.value.code == "no-quasi-identifiers"


@pytest.mark.parametrize("promised", [KAnonymity(k=1), LDiversity(l=1), TCloseness(t=1.0)])
def test_no_verifier_of_tables_holds_without_quasi_identifiers(promised: Any) -> None:
    table = Table.from_frame(ROWS, ROLES)
    published = crypsis.anonymize(table, Mondrian(k=2)).data
    secret = replace(published, columns=tuple(replace(column, role="sensitive") for column in published.columns))
    for guarantee in (
        promised,
        AllOf.of(promised, KAnonymity(k=1)) if promised.model != "k-anonymity" else promised,
    ):
        with pytest.raises(CrypsisError) as caught:
            crypsis.verify(secret, guarantee)
        assert caught.value.code == "no-quasi-identifiers"


@pytest.mark.parametrize("model", GUARANTEES)
def test_every_guarantee_must_state_every_parameter(model: str) -> None:
    parameters = {parameter.name: parameter.default for parameter in parameters_of(GUARANTEES[model])}
    weaker = GUARANTEES[model].told_where_given  # left out, they say the weaker of two promises
    assert set(weaker) <= {"knows", "exits"}
    for name in parameters.keys() - weaker:
        told = {key: str(value) for key, value in parameters.items() if key != name}
        with pytest.raises(CrypsisError) as caught:
            guarantee_from_dict({"model": model, "parameters": told})
        assert caught.value.code == "missing-parameters"


def test_parts_of_a_joint_promise_must_state_their_parameters() -> None:
    joint = AllOf.of(KAnonymity(k=2), LDiversity(l=2)).to_dict()
    assert guarantee_from_dict(joint) == AllOf.of(KAnonymity(k=2), LDiversity(l=2))
    del joint["parameters"]["promises"][0]["parameters"]["k"]
    with pytest.raises(CrypsisError) as caught:
        guarantee_from_dict(joint)
    assert caught.value.code == "missing-parameters"


def test_a_pipe_in_the_folder_is_refused_and_not_waited_for(folder: Path) -> None:
    (folder / "report.html").unlink()
    os.mkfifo(folder / "report.html")
    with pytest.raises(BadRelease):
        crypsis.read_release(folder)


def test_the_folder_itself_may_be_reached_through_a_link(folder: Path) -> None:
    (folder.parent / "link").symlink_to(folder, target_is_directory=True)
    assert crypsis.read_release(folder.parent / "link").verify().holds


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ({"times": [[1], [3]]}, "one time for each place"),
        ({"times": [[1, None], [3]]}, "empty"),
        ({"times": [None, [3]]}, "empty"),
        ({"locations": [["a", None], ["a"]]}, "empty"),
        ({"copies": [None, 1]}, "empty"),
    ],
)
def test_synthetic_rows_without_a_time_for_each_place_are_refused(
    tmp_path: Path, cell: dict[str, Any], words: str
) -> None:
    from crypsis.data.domains import LocationDomain, TimeDomain
    from crypsis.data.synthetic import SyntheticTrajectories
    from crypsis.publication.synthetic import SyntheticKind

    domains = LocationDomain(["a", "b"]), TimeDomain(1, 4)
    made = SyntheticTrajectories.from_lists([(1, [("a", 1), ("b", 2)]), (1, [("a", 3)])], *domains)
    kind = SyntheticKind()
    file = tmp_path / kind.files["parquet"]
    kind.write(tmp_path, made, None, kind.sorted_rows(made), "parquet")
    manifest = {"data": {**kind.describe(made), "file": file.name, "format": "parquet"}}
    assert len(kind.read(tmp_path, manifest)[0]) == 2
    frame = pl.read_parquet(file)
    schema = frame.schema
    changed_cells = {name: pl.Series(values, dtype=schema[name]) for name, values in cell.items()}
    frame.with_columns(**changed_cells).write_parquet(file)
    with pytest.raises(BadRelease, match=words):
        kind.read(tmp_path, manifest)


def test_a_published_cell_without_a_place_is_refused(tmp_path: Path) -> None:
    tracks = Tracks.from_lists([[(0.0 + person, 0.0, 10), (100.0 + person, 50.0, 15)] for person in range(6)])
    folder = crypsis.anonymize(tracks, crypsis.PPSG(k=2, radius=60.0)).write(tmp_path / "release")
    assert crypsis.read_release(folder).verify().holds
    file = folder / "locations.csv"
    file.write_text(file.read_text().splitlines(keepends=True)[0])
    forged_checksum(folder, "locations.csv")
    with pytest.raises(BadRelease, match="no place for the published cell"):
        crypsis.read_release(folder)

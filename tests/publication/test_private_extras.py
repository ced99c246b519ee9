"""Differentially private releases that hold more than was paid for are refused, wherever it stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import crypsis
from crypsis.errors import BadPublication, BadRelease
from crypsis.methods import METHODS
from crypsis.methods.private_method import PrivateMethod
from crypsis.release import checksums
from tests.private_settings import NEIGHBOURS, private_setting

PRIVATE = [name for name, method in METHODS.items() if issubclass(method, PrivateMethod)]


def written(name: str, folder: Path, format: str) -> Path:
    setting = private_setting(name)
    make, _ = NEIGHBOURS[setting.accepts]
    release: Path = crypsis.anonymize(make([]), setting).write(folder, format=format)
    return release


def forge(folder: Path, file: str, change: Callable[[Any], Any]) -> None:
    """Change a JSON file and list the files as they are now, as a forger would."""
    manifest = json.loads((folder / "release.json").read_text())
    if file == "release.json":
        manifest = change(manifest)
    else:
        (folder / file).write_text(change((folder / file).read_text()))
    own = {name: told for name, told in checksums(folder).items() if name != "release.json"}
    (folder / "release.json").write_text(json.dumps(manifest | {"files": own}))


def with_name(text: str) -> str:
    """Each row with a name beside what was drawn."""
    return "".join(json.dumps(json.loads(line) | {"name": "Ann"}) + "\n" for line in text.splitlines())


@pytest.mark.parametrize("name", PRIVATE)
def test_nothing_stands_beside_what_was_drawn(name: str, tmp_path: Path) -> None:
    folder = written(name, tmp_path / "lines", "jsonl")
    file = json.loads((folder / "release.json").read_text())["data"]["file"]
    assert crypsis.read_release(folder).verify().holds
    if (folder / file).read_text():
        forge(folder, file, with_name)
        with pytest.raises(BadRelease, match="something else"):
            crypsis.read_release(folder)
    other = written(name, tmp_path / "domains", "jsonl")
    forge(other, "domains.json", lambda text: json.dumps(json.loads(text) | {"names": ["Ann"]}))
    with pytest.raises(BadRelease, match="something else"):
        crypsis.read_release(other)
    packed = written(name, tmp_path / "packed", "parquet")
    assert crypsis.read_release(packed).verify().holds
    (data,) = packed.glob("*.parquet")
    pl.read_parquet(data).with_columns(name=pl.lit("Ann")).write_parquet(data)
    forge(packed, "release.json", lambda manifest: manifest)
    with pytest.raises((BadRelease, BadPublication), match="nothing describes"):
        crypsis.read_release(packed)


def test_an_entry_that_no_release_has_is_refused(tmp_path: Path) -> None:
    folder = written("diff-multi", tmp_path / "release", "jsonl")
    forge(folder, "release.json", lambda manifest: manifest | {"names": ["Ann"]})
    with pytest.raises(BadRelease, match="'names', which no release has"):
        crypsis.read_release(folder)

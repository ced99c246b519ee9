"""The folder is a function of the published records: originals that publish the same records give the same folder.

Byte for byte, date aside. The moves are in `neighbours`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import IO, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import crypsis.methods.stream.itsa as itsa
import crypsis.release
from crypsis.data.formats import limited_reader
from crypsis.data.relational import Table
from crypsis.data.stream import Events
from crypsis.data.transaction import Transactions
from crypsis.errors import Infeasible, InputError
from crypsis.methods import METHODS, private_method
from crypsis.noise import ExactNoise
from crypsis.release import Release
from crypsis.run_context import RunContext
from tests.noise.providers import SeededEntropy
from tests.private_settings import NEIGHBOURS, private_setting
from tests.publication.neighbours import METHODS_OF_RECORDS, pairs
from tests.strategies import settings_with_data

PRIVATE = [name for name, method in METHODS.items() if "declared domains" in method.needs]
LEAKS: dict[str, tuple[str, Callable[[Release], Any]]] = {
    "incognito: ncp": ("incognito", lambda release: release.utility()["ncp_loss"]),
    "incognito: type": ("incognito", lambda release: release.original.column("note").type),
    "mondrian: granularity": ("mondrian", lambda release: release.utility()["granularity_score"]),
    "seq-anon: query error": ("seq-anon", lambda release: release.utility()["visit_query_loss"]),
    "coat: ncp": ("coat", lambda release: release.utility()["item_ncp_loss"]),
    "disassociation: item error": ("disassociation", lambda release: release.utility()["item_frequency_loss"]),
    "disassociation: hidden supports": ("disassociation", lambda release: sorted(release.original.supports.tolist())),
}
PAIRS = int(os.environ.get("CRYPSIS_PAIRS", "15"))  # of each method; 200 take about an hour


class _OneDay(datetime):
    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The date stands still, and pseudonyms, which are drawn at random, are always made with one key.

    Parquet files of our own are read back in this process: asking the reader of foreign files takes longer than all
    the rest of a pair.
    """
    monkeypatch.setattr(crypsis.release, "datetime", _OneDay)
    monkeypatch.setattr(limited_reader, "read_limited", _read_here)
    monkeypatch.setattr(itsa, "secrets", SimpleNamespace(token_bytes=lambda size: b"k" * size))


def _read_here(
    source: IO[bytes], decoder: str, options: Mapping[str, Any], **_: Any
) -> tuple[pl.DataFrame, dict[str, Any]]:
    assert "parquet" in decoder
    content = source.read()
    frame = pl.read_parquet(content, columns=options.get("columns"))
    return frame, dict(pl.read_parquet_metadata(content))


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def written(release: Release, place: Path) -> dict[str, dict[str, bytes]]:
    """The folder of a release in each of its formats, as `write` fills it once everything is checked."""
    folders = {}
    for format in release.kind.files:
        folder = place / format
        folder.mkdir()
        release._write_files(folder, format, "sorted", {})
        folders[format] = contents(folder)
        shutil.rmtree(folder)
    return folders


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> str:
    """Where two folders differ, for whoever has to mend it."""
    told = [f"files {sorted(one)} and {sorted(other)}"] if set(one) != set(other) else []
    for name in sorted(set(one) & set(other)):
        lines = zip(one[name].splitlines(), other[name].splitlines(), strict=False)
        told += [f"{name}: {a!r} and {b!r}" for a, b in lines if a != b][:3]
    return "\n".join(told) or "lengths of files"


def interferences(name: str, seed: int, wanted: int, place: Path) -> None:
    last: tuple[Release, Any] | None = None
    for pair in pairs(name, seed, wanted):
        if last is None or last[0] is not pair.one:
            last = (pair.one, written(pair.one, place))
        again = written(pair.other, place)
        for format, folder in last[1].items():
            assert again[format] == folder, (
                f"{name} ({format}) tells two originals apart that publish the same records:\n"
                f"{differences(folder, again[format])}\n{pair.originals[0]}\n{pair.originals[1]}"
            )


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS_OF_RECORDS)
def test_originals_with_the_same_published_records_have_the_same_folder(name: str, tmp_path: Path) -> None:
    interferences(name, 1, PAIRS, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("leak", LEAKS)
def test_a_writer_that_tells_of_the_original_is_convicted(
    leak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = Release._manifest
    name, told = LEAKS[leak]

    def leaking(release: Release, *arguments: Any) -> dict[str, Any]:
        manifest = described(release, *arguments)
        manifest["figures"]["leak"] = told(release)
        return manifest

    monkeypatch.setattr(Release, "_manifest", leaking)
    with pytest.raises(AssertionError, match="tells two originals apart"):
        interferences(name, 1, 60, tmp_path)


# Under differential privacy what is published is random, so it is held: the folder may tell nothing beside it.


@pytest.mark.parametrize("name", PRIVATE)
@settings(max_examples=6)
@given(data=st.data())
def test_the_folder_of_a_private_release_is_a_function_of_what_was_released(name: str, data: st.DataObject) -> None:
    setting, original = data.draw(settings_with_data(METHODS[name]))
    try:
        release = crypsis.anonymize(original, setting)
    except (Infeasible, InputError):
        assume(False)
        raise
    alone = replace(release, original=None, context=RunContext(), _verified=None)
    with tempfile.TemporaryDirectory() as place:
        assert written(release, Path(place)) == written(alone, Path(place))
        private = release.write_private_report(Path(place) / "private.json")
        assert json.loads(private.read_text())["schema"]


class _Repeated(ExactNoise):
    """Noise under which a run comes to the same noisy results as another: what it answers is kept, or told again."""

    def __init__(self, script: list[Any] | None = None) -> None:
        super().__init__(SeededEntropy(7))
        self.publishable = True
        self.script, self.kept = script, []

    def _told(self, made: Any) -> Any:
        if self.script is None:
            self.kept.append(made)
            return made
        again = self.script.pop(0)
        assert np.shape(again) == np.shape(made), "one record more made another call"
        return again

    def laplace(self, counts: Any, epsilon: Any) -> Any:
        return self._told(super().laplace(counts, epsilon))

    def select(self, scores: Any, epsilon: Any, sensitivity: Any, *, replacement: bool = False) -> Any:
        return self._told(super().select(scores, epsilon, sensitivity, replacement=replacement))

    def select_each(self, scores: Any, offsets: Any, epsilon: Any, sensitivity: Any) -> Any:
        return self._told(super().select_each(scores, offsets, epsilon, sensitivity))

    def points(self, blocks: Any, epsilon: Any, sensitivity: Any) -> Any:
        return self._told(super().points(blocks, epsilon, sensitivity))

    def passing_zeros(self, total: int, epsilon: Any, threshold: int) -> Any:
        made = super().passing_zeros(total, epsilon, threshold)
        if self.script is None:
            self.kept.append(made)
            return made
        return self.script.pop(0)  # as many as passed then


def modules_of(method: type) -> list[ModuleType]:
    """Where a class and those that it shares code with are written."""
    return [sys.modules[base.__module__] for base in method.__mro__]


_ONE_MORE: dict[type, list[Any]] = {Table: [(40, "m")], Transactions: [["a", "b"]], Events: [("a", 2)]}


@pytest.mark.parametrize("name", PRIVATE)
def test_neighbours_with_the_same_noisy_result_have_the_same_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One person more, with a record that others have too, under noise that hides it."""
    setting = private_setting(name)
    make, _ = NEIGHBOURS[setting.accepts]
    module = METHODS[name].__module__
    drawing = next(own for own in modules_of(METHODS[name]) if hasattr(own, "provider_named"))
    monkeypatch.setattr(private_method, "new_key", lambda: "00" * 32)
    if name == "n-grams":  # draws sequences from noisy counts: chance, but no noise
        monkeypatch.setattr(f"{module}.SystemEntropy", lambda: SeededEntropy(3))
    first = _Repeated()
    folders = []
    for noise, more in ((first, []), (_Repeated(first.kept), _ONE_MORE[setting.accepts])):
        monkeypatch.setattr(drawing, "provider_named", lambda _, noise=noise: noise)
        folders.append(written(crypsis.anonymize(make(more), setting), tmp_path))
    assert not first.kept  # the other run asked for all of it
    assert folders[0] == folders[1]
    assert any(len(files["release.json"]) for files in folders[0].values())

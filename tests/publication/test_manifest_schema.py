"""The manifest of every method's release has the form that the published schema states."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import crypsis
from crypsis.cli.warmup import sample_release
from crypsis.publication import KINDS

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "reference" / "release.schema.json").read_text())


@pytest.mark.parametrize("method", crypsis.METHODS.values(), ids=lambda method: method.__name__)
def test_every_methods_manifest_is_of_the_stated_form(method, tmp_path):
    folder = sample_release(method).write(tmp_path / "release")
    jsonschema.validate(json.loads((folder / "release.json").read_text()), SCHEMA)


def test_the_schema_knows_every_kind_of_published_data_and_no_other():
    stated = {form["properties"]["kind"]["const"] for form in SCHEMA["properties"]["data"]["oneOf"]}
    assert stated == {kind.name for kind in KINDS.values()}

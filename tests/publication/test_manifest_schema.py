"""The manifest of every method's release has the form that the published schema states."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import crypsis
from crypsis.errors import Infeasible, InputError
from crypsis.publication import KINDS
from tests.strategies import settings_with_data

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "reference" / "release.schema.json").read_text())


@pytest.mark.parametrize("method", crypsis.METHODS.values(), ids=lambda method: method.__name__)
@settings(max_examples=1)
@given(data=st.data())
def test_every_methods_manifest_is_of_the_stated_form(method, data):
    setting, original = data.draw(settings_with_data(method))
    try:
        release = crypsis.anonymize(original, setting)
    except (Infeasible, InputError):
        assume(False)
        raise
    with tempfile.TemporaryDirectory() as place:
        folder = release.write(Path(place) / "release")
        jsonschema.validate(json.loads((folder / "release.json").read_text()), SCHEMA)


def test_the_schema_knows_every_kind_of_published_data_and_no_other():
    stated = {form["properties"]["kind"]["const"] for form in SCHEMA["properties"]["data"]["oneOf"]}
    assert stated == {kind.name for kind in KINDS.values()}

"""The reference pages are what the code says today."""

from __future__ import annotations

import pytest

from docs.generate_reference import FOLDER, GENERATED, pages


@pytest.mark.parametrize("name", ["commands.md", "methods.md", "guarantees.md", "metrics.md", "errors.md"])
def test_a_reference_page_is_up_to_date(name):
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == GENERATED + pages()[name], "run: python docs/generate_reference.py"


def test_no_page_is_forgotten():
    assert {path.name for path in FOLDER.glob("*.md")} == set(pages())

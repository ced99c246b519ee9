"""The reference pages are what the code says today."""

from __future__ import annotations

import pytest

from docs.generate_reference import FOLDER, GENERATED, pages


@pytest.fixture(scope="module")
def generated():
    return pages()


@pytest.mark.parametrize("name", ["commands.md", "methods.md", "guarantees.md", "metrics.md", "errors.md", "parts.md"])
def test_a_reference_page_is_up_to_date(name, generated):
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == GENERATED + generated[name], "run: python docs/generate_reference.py"


def test_no_page_is_forgotten(generated):
    assert {path.name for path in FOLDER.glob("*.md")} == set(generated)

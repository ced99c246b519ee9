"""Pseudonyms are an HMAC: the same as the standard library's, whatever the key."""

from __future__ import annotations

import hmac

from hypothesis import given
from hypothesis import strategies as st

from crypsis.methods.stream.pseudonyms import pseudonyms


@given(st.binary(max_size=200), st.integers(0, 2**64 - 1), st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_a_pseudonym_is_the_beginning_of_an_hmac(key: bytes, scope: int, people: list[str]) -> None:
    expected = [hmac.digest(key, scope.to_bytes(8, "big") + name.encode(), "sha256").hex()[:16] for name in people]
    assert pseudonyms(key, scope, people) == expected

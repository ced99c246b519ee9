"""Families by class: looked up by name, imported one by one."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import pytest

from crypsis.late_members import MembersByClass


def family(made: list[str]) -> MembersByClass[type, str]:
    def maker(name: str) -> Callable[[], str]:
        def make() -> str:
            made.append(name)
            return name

        return make

    return MembersByClass({("fractions.Fraction",): maker("fraction"), ("decimal.Decimal",): maker("decimal")})


def test_a_member_is_made_once_when_it_is_asked_for() -> None:
    from decimal import Decimal

    made: list[str] = []
    members = family(made)
    assert Decimal in members
    assert not made
    assert [members[Decimal], members[Decimal]] == ["decimal", "decimal"]
    assert made == ["decimal"]


def test_keys_are_the_classes_in_order() -> None:
    from decimal import Decimal
    from fractions import Fraction

    members = family([])
    assert list(members) == [Fraction, Decimal]
    assert len(members) == 2
    assert members.get(int) is None
    with pytest.raises(KeyError):
        members[int]


def test_a_member_can_be_put_in_and_taken_out() -> None:
    members = family([])
    with patch.dict(members, {int: "whole"}):
        assert members[int] == "whole"
        assert list(members)[-1] is int
    assert int not in members
    assert len(members) == 2

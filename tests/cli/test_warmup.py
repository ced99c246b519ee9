"""`crypsis warmup` shares the methods between processes."""

from __future__ import annotations

from crypsis.cli.warmup import Shares


def test_each_takes_its_own_part_and_then_the_last_of_the_longest_rest():
    shares = Shares(list("abcdefg"), 2)
    assert [shares.take(0) for _ in range(2)] == ["a", "b"]
    assert shares.take(1) == "d"
    assert [shares.take(0) for _ in range(3)] == ["c", "g", "f"]
    assert [shares.take(1), shares.take(1), shares.take(0)] == ["e", None, None]


def test_nothing_is_left_out_or_taken_twice():
    for parts in (1, 2, 3, 5):
        names = [str(number) for number in range(11)]
        shares = Shares(names, parts)
        taken = [name for turn in range(22) if (name := shares.take(turn % parts))]
        assert sorted(taken) == sorted(names)

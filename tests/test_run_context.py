"""Stages are timed so that every second counts once."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from crypsis.run_context import RunContext


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    with patch("time.perf_counter", Clock()) as made:
        yield made


def test_a_stage_inside_another_is_counted_once(clock: Clock) -> None:
    context = RunContext()
    clock.now = 5.0  # nobody's time
    with context.stage("write"):
        clock.now += 1
        with context.stage("review"):
            clock.now += 10
        clock.now += 2
        with context.stage("review"):
            clock.now += 20
    clock.now += 100
    with context.stage("write"):
        clock.now += 4
    assert context.timings == {"write": 7.0, "review": 30.0}


def test_a_stage_that_fails_is_timed(clock: Clock) -> None:
    context = RunContext()
    with pytest.raises(ValueError, match="stop"), context.stage("split"):
        clock.now += 3
        raise ValueError("stop")
    clock.now += 8
    with context.stage("publish"):
        clock.now += 1
    assert context.timings == {"split": 3.0, "publish": 1.0}


def test_what_was_before_comes_first(clock: Clock) -> None:
    context = RunContext()
    with context.stage("split"):
        clock.now += 1
    context.prepend_stage("read", 2.0, 1024)
    assert [stage[:2] for stage in context.stages()] == [("read", 2.0), ("split", 1.0)]
    assert context.memory["read"] == 1024

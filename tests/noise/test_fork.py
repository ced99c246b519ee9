"""Noise after a fork: a child must not draw what its parent draws."""

from __future__ import annotations

import os
from fractions import Fraction

import numpy as np
import pytest

from crypsis.noise import provider_named


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forking beside threads: the child only draws and leaves
@pytest.mark.parametrize("name", ["exact", "opendp"])
def test_parent_and_child_draw_different_noise(name):
    noise = provider_named(name)
    noise.laplace(np.zeros(3, np.int64), Fraction(1, 1000))  # words are waiting now
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, noise.laplace(np.zeros(40, np.int64), Fraction(1, 1000)).tobytes())
        finally:
            os._exit(0)
    os.close(writing)
    drawn = noise.laplace(np.zeros(40, np.int64), Fraction(1, 1000))
    with os.fdopen(reading, "rb") as stream:
        other = np.frombuffer(stream.read(), np.int64)
    os.waitpid(child, 0)
    assert len(other) == 40
    assert np.count_nonzero(drawn == other) < 10  # all 40 were equal

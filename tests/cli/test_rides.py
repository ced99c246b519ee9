"""Cab rides, several per cab: what a careless user publishes is refused, or safe by our own attacks, by person."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest


@pytest.fixture
def rides(tmp_path: Path) -> Path:
    chance = random.Random(4)
    corners = [(37.78 + 0.01 * up, -122.42 + 0.01 * across) for up in range(2) for across in range(3)]
    lines = ["ride,cab_id,time,lat,lon"]
    for ride in range(60):
        cab = 0 if ride < 30 else 1 + ride % 9  # one cab has half of the rides
        for step, (lat, lon) in enumerate(chance.sample(corners, 3)):
            clock = f"2008/06/{1 + ride % 28:02}  {10 + step}:00:00".replace("  ", " ")
            lines.append(
                f"r{ride},{cab},{clock},{lat + chance.uniform(0, 2e-3):.5f},{lon + chance.uniform(0, 2e-3):.5f}"
            )
    file = tmp_path / "rides.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_rides_of_cabs_are_asked_about_and_published_by_cab(run, tmp_path: Path, rides: Path) -> None:
    read = ("--id", "ride")
    command = ("anonymize", rides, *read, "--method", "ppsg", "-k", "4", "--out", tmp_path / "out")
    undecided = run(*command)
    assert undecided.code == 2
    assert "person-undecided" in undecided.err
    assert "--person cab_id" in undecided.err
    chosen = run(*command, "--person", "cab_id")
    assert "owner-repeated" in chosen.err
    report = ("--private-report", tmp_path / "private.json")
    made = run(*command, "--person", "cab_id", "--unit", "owner", *report)
    assert made.code == 0, made.err
    assert "person = cab_id, id = ride" in made.err
    assert "time = time (year, month, day)" in made.err
    against = (tmp_path / "out", "--original", rides, *read, "--person", "cab_id", *report)
    assert run("verify", *against).code == 0
    curve = run("--json", "attack", *against, "--attack", "reidentification", "-k", "4", "--draws", "500")
    assert curve.code == 0, curve.err
    told = json.loads(curve.out)
    assert told["parameters"]["unit"] == "owner"
    assert told["individuals"] == 10
    assert told["within_bound"]
    for attack in ("location", "unique-location", "home-work"):
        done = run("--json", "attack", *against, "--attack", attack)
        assert json.loads(done.out)["individuals"] == 10

"""Small streams with everything that happens in life, and configurations for them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from crypsis.runtime import StreamConfiguration

KEY = "5a" * 32


def lively_lines(seed: int = 1, people: int = 60, timestamps: int = 40) -> list[str]:
    """Events out of order by at most 2, with repeats, nonsense, erasures and a watermark."""
    chance = random.Random(seed)
    timed: list[tuple[float, str]] = []
    for t in range(1, timestamps + 1):
        for person in range(people):
            if chance.random() < 0.6:
                place = "abcdef"[(person // 12 + t // 3 + (chance.random() < 0.1)) % 6]
                event = {"id": f"p{person}", "loc": place, "t": t}
                if person % 3 == 0:
                    event["sa"] = "ill"
                timed.append((t + 2 * chance.random(), json.dumps(event)))
        if chance.random() < 0.3:
            timed.append((t + 0.5, json.dumps({"op": "erase", "id": f"p{chance.randrange(people)}"})))
        if chance.random() < 0.3:
            timed.append((t + 0.2, chance.choice(["nonsense", '{"id":"p1"}', '{"id":"p1","loc":"a","t":"x"}', "[]"])))
        if chance.random() < 0.5:
            timed.append((t + 0.9, timed[chance.randrange(len(timed))][1]))
    timed.append((timestamps / 2, json.dumps({"op": "watermark", "t": timestamps // 2})))
    return [line for _, line in sorted(timed)]


def tables(**changes: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A configuration from file to file; each table can be changed."""
    base: dict[str, dict[str, Any]] = {
        "privacy": {"L": 2, "K": 3, "C": "1/2", "N": 4, "lateness": 2, "t0": 1, "sensitive_values": ["ill"]},
        "source": {"kind": "ndjson", "path": "events.ndjson"},
        "sink": {"kind": "ndjson", "path": "windows.ndjson"},
        "run": {"state": "state", "checkpoint_every": 3, "retry_seconds": 0.2},
    }
    for name in ("source", "sink"):
        if changes.get(name, {}).get("kind", base[name]["kind"]) != base[name]["kind"]:
            base[name] = {}  # another kind has other settings
    return {name: {**table, **changes.get(name, {})} for name, table in base.items()}


def prepared(folder: Path, lines: list[str], **changes: dict[str, Any]) -> StreamConfiguration:
    """A stream in a folder, with a known key, so that two runs have the same pseudonyms."""
    (folder / "state").mkdir(parents=True)
    (folder / "state" / "pseudonym.key").write_text(KEY, encoding="ascii")
    (folder / "events.ndjson").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return StreamConfiguration.from_tables(tables(**changes), folder)


def published(folder: Path) -> tuple[bytes, bytes]:
    """Windows and certificates of the file sink."""
    return (folder / "windows.ndjson").read_bytes(), (folder / "windows.certificates.ndjson").read_bytes()


def event(person: str, place: str, t: Any, **more: Any) -> str:
    return json.dumps({"id": person, "loc": place, "t": t, **more})


def crowd(times: range, people: int = 5) -> list[str]:
    """Everybody at one place at a time."""
    return [event(str(person), "a", t) for t in times for person in range(people)]


def windows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in published(folder)[0].splitlines()]

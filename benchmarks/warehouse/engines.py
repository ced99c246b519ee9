"""Two million triples: loaded and asked by the embedded engine and by rdflib, each in its own process, in one run."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.comparison import Row

TRIPLES, QUICK = 2_000_000, 50_000
LOADING = 120.0  # seconds for two million
MEMORY = 3 * 2**30
ASKING = 1.0  # seconds for a warm competence query
CARD = 0.2  # seconds for an entity card, the store opened for it

PREFIX = "PREFIX : <http://example.org/> "
QUERIES = {
    "species of a family": PREFIX + "SELECT ?s ?n WHERE { ?s :family :family7 ; :name ?n }",
    "prey of a predator": PREFIX + "SELECT ?a ?b WHERE { ?a :eats ?b . ?b :family :family3 . ?a :family :family5 }",
    "where a species lives": PREFIX + "SELECT DISTINCT ?w WHERE { :species11 :lives ?w . ?o :lives ?w } LIMIT 100",
}

_ENGINE = """
import json, resource, sys, time
from pathlib import Path
from crypsis.warehouse.engines import EmbeddedEngine
file, folder, queries = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])
started = time.perf_counter()
engine = EmbeddedEngine(folder)
engine.load({None: [file]})
engine.optimize()
loading = time.perf_counter() - started
"""
_RDFLIB = """
import gzip, json, resource, sys, time
import rdflib
queries = json.loads(sys.argv[3])
started = time.perf_counter()
engine = rdflib.Graph()
with gzip.open(sys.argv[1]) as content:
    engine.parse(content, format="nt")
loading = time.perf_counter() - started
"""
_ASK = """
asking, found = {}, {}
for name, text in queries.items():
    for _ in range(2):
        started = time.perf_counter()
        answer = engine.query(text)
        rows = sorted(tuple(str(term).strip('<>"') for term in row) for row in getattr(answer, "rows", answer))
        asking[name] = time.perf_counter() - started
    found[name] = len(rows)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([loading, peak, asking, found]))
"""
_CARD = """
import json, sys, time
from pathlib import Path
from crypsis.warehouse.engines import EmbeddedEngine
best = []
for number in range(5):
    entity = f"<http://example.org/species{11 + number}>"
    started = time.perf_counter()
    engine = EmbeddedEngine(Path(sys.argv[2]), read_only=True)
    said = engine.query(f"SELECT ?p ?o WHERE {{ {entity} ?p ?o }}").rows
    said_of = engine.query(f"SELECT ?s ?p WHERE {{ ?s ?p {entity} }}").rows
    del engine
    best.append(time.perf_counter() - started)
print(json.dumps([sorted(best)[2], len(said) + len(said_of)]))
"""


def rows(quick: bool = False) -> Iterator[Row]:
    """Loading beside rdflib, and each query warm."""
    size = QUICK if quick else TRIPLES
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        file = Path(place) / "triples.nt.gz"
        write_triples(file, size)
        loading, peak, asking, found = _measured(_ENGINE + _ASK, file)
        card, facts = _measured(_CARD, file)
        slow_loading, slow_peak, slow_asking, slow_found = _measured(_RDFLIB + _ASK, file)
    if found != slow_found:
        raise AssertionError(f"the engines answer differently: {found} and {slow_found}")
    words = f"{size:,} triples, {peak / 2**30:.2f} GB (rdflib {slow_peak / 2**30:.2f} GB)"
    small = peak <= MEMORY
    yield Row("warehouse load", f"{size:,}", loading, "rdflib", slow_loading, limit=LOADING, note=words, sound=small)
    for name, seconds in asking.items():
        words = f"{found[name]:,} rows, warm"
        yield Row("warehouse query", name, seconds, "rdflib", slow_asking[name], limit=ASKING, note=words)
    yield Row("warehouse card", f"{size:,}", card, limit=CARD, note=f"{facts:,} facts, the store opened for it")


def write_triples(file: Path, size: int, seed: int = 1) -> None:
    """Made-up species with names, families, places and prey: exactly so many different triples."""
    draw, base = random.Random(seed), "http://example.org/"
    species = max(size // 8, 1)
    written: set[tuple[str, str, str]] = set()
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=1) as out:
        number = 0
        while len(written) < size:
            name = f"species{number % species}"
            property, value = (
                ("name", f'"Species {number % species}"'),
                ("family", f"<{base}family{number % species % 400}>"),
                ("lives", f"<{base}area{draw.randrange(3000)}>"),
                ("eats", f"<{base}species{draw.randrange(species)}>"),
            )[min(number // species, 2 + number % 2)]
            triple = (name, property, value)
            number += 1
            if triple not in written:
                written.add(triple)
                out.write(f"<{base}{name}> <{base}{property}> {value} .\n")


def _measured(program: str, file: Path) -> Any:
    folder = file.with_suffix(".store")
    command = [sys.executable, "-c", program, str(file), str(folder), json.dumps(QUERIES)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

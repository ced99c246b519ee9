"""The benchmarks run: rows, ratios and targets are told right, and the C++ port merges what we merge."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from benchmarks import peers, ports, workloads
from benchmarks.comparison import Row, best_of, print_table, read_kept, with_kept, write_json, write_table_page
from benchmarks.processes import spent_by
from benchmarks.runtime.soak import Sample, figure, write_page
from benchmarks.warehouse import engines
from crypsis import RunContext, SeqAnon

ROOT = Path(__file__).parents[1]


def test_a_row_says_whether_its_target_is_met(tmp_path, capsys):
    fast = Row("task", "small", 0.5, "other", 2.0, required=3.0)
    slow = Row("task", "large", 2.0, "other", 2.0, required=3.0, limit=1.0)
    assert fast.ratio == 4.0
    assert fast.holds
    assert not slow.holds
    print_table([fast, slow])
    shown = capsys.readouterr().out.splitlines()
    assert "4.0x" in shown[1]
    assert "SHORT OF TARGET" in shown[2]
    write_json([fast, slow], tmp_path / "rows.json")
    assert [row["holds"] for row in json.loads((tmp_path / "rows.json").read_text())["rows"]] == [True, False]


def test_what_took_a_quarter_longer_than_in_the_kept_run_is_marked(tmp_path, capsys):
    file = tmp_path / "rows.json"
    assert read_kept(file) == {}
    write_json([Row("sort", "small", 1.0), Row("sort", "large", 1.0, "other", 2.0), Row("join", "small", 3.0)], file)
    kept = read_kept(file)
    now = [Row("sort", "small", 1.24), Row("sort", "large", 2.0, "other", 4.0), Row("read", "small", 9.0)]
    assert not any(row.beside(kept).slower for row in now)  # the comparator took twice as long, too
    slow = [Row("sort", "small", 1.26), Row("sort", "large", 1.3, "other", 2.0)]
    assert all(row.beside(kept).slower for row in slow)
    print_table([row.beside(kept) for row in slow])
    assert capsys.readouterr().out.count("SLOWER than 1.00 s") == 2
    assert [row.ours for row in with_kept(slow, kept)] == [1.26, 1.3, 3.0]


def test_the_page_holds_every_row_of_a_run(tmp_path):
    write_table_page(
        [Row("sort", "small", 0.5, "other", 2.0, required=3.0), Row("join", "large", 2.0)], tmp_path / "page.md"
    )
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| sort | small | 500.0 ms | other | 2.00 s | 4.0x |" in page
    assert "| join | large | 2.00 s |" in page


def test_a_made_up_warehouse_has_exactly_so_many_triples_of_every_kind(tmp_path):
    engines.write_triples(tmp_path / "one.nt.gz", 2_000)
    engines.write_triples(tmp_path / "other.nt.gz", 2_000)
    lines = gzip.decompress((tmp_path / "one.nt.gz").read_bytes()).splitlines()
    assert lines == gzip.decompress((tmp_path / "other.nt.gz").read_bytes()).splitlines()
    assert len(lines) == len(set(lines)) == 2_000
    assert len({line.split()[1] for line in lines}) == 4


def test_a_command_is_measured_in_a_process_of_its_own():
    spent = spent_by((sys.executable, "-c", "held = bytearray(400 << 20); held[:: 4096] = b'1' * (len(held) // 4096)"))
    assert spent.memory > 400 << 20
    assert spent.processor > 0
    with pytest.raises(RuntimeError, match=r"ended with 3: no"):
        spent_by((sys.executable, "-c", "import sys; print('no'); sys.exit(3)"))


def test_the_first_run_which_may_compile_is_not_timed():
    calls = []
    assert best_of(3, lambda: calls.append(1)) < 1
    assert len(calls) == 4


@pytest.fixture
def port_of_seq_anon(monkeypatch):
    """Only that one is compiled, and removed again."""
    monkeypatch.setattr(ports, "PROGRAMS", ("seqanon",))
    ports.folder.cache_clear()
    yield
    ports.remove()
    ports.folder.cache_clear()


@pytest.mark.long
@pytest.mark.usefixtures("port_of_seq_anon")
def test_the_port_and_we_make_the_same_number_of_merges():
    if ports.missing() and os.environ.get("CI", "").lower() != "true":
        return  # no compiler or no sources here; required where CI=true
    assert not ports.missing()
    data = workloads.walks().take(np.arange(4000))
    context = RunContext()
    SeqAnon(k=5, m=2).anonymize(data, context)
    assert ports.seqanon_seconds(data, 5, 2, repeats=1)[1] == len(context.private["merges"])


@pytest.mark.long
def test_a_peer_is_timed_with_what_it_found_and_a_missing_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("CRYPSIS_PEERS", sys.executable)
    peers.installed.cache_clear()
    (tmp_path / "table.csv").write_text("a\n1\n2\n")
    code = "def work(frame):\n    return int(frame['a'].sum())"
    seconds, found = peers.measured("pandas", code, tmp_path / "table.csv")
    assert found == 3
    assert seconds >= 0
    assert peers.measured("pandas", "def work(frame):\n    raise ValueError", tmp_path / "table.csv") is None
    monkeypatch.setattr(peers, "PEERS", ("no_such_library",))
    assert peers.measured("no_such_library", code, tmp_path / "table.csv") is None
    assert "no_such_library" in peers.missing()
    assert peers.processor_time(1, lambda: sum(range(1000))) >= 0
    peers.installed.cache_clear()


def test_every_page_of_reproductions_is_linked_and_names_the_command_that_makes_it():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = sorted((ROOT / "docs" / "reproductions").glob("*.md"))
    assert {page.stem for page in pages} >= {"disassociation", "rt"}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert f"reproductions/{page.name}" in navigation
        assert find_spec(re.search(r"^python -m (benchmarks\.reproductions\.\w+)$", text, re.MULTILINE)[1]) is not None
        assert "TODO" not in text
        assert "quick run" not in text


def test_a_row_does_not_hold_where_what_is_asked_besides_time_is_not_so():
    assert not Row("task", "small", 0.5, "other", 2.0, required=3.0, sound=False).holds


def test_what_a_peer_returns_can_be_told_apart_from_what_is_timed(tmp_path, monkeypatch):
    monkeypatch.setenv("CRYPSIS_PEERS", sys.executable)
    peers.installed.cache_clear()
    (tmp_path / "table.csv").write_text("a\n1\n2\n")
    code = "def work(frame):\n    return frame\ndef told(result):\n    return result['a'].tolist()"
    assert peers.measured("pandas", code, tmp_path / "table.csv")[1] == [1, 2]
    peers.installed.cache_clear()


def test_the_page_of_the_soak_says_whether_memory_is_flat(tmp_path):
    flat = [Sample(number / 10, 2 * number, 2000 * number, (250 << 20) + number % 3) for number in range(1, 301)]
    write_page(flat, tmp_path)
    page = (tmp_path / "soak.md").read_text()
    assert "**Memory is flat**" in page
    assert page.count("| 250 |\n") == 12
    assert "10 minutes" in page
    assert (tmp_path / "soak.svg").read_text() == figure(flat)
    growing = [Sample(one.seconds, one.stream, one.events, one.memory + (one.stream << 17)) for one in flat]
    write_page(growing, tmp_path)
    assert "**Memory is NOT flat**" in (tmp_path / "soak.md").read_text()


def test_memory_of_the_process_that_asks_is_not_counted() -> None:
    held = bytearray(200 << 20)
    held[::4096] = b"1" * (len(held) // 4096)
    assert spent_by((sys.executable, "-c", "pass")).memory < 100 << 20

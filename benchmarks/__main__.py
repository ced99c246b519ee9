"""Run every benchmark, print one table of ratios and write it as JSON; exit with 1 where a target is missed.

What takes a quarter longer than in the run that was written last is marked. Where a comparator ran in both, its pace
tells how fast the machine is today.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import ports
from benchmarks.attacks import knowledge, table_risk
from benchmarks.cli import cold, pipeline, start
from benchmarks.comparison import Row, print_table, read_kept, with_kept, write_json, write_table_page
from benchmarks.data import loading
from benchmarks.evaluate import experiments
from benchmarks.fuzzytime import pairs
from benchmarks.methods import growth, private_comparators
from benchmarks.methods.mixed import bounded_merging
from benchmarks.methods.relational import anonymizers, beside_peers, diff_multi
from benchmarks.methods.stream import itsa
from benchmarks.methods.trajectory import (
    diverse_methods,
    guided_seq_anon,
    ppsg,
    prefix_tree_methods,
    safe_path,
    seq_anon,
)
from benchmarks.methods.transaction import disassociation, item_generalization
from benchmarks.metrics import clustering, count_queries, default_figures, utility
from benchmarks.noise import draws
from benchmarks.query import presence
from benchmarks.runtime import ingest, soak
from benchmarks.verifiers import km_anonymity, lkc_privacy, record_pairing, table_levels
from benchmarks.warehouse import engines
from benchmarks.web import pages

SUITES = {
    "start": start,
    "pipeline": pipeline,
    "cold": cold,
    "growth": growth,
    "seq_anon": seq_anon,
    "guided_seq_anon": guided_seq_anon,
    "diverse_methods": diverse_methods,
    "prefix_tree_methods": prefix_tree_methods,
    "ppsg": ppsg,
    "anonymizers": anonymizers,
    "beside_peers": beside_peers,
    "bounded_merging": bounded_merging,
    "disassociation": disassociation,
    "item_generalization": item_generalization,
    "itsa": itsa,
    "safe_path": safe_path,
    "diff_multi": diff_multi,
    "private_comparators": private_comparators,
    "draws": draws,
    "ingest": ingest,
    "soak": soak,
    "km_anonymity": km_anonymity,
    "lkc_privacy": lkc_privacy,
    "record_pairing": record_pairing,
    "default_figures": default_figures,
    "utility": utility,
    "clustering": clustering,
    "knowledge": knowledge,
    "table_levels": table_levels,
    "table_risk": table_risk,
    "count_queries": count_queries,
    "pairs": pairs,
    "presence": presence,
    "loading": loading,
    "experiments": experiments,
    "pages": pages,
    "engines": engines,
}


def main() -> None:
    """`python -m benchmarks [names] [--quick] [--out FILE] [--page FILE]`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"any of {', '.join(SUITES)}; default all")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, a minute instead of several")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/latest.json"), help="JSON file")
    parser.add_argument("--page", type=Path, help="also write all rows as a page of the documentation")
    asked = parser.parse_args()
    unknown = sorted(set(asked.names) - set(SUITES))
    if unknown:
        parser.error(f"unknown benchmark {', '.join(unknown)}; known are {', '.join(SUITES)}")
    if ports.missing():
        print(ports.missing(), file=sys.stderr)
    kept = read_kept(asked.out)
    rows: list[Row] = []
    for name in asked.names or SUITES:
        for row in SUITES[name].rows(asked.quick):
            rows.append(row.beside(kept))
            write_json(with_kept(rows, kept), asked.out)  # what was measured stays if the run is ended
            print(f"  {row.task}, {row.workload}: {row.ours:.3f} s", file=sys.stderr, flush=True)
    ports.remove()
    print_table(rows)
    if asked.page:
        write_table_page(with_kept(rows, kept), asked.page)
    print(f"\nwritten to {asked.out}")
    sys.exit(0 if all(row.holds for row in rows) else 1)


if __name__ == "__main__":
    main()

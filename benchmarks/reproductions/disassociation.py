"""The experiments of "Privacy preservation by disassociation" (PVLDB 5, 2012), figure by figure, as a page.

    python -m benchmarks.reproductions.disassociation

writes docs/reproductions/disassociation.md. Real data are read from `CRYPSIS_DATA` or `../shared/data`; what the
article used and we do not have is replaced by synthetic data of the same size, and the page says so.
"""

# ruff: noqa: E501 (the lines of the page are text)

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from crypsis import Apriori, Disassociation
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.reading import read_transactions
from crypsis.data.transaction import Transactions
from crypsis.guarantees import DisassociationAnonymity
from crypsis.metrics.itemsets import tkd_loss, tkd_ml2_loss
from crypsis.metrics.lost_terms import lost_terms
from crypsis.metrics.pair_supports import re_loss
from crypsis.run_context import RunContext
from crypsis.samples.quest import quest
from crypsis.verifiers import verify
from crypsis.version import VERSION

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reproductions" / "disassociation.md"
BANDS = ((0, 20), (100, 120), (200, 220), (300, 320), (400, 420))

WEBVIEW = "WebView-1"
POS_SUBSET = "POS subset"
POS_LIKE = "POS-like"


@dataclass(frozen=True)
class Losses:
    """What the article measures on one release, and the seconds that making it took."""

    tkd: float | None
    tkd_a: float | None
    re: float | None
    re_a: float | None
    lost: float | None
    lost_occurrences: float | None
    seconds: float

    def cells(self) -> list[str]:
        return [number(value) for value in (self.tkd, self.tkd_a, self.re, self.re_a, self.lost, self.lost_occurrences)]


HEADINGS = ("tKd", "tKd-a", "re", "re-a", "tlost", "hidden occurrences")


@cache
def datasets(quick: bool) -> dict[str, Transactions]:
    folder = Path(os.environ.get("CRYPSIS_DATA") or ROOT.parent / "shared" / "data")
    scale = 10 if quick else 1
    return {
        WEBVIEW: read_transactions(folder / "bms_webview1" / "bms_webview1.dat.gz"),
        POS_SUBSET: read_transactions(folder / "bms_pos_subset" / "bms_pos_subset.dat.gz"),
        POS_LIKE: quest(515_597 // scale, terms=1_657, length=6.5, skew=0.9),
    }


def released(data: Transactions, **settings: int) -> tuple[DisassociatedTransactions, float]:
    """A verified release and the seconds it took."""
    method = Disassociation(**{"k": 5, "m": 2, **settings})  # type: ignore[arg-type]
    started = time.perf_counter()
    published = method.anonymize(data, RunContext())
    seconds = time.perf_counter() - started
    promised = method.guarantee
    assert isinstance(promised, DisassociationAnonymity)
    verdict = verify(published, promised, data)
    assert verdict.holds, verdict
    return published, seconds


def losses(data: Transactions, **settings: int) -> Losses:
    published, seconds = released(data, **settings)
    itemsets = tkd_loss(data, published)
    pairs = re_loss(data, published, reconstructions=(1,)).errors
    lost = lost_terms(data, published)
    return Losses(
        itemsets.tkd_loss,
        itemsets.tkd_a_loss,
        pairs.get("re_loss"),
        pairs.get("re_a_loss"),
        lost.terms,
        lost.occurrences,
        seconds,
    )


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def said(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def figure_6(quick: bool) -> str:
    article = {WEBVIEW: "59,602 × 497, 267, 2.5", POS_SUBSET: "none", POS_LIKE: "POS: 515,597 × 1,657, 164, 6.5"}
    rows = [
        [
            name,
            f"{len(data):,}",
            f"{int((data.supports > 0).sum()):,}",
            f"{int(data.lengths.max()):,}",
            f"{data.lengths.mean():.1f}",
            article[name],
        ]
        for name, data in datasets(quick).items()
    ]
    return table(("Dataset", "Records", "Terms", "Longest", "Mean length", "In the article"), rows)


def figure_7a(quick: bool) -> str:
    rows = [[name, *losses(data).cells()] for name, data in datasets(quick).items()]
    return table(("Dataset", *HEADINGS), rows)


def figure_7bc(quick: bool) -> str:
    parts = []
    for name in (WEBVIEW, POS_LIKE):
        data = datasets(quick)[name]
        rows = []
        for k in (5, 10, 15, 20):
            said(f"  {name}, k = {k}")
            rows.append([str(k), *losses(data, k=k).cells()])
        parts.append(f"**{name}**\n\n{table(('k', *HEADINGS), rows)}")
    return "\n".join(parts)


def figure_7d(quick: bool) -> str:
    parts = []
    for name in (WEBVIEW, POS_LIKE):
        data = datasets(quick)[name]
        published, _ = released(data)
        rows = []
        for band in BANDS:
            errors = re_loss(data, published, ranks=band).errors
            names = ("re_loss", "re_r2_loss", "re_r5_loss", "re_r10_loss", "re_a_loss")
            rows.append([f"{band[0]}–{band[1]}", *(number(errors.get(figure)) for figure in names)])
        parts.append(f"**{name}**\n\n{table(('Ranks', 're', 're-r2', 're-r5', 're-r10', 're-a'), rows)}")
    return "\n".join(parts)


def cluster_sizes(quick: bool) -> str:
    parts = []
    for name in (WEBVIEW, POS_SUBSET):
        rows = [
            [str(most), *losses(datasets(quick)[name], max_cluster_size=most).cells()]
            for most in (10, 30, 50, 100, 200)
        ]
        parts.append(f"**{name}**\n\n{table(('Largest cluster', *HEADINGS), rows)}")
    return "\n".join(parts)


def figure_8(quick: bool) -> str:
    scale = 10 if quick else 1
    parts = []
    varied = {
        "Records (5,000 terms, length 10)": [(n // scale, 5_000, 10) for n in (100_000, 200_000, 400_000)],
        "Terms (100,000 records, length 10)": [(100_000 // scale, n, 10) for n in (2_000, 5_000, 10_000)],
        "Mean length (100,000 records, 5,000 terms)": [(100_000 // scale, 5_000, n) for n in (5, 10, 15)],
    }
    for column, (title, sizes) in enumerate(varied.items()):
        rows = []
        for size in sizes:
            said(f"  records, terms, length: {size}")
            found = losses(quest(size[0], terms=size[1], length=size[2]))
            rows.append([f"{size[column]:,}", *found.cells(), f"{found.seconds:.1f}"])
        parts.append(f"**{title}**\n\n{table(('', *HEADINGS, 'seconds'), rows)}")
    return "\n".join(parts)


def figure_11(quick: bool) -> str:
    rows = []
    for name in (WEBVIEW, POS_SUBSET):
        data = datasets(quick)[name]
        published, _ = released(data)
        said(f"  Apriori on {name}")
        apriori = Apriori(k=5, m=2).resolve(data)
        generalized = apriori.anonymize(data, RunContext())
        assert verify(generalized, apriori.guarantee_of(data, generalized), data).holds
        taxonomy = apriori.side_inputs()["hierarchy"]
        for method, release in (("Disassociation", published), ("Apriori", generalized)):
            bands = [re_loss(data, release, ranks=band, reconstructions=(1,)).errors for band in BANDS[:3]]
            rows.append(
                [
                    name,
                    method,
                    number(tkd_loss(data, release).tkd_loss),
                    number(tkd_ml2_loss(data, release, hierarchy=taxonomy)),  # type: ignore[arg-type]
                    *(number(errors.get("re_loss")) for errors in bands),
                ]
            )
    return table(("Dataset", "Method", "tKd", "tKd-ML2", "re 0–20", "re 100–120", "re 200–220"), rows)


TEXT = """# Privacy preservation by disassociation

Terrovitis, Liagouris, Mamoulis, Skiadopoulos. PVLDB 5(10), 2012, 944–955; section 7. Made by

```text
python -m benchmarks.reproductions.disassociation
```

with Crypsis {version}{quick}. Every release behind these numbers was verified with the original before it was measured. *k* = 5, *m* = 2 and
clusters of up to 20*k* records unless a table says otherwise; top 1,000 itemsets; terms of ranks 200 to 219 for re. Lower is better everywhere;
re goes from 0 to 2.

## What differs from the article, and why

* **Data.** The article uses POS, WebView-1 and WebView-2. We have WebView-1, exactly as the article describes it. We have no WebView-2, and of POS only a
  small dense subset (1,946 records) whose choice is undocumented: its numbers cannot be compared with the article's. In place of POS stand
  synthetic records of the same size, number of terms and mean length ("POS-like"); they show behaviour and speed, not the article's numbers.
  Their skew (0.9) is our choice and was not fitted to POS; it matters: a run with the generator's default (0.6) and clusters of up to 30 gave tKd 0.10 and re 0.23.
* **Method.** Ours is sound where the printed one is not: clusters below *k* records are pooled, a cluster that needs its term chunk keeps a term in
  it, and the terms of a shared chunk exclude the same clusters. All three cost some utility. See [Disassociation](../methods/disassociation.md).
* **Cluster size.** The article does not say which largest cluster it used; the table on cluster sizes shows what it changes.
* **Numbers.** The article's figures are plots; where its text gives a number or a trend, it is quoted below.
* **DiffPart**, its third method (Figures 11a and 11c), is a method of differential privacy and is not compared here.

## Figure 6: the data

{figure_6}
## Figure 7a: the real datasets

{figure_7a}
The article: tKd-a is similar for all datasets; tKd on reconstructions is much better than tKd-a only for POS, the largest with the longest records;
re is much better than re-a for POS and WebView-1.
{words_7a}
## Figures 7b and 7c: growing k

{figure_7bc}
The article (on POS): what depends on the most frequent itemsets is only slightly affected; re grows linearly with k, at a low rate.
{words_7bc}
## Figure 7d: averages of several reconstructions, by frequency of the terms

{figure_7d}
The article (on POS): supports of frequent terms are accurate in any reconstruction; for rarer ones averages of several help.
Ours agree on POS-like. On WebView-1 they do not: from rank 200 on, averages are no better than one reconstruction (0.958 against 0.998 for ten).

## The largest cluster (not in the article)

{cluster_sizes}
## Figures 8, 9 and 10: synthetic data

The article's default is one million records of IBM's generator; these are fewer and made by our own (`crypsis sample quest`). Seconds
are those of making the release, refining included, on two shared cores; the first run of a machine also compiles.

{figure_8}
The article: the number of records hardly matters for tKd and helps re; more terms hardly matter for tKd and worsen re slightly; longer records
raise tKd-a and tlost and help re; time grows linearly with records and terms.

Ours agree that more records hardly matter for tKd and help re, and that longer records help re. They **disagree** in three points. Longer records lower tlost
here (0.309 to 0.017) and tKd-a first falls, then rises. More terms worsen re a lot, not slightly (0.361 to 0.884), and change tKd, which falls.
A likely reason is that our generator makes one pattern per term and spreads them differently from IBM's; we have not tested that. The seconds are single
runs on a busy machine and are no evidence for or against linear time.

## Figure 11: against Apriori

With an automatic hierarchy of fanout 5 over the items in label order (the article does not say which hierarchy it used; the choice matters much for
Apriori). tKd of generalized data counts the itemsets of items that are still published as they are.

{figure_11}
The article: "no original frequent itemset appears in the generalized dataset"; disassociation is much better in tKd-ML2; re is over 1 for Apriori
and 0.18 in the worst case for disassociation (ranks 0–20).
{words_11}"""


def written(quick: bool) -> str:
    made = {}
    for section in (figure_6, figure_7a, figure_7bc, figure_7d, cluster_sizes, figure_8, figure_11):
        said(section.__name__)
        made[section.__name__] = section(quick)
    return TEXT.format(
        version=VERSION,
        quick=" (quick run, a tenth of the synthetic records)" if quick else "",
        **made,
        words_7a=WORDS["7a"],
        words_7bc=WORDS["7bc"],
        words_11=WORDS["11"],
    )


# What our own numbers say beside the article's: written by hand, to be looked at again whenever they are made anew.
WORDS = {
    "7a": """
Ours agree for WebView-1 (re well below re-a) and for POS-like (tKd far below tKd-a, re far below re-a). They differ in that a reconstruction also
halves tKd on WebView-1. On the POS subset the terms of ranks 200 to 219 occur in a handful of records each, so no pair of them survives: re is 2 and
says nothing.
""",
    "7bc": """
Ours: tKd and tKd-a rise slowly on both. re hardly moves on POS-like; on WebView-1, which has a ninth of the records of POS, it grows by about 60 % from k = 5
to k = 20, faster than the article's words for POS. tlost is not monotone: which terms end in term chunks depends on how clusters fall.
""",
    "11": """
Ours agree in kind: Apriori keeps almost none of the frequent itemsets as they were, is worse by far in tKd-ML2, and its re is over 1 throughout.
Disassociation has 0.23 for ranks 0–20 on WebView-1, a little more than the article's 0.18.
""",
}


def main() -> None:
    """Make the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reproductions.disassociation", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the synthetic records")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(written(asked.quick).rstrip() + "\n", encoding="utf-8")
    print(f"written to {asked.out}")


if __name__ == "__main__":
    main()

"""Adult with its publicly declared domains and trees, more records like it, and what can be learnt from a release.

The domains are those of the census questionnaire and of the codebook, not of the records. The trees are the hierarchies
that are kept beside the data; `relationship` has none and is not generalized in steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s
from crypsis.data.attribute_domains import AttributeDomains, CategoryDomain, NumericDomain
from crypsis.data.category_trees import CategoryTree, CategoryTrees
from crypsis.data.counted_regions import CountedRegions, RegionAttribute
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.relational import PublishedTable, Table
from crypsis.metrics.region_classification import LEAF, region_features

CLASS = "income"
NUMBERS = {
    "age": NumericDomain(17, 91),
    "fnlwgt": NumericDomain(0, 1_500_000, 256),
    "education-num": NumericDomain(1, 17),
    "capital-gain": NumericDomain(0, 100_000, 256),
    "capital-loss": NumericDomain(0, 5_000, 250),
    "hours-per-week": NumericDomain(1, 100),
}
TREES = ("workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
RELATIONS = ("Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried", "Wife")
QUASI = (*NUMBERS, *TREES, "relationship")
ROLES = dict.fromkeys(QUASI, "quasi") | {CLASS: "label"}
REDRAWN = 0.25  # share of the values of an added record that are drawn from their column's values


def records(folder: Path) -> pl.DataFrame:
    """The 45,222 records without missing values."""
    frame, _ = read_table_file(folder / "adult_uci.csv.xz")
    complete = frame.select(*QUASI, CLASS).filter(~pl.any_horizontal(pl.col(*TREES, "relationship") == "?"))
    return complete.with_columns(pl.col(*NUMBERS).cast(pl.Int64))


def as_table(frame: pl.DataFrame) -> Table:
    return Table.from_frame(frame, ROLES)


def domains() -> AttributeDomains:
    return AttributeDomains(
        {**NUMBERS, "relationship": CategoryDomain(RELATIONS), CLASS: CategoryDomain(("<=50K", ">50K"))}
    )


def trees(folder: Path) -> CategoryTrees:
    return CategoryTrees({name: nested(folder / f"adult_hierarchy_{name}.csv") for name in TREES})


def nested(file: Path) -> dict[str, Any]:
    """The tree whose lines run from a leaf to the root."""
    top: dict[str, Any] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        place = top
        for name in reversed(line.split(";")):
            place = place.setdefault(name, {})
    return top


def more_like(frame: pl.DataFrame, size: int, seed: int = 1) -> pl.DataFrame:
    """The records, and copies of them of whose values some are drawn from all that the column has."""
    random = np.random.Generator(np.random.PCG64(seed))
    rows = np.concatenate([np.arange(min(size, len(frame))), random.integers(0, len(frame), max(size - len(frame), 0))])
    columns = []
    for name in frame.columns:
        column = frame[name]
        values = column.unique().sort()
        drawn = values.gather(random.integers(0, len(values), size))
        redrawn = (random.random(size) < REDRAWN) & (np.arange(size) >= len(frame)) & (name != CLASS)
        columns.append(pl.select(pl.when(pl.Series(redrawn)).then(drawn).otherwise(column.gather(rows)).alias(name)))
    return pl.concat(columns, how="horizontal")


def accuracy(published: CountedRegions, tested: Table, learner: str = "tree") -> float:
    """Share of the tested records whose class a model of the release predicts right; as `region_classification`."""
    cells, inside = published.cells_of(tested)
    known = _classes(tested, published.classes)
    region = published.regions_of(cells[inside])
    return _accuracy(
        learner, published.attributes, (published.low, published.high, published.node), published.counts,
        region, known[inside],
    )  # fmt: skip


def accuracy_of_classes(
    released: PublishedTable, training: Table, tested: Table, like: CountedRegions, learner: str = "tree"
) -> float:
    """The same for a k-anonymous release: its classes are the regions, and a tested record belongs to the nearest.

    Classes do not cover the domain. The distance is the sum over the columns of how far a number lies outside, as a
    share of its domain, and 1 where a category lies outside.
    """
    rows = released.to_frame().select(QUASI)
    number = rows.select(pl.struct(pl.all()).rank("dense") - 1).to_series().to_numpy().astype(np.int64)
    cells, inside = like.cells_of(training)
    assert inside.all()
    n_classes = int(number.max()) + 1
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(n_classes))
    low = np.minimum.reduceat(cells[order], starts)
    high = np.maximum.reduceat(cells[order], starts) + 1
    node = np.full(low.shape, -1, np.int32)
    for place, attribute in enumerate(like.attributes):
        if isinstance(attribute.domain, CategoryTree):
            node[:, place] = _common_nodes(attribute.domain, low[:, place], high[:, place])
            low[:, place] = attribute.domain.low[node[:, place]]
            high[:, place] = attribute.domain.high[node[:, place]]
    counts = np.zeros((n_classes, len(like.classes)), np.int64)
    np.add.at(counts, (number, _classes(training, like.classes)), 1)
    asked, inside = like.cells_of(tested)
    region = _nearest(asked[inside], low, high, like.attributes)
    return _accuracy(
        learner, like.attributes, (low, high, node), counts, region, _classes(tested, like.classes)[inside]
    )


def _common_nodes(tree: CategoryTree, low: Int32s, high: Int32s) -> Int32s:
    """The lowest node that holds the leaves from `low` to `high - 1`."""
    holds = (tree.low[None, :] <= low[:, None]) & (tree.high[None, :] >= high[:, None])
    found: Int32s = np.where(holds, tree.depth[None, :], -1).argmax(axis=1).astype(np.int32)
    return found


def _nearest(cells: Int32s, low: Int32s, high: Int32s, attributes: Iterable[RegionAttribute]) -> Int64s:
    listed = list(attributes)
    found = np.empty(len(cells), np.int64)
    for start in range(0, len(cells), 1000):
        part = cells[start : start + 1000]
        distance = np.zeros((len(part), len(low)))
        for place, attribute in enumerate(listed):
            below = low[None, :, place] - part[:, None, place]
            above = part[:, None, place] - high[None, :, place] + 1
            outside = np.maximum(np.maximum(below, above), 0)
            distance += outside / len(attribute) if attribute.numeric else outside > 0
        found[start : start + 1000] = distance.argmin(axis=1)
    return found


def _classes(table: Table, names: tuple[str, ...]) -> Int64s:
    column = table.column(CLASS)
    return CategoryDomain(names).encode(column.domain.cast(pl.String))[column.codes].astype(np.int64)


def _accuracy(
    learner: str,
    attributes: tuple[RegionAttribute, ...],
    bounds: tuple[Int32s, Int32s, Int32s],
    counts: Int64s,
    region: Int64s,
    known: Int64s,
) -> float:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    rows, labels = np.nonzero(counts)
    guessed = np.zeros(len(counts), np.int64)
    if len(np.unique(labels)) == 1:
        guessed[:] = labels[0]
    elif len(rows):
        weights = counts[rows, labels].astype(np.float64)
        features = region_features(attributes, *bounds)
        if learner == "tree":
            leaf = min(LEAF / float(weights.sum()), 0.5)
            model: Any = DecisionTreeClassifier(criterion="entropy", min_weight_fraction_leaf=leaf, random_state=0)
            model.fit(features[rows], labels, sample_weight=weights)
        else:
            model = make_pipeline(StandardScaler(), LinearSVC(dual=False, random_state=0))
            model.fit(features[rows], labels, standardscaler__sample_weight=weights, linearsvc__sample_weight=weights)
        guessed = model.predict(features)
    return float(np.mean(guessed[region] == known))

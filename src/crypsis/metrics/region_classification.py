"""Can a class be learnt from published counts of regions? With the best that could be had, and the least, beside it.

A model is trained on the published regions and nothing else: each region and class is one example, weighted with its
noisy count. Training on generalized true records would use data that were not published. A number is told by the
middle and the width of its interval, a category by the nodes on the way to its node. A record to be predicted is first
put into its region.

Mohammed, Chen, Fung, Yu. Differentially private data release for data mining. KDD 2011: BA and LA.
"""

from __future__ import annotations

import warnings
from dataclasses import MISSING, dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.data.attribute_domains import CategoryDomain
from crypsis.data.category_trees import CategoryTree
from crypsis.data.counted_regions import CountedRegions, RegionAttribute
from crypsis.data.relational import Table
from crypsis.errors import MissingExtra, NotApplicable
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.parameters import OneOf, Parameter

LEARNERS = ("tree", "svm")
LEAF = 50  # records that a leaf of the tree needs
_TRAINING_SHARE = {"tree": 2 / 3, "svm": 4 / 5}
_LEARNER = Parameter("learner", str, False, (OneOf(*LEARNERS),), "What is trained.", MISSING)


@dataclass(frozen=True)
class RegionClassification(Measured):
    """Shares of records whose class is predicted right: from the release, from the raw training data (`best`), and by
    always guessing the commonest class of the training data (`least`)."""

    learner: str
    accuracy: Annotated[
        float,
        Figure(
            "region_accuracy_score",
            "Classification accuracy",
            "Share of records whose class is predicted right by a model that is trained on the published counts.",
            unit=SHARE,
        ),
    ]
    best: Annotated[
        float,
        Figure(
            "region_accuracy_best",
            "Classification accuracy on the original",
            "The same for a model that is trained on the original records.",
            unit=SHARE,
        ),
    ]
    least: Annotated[
        float,
        Figure(
            "region_accuracy_least",
            "Classification accuracy without attributes",
            "The same for a model that sees no attributes.",
            unit=SHARE,
        ),
    ]
    tested: Annotated[int, Figure("region_accuracy_records", "Records tested", "Records whose class was predicted.")]


def region_classification(
    original: Table,
    published: CountedRegions,
    *,
    training: Table | None = None,
    learner: str = "tree",
    seed: int = 0,
) -> RegionClassification:
    """Accuracy on `original` of a model trained on the release of `training`.

    Without `training` the release was made from the original itself: then two thirds of it (of an SVM four fifths) are
    training data and the rest is tested, and the release has seen the tested records, too. For a figure to report, make
    the release from a part of the data and test on the other (`split_for_training`).
    """
    learner = _LEARNER.check(learner, "region_classification")
    if published.class_name is None:
        raise NotApplicable("region_classification: the release counts no classes; give a column the role label.")
    if training is None:
        training, original = split_for_training(original, learner=learner, seed=seed)
    tested, known = _examples(original, published)
    seen, classes = _examples(training, published)
    if not len(tested):
        raise NotApplicable("region_classification: no record to be tested lies in the declared domain.")
    rows, labels = np.nonzero(published.counts)
    weights = published.counts[rows, labels].astype(np.float64)
    per_region = np.zeros(len(published), np.int64)
    if len(rows):
        features = region_features(published.attributes, published.low, published.high, published.node)
        per_region = _trained(learner, features[rows], labels, weights, seed)(features)
    commonest = int(np.bincount(classes, minlength=len(published.classes)).argmax())
    region = published.regions_of(tested)
    guessed = np.where(region >= 0, per_region[np.maximum(region, 0)], commonest)
    if len(seen):
        raw = _trained(learner, _raw_features(published, seen), classes, np.ones(len(seen)), seed)
        best = float(np.mean(raw(_raw_features(published, tested)) == known))
    else:
        best = float(np.mean(known == commonest))
    return RegionClassification(
        learner, float(np.mean(guessed == known)), best, float(np.mean(known == commonest)), len(tested)
    )


def split_for_training(table: Table, *, learner: str = "tree", seed: int = 0) -> tuple[Table, Table]:
    """Records to train on and records to test on, drawn once: two thirds and a third, for an SVM four and one fifth."""
    learner = _LEARNER.check(learner, "split_for_training")
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(table))
    size = round(_TRAINING_SHARE[learner] * len(table))
    return table.take(np.sort(order[:size])), table.take(np.sort(order[size:]))


def region_features(attributes: tuple[RegionAttribute, ...], low: Int32s, high: Int32s, node: Int32s) -> Float64s:
    """One row per region: middle and width of intervals, and a 1 for each node on the way to a category's."""
    parts = []
    for index, attribute in enumerate(attributes):
        if isinstance(attribute.domain, CategoryTree):
            parts.append(_ways(attribute.domain)[node[:, index]])
        else:
            begin, end = low[:, index].astype(np.float64), high[:, index].astype(np.float64)
            parts.append(np.stack([(begin + end) / 2, end - begin], axis=1) / len(attribute))
    return np.concatenate(parts, axis=1)


def _ways(tree: CategoryTree) -> Float64s:
    """By node: which nodes lie on the way from the root to it, the root left out."""
    ways = np.zeros((len(tree.names), max(len(tree.names) - 1, 1)))
    for node in range(1, len(tree.names)):
        ways[node] = ways[tree.parent[node]]
        ways[node, node - 1] = 1.0
    return ways


def _raw_features(published: CountedRegions, cells: Int32s) -> Float64s:
    """The same of records as they are: each a region of one cell."""
    node = np.full(cells.shape, -1, np.int32)
    for index, attribute in enumerate(published.attributes):
        if isinstance(attribute.domain, CategoryTree):
            leaves = np.flatnonzero(attribute.domain.n_children == 0)
            leaf_at = leaves[np.argsort(attribute.domain.low[leaves])]
            node[:, index] = leaf_at[cells[:, index]]
    return region_features(published.attributes, cells, cells + 1, node)


def _examples(table: Table, published: CountedRegions) -> tuple[Int32s, Int64s]:
    """Cells and classes of the records that lie in the declared domain with all their values."""
    cells, inside = published.cells_of(table)
    assert published.class_name is not None
    column = table.column(published.class_name)
    codes = CategoryDomain(published.classes).encode(column.domain.cast(pl.String))
    classes = np.append(codes, np.int32(-1))[column.codes]
    kept = inside & (classes >= 0)
    return cells[kept], classes[kept].astype(np.int64)


def _trained(learner: str, features: Float64s, labels: Int64s, weights: Float64s, seed: int) -> Any:
    """A function from features to classes."""
    if len(np.unique(labels)) == 1:
        only = int(labels[0])
        return lambda others: np.full(len(others), only, np.int64)
    try:
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import LinearSVC
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise MissingExtra("Classification needs scikit-learn; install it with: pip install 'crypsis[eval]'") from None
    if learner == "tree":
        leaf = min(LEAF / float(weights.sum()), 0.5)
        tree = DecisionTreeClassifier(criterion="entropy", min_weight_fraction_leaf=leaf, random_state=seed)
        return tree.fit(features, labels, sample_weight=weights).predict
    scaled = make_pipeline(StandardScaler(), LinearSVC(dual=False, random_state=seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether it has converged to the last digit is not the question
        fitted = scaled.fit(features, labels, standardscaler__sample_weight=weights, linearsvc__sample_weight=weights)
    return fitted.predict


class RegionClassificationMetric(Metric):
    """How well the class is predicted from published counts of regions, with the best and the least beside it."""

    name = "region_classification"
    seeded = True
    default = False
    measure = staticmethod(region_classification)

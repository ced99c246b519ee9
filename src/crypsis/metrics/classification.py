"""Classification before and after: can the label still be learnt from the release as well as from the original?

A model is trained and tested by cross-validation, once on the original and once on the release, with the
quasi-identifiers as features. Both are encoded in the same way, so that the models see the same features: a number
as itself, a range or node over numbers as its middle; a category as one feature per value, which a node, a set or `any`
shares out evenly over the values it may stand for. A missing value is marked, never filled in by a guess of its own.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s
from crypsis.data.cells import CellKind
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.values import POLARS_TYPES, read_value, write_value
from crypsis.errors import BadParameter, MissingExtra, NotApplicable
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.parameters import AtLeast, OneOf, Parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_VALUES = 100  # of a category that get a feature of their own; the rarer ones share one
MODELS = ("tree", "logistic", "forest")

_MODEL = Parameter("model", str, False, (OneOf(*MODELS),), "What is trained.", MISSING)
_FOLDS = Parameter("folds", int, False, (AtLeast(2),), "Folds of the cross-validation.", MISSING)
_ROWS = Parameter("rows", int, False, (AtLeast(10),), "Most records that are looked at.", MISSING)


@dataclass(frozen=True, kw_only=True)
class Classification(Measured):
    """Share of records whose label is predicted right; `majority` is what always guessing the commonest label gets."""

    label: str
    after: Annotated[
        float,
        Figure(
            "classification_score",
            "Classification accuracy",
            "Share of records whose label is predicted right by a model that is trained on the release.",
            unit=SHARE,
            rank=5,
            former_name="classification_accuracy",
        ),
    ]
    before: Annotated[
        float,
        Figure(
            "classification_accuracy_original",
            "Classification accuracy on the original",
            "The same for a model trained on the original.",
            unit=SHARE,
        ),
    ]
    majority: Annotated[
        float,
        Figure(
            "classification_accuracy_majority",
            "Commonest label",
            "What always guessing the commonest label gets right.",
            unit=SHARE,
        ),
    ]


def classification_accuracy(
    original: Table | Mixed,
    published: PublishedTable | PublishedMixed,
    *,
    label: str | None = None,
    model: str = "tree",
    folds: int = 3,
    rows: int = 30_000,
    seed: int = 0,
) -> Classification:
    """Accuracy of a model trained on the original and of one trained on the release; needs no row alignment.

    `label` is the column with that role unless named. Records without a label, and suppressed ones, are left out; more
    than `rows` records are sampled.
    """
    model, folds, rows = (
        _MODEL.check(model, "classification_accuracy"),
        _FOLDS.check(folds, "classification_accuracy"),
        _ROWS.check(rows, "classification_accuracy"),
    )
    table = original.table if isinstance(original, Mixed) else original
    released = published.table if isinstance(published, PublishedMixed) else published
    name = _label_of(table, label)
    features = [column for column in table.with_role("quasi") if column.name != name]
    if not features:
        raise NotApplicable("There is no quasi-identifier to learn the label from.")
    random = np.random.Generator(np.random.PCG64(seed))
    labels, shown_labels = _labels(table.column(name)), _published_labels(released.column(name))
    chosen = _sample(np.flatnonzero(labels != None), rows, random)  # noqa: E711 (element by element)
    shown = _sample(np.flatnonzero(shown_labels != None), rows, random)  # noqa: E711
    before = np.concatenate([_encoded(column, chosen) for column in features], axis=1)
    after = np.concatenate([_published(released.column(feature.name), feature, shown) for feature in features], axis=1)
    known = labels[chosen].astype(str)
    return Classification(
        label=name,
        after=_accuracy(after, shown_labels[shown].astype(str), model, folds, seed),
        before=_accuracy(before, known, model, folds, seed),
        majority=float(np.unique(known, return_counts=True)[1].max() / len(known)) if len(known) else 0.0,
    )


def _label_of(table: Table, label: str | None) -> str:
    if label is not None:
        return table.column(label).name
    if not table.labels:
        raise NotApplicable("Classification needs a label; give a column that role, or name it.")
    if len(table.labels) > 1:
        raise BadParameter(f"classification_accuracy: choose a label out of {', '.join(table.labels)}.")
    return table.labels[0]


def _sample(rows: Int64s, most: int, random: np.random.Generator) -> Int64s:
    return rows if len(rows) <= most else np.sort(random.choice(rows, most, replace=False))


def _labels(column: Column) -> NDArray[np.object_]:
    texts = [*(write_value(value) for value in column.domain.to_list()), None]
    return np.array(texts, object)[column.codes]


def _published_labels(column: PublishedColumn) -> NDArray[np.object_]:
    texts = [
        text if kind == CellKind.VALUE else None
        for text, kind in zip(column.cells.texts, column.cells.kinds.tolist(), strict=True)
    ]
    return np.array([*texts, None], object)[column.codes]


def _encoded(column: Column, rows: Int64s) -> Float64s:
    if column.type != "category":
        keys = column.keys.astype(np.float64)
        middle = (keys[0] + keys[-1]) / 2 if len(keys) else 0.0
        cells = np.stack([np.append(keys, middle), np.append(np.zeros(len(keys)), 1.0)], axis=1)
    else:
        index = _features(column)
        cells = np.zeros((len(index) + 1, int(index.max(initial=0)) + 2))
        cells[np.arange(len(index)), index] = 1.0
        cells[-1, -1] = 1.0
    return np.asarray(cells[column.codes[rows]], np.float64)


def _published(column: PublishedColumn, original: Column, rows: Int64s) -> Float64s:
    cells = column.cells
    if original.type != column.type:
        raise NotApplicable(f"Column '{column.name}' was published with another type than it was collected with.")
    if column.type != "category":
        encoded = np.array([_middle(column, original, index) for index in range(len(cells))]).reshape(-1, 2)
        return np.asarray(encoded[column.codes[rows]], np.float64)
    slot = _features(original)
    code = {value: index for index, value in enumerate(original.domain.to_list())}
    encoded = np.zeros((len(cells), int(slot.max(initial=0)) + 2))
    for position in range(len(cells)):
        cell = cells[position]
        if cell.kind == CellKind.MISSING:
            encoded[position, -1] = 1.0
            continue
        known = [code[value] for value in _values(column, original, position) if value in code]
        for value in known:
            encoded[position, slot[value]] += 1.0 / len(known)
    return np.asarray(encoded[column.codes[rows]], np.float64)


def _features(column: Column) -> Int64s:
    """The feature of each value of a category: its own, or the one that all rarer values share."""
    if len(column.domain) <= MOST_VALUES:
        return np.arange(len(column.domain))
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain))
    index = np.full(len(column.domain), MOST_VALUES - 1)
    index[np.argsort(-counts, kind="stable")[: MOST_VALUES - 1]] = np.arange(MOST_VALUES - 1)
    return index


def _values(column: PublishedColumn, original: Column, index: int) -> list[Any]:
    cell = column.cells[index]
    if cell.kind == CellKind.ANY:
        return original.domain.to_list()
    if cell.kind == CellKind.NODE:
        leaves = () if column.hierarchy is None else column.hierarchy.leaves.get(str(cell.members[0]), ())
        return [read_value(leaf, column.type) for leaf in leaves]
    return list(cell.members)


def _middle(column: PublishedColumn, original: Column, index: int) -> tuple[float, float]:
    kind = column.cells[index].kind
    keys = original.keys
    if kind in (CellKind.MISSING, CellKind.ANY, CellKind.SUPPRESSED) or not len(keys):
        middle = float(keys[0] + keys[-1]) / 2 if len(keys) else 0.0
        return middle, float(kind == CellKind.MISSING)
    values = pl.Series(_values(column, original, index), dtype=POLARS_TYPES[column.type]).to_physical()
    return float(values.to_numpy().astype(np.float64).mean()), 0.0


def _accuracy(features: Float64s, labels: NDArray[np.str_], model: str, folds: int, seed: int) -> float:
    try:
        from sklearn.model_selection import StratifiedKFold, cross_val_predict
    except ImportError:
        raise MissingExtra("Classification needs scikit-learn; install it with: pip install 'crypsis[eval]'") from None

    _, counts = np.unique(labels, return_counts=True)
    if len(counts) < 2:
        raise NotApplicable("All labels are the same; there is nothing to learn.")
    if counts.max() < folds:
        raise NotApplicable(f"No label has {folds} records, which {folds} folds need; ask for fewer folds.")
    import warnings

    splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a label rarer than the folds is lawful, and converging is not the question
        predicted = cross_val_predict(_estimator(model, seed), features, labels, cv=splits)
    return float(np.mean(predicted == labels))


def _estimator(model: str, seed: int) -> Any:
    if model == "tree":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(min_samples_leaf=10, random_state=seed)
    if model == "forest":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(50, min_samples_leaf=5, random_state=seed)
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))


class ClassificationScore(Metric):
    """How well the label is predicted by a model trained on the release, and by one trained on the original."""

    name = "classification_score"
    former_name = "classification_accuracy"
    seeded = True
    default = False
    measure = staticmethod(classification_accuracy)

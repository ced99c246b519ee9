"""How DiffMulti and DiffGen divide epsilon: half for choosing, an equal part for each call, the rest for counts."""

from __future__ import annotations

from fractions import Fraction

from crypsis.methods.relational.region_schema import RegionSchema
from crypsis.methods.relational.region_scores import Score
from crypsis.noise import terms_of
from crypsis.noise.exact import weight_of


def operations(numeric_attributes: int, depth: int, numeric_cap: int, accounting: str = "tight") -> int:
    """The calls that one record may meet on its way to a leaf that lies `depth` specializations deep.

    A first split point of every numeric attribute, two calls for each specialization (selection and counts of
    children), and a new split point after each numeric one that is followed by another specialization.
    """
    if depth == 0:
        return 0
    if accounting == "printed":
        return numeric_attributes + 3 * depth
    if numeric_attributes == 0:
        return 2 * depth
    return numeric_attributes + 2 * depth + min(depth - 1, numeric_attributes * numeric_cap)


def budget_of_call(epsilon: Fraction, calls: int) -> Fraction:
    """Half of epsilon in so many parts."""
    return epsilon / (2 * calls)


def global_operations(numeric_attributes: int, rounds: int) -> int:
    """The calls that one record may meet in DiffGen: first split points, and a selection and new split points a round.

    Both halves of a divided number get new split points; a record lies in one of them, so they count once.
    """
    return numeric_attributes + 2 * rounds if rounds else 0


def check_digits(epsilon: Fraction, budget: Fraction, calls: int, score: Score, schema: RegionSchema) -> None:
    """Refuse, before anything is charged, an epsilon whose parts do not fit into the samplers.

    `epsilon` and `budget` are those of one record.
    """
    terms_of(epsilon)
    if calls:
        weight_of(budget, score.sensitivity)
        for width in schema.attributes.width[schema.attributes.numeric].tolist():
            weight_of(budget, score.sensitivity_of_points(width))
        for met in range(calls + 1):
            terms_of(epsilon - met * budget)

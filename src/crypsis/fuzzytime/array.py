"""Many fuzzy intervals at once: relations, possible relations and presence over millions of pairs.

Four arrays of one length, all int64 or all float64. Among whole numbers the smallest and the largest int64 stand for
infinities, so that comparisons need no special case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crypsis.errors import BadInterval, BadParameter
from crypsis.fuzzytime.interval import FuzzyInterval, Number
from crypsis.fuzzytime.relations import CODES, UNDEFINED, WITH_SHARED_CORE, possible_relations

Bounds: TypeAlias = NDArray[Any]  # int64 or float64
Engine = Literal["auto", "numpy", "compiled"]

MODES = ("sometime", "throughout", "within")
_LEAST, _GREATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
_WORTH_COMPILING = 2_000_000  # pairs; below that numpy is done before the compiled loop is loaded
_CHUNK = 1 << 18  # pairs that numpy works on at a time, so that its intermediate arrays stay in the cache


@dataclass(frozen=True, eq=False)
class FuzzyArray:
    """Fuzzy intervals side by side. Operations take a second array of the same length, or of length one.

    >>> visits = FuzzyArray.of([FuzzyInterval(8, 9, 11, 12), FuzzyInterval(1, 2, 3, 4)])
    >>> visits.relate(FuzzyArray.of([FuzzyInterval(5, 6, 7, 8)])).tolist()
    [11, 0]
    """

    outer_start: Bounds
    inner_start: Bounds
    inner_end: Bounds
    outer_end: Bounds

    def __post_init__(self) -> None:
        arrays = [np.asarray(getattr(self, name)) for name in _NAMES]
        if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
            raise BadInterval("The four bounds must be flat arrays of one length.")
        dtype = np.result_type(*arrays)
        if dtype.kind not in "iuf":
            raise BadInterval(f"Bounds must be numbers, got {dtype}.")
        kind = np.int64 if all(array.dtype.kind in "iu" for array in arrays) else np.float64
        for name, array in zip(_NAMES, arrays, strict=True):
            values = np.ascontiguousarray(array, kind)
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        self._refuse_bad_bounds()

    @classmethod
    def of(cls, intervals: Iterable[FuzzyInterval | Sequence[Number]]) -> FuzzyArray:
        """An array of single intervals; whole numbers with infinities stay whole numbers."""
        rows = [interval.bounds if isinstance(interval, FuzzyInterval) else tuple(interval) for interval in intervals]
        columns = [[row[index] for row in rows] for index in range(4)]
        if all(isinstance(value, int) or value in (np.inf, -np.inf) for row in rows for value in row):
            finite = {np.inf: _GREATEST, -np.inf: _LEAST}
            return cls(*(np.array([finite.get(value, value) for value in column], np.int64) for column in columns))
        return cls(*(np.array(column, np.float64) for column in columns))

    @classmethod
    def crisp(cls, starts: Bounds, ends: Bounds) -> FuzzyArray:
        """Periods that are known exactly."""
        return cls(starts, starts, ends, ends)

    def __len__(self) -> int:
        return len(self.outer_start)

    def __iter__(self) -> Iterator[FuzzyInterval]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> FuzzyInterval:
        values = [array[index].item() for array in self.columns]
        if self.is_integer:
            infinite = {_LEAST: -np.inf, _GREATEST: np.inf}
            values = [infinite.get(value, value) for value in values]
        return FuzzyInterval(*values)

    def take(self, indices: NDArray[Any] | slice) -> FuzzyArray:
        """The chosen intervals."""
        return FuzzyArray(*(column[indices] for column in self.columns))

    @property
    def columns(self) -> tuple[Bounds, Bounds, Bounds, Bounds]:
        """Outer start, inner start, inner end, outer end."""
        return self.outer_start, self.inner_start, self.inner_end, self.outer_end

    @property
    def is_integer(self) -> bool:
        """Whether the bounds are whole numbers."""
        return self.outer_start.dtype.kind == "i"

    @property
    def latest_start(self) -> Bounds:
        """Per interval: the state held from here on, or had ended."""
        return np.minimum(self.inner_start, self.outer_end)

    @property
    def earliest_end(self) -> Bounds:
        """Per interval: the state held up to here, or had not begun."""
        return np.maximum(self.inner_end, self.outer_start)

    @property
    def fuzziness(self) -> NDArray[np.float64]:
        """Per interval: the share of its extent that is uncertain."""
        os, is_, ie, oe = (self.as_floats(column) for column in self.columns)
        with np.errstate(invalid="ignore", divide="ignore"):
            extent, core = oe - os, np.maximum(0.0, ie - is_)
            share = np.where(extent > 0, 1 - core / extent, 0.0)
        return np.where(np.isinf(extent), 1.0, share)

    @property
    def thickness(self) -> NDArray[np.float64]:
        """Per interval: the length of both boundaries together."""
        os, is_, ie, oe = (self.as_floats(column) for column in self.columns)
        return (is_ - os) + (oe - ie)

    def relate(self, other: FuzzyArray, *, engine: Engine = "auto") -> NDArray[np.int8]:
        """The code of the relation of each interval to its partner; -1 where one has no core."""
        return self._over_pairs(other, np.int8, _relate, "relate", engine)

    def possible_mask(self, other: FuzzyArray, *, engine: Engine = "auto") -> NDArray[np.int16]:
        """The relations that are possible between each pair: bit c is set for the relation with code c."""
        return self._over_pairs(other, np.int16, _possible_mask, "possible_mask", engine)

    def presence(self, period: FuzzyArray, mode: str = "sometime", *, engine: Engine = "auto") -> NDArray[np.int8]:
        """Per visit, whether it shares time with the period: 0 no, 1 possibly, 2 definitely.

        `sometime`: they have an instant in common; `throughout`: the visit covers the period; `within`: the period
        covers the visit. Intervals are closed, so that touching counts.
        """
        if mode not in MODES:
            raise BadParameter(f"mode must be one of {', '.join(MODES)}, got {mode!r}.", parameter="mode")
        return self._over_pairs(period, np.int8, _PRESENCE[mode], f"presence_{mode}", engine)

    def _over_pairs(
        self, other: FuzzyArray, dtype: type[Any], in_numpy: Callable[..., Any], compiled: str, engine: Engine
    ) -> NDArray[Any]:
        """Results of all pairs, from a function of eight columns."""
        if len(self) != len(other) and 1 not in (len(self), len(other)):
            raise BadInterval(f"{len(self)} and {len(other)} intervals cannot be paired.")
        if engine not in ("auto", "numpy", "compiled"):
            raise BadParameter(f"engine must be auto, numpy or compiled, got {engine!r}.", parameter="engine")
        n_pairs = 0 if 0 in (len(self), len(other)) else max(len(self), len(other))
        columns = [*self.columns, *other.columns]
        if self.is_integer != other.is_integer:
            columns = [self.as_floats(column) for column in self.columns]
            columns += [other.as_floats(column) for column in other.columns]
        result = np.empty(n_pairs, dtype)
        if engine == "compiled" or (engine == "auto" and n_pairs >= _WORTH_COMPILING):
            from crypsis.fuzzytime import loops

            getattr(loops, compiled)(*columns, result)
            return result
        for start in range(0, n_pairs, _CHUNK):
            chunk = slice(start, start + _CHUNK)
            result[chunk] = in_numpy(*(column if len(column) == 1 else column[chunk] for column in columns))
        return result

    def as_floats(self, column: Bounds) -> NDArray[np.float64]:
        """A column with infinities as such."""
        values = column.astype(np.float64)
        if self.is_integer:
            values[column == _LEAST], values[column == _GREATEST] = -np.inf, np.inf
        return values

    def _refuse_bad_bounds(self) -> None:
        os, is_, ie, oe = self.columns
        sound = (os <= is_) & (ie <= oe) & (os <= oe) & (os <= ie) & (is_ <= oe)  # comparisons with NaN are false
        if not sound.all():
            first = int(np.argmin(sound))
            bounds = tuple(column[first].item() for column in self.columns)
            raise BadInterval(f"Interval {first} has bounds that cross or are not numbers: {bounds}.")


_NAMES = ("outer_start", "inner_start", "inner_end", "outer_end")


def _relate(os_a: Any, is_a: Any, ie_a: Any, oe_a: Any, os_b: Any, is_b: Any, ie_b: Any, oe_b: Any) -> Any:
    left = 1 - (is_a < os_b).astype(np.int8) + (is_b < os_a)
    right = 1 - (oe_a < ie_b).astype(np.int8) + (oe_b < ie_a)
    code = np.array(WITH_SHARED_CORE, np.int8)[3 * left + right]
    code = np.where(ie_b <= is_a, np.where(oe_b < os_a, CODES["after"], CODES["met_by"]), code)
    code = np.where(ie_a <= is_b, np.where(oe_a < os_b, CODES["before"], CODES["meets"]), code)
    return np.where((is_a >= ie_a) | (is_b >= ie_b), UNDEFINED, code)


def _possible_mask(*bounds: Any) -> Any:
    mask = np.zeros(np.broadcast_shapes(*(bound.shape for bound in bounds)), np.int16)
    for code, possible in enumerate(possible_relations(*bounds)):
        mask |= possible.astype(np.int16) << code
    return mask


def _sometime(os_v: Any, is_v: Any, ie_v: Any, oe_v: Any, os_p: Any, is_p: Any, ie_p: Any, oe_p: Any) -> Any:
    definitely = (np.minimum(is_v, oe_v) <= np.maximum(ie_p, os_p)) & (np.minimum(is_p, oe_p) <= np.maximum(ie_v, os_v))
    possibly = (os_v <= oe_p) & (os_p <= oe_v)
    return np.where(definitely, 2, possibly)


def _throughout(os_v: Any, is_v: Any, ie_v: Any, oe_v: Any, os_p: Any, is_p: Any, ie_p: Any, oe_p: Any) -> Any:
    definitely = (np.minimum(is_v, oe_v) <= os_p) & (oe_p <= np.maximum(ie_v, os_v))
    possibly = (os_v <= np.minimum(is_p, oe_p)) & (np.maximum(ie_p, os_p) <= oe_v)
    return np.where(definitely, 2, possibly)


def _within(os_v: Any, is_v: Any, ie_v: Any, oe_v: Any, os_p: Any, is_p: Any, ie_p: Any, oe_p: Any) -> Any:
    return _throughout(os_p, is_p, ie_p, oe_p, os_v, is_v, ie_v, oe_v)


_PRESENCE: dict[str, Callable[..., Any]] = {"sometime": _sometime, "throughout": _throughout, "within": _within}

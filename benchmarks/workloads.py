"""The seeded inputs of the benchmarks.

`walks`, `checkins` and `cars` are portable: they draw from a linear congruential generator written out here,
so any language reproduces them to the last code and figures can be compared. `million` is made with numpy.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.compilation import njit
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.samples.quest import quest

_MULTIPLIER = np.uint64(6364136223846793005)
_INCREMENT = np.uint64(1442695040888963407)
_SHIFT = np.uint64(33)

_LONGEST_WALK = 8
_LONGEST_CHECKIN = 40
_MOST_FIXES = 4 * 19 + 1


def walks(seed: int = 1, n: int = 18_143, side: int = 10) -> Trajectories:
    """Walks over the cells of a square grid that keep their heading, more often through the middle."""
    with np.errstate(over="ignore"):  # the generator wraps; only interpreted kernels would warn
        offsets, codes = _walks(_seeded(seed), n, side)
    return Trajectories(offsets, codes, _grid(side * side, side))


def checkins(seed: int = 1, n: int = 86_061, places: int = 662, width: int = 26) -> Trajectories:
    """Check-ins at places of very different popularity, the next one often nearby."""
    with np.errstate(over="ignore"):
        offsets, codes, x, y = _checkins(_seeded(seed), n, places, width)
    return Trajectories(offsets, codes, _numbered(x, y))


def cars(seed: int = 1, n: int = 5_707, side: int = 24, block: int = 500) -> Tracks:
    """GPS fixes of cars on a street grid, every 15 seconds and within 15 metres of where the car is."""
    with np.errstate(over="ignore"):
        return Tracks(*_cars(_seeded(seed), n, side, block))


def million(
    n: int = 1_000_000, locations: int = 10_000, seed: int = 1, walkers_seed: int | None = None
) -> Trajectories:
    """Check-ins with a long tail of rare locations on a square grid, 4.7 visits on average.

    With a seed of their own, other people walk on the same map.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    side = int(np.ceil(np.sqrt(locations)))
    where = random.permutation(locations)  # popularity is spread over the map, not sorted along it
    if walkers_seed is not None:
        random = np.random.Generator(np.random.PCG64(walkers_seed))
    lengths = np.minimum(random.geometric(1 / 4.7, n), 60)
    offsets = offsets_of(lengths)
    codes = np.empty(int(offsets[-1]), np.int32)

    def popular(count: int) -> Int64s:
        return where[(locations * random.random(count) ** 3).astype(np.int64)]

    walkers = np.arange(n)
    last = popular(n)
    codes[offsets[:-1]] = last
    for step in range(1, int(lengths.max(initial=0))):
        going_on = lengths[walkers] > step
        walkers, last = walkers[going_on], last[going_on]
        column = last % side + random.integers(-2, 3, len(walkers))
        row = last // side + random.integers(-2, 3, len(walkers))
        nearby = row * side + column
        stays_near = (
            (random.random(len(walkers)) < 0.6) & (column >= 0) & (column < side) & (row >= 0) & (nearby < locations)
        )
        last = np.where(stays_near & (nearby != last), nearby, popular(len(walkers)))
        codes[offsets[walkers] + step] = last
    return Trajectories(offsets, codes, _grid(locations, side))


def page_views(n: int = 20_450, pages: int = 2_990, mean: float = 36.0, seed: int = 1) -> Trajectories:
    """Visits of a web site, as many and as long as those of the FIFA dataset: 9 to 100 pages, popular ones and nearby.

    The dataset itself is not passed on. A visitor goes to a popular page, to one nearby, or to the next one.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    lengths = 9 + np.minimum(random.negative_binomial(1.3, 1.3 / (1.3 + mean - 8), n), 91)
    offsets = offsets_of(lengths)
    codes = np.empty(int(offsets[-1]), np.int32)
    popularity = np.cumsum(1 / np.arange(1, pages + 1))
    page_of_rank = random.permutation(pages)  # popular pages are spread over the site

    def popular(count: int) -> Int64s:
        ranks = np.searchsorted(popularity, popularity[-1] * random.random(count))
        chosen: Int64s = page_of_rank[np.minimum(ranks, pages - 1)]
        return chosen

    visitors = np.arange(n)
    page = popular(n)
    codes[offsets[:-1]] = page
    for step in range(1, int(lengths.max(initial=0))):
        going_on = lengths[visitors] > step
        visitors, page = visitors[going_on], page[going_on]
        kind = random.random(len(visitors))
        nearby = (page + random.integers(1, 6, len(visitors))) % pages
        page = np.where(kind < 0.5, popular(len(visitors)), np.where(kind < 0.75, nearby, (page + 1) % pages))
        codes[offsets[visitors] + step] = page
    return Trajectories(offsets, codes, Locations(Vocabulary(map(str, range(pages)))))


def baskets(n: int = 1_000_000, terms: int = 5_000, length: float = 10.0, seed: int = 1) -> Transactions:
    """Quest-like records; with 515,597 of 1,657 terms and length 6.5 they are of the size of BMS-POS."""
    return quest(n, seed, terms=terms, length=length)


def people(n: int = 1_000_000, seed: int = 1) -> pl.DataFrame:
    """A table of seven columns as surveys have them: numbers, codes, dates, categories and an amount of money."""
    random = np.random.Generator(np.random.PCG64(seed))

    def named(word: str, many: int, power: float = 1.0) -> pl.Series:
        places = (many * random.random(n) ** power).astype(np.int64)
        return pl.Series([f"{word} {number}" for number in range(many)]).gather(pl.Series(places))

    return pl.DataFrame(
        {
            "age": random.integers(17, 91, n),
            "zip": random.integers(10_000, 100_000, n),
            "sex": named("sex", 2),
            "education": named("level", 16),
            "born": pl.Series(random.integers(-10_000, 15_000, n).astype(np.int32)).cast(pl.Date),
            "income": np.round(random.lognormal(10, 1, n), 2),
            "disease": named("disease", 300, 2.0),
        }
    )


def weighted_checksum(data: Trajectories) -> int:
    """Sum of (row + 1) * (position + 1) * code modulo 1000003, both counted from 0."""
    rows = np.repeat(np.arange(len(data)), data.lengths)
    positions = np.arange(data.visits) - data.offsets[:-1][rows]
    terms = (rows + 1) * (positions + 1) % 1_000_003 * data.codes.astype(np.int64) % 1_000_003
    return int(terms.sum() % 1_000_003)


def _grid(cells: int, side: int) -> Locations:
    """The centres of square cells, row by row."""
    row, column = np.divmod(np.arange(cells, dtype=np.float64), side)
    return _numbered(100 * column + 50, 100 * row + 50)


def _numbered(x: Float64s, y: Float64s) -> Locations:
    """Locations labelled with their own codes."""
    return Locations(Vocabulary(map(str, range(len(x)))), x, y)


def _seeded(seed: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([seed], np.uint64)


@njit
def _draw(state: np.ndarray[tuple[int], np.dtype[np.uint64]], n: int) -> int:
    """The next number from 0 to n - 1; `state` holds the generator and is the only thing written."""
    state[0] = state[0] * _MULTIPLIER + _INCREMENT
    return np.int64((state[0] >> _SHIFT) % np.uint64(n))  # type: ignore[return-value]


@njit
def _walks(state: np.ndarray[tuple[int], np.dtype[np.uint64]], n: int, side: int) -> tuple[Int64s, Int32s]:
    step_x = np.array([1, 1, 0, -1, -1, -1, 0, 1])
    step_y = np.array([0, 1, 1, 1, 0, -1, -1, -1])
    offsets = np.zeros(n + 1, np.int64)
    codes = np.empty(n * _LONGEST_WALK, np.int32)
    end = 0
    for walk in range(n):
        length = 1 + _draw(state, 3) + _draw(state, 3) + _draw(state, 4)
        x = (_draw(state, side) + _draw(state, side)) // 2
        y = (_draw(state, side) + _draw(state, side)) // 2
        heading = _draw(state, 8)
        codes[end] = side * y + x
        end += 1
        visited = 1
        while visited < length:
            heading = (heading + _draw(state, 3) - 1) % 8
            next_x = x + step_x[heading]
            next_y = y + step_y[heading]
            if next_x < 0 or next_x >= side or next_y < 0 or next_y >= side:
                heading = _draw(state, 8)
                continue
            x = next_x
            y = next_y
            codes[end] = side * y + x
            end += 1
            visited += 1
        offsets[walk + 1] = end
    return offsets, codes[:end].copy()


@njit
def _popular(state: np.ndarray[tuple[int], np.dtype[np.uint64]], places: int) -> int:
    share = _draw(state, 1 << 20)
    return (places * share * share) >> 40


@njit
def _checkins(
    state: np.ndarray[tuple[int], np.dtype[np.uint64]], n: int, places: int, width: int
) -> tuple[Int64s, Int32s, Float64s, Float64s]:
    x = np.empty(places, np.float64)
    y = np.empty(places, np.float64)
    for place in range(places):
        x[place] = 100 * (place % width) + _draw(state, 60)
        y[place] = 100 * (place // width) + _draw(state, 60)
    offsets = np.zeros(n + 1, np.int64)
    codes = np.empty(n * _LONGEST_CHECKIN, np.int32)
    end = 0
    for person in range(n):
        place = _popular(state, places)
        codes[end] = place
        end += 1
        visited = 1
        while visited < _LONGEST_CHECKIN and _draw(state, 1000) < 745:
            if _draw(state, 10) < 6:
                column = place % width + _draw(state, 5) - 2
                row = place // width + _draw(state, 5) - 2
                following = width * row + column
                if column < 0 or column >= width or following < 0 or following >= places or following == place:
                    following = _popular(state, places)
            else:
                following = _popular(state, places)
            place = following
            codes[end] = place
            end += 1
            visited += 1
        offsets[person + 1] = end
    return offsets, codes[:end].copy(), x, y


@njit
def _cars(
    state: np.ndarray[tuple[int], np.dtype[np.uint64]], n: int, side: int, block: int
) -> tuple[Int64s, Float64s, Float64s, Float64s]:
    step_x = np.array([1, 0, -1, 0])
    step_y = np.array([0, 1, 0, -1])
    offsets = np.zeros(n + 1, np.int64)
    x = np.empty(n * _MOST_FIXES, np.float64)
    y = np.empty(n * _MOST_FIXES, np.float64)
    t = np.empty(n * _MOST_FIXES, np.float64)
    end = 0
    for car in range(n):
        hub = _draw(state, 4)
        along = _draw(state, side)
        across = _draw(state, side)
        middle_x = (_draw(state, side) + _draw(state, side)) // 2
        middle_y = (_draw(state, side) + _draw(state, side)) // 2
        anywhere_x = _draw(state, side)
        anywhere_y = _draw(state, side)
        crossing_x = np.array([along, side // 2, middle_x, anywhere_x])[hub]
        crossing_y = np.array([side // 2, across, middle_y, anywhere_y])[hub]
        heading = _draw(state, 4)
        seconds = 0
        for _ in range(4 + _draw(state, 16)):
            if _draw(state, 4) == 0:
                heading = (heading + 1 + 2 * _draw(state, 2)) % 4
            next_x = crossing_x + step_x[heading]
            next_y = crossing_y + step_y[heading]
            if next_x < 0 or next_x >= side or next_y < 0 or next_y >= side:
                heading = (heading + 2) % 4
                continue
            for quarter in range(4):
                x[end] = crossing_x * block + step_x[heading] * quarter * block // 4 + _draw(state, 31) - 15
                y[end] = crossing_y * block + step_y[heading] * quarter * block // 4 + _draw(state, 31) - 15
                t[end] = seconds
                seconds += 15
                end += 1
            crossing_x = next_x
            crossing_y = next_y
        x[end] = crossing_x * block
        y[end] = crossing_y * block
        t[end] = seconds
        end += 1
        offsets[car + 1] = end
    return offsets, x[:end].copy(), y[:end].copy(), t[:end].copy()


def smart_cards(n: int, locations: int, mean: float, longest: int, seed: int, hours: int = 168) -> Events:
    """A week of boardings: most near home in the morning and near work in the evening, the others anywhere."""
    random = np.random.Generator(np.random.PCG64(seed))
    spread = 0.9  # of the negative binomial that lengths follow
    lengths = np.minimum(1 + random.negative_binomial(spread, spread / (spread + mean - 1), n), longest)
    popularity = 1 / np.arange(1, locations + 1) ** 0.8
    cumulated = np.cumsum(popularity[random.permutation(locations)] / popularity.sum())

    def popular(count: int) -> Int64s:
        return np.minimum(np.searchsorted(cumulated, random.random(count)), locations - 1)

    home, work = popular(n), popular(n)
    persons = np.repeat(np.arange(n), lengths)
    kind = random.random(len(persons))
    place = np.where(kind < 0.4, home[persons], np.where(kind < 0.75, work[persons], popular(len(persons))))
    day = random.choice(7, len(persons), p=[0.16, 0.17, 0.17, 0.17, 0.16, 0.1, 0.07])
    clock = np.where(
        kind < 0.4,
        random.normal(8, 1.4, len(persons)),
        np.where(kind < 0.75, random.normal(17, 1.6, len(persons)), random.uniform(6, 23, len(persons))),
    )
    t = np.minimum(24 * day + np.clip(np.rint(clock), 0, 23).astype(np.int64), hours - 1)
    return Events(
        persons.astype(np.int32),
        place.astype(np.int32),
        t,
        Vocabulary(map(str, range(n))),
        Locations(Vocabulary(map(str, range(locations)))),
    )


def bus(n: int = 773_296) -> Events:
    """As large as the Bus dataset of the SafePath thesis: 893 locations, 168 hours, 4.69 boardings on average."""
    return smart_cards(n, 893, 4.69, 121, 7)


def metro(n: int = 847_668) -> Events:
    """As large as its Metro dataset: 68 locations, 168 hours, 3.22 boardings on average."""
    return smart_cards(n, 68, 3.22, 90, 8)

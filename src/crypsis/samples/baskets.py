"""Baskets of a corner shop: seventy products in twelve categories, bought for a meal or on a whim."""

from __future__ import annotations

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.data.transaction import Transactions
from crypsis.samples.numbering import numbered

# Category by category, products by falling popularity.
_SHELVES: dict[str, list[str]] = {
    "bread": ["bread", "rolls", "croissants", "crispbread", "bagels", "rye loaf"],
    "dairy": ["milk", "butter", "yoghurt", "cheese", "eggs", "cream", "feta"],
    "fruit": ["bananas", "apples", "oranges", "grapes", "lemons", "berries", "figs"],
    "vegetables": ["tomatoes", "onions", "potatoes", "carrots", "salad", "peppers", "garlic", "fennel"],
    "meat and fish": ["minced meat", "chicken", "ham", "salmon", "sausages", "anchovies"],
    "pantry": ["pasta", "rice", "flour", "olive oil", "sugar", "tinned tomatoes", "lentils", "couscous"],
    "breakfast": ["coffee", "tea", "muesli", "jam", "honey", "chocolate spread"],
    "sweets": ["chocolate", "biscuits", "ice cream", "liquorice", "marzipan"],
    "drinks": ["mineral water", "orange juice", "beer", "red wine", "lemonade", "tonic"],
    "household": ["kitchen paper", "washing powder", "light bulbs", "candles"],
    "baby": ["nappies", "baby food", "wipes"],
    "pharmacy": ["plasters", "painkillers", "pregnancy test", "nicotine gum"],
}

# What a meal takes, and how many of a hundred baskets are bought for it.
_MEALS: list[tuple[int, list[str]]] = [
    (24, ["bread", "butter", "milk", "coffee", "jam", "eggs"]),
    (18, ["pasta", "tinned tomatoes", "onions", "garlic", "cheese", "minced meat"]),
    (14, ["salad", "tomatoes", "olive oil", "feta", "rolls", "lemons"]),
    (12, ["rice", "chicken", "peppers", "onions", "carrots"]),
    (10, ["flour", "sugar", "eggs", "butter", "milk", "chocolate"]),
    (8, ["sausages", "potatoes", "beer", "rolls"]),
    (7, ["nappies", "wipes", "baby food", "bananas", "milk"]),
    (4, ["salmon", "fennel", "lemons", "red wine", "potatoes"]),
    (3, ["painkillers", "tea", "honey", "lemons"]),
]
_TAKES_AN_INGREDIENT = 0.6
_PRIVATE = ("pregnancy test", "nicotine gum", "painkillers")
_WHIMS = 2.2  # products bought on a whim, on average
_BASKETS_AT_ONCE = 50_000


def products_frame() -> pl.DataFrame:
    """The shelves: item, category."""
    pairs = [(item, category) for category, items in _SHELVES.items() for item in items]
    return pl.DataFrame(pairs, schema=["item", "category"], orient="row")


def baskets(count: int = 3_000, seed: int = 1) -> Transactions:
    """The products of each basket."""
    offsets, codes = _fill(count, np.random.Generator(np.random.PCG64(seed)))
    items = products_frame()["item"].gather(codes)
    sold = set(items.unique())  # a small sample may lack the rare ones
    sensitive = [item for item in _PRIVATE if item in sold]
    return Transactions.from_columns(offsets, items, sensitive, ids=numbered("basket", count))


def baskets_frame(count: int = 3_000, seed: int = 1) -> pl.DataFrame:
    """The same as a long table, one row per product bought: id, item."""
    return baskets(count, seed).to_frame()


def _fill(baskets: int, random: np.random.Generator) -> tuple[Int64s, Int32s]:
    shares, chances = _chances()
    lengths, codes = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    for start in range(0, baskets, _BASKETS_AT_ONCE):
        count = min(_BASKETS_AT_ONCE, baskets - start)
        meal = random.choice(len(shares), count, p=shares)
        taken = random.random((count, chances.shape[1]), dtype=np.float32) < chances[meal]
        empty = ~taken.any(axis=1)
        taken[empty, 0] = True  # nobody leaves without at least a loaf
        lengths.append(taken.sum(axis=1))
        codes.append(np.nonzero(taken)[1].astype(np.int32))
    return offsets_of(np.concatenate(lengths)), np.concatenate(codes)


def _chances() -> tuple[Float64s, Float64s]:
    """Share of each meal, and the chance of each product in a basket bought for it."""
    items = products_frame()["item"].to_list()
    number = {item: code for code, item in enumerate(items)}
    popularity = np.concatenate([1.0 / np.arange(1, len(shelf) + 1) for shelf in _SHELVES.values()])
    whim = _WHIMS * popularity / popularity.sum()
    chances = np.tile(whim, (len(_MEALS), 1))
    for meal, (_, ingredients) in enumerate(_MEALS):
        chances[meal, [number[item] for item in ingredients]] = _TAKES_AN_INGREDIENT
    shares = np.array([share for share, _ in _MEALS], np.float64)
    return shares / shares.sum(), chances

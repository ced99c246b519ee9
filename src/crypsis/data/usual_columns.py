"""Columns of long tables by their names: whose a row is, when it was, where, and what.

Only names are looked at. The usual ones come first; then those whose words say the same (`datetime_gmt`, `gps_time`,
`product_code`, `ride`). Of two that say the same none is taken: whoever reads the data names one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from crypsis.data.person_detection import ID_WORDS, NUMBER_WORDS, identifies_by_name, names_a_trip, word_set, words_of

TRACK_NAMES = ("track_id", "tid", "tripleg_id", "trajectory_id", "trip_id", "track", "trajectory", "trip")
OWNER_NAMES = ("owner", "uid", "user_id", "user")
LATITUDE_NAMES = ("lat", "latitude")
LONGITUDE_NAMES = ("lng", "lon", "longitude", "long")
EAST_NAMES = ("x", "easting", "eastings", "rechtswert", "ostwert", "utm_x", "utm_e", "x_coord", "coord_x")
NORTH_NAMES = ("y", "northing", "northings", "hochwert", "nordwert", "utm_y", "utm_n", "y_coord", "coord_y")
POINT_NAMES = ("geom", "geometry")
TIME_NAMES = ("t", "datetime", "tracked_at", "timestamp", "time")
ID_NAMES = ("trajectory_id", "trip_id", "id", "person", *OWNER_NAMES, *TRACK_NAMES)
POSITION_NAMES = (
    "position", "step", "seq", "sequence", "order", "seq_no", "stop_sequence", "reihenfolge", "schritt", "lfd_nr",
    "ordre", "étape", "orden", "ordem", "ordine", "kolejność", "порядок", "顺序", "順番", "urutan", "الترتيب", "क्रम",
)  # fmt: skip
LOCATION_NAMES = ("location", "loc", "place", "venue", "cell", "station", "poi")
ITEM_NAMES = ("item", "items", "product", "term", "code")
SURE_ITEM_NAMES = ("item", "items", "product")  # beside many columns a code may be one of an area

EVENT = ("id", "location", "t")

_TIMES = frozenset(
    {
        "datetime", "timestamp", "time", "ts", "when", "zeit", "zeitpunkt", "zeitstempel", "uhrzeit", "hora", "heure",
        "wann", "horodatage", "ora", "czas", "waktu", "время", "时间", "समय", "সময়", "الوقت",
    }
)  # fmt: skip
_OF_TIMES = frozenset(
    {
        "gmt", "utc", "iso", "local", "gps", "unix", "epoch", "date", "fix", "point", "position", "event", "record",
        "recorded", "observed", "stamp", "s", "ms", "us", "checkin", "tap", "scan", "call",
    }
)  # fmt: skip
_LATITUDES = word_set(
    """
    lat latitude latitud latitudine breitengrad geobreite breite breedtegraad enlem lintang широта 纬度 緯度 위도 अक्षांश
    অক্ষাংশ
    """
)
_LONGITUDES = word_set(
    """
    lng lon long longitude longitud longitudine langengrad laengengrad geolange lange laenge lengtegraad boylam bujur
    долгота 经度 経度 경도 देशांतर দ্রাঘিমাংশ
    """
)
_LOCATIONS = word_set(
    """
    standort ort lieu lugar ubicacion luogo miejsce lokasi место 地点 場所 स्थान স্থান المكان stop haltestelle bahnhof
    arret gare parada estacion estacao fermata stazione przystanek halte остановка станция 駅 车站 محطة
    """
)
_BASKETS = frozenset({"basket", "invoice", "receipt", "cart", "purchase", "bon", "ticket", "order", "panier", "chek"})
_BASKET_STEMS = (
    "bestell", "rechnung", "warenkorb", "beleg", "auftrag", "einkauf", "commande", "facture", "pedido", "factura",
    "carrito", "cesta", "compra", "fatura", "carrinho", "заказ", "чек", "корзин", "订单", "购物", "注文", "伝票",
    "pesanan", "keranjang", "transaksi", "فاتورة", "طلب", "ऑर्डर", "অর্ডার",
)  # fmt: skip
_ITEMS = frozenset(
    {"item", "product", "article", "sku", "stock", "ean", "upc", "gtin", "isbn", "asin", "plu", "ware", "waren"}
)
_ITEM_STEMS = (
    "artikel", "produkt", "produit", "product", "produto", "prodotto", "articul", "artigo", "товар", "продукт", "商品",
    "产品", "品目", "barang", "produk", "منتج", "उत्पाद", "পণ্য",
)  # fmt: skip
_OF_ITEMS = frozenset({"id", "code", "no", "nr", "number", "name", "key", "description", "desc", "label", "title"})


def time_column(names: Iterable[str]) -> str | None:
    """The column that says when a row was."""
    return usual_column(names, TIME_NAMES) or _only(names, _tells_the_time)


def event_columns(names: Iterable[str]) -> dict[str, str]:
    """The columns of events that are there: whose, where and when."""
    remaining = list(names)
    columns = {
        "id": usual_column(remaining, ("id", *ID_NAMES)) or mover_column(remaining),
        "location": location_column(remaining),
        "t": time_column(remaining),
    }
    return {use: name for use, name in columns.items() if name is not None}


def location_column(names: Iterable[str]) -> str | None:
    """The column that names the place of a row."""
    return usual_column(names, LOCATION_NAMES) or _only(names, _names_a_location)


def latitude_column(names: Iterable[str]) -> str | None:
    """The column with the latitude: `lat`, `gps_latitude`, `location-lat`; none where start and end have one each."""
    return usual_column(names, LATITUDE_NAMES) or _only(names, lambda name: not _LATITUDES.isdisjoint(words_of(name)))


def longitude_column(names: Iterable[str]) -> str | None:
    """The column with the longitude."""
    return usual_column(names, LONGITUDE_NAMES) or _only(names, lambda name: not _LONGITUDES.isdisjoint(words_of(name)))


def names_a_degree(name: str) -> bool:
    """Whether a column of that name holds latitudes or longitudes."""
    return latitude_column([name]) is not None or longitude_column([name]) is not None


def track_column(names: Iterable[str]) -> str | None:
    """The column that names the track or trip of a row; None where only people are named."""
    return usual_column(names, TRACK_NAMES) or _only(names, names_a_trip)


def mover_column(names: Iterable[str]) -> str | None:
    """The column that says who or what moved: a track, a person, or else an id."""
    return track_column(names) or usual_column(names, ID_NAMES) or _only(names, identifies_by_name)


def basket_column(names: Iterable[str]) -> str | None:
    """The column that names the basket or record of a row: an order rather than the customer who gave several."""
    remaining = list(names)
    return (
        _only(remaining, _names_a_basket) or usual_column(remaining, ID_NAMES) or _only(remaining, identifies_by_name)
    )


def item_column(names: Iterable[str], usual: tuple[str, ...] = ITEM_NAMES) -> str | None:
    """The column with one item a row."""
    remaining = list(names)
    return (
        usual_column(remaining, usual) or _only(remaining, _names_an_item) or _only(remaining, _is_the_code_of_an_item)
    )


def _tells_the_time(name: str) -> bool:
    words = words_of(name)
    return any(word in _TIMES for word in words) and all(word in _TIMES or word in _OF_TIMES for word in words)


def _names_a_location(name: str) -> bool:
    words = words_of(name)
    return (
        bool(words)
        and (words[0] in LOCATION_NAMES or words[0] in _LOCATIONS)
        and all(word in _OF_ITEMS for word in words[1:])
    )


def _names_a_basket(name: str) -> bool:
    words = words_of(name)
    named = names_a_trip(name) and name.lower() not in POSITION_NAMES
    first = any(word.removesuffix("id") in _BASKETS or word.startswith(_BASKET_STEMS) for word in words[:1])
    return named or (first and all(word in _OF_ITEMS for word in words[1:]))  # an invoice date names none


def _names_an_item(name: str) -> bool:
    words = words_of(name)
    first = bool(words) and (words[0] in _ITEMS or words[0].startswith(_ITEM_STEMS))
    return first and all(word in _OF_ITEMS for word in words[1:])


def _is_the_code_of_an_item(name: str) -> bool:
    """Beside the name of an item its code may stand, which is shorter and has no misspellings."""
    return _names_an_item(name) and words_of(name)[-1] in ID_WORDS | NUMBER_WORDS


def usual_column(names: Iterable[str], usual: tuple[str, ...]) -> str | None:
    """The first of the usual names that a column has, in capitals or not."""
    lower = {name.lower(): name for name in reversed(list(names))}
    return next((lower[name] for name in usual if name in lower), None)


def _only(names: Iterable[str], fits: Callable[[str], bool]) -> str | None:
    fitting = [name for name in names if fits(name)]
    return fitting[0] if len(fitting) == 1 else None

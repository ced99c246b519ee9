"""What the parameters of a method were set to, as a reader of a report understands it."""

from __future__ import annotations

from crypsis.reports.parameter_labels import parameter_entries
from crypsis.translation import reading


def values(method: str, **parameters: object) -> list[str]:
    return [value for _, value in parameter_entries({"name": method, "parameters": parameters})]


def test_usual_recipes_are_told_in_words() -> None:
    assert values("apriori", hierarchy="auto:5") == ["a tree made from the data, up to 5 below each node"]
    like = ["a tree made from the data, up to 5 of like frequency below each node"]
    assert values("apriori", hierarchy="auto:5:frequency") == like
    assert values("coat", utility="single") == ["all items"]
    assert values("diff-multi", domains="public-in-data") == ["those of the data, declared public"]
    near = ["groups of up to 20 places near each other"]  # a size of groups, no tree
    assert values("u-seq-anon", constraints="auto:20") == near
    with reading("de"):
        assert values("coat", utility="single") == ["alle Elemente"]


def test_hierarchies_are_told_column_by_column() -> None:
    assert values("mondrian", hierarchy="age: equi_width:8, zip: prefix, town: towns.csv") == [
        "age: 8 ranges of equal width, zip: by the beginning of the value, town: towns.csv"
    ]
    assert values("mondrian", hierarchy="born: dates:months, size: adaptive") == [
        "born: by month, quarter, year and decade, size: ranges that fit the values"
    ]
    with reading("de"):
        assert values("mondrian", hierarchy="zip: prefix") == ["zip: nach dem Anfang des Werts"]


def test_declared_domains_are_told_in_the_language_of_the_reader() -> None:
    told = "domains of 2 columns, declared by the publisher"
    with reading("de"):
        assert values("diff-gen", domains=told) == [
            "Wertebereiche von 2 Spalten, von der veröffentlichenden Stelle deklariert"
        ]


def test_other_recipes_and_files_stand_as_they_were_typed() -> None:
    assert values("apriori", hierarchy="items.csv") == ["items.csv"]
    assert values("of-somebody", hierarchy="auto:5") == ["auto:5"]


def test_distances_are_told_with_their_unit() -> None:
    def told(crs: str | None) -> list[str]:
        return [value for _, value in parameter_entries({"name": "ppsg", "parameters": parameters}, crs)]

    parameters = {"radius": 500.0, "k": 5, "min_angle": 45.0, "max_displacement": 80.0}
    assert told(None) == ["500 units of the map", "5", "45", "80 units of the map"]
    assert told("EPSG:32632") == ["500 metres", "5", "45", "80 metres"]

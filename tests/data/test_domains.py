"""Domains are what was declared: read, checked, and never widened by the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis import Events, LocationDomain, PublicLocations, PublicTimes, TimeDomain
from crypsis.errors import BadDomain, BadRelease, CrypsisError, MissingFile, UnknownColumn


def test_locations_are_typed_or_read_from_a_file(tmp_path):
    assert LocationDomain.from_text("a, b,c").labels == ("a", "b", "c")
    (tmp_path / "places.csv").write_text("location,x,y\nb,1,2\na,3,4\n")
    read = LocationDomain.from_text(str(tmp_path / "places.csv"))
    assert read.labels == ("b", "a")
    assert read.table().to_frame().rows() == [("b", 1.0, 2.0), ("a", 3.0, 4.0)]
    (tmp_path / "venues.csv").write_text("venue,name\n7,x\n9,y\n")
    assert LocationDomain.from_text(f"{tmp_path / 'venues.csv'}:venue").labels == ("7", "9")
    with pytest.raises(UnknownColumn):
        LocationDomain.from_text(f"{tmp_path / 'venues.csv'}:place")
    with pytest.raises(MissingFile):
        LocationDomain.from_text(str(tmp_path / "nowhere.csv"))


@pytest.mark.parametrize("labels", [[], ["a", "b", "a"], ["a", ""], ["a", " "], ["a\nb"]])
def test_locations_that_are_no_domain_are_refused(labels):
    with pytest.raises(BadDomain):
        LocationDomain(labels)


@pytest.mark.parametrize(
    ("text", "first", "stop", "step"),
    [
        ("0:168", 0, 168, 1),
        ("-5:5:2", -5, 5, 2),
        ("2020-03-01..2020-03-03..24h", 439728, 439776, 24),
        ("1970-01-01..1970-01-08..1day", 0, 7, 1),
        ("1970-01-01T01:00..1970-01-01T02:00..10min", 60, 120, 10),
    ],
)
def test_times_are_typed(text, first, stop, step):
    read = TimeDomain.from_text(text)
    assert (read.first, read.stop, read.step) == (first, stop, step)


@pytest.mark.parametrize(
    "text",
    [
        *("", "5", "5:5", "9:1", "0:10:0", "0:10:-1", "a:b", "1:2:3:4", "0:1e3", f"0:{2**40}"),
        *("2020-03-01..2020-02-01..1h", "2020-99-01..2021-01-01..1h"),
    ],
)
def test_times_that_are_no_domain_are_refused(text):
    with pytest.raises(BadDomain):
        TimeDomain.from_text(text)


def test_times_are_whole_numbers():
    with pytest.raises(BadDomain):
        TimeDomain(0, 2.5)
    with pytest.raises(BadDomain):
        TimeDomain(True, 4)


@given(st.integers(-50, 50), st.integers(1, 40), st.integers(1, 9), st.lists(st.integers(-100, 100)))
def test_every_time_falls_into_the_bin_that_holds_it_or_into_none(first, width, step, times):
    domain = TimeDomain(first, first + width, step)
    codes = domain.encode(np.array(times, np.int64))
    starts = list(range(first, first + width, step))
    assert len(domain) == len(starts)
    for time, code in zip(times, codes.tolist(), strict=True):
        if first <= time < first + width:
            assert starts[code] <= time < starts[code] + step
            assert domain.decode(np.array([code], np.int32))[0] == starts[code]
        else:
            assert code == -1


def test_the_datas_own_domains_say_whose_word_they_rest_on():
    data = Events.from_lists([("x", "b", 3), ("y", "a", 7)])
    places, times = PublicLocations().make(data), PublicTimes().make(data)
    assert places.labels == ("a", "b")
    assert (times.first, times.stop) == (3, 8)
    assert "declared public by the publisher" in str(places)
    assert LocationDomain.from_text("public-in-data") == PublicLocations()
    assert TimeDomain.from_text("public-in-data") == PublicTimes()


@pytest.mark.parametrize(
    "domain",
    [
        LocationDomain(["a", "é"]),
        LocationDomain(["a", "b"], np.array([0.0, 1.0]), np.array([2.0, 3.0])),
        TimeDomain(0, 9, 2, "h"),
    ],
)
def test_a_domain_comes_back_from_json(domain):
    back = type(domain).from_json(domain.to_json())
    assert back == domain
    assert back.digest == domain.digest
    assert hash(back) == hash(domain)


@pytest.mark.parametrize("kind", [LocationDomain, TimeDomain])
@pytest.mark.parametrize("content", [{}, [], {"labels": 3, "declared": ""}, {"first": "x"}])
def test_json_that_is_no_domain_is_refused(kind, content):
    with pytest.raises((BadRelease, CrypsisError)):
        kind.from_json(content)


def test_the_order_of_locations_changes_the_digest():
    assert LocationDomain(["a", "b"]).digest != LocationDomain(["b", "a"]).digest

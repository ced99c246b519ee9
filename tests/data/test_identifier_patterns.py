"""Direct identifiers by their pattern: what is one, and what only looks like one."""

from __future__ import annotations

import polars as pl
import pytest

from crypsis.data.identifier_patterns import PATTERNS, identifying

IDENTIFIERS = {
    "names of people": [
        ("name", ["Maria Lopez", "John Smith", "Ευγενία Παππά"]),
        ("Patient_Name", ["Lovelace, Ada", "O'Brien", "Müller-Lüdenscheidt"]),
        ("who", ["Anna Schmidt", "Peter Meyer", "Xin Li"]),
        ("who", ["Mrs. Dalloway", "Dr Faustus", "Herr K"]),
    ],
    "e-mail addresses": [("note", ["ask ada@example.org about it", "nothing"])],
    "telephone numbers": [
        ("contact", ["+49 30 123456", "none", "none at all"]),
        ("contact", ["(030) 123456", "0171-5554443"]),
        ("contact", ["555-123-4567", "(555) 987 6543"]),
        ("mobile", [491715554443, 491715554444]),
    ],
    "bank account numbers (IBAN)": [("account", ["DE89 3704 0044 0532 0130 00", "-"])],
    "IP addresses": [("host", ["10.0.0.1", "192.168.0.7", "fe80::1"])],
    "insurance numbers": [
        ("number", ["078-05-1120", "219-09-9999"]),
        ("rvnr", ["65170839J003", "12180857M001"]),
        ("ssn", [123456789, 987654321]),
    ],
    "licence numbers": [("plate", ["B-AB 1234", "M-X 7", "HH-ZZ 99E"]), ("license_no", ["D1234567", "K9876543"])],
}
HARMLESS = [
    ("station name", ["Grove St PATH", "Hamilton Park", "John St"]),
    ("name", [1, 2, 3]),
    ("city", ["New York", "San Jose", "Maria Saal", "Bonn", "Paris", "Rome"]),
    ("marital-status", ["Married-civ-spouse", "Never-married"]),
    ("account", ["DE89 3704 0044 0532 0130 01"]),  # its check digits are wrong
    ("t", ["12:34:56", "07:00:00"]),
    ("version", ["1.2.3", "999.1.1.1"]),
    ("day", ["2008-10-23", "2008-10-24"]),
    ("epoch", [1580515200000, 1580515200001]),
    ("trajectory", [20081023025304, 20081024020959]),
    ("zip", ["01234", "98052"]),
    ("price", [0.5, 0.25]),
    ("code", ["042", "250.00"]),
]


@pytest.mark.parametrize(
    ("words", "column", "values"), [(w, *case) for w, cases in IDENTIFIERS.items() for case in cases]
)
def test_an_identifier_is_found(words, column, values):
    found = {one.words for one, _ in identifying(PATTERNS, column, pl.Series(values))}
    assert words in found


@pytest.mark.parametrize(("column", "values"), HARMLESS)
def test_what_only_looks_like_an_identifier_is_not_found(column, values):
    assert [one.words for one, _ in identifying(PATTERNS, column, pl.Series(values))] == []

"""Numbers that a state, a bank or a maker gives to one person or device, told by their check digits.

A random number passes such a check once in ten or a hundred times, so nearly all of a dozen values must pass. The
checks are those of python-stdnum; it is loaded only for columns whose values have the right form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module

import polars as pl

_FEWEST = 10
_LOOKED_AT = 200
_NEARLY_ALL = 0.95


@dataclass(frozen=True)
class CheckedNumber:
    """A kind of number: its form, and the modules of stdnum that check it."""

    words: str
    form: str
    modules: tuple[str, ...]


NUMBERS = (
    CheckedNumber("bank account numbers (IBAN)", r"^[A-Za-z]{2}\d{2}[A-Za-z0-9 ]{11,36}$", ("iban",)),
    CheckedNumber("numbers of payment cards", r"^\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}$", ("luhn",)),
    CheckedNumber("numbers of telephones (IMEI)", r"^\d{15}$", ("imei",)),
    CheckedNumber(
        "national identity numbers",
        r"^(\d{3}-\d{2}-\d{4}|[XYZ]?\d{7,8}-?[A-Z])$",
        ("us.ssn", "us.itin", "es.dni", "es.nie"),
    ),
    CheckedNumber("national identity numbers", r"^\d{9}$", ("nl.bsn", "ca.sin", "il.idnr", "pt.nif")),
    CheckedNumber(
        "national identity numbers",
        r"^\d{6}[ -+]?\d{4}$",
        ("gb.nhs", "se.personnummer", "bg.egn", "cz.rc", "at.vnr", "ec.ci", "ua.rntrc"),
    ),
    CheckedNumber(
        "national identity numbers",
        r"^(\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2}|\d{6}-?\d{3}-?\d{2}|\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2})$",
        ("br.cpf", "de.idnr", "pl.pesel", "be.nn", "no.fodselsnummer", "gr.amka", "tr.tckimlik", "ee.ik", "hr.oib"),
    ),
    CheckedNumber("national identity numbers", r"^\d{4} ?\d{4} ?\d{4}$", ("in_.aadhaar", "ru.inn", "my.nric")),
    CheckedNumber(
        "national identity numbers",
        r"^\d{6}-?\d{7}$|^\d(-?\d{4}-?\d{5}-?\d{2}-?\d)$|^756[.\d]{10,13}$",
        ("kr.rrn", "za.idnr", "ro.cnp", "th.pin", "ch.ssn"),
    ),
    CheckedNumber("national identity numbers", r"^\d{17}[\dXx]$", ("cn.ric",)),
    CheckedNumber("national identity numbers", r"^\d{16}$", ("id.nik",)),
    CheckedNumber("national identity numbers", r"^[12]\d{4}[\dAB]{2}[\d ]{6,14}$", ("fr.nir",)),
    CheckedNumber(
        "national identity numbers",
        r"^([A-Z]{6}\w{5}\w{4}[A-Z]|[A-Z]{4}\d{6}[HMX][A-Z]{5}\w\d|[A-Z]{5}\d{4}[A-Z]|\d{6}[+A-Y-]\d{3}\w)$",
        ("it.codicefiscale", "mx.curp", "in_.pan", "fi.hetu"),
    ),
    CheckedNumber("national identity numbers", r"^\d{1,2}\.?\d{3}\.?\d{3}-[\dkK]$", ("cl.rut",)),
)


def checked_number(values: pl.Series) -> str | None:
    """What the distinct values of a column are, in words, where nearly all have the check digits of one kind."""
    if not (values.dtype == pl.String or values.dtype.is_integer()) or len(values) < _FEWEST:
        return None
    texts = [text.strip() for text in values.head(_LOOKED_AT).cast(pl.String).drop_nulls().to_list()]
    needed = _NEARLY_ALL * len(texts)
    for number in NUMBERS:
        form = re.compile(number.form)
        fitting = [text for text in texts if form.match(text)]
        if len(fitting) >= needed and any(_pass(name, fitting, needed) for name in number.modules):
            return number.words
    return None


def _pass(name: str, texts: list[str], needed: float) -> bool:
    check = import_module(f"stdnum.{name}")
    missed = 0
    for text in texts:
        missed += not check.is_valid(text)
        if missed > len(texts) - needed:
            return False
    return True

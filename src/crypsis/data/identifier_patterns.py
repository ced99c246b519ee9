r"""What direct identifiers look like: an address is told by its form alone, a name also by how its column is called.

A pattern says which texts fit. `sure` ones count wherever they occur; of the others most values of a column must fit,
or the column's name must say so as well, because a station or a product has a name, too.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from crypsis.arrays import Bools


@dataclass(frozen=True)
class IdentifierPattern:
    """`form` is what a value looks like, `named` what columns that hold it are called."""

    words: str
    form: str
    named: str | None = None
    sure: bool = False
    mostly: float = 0.5  # share of the distinct values that must fit, unless one is enough
    holds: Callable[[str], bool] | None = None  # a check beyond the form, such as check digits


def _iban_holds(text: str) -> bool:
    plain = re.sub(r"\s", "", text).upper()
    digits = "".join(str(int(character, 36)) for character in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(digits) % 97 == 1


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_no_street(text: str) -> bool:
    return not re.search(
        r"(?i)\b(st|str|street|ave|avenue|rd|road|dr|drive|blvd|pl|place|sq|square|park|way|ln|lane)\.?$", text
    )


def _enough_digits(text: str) -> bool:
    return 9 <= sum(character.isdigit() for character in text) <= 15


_GIVEN = (  # frequent given names of several languages; enough of them make a column of names
    "alexander|alice|ana|andrea|andreas|anna|anne|antonio|barbara|carlos|catherine|charles|christian|christine|"
    "christopher|claudia|daniel|david|dimitris|elena|elizabeth|emily|emma|eva|francesco|george|georgios|giovanni|"
    "giuseppe|hans|helen|ioannis|jack|james|jan|jean|jennifer|jessica|john|jose|joseph|juan|julia|karen|karin|"
    "katerina|konstantinos|laura|linda|lisa|lucas|luis|manuel|marco|margaret|maria|marie|mario|mark|martin|mary|"
    "matthew|michael|michel|monika|nancy|nikolaos|nikos|olga|oliver|patricia|paul|pedro|peter|petra|philippe|pierre|"
    "richard|robert|sabine|sandra|sara|sarah|sofia|sophie|stefan|susan|susanne|thomas|ursula|vasilis|william|wolfgang"
)
_PERSON_COLUMN = (
    r"(?i)^(patient|person|customer|client|user|employee|member|full|first|last|given|family|middle|birth|maiden|"
    r"holder|contact|owner|driver|student|guest)?[\s_.-]*"
    r"(name|surname|lastname|firstname|forename|nachname|vorname|familienname|prenom|prénom|apellidos?|nombre|cognome|"
    r"onoma|eponymo)$"
)

NAME = IdentifierPattern(
    "names of people",
    r"^[^\W\d_][\w'’.-]*(,?\s+[^\W\d_][\w'’.-]*){0,4}$",
    _PERSON_COLUMN,
)
TITLED_NAME = IdentifierPattern(
    "names of people",
    (
        r"^(?:(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|Mme|Sr|Sra)\.?\s+[A-ZÄÖÜÉ]\w+.*|"
        rf"(?i:{_GIVEN})\s+(?:[A-Z]\.?\s+)?[A-ZÄÖÜÉΑ-Ω][\w'’-]+|[A-ZÄÖÜÉ][\w'’-]+,\s+(?i:{_GIVEN})\b.*)$"
    ),
    mostly=0.2,
    holds=_is_no_street,
)
EMAIL = IdentifierPattern("e-mail addresses", r"[\w.+%-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}", sure=True)
IBAN = IdentifierPattern(
    "bank account numbers (IBAN)",
    r"^[A-Za-z]{2}\d{2}(\s?[A-Za-z0-9]{1,4}){3,8}$",
    sure=True,
    holds=_iban_holds,
)
IP = IdentifierPattern(
    "IP addresses",
    r"^(\d{1,3}(\.\d{1,3}){3}|[0-9A-Fa-f:]{3,39})$",
    holds=_is_ip,
)
PHONE = IdentifierPattern(
    "telephone numbers",
    r"^\+[1-9][\d\s()/.-]{7,20}$",
    sure=True,
    holds=_enough_digits,
)
SEPARATED_PHONE = IdentifierPattern(
    "telephone numbers", r"^(\(?0\d{1,5}\)?[\s/-]\s?\d[\d\s-]{4,12}|\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4})$"
)
LOCAL_PHONE = IdentifierPattern(
    "telephone numbers",
    r"^\+?[\d(][\d\s()/.-]{6,20}$",
    r"(?i)(^|[\s_.-])(phone|telephone|tel|mobile|cell|handy|telefon|fax|whatsapp)([\s_.-]|no|nr|number|$)",
)
SOCIAL_SECURITY = IdentifierPattern("insurance numbers", r"^\d{3}-\d{2}-\d{4}$")
INSURANCE = IdentifierPattern(
    "insurance numbers",
    r"^(\d{8}[A-Z]\d{3}|[A-Z]\d{9}|[A-CEGHJ-PR-TW-Z]{2}\s?\d{2}\s?\d{2}\s?\d{2}\s?[A-D])$",
)
NAMED_INSURANCE = IdentifierPattern(
    "insurance numbers",
    r"(?i)^[A-Z0-9][A-Z0-9 -]{5,20}$",
    (
        r"(?i)(^|[\s_.-])(ssn|amka|insurance|insuree|versicher\w*|krankenkasse\w*|social[\s_.-]?security|nino|"
        r"medicare|nhs)([\s_.-]?(no|nr|num|number|nummer|id))?$"
    ),
)
LICENCE = IdentifierPattern(
    "licence numbers",
    r"^([A-ZÄÖÜ]{1,3}-[A-Z]{1,2}\s?\d{1,4}[EH]?|[A-Z9]{5}\d{6}[A-Z9]{2}\d[A-Z]{2})$",
)
NAMED_LICENCE = IdentifierPattern(
    "licence numbers",
    r"(?i)^[A-Z0-9ÄÖÜ][A-Z0-9ÄÖÜ -]{3,20}$",
    (
        r"(?i)(licen[cs]e|kennzeichen|number[\s_.-]?plate|führerschein|fuehrerschein|passport|pass[\s_.-]?nr)"
        r"([\s_.-]?(no|nr|num|number|nummer|plate|id))?$"
    ),
)

PATTERNS = (
    EMAIL, IBAN, IP, PHONE, SEPARATED_PHONE, LOCAL_PHONE, NAME, TITLED_NAME, SOCIAL_SECURITY, INSURANCE,
    NAMED_INSURANCE, LICENCE, NAMED_LICENCE,
)  # fmt: skip
LABEL_PATTERNS = (EMAIL, IBAN, PHONE)  # items and places have names of their own


def identifying(
    patterns: Sequence[IdentifierPattern], column: str, values: pl.Series
) -> Iterator[tuple[IdentifierPattern, Bools]]:
    """The patterns that fit a column, with which of its distinct values identify; not where too few fit to be sure.

    Numbers identify only where the name of their column says so: most numbers look like some identifier.
    All patterns are looked for at once, which for few values is what takes the time.
    """
    asked = [pattern for pattern in patterns if _may_hold(pattern, column, values.dtype)]
    if not asked or not len(values):
        return
    texts = values.cast(pl.String)
    asks = [pl.lit(texts).str.contains(one.form).fill_null(False).alias(str(n)) for n, one in enumerate(asked)]
    found = pl.select(asks)
    for pattern, hit in zip(asked, found.iter_columns(), strict=True):
        hits = hit.to_numpy().copy()
        if pattern.holds is not None:
            for index in np.flatnonzero(hits).tolist():
                hits[index] = pattern.holds(texts[index])
        if hits.any() and (pattern.sure or np.count_nonzero(hits) > pattern.mostly * len(values)):
            yield pattern, hits


def _may_hold(pattern: IdentifierPattern, column: str, dtype: pl.DataType) -> bool:
    if pattern.named is None:
        return dtype == pl.String
    return re.search(pattern.named, column.strip()) is not None and (dtype == pl.String or dtype.is_integer())

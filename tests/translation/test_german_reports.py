"""Reports in German: of every kind of release nothing is left in English, and nothing was looked up too early."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape

import pytest

from tests.reports.kinds import ABOUT, KINDS

pytestmark = pytest.mark.long

# Words that every English sentence has, and no German one.
ENGLISH = {*"the of and are that each every to by with for from which who least than it they is this".split()}  # noqa: SIM905
IMPORT_EVERYTHING = """
import importlib, pkgutil
import crypsis, crypsis.translation

def looked_up(language):
    raise AssertionError("A text was looked up while a module was imported, in the language of whoever read then.")

crypsis.translation.catalogue = looked_up
for family in ("certificate", "drawing", "evaluate", "metrics", "reports", "review", "web"):
    package = importlib.import_module(f"crypsis.{family}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
"""


def texts(html: str) -> list[str]:
    """What the page says, in pictures, too."""
    plain = re.sub(r"<(style|script)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return [unescape(text).strip() for text in re.split(r"<[^>]+>", plain) if text.strip()]


def english(text: str) -> bool:
    words = {word for word in re.findall(r"\w+", text) if not word.isupper()}  # ARE is a figure
    return bool({word.lower() for word in words} & ENGLISH)


@pytest.mark.parametrize("made", KINDS, ids=lambda made: made.__name__)
def test_no_sentence_of_a_german_report_is_english(made) -> None:
    release = made()
    release.about = ABOUT
    for report in (release.report("de"), release.private_report("de")):
        assert [text for text in texts(report.html) if english(text)] == []
    assert any(map(english, texts(release.report("en").html)))


def test_nothing_is_looked_up_while_modules_are_imported() -> None:
    """Else the first reader's language would be that of everybody, and of releases that are written afterwards."""
    done = subprocess.run([sys.executable, "-c", IMPORT_EVERYTHING], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]

"""Sections of private releases: what is assumed public and was spent, why nothing tells how near the counts are, and
the rows that stand for most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crypsis.drawing.markup import Markup, element
from crypsis.reports.page import columns, exact, facts_list, items, paragraph, section, tile
from crypsis.reports.private_facts import PrivateFacts
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import shown

_DRAWN_BY = {"exact": marked("Crypsis, exactly"), "opendp": marked("the library OpenDP")}


def epsilon_tile(facts: PrivateFacts) -> Markup:
    """Show epsilon and how much of it was spent."""
    return tile(
        _("Epsilon"), exact(facts.budget.get("epsilon", "")), _("{spent} spent", spent=shown(facts.budget.get("spent")))
    )


def spent(facts: PrivateFacts, public: Sequence[str], noise: str, division: Iterable[tuple[str, str]]) -> Markup:
    """Section: what is assumed public, and how the budget was kept."""
    budget = facts.budget
    kept = [
        (_("Accounting"), translated(str(budget.get("accounting", "")))),
        (
            _("Noise"),
            _(
                "{noise} on whole numbers, drawn by {noise2}",
                noise=noise,
                noise2=_(_DRAWN_BY.get(str(budget.get("noise")), "")),
            ),
        ),
        *division,
        (_("Ledger of the dataset"), _ledger(str(budget.get("dataset_ledger", "")))),
        (_("Digest of the run's ledger"), str(budget.get("ledger_digest", ""))[:16] + "…"),
    ]
    return section(
        _("What is public, and what was spent"),
        columns(
            element("div", element("h3", _("Declared as public")), items(public)),
            element("div", element("h3", _("The budget")), facts_list(kept)),
        ),
    )


def _ledger(told: str) -> str:
    return _("none: nothing adds up what is spent on these data") if told == "none" else translated(told)


def utility(words: str) -> Markup:
    """Section: why there are no figures."""
    return section(
        _("Remaining utility"),
        paragraph(
            _(
                "How near these counts are to the true ones is not stated: such a figure would be a "
                "statement about the original data without noise. {words}",
                words=words,
            )
        ),
    )


def table(title: str, names: Sequence[Markup | str], rows: Iterable[tuple[Markup, Sequence[str]]]) -> Markup:
    """Section: a table whose first column is told in words, and the others in numbers."""
    head = [element("th", name, scope="col", class_="numeric" if index else None) for index, name in enumerate(names)]
    body = [
        element("tr", element("td", words), *(element("td", number, class_="numeric") for number in numbers))
        for words, numbers in rows
    ]
    drawn = element("table", element("thead", element("tr", *head)), element("tbody", *body))
    return section(title, element("div", drawn, class_="scroll"))

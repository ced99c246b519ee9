"""`crypsis ledger`: what has been spent on a dataset, and how much may be."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.command import Group
from crypsis.cli.output import show, show_table
from crypsis.cli.settings import EVERY_COMMAND, SETTINGS
from crypsis.errors import BadEpsilon
from crypsis.parameters import exact_number

if TYPE_CHECKING:
    from crypsis.ledger import LedgerState

ledger_app = Group("Keep account of the privacy budget of a dataset, over all releases.")

LedgerFile = Annotated[Path, typer.Argument(help="Ledger file of the dataset. It is created when first needed.")]
Dataset = Annotated[
    str | None,
    typer.Option("--dataset", help="Name of the dataset that the ledger belongs to (a new one: the name of its file)."),
]


@ledger_app.command("show", epilog=EVERY_COMMAND)
def show_ledger(
    file: Annotated[Path, typer.Argument(help="The ledger file of the dataset.")],
) -> None:
    """Show what was spent, on what, and what is left."""
    from crypsis.ledger import BudgetLedger

    _show(BudgetLedger(file).state())


@ledger_app.command("charge", epilog=EVERY_COMMAND)
def charge_ledger(
    file: LedgerFile,
    epsilon: Annotated[str, typer.Argument(help="What was or will be spent: 0.5, 1/3.")],
    what: Annotated[str, "On what, in a few words."] = "charged by hand",
    dataset: Dataset = None,
) -> None:
    """Charge what is spent elsewhere, such as a table made with other software; exit with 3 beyond the limit."""
    from crypsis.ledger import BudgetLedger

    ledger = BudgetLedger(file)
    ledger.charge(_epsilon(epsilon, "epsilon"), what, dataset=dataset)
    _show(ledger.state())


@ledger_app.command("limit", epilog=EVERY_COMMAND)
def limit_ledger(
    file: LedgerFile,
    epsilon: Annotated[str, typer.Argument(help="The most that all releases together may spend.")],
    dataset: Dataset = None,
) -> None:
    """Set the limit; from then on a release that would exceed it is refused before anything is drawn."""
    from crypsis.ledger import BudgetLedger

    _show(BudgetLedger(file).set_limit(_epsilon(epsilon, "limit"), dataset=dataset))


def _epsilon(text: str, name: str) -> Fraction:
    try:
        return exact_number(text)
    except (ValueError, ZeroDivisionError) as error:
        raise BadEpsilon(f"{name} must be a positive number or a fraction such as 1/3, got {text[:40]!r}.") from error


def _show(state: LedgerState) -> None:
    content: dict[str, Any] = {
        "dataset": state.dataset,
        "unit": state.unit,
        "relation": state.relation,
        "spent": str(state.spent),
        "limit": None if state.limit is None else str(state.limit),
        "left": None if state.left is None else str(state.left),
        "charges": [
            {"when": charge.when, "epsilon": str(charge.epsilon), "what": charge.what, "id": charge.id}
            for charge in state.charges
        ],
    }
    if SETTINGS.get().json:
        show(content, "")
        return
    if state.charges:
        show_table(
            ("when", "epsilon", "what"), [(charge.when, str(charge.epsilon), charge.what) for charge in state.charges]
        )
    limit = "no limit is set" if state.limit is None else f"the limit is {state.limit}, {state.left} is left"
    print(f"{state.spent} was spent per {state.unit} on {state.dataset}; {limit}")

"""Privacy budgets: the tree of calls of one run, and the file that adds up all runs on a dataset."""

from __future__ import annotations

from crypsis.ledger.budget import BudgetLedger, Charge, LedgerState, check_name
from crypsis.ledger.digest import keyed_digest, new_key
from crypsis.ledger.scopes import Call, InParallel, InSequence

__all__ = [
    "BudgetLedger",
    "Call",
    "Charge",
    "InParallel",
    "InSequence",
    "LedgerState",
    "check_name",
    "keyed_digest",
    "new_key",
]

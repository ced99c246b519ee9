"""All that is known of a method without running it: what it declares, who checks its promise, what is measured unasked.

Methods do not know verifiers and metrics; the command line, the API and the browser do, and show this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.transaction import Transactions
from crypsis.methods import Method
from crypsis.metrics import METRICS
from crypsis.parameters import parameters_of
from crypsis.verifiers import VERIFIERS


@dataclass(frozen=True)
class Registered:
    """A method with its verifier, default metrics and claim.

    >>> from crypsis.methods import Mondrian
    >>> known = Registered(Mondrian).to_dict()
    >>> known["claims"], known["verifier"], known["metrics"][0]
    ({'model': 'k-anonymity', 'parameters': ['k', 'unit']}, 'verify_k_anonymity', 'ncp_loss')
    """

    method: type[Method]

    def to_dict(self) -> dict[str, Any]:
        method = self.method
        return {
            **method.describe(),
            "claims": {
                "model": method.promises.model,
                "parameters": [parameter.name for parameter in parameters_of(method.promises)],
            },
            "verifier": verifier_of(method),
            "metrics": default_metrics(method),
        }


def verifier_of(method: type[Method]) -> str:
    """The name of the function that recounts what the method promises."""
    names = {
        original: verifier.__name__
        for (promise, _), (verifier, original) in VERIFIERS.items()
        if promise is method.promises
    }
    return names.get(method.accepts) or next(iter(names.values()), "")


def default_metrics(method: type[Method]) -> list[str]:
    """What is measured where an experiment lists no metrics; of mixed data also what their two parts have."""
    kinds = (Mixed, Table, Transactions) if method.accepts is Mixed else (method.accepts,)
    return [
        metric.name
        for metric in METRICS.values()
        if metric.default and any(issubclass(kind, metric.accepts) for kind in kinds)
    ]

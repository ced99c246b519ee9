"""What each level of a hierarchy costs: how many groups it has, and how much of the values a group leaves open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.hierarchy import Hierarchy
from crypsis.translation import _
from crypsis.web.actions import number, percent
from crypsis.web.theme import escaped


@dataclass(frozen=True)
class LevelLoss:
    """One level: its groups, the first of them, and the mean share of the other values that a group stands for."""

    level: int
    groups: int
    example: str
    loss: float


def level_losses(tree: Hierarchy) -> list[LevelLoss]:
    """From the first level above the values to the root, of each value alike (NCP over leaves)."""
    others = max(1, tree.n_leaves - 1)
    losses = []
    for level, nodes in enumerate(tree.level_maps[1:], 1):
        loss = float(np.mean((tree.leaf_count[nodes] - 1) / others))
        losses.append(LevelLoss(level, len(np.unique(nodes)), tree.names[int(nodes[0])], loss))
    return losses


def losses_table(levels: list[LevelLoss]) -> str:
    """The levels as a table, in HTML."""
    rows = "".join(
        f"<tr><td class=number>{level.level}</td><td class=number>{number(level.groups)}</td>"
        f"<td>{escaped(level.example)}</td><td class=number>{percent(level.loss)}</td></tr>"
        for level in levels
    )
    heads = f"<th scope=col class=number>{_('Level')}</th><th scope=col class=number>{_('Groups')}</th>"
    heads += f"<th scope=col>{_('Example')}</th>"
    heads += f"<th scope=col class=number>{_('Loss')}</th>"
    return (
        f'<table class="plain" aria-label="{_("Levels")}"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        f'<p class="muted small">{escaped(_("Loss: share of all other values that a published one may stand for."))}</p'
        f">"
    )

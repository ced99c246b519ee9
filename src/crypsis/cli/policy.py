"""`crypsis policy`: privacy and utility policies over items, derived from the data or checked against them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.command import Group
from crypsis.cli.loading import items_of, loaded
from crypsis.cli.output import show
from crypsis.cli.reading import Reader, ReadingCommand
from crypsis.cli.recipes import known_recipe
from crypsis.cli.settings import EVERY_COMMAND
from crypsis.errors import BadParameter, BadPolicy, OutputExists, did_you_mean

policy_app = Group("Policies: which itemsets must identify nobody, which items may be generalized together.")
Kind = Annotated[str, typer.Option("--kind", help="'privacy' or 'utility'.")]
SHOWN = 20


def make(
    *,
    read: Reader,
    input: Annotated[Path, typer.Argument(help="Transactions, or mixed data with --items.")],
    kind: Kind,
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            help="privacy: all:M, items, rare:Q:M, random:N:SIZE:SEED; utility: single, none, frequency:B, "
            "cooccurrence:B, hierarchy:LEVEL[:FILE].",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="File to write, one set on each line.")],
) -> None:
    """Derive a policy from the data. A derived privacy policy tells what occurs in them: keep it to yourself."""
    from crypsis.evaluate.export import label_lists, write_label_lists
    from crypsis.parameters import Deferred

    if os.path.lexists(out):
        raise OutputExists(f"{out} exists already; choose another name or remove it.")
    policy = _kind(kind).from_text(known_recipe(kind, recipe))
    if not isinstance(policy, Deferred):
        raise BadParameter(f"--recipe must be a recipe, {recipe!r} is a file.", parameter="recipe")
    sets = label_lists(policy.make(items_of(loaded(input, read, rest="other"))))
    write_label_lists(sets, out)
    show({"file": str(out), "sets": len(sets)}, f"wrote {out}: {len(sets):,} sets")


def check(
    *,
    read: Reader,
    file: Annotated[Path, typer.Argument(help="The policy, one set of items on each line.")],
    kind: Kind,
    data: Annotated[Path | None, typer.Option("--data", help="Also check that its items are in these data.")] = None,
) -> None:
    """Check a policy: sets that overlap, items that are listed twice, and with data items that are not in them."""
    from crypsis.evaluate.export import label_lists

    policy = _kind(kind).from_file(file)
    sets = label_lists(policy)
    content: dict[str, Any] = {"file": str(file), "sets": len(sets), "unknown": []}
    if data is not None:
        known = items_of(loaded(data, read, rest="other")).vocabulary.labels
        unknown = unknown_items(sets, known)
        if unknown:
            first = unknown[0]
            more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            raise BadPolicy(
                f"Item {first!r}{more} {'are' if more else 'is'} not in the data.{did_you_mean(first, known)}",
                where=str(file),
                unknown=unknown[:SHOWN],
            )
    items = len({label for labels in sets for label in labels})
    show(content, f"✓ {file.name}: {len(sets):,} sets of {items:,} items")


def unknown_items(sets: list[tuple[str, ...]], known: Any) -> list[str]:
    """Items of a policy that the data do not have, each once."""
    have = set(known)
    return list(dict.fromkeys(label for labels in sets for label in labels if label not in have))


def _kind(name: str) -> Any:
    from crypsis.data.privacy_policy import PrivacyPolicy
    from crypsis.hierarchy import UtilityPolicy

    kinds = {"privacy": PrivacyPolicy, "utility": UtilityPolicy}
    if name not in kinds:
        raise BadParameter(f"--kind must be 'privacy' or 'utility', got {name!r}.{did_you_mean(name, kinds)}")
    return kinds[name]


policy_app.command("make", cls=ReadingCommand, epilog=EVERY_COMMAND)(make)
policy_app.command("check", cls=ReadingCommand, epilog=EVERY_COMMAND)(check)

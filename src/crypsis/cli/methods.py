"""`crypsis methods`: what can be done, generated from the methods themselves."""

from __future__ import annotations

from typing import Annotated

import typer

from crypsis.cli.completion import offer_methods
from crypsis.cli.output import show, show_table, shown_value
from crypsis.cli.settings import SETTINGS


def methods(
    name: Annotated[
        str | None, typer.Argument(help="Show one method with its parameters.", autocompletion=offer_methods)
    ] = None,
) -> None:
    """List the methods, or describe one with its parameters.

    "scale" is how a method works on data in parts: exact (the release of one machine with enough memory), in blocks, or
    not at all (none).
    """
    if name is None and not SETTINGS.get().json:
        from crypsis.methods.listing import listing

        lines = [(method, *line) for method, line in listing().items()]
        show_table(("method", "family", "guarantee", "scale", "what it does"), lines)
        return
    from crypsis.evaluate.registry import Registered
    from crypsis.methods import METHODS, method_named

    if name is None:
        show({"methods": [Registered(method).to_dict() for method in METHODS.values()]}, "")
        return
    method = method_named(name)
    described = Registered(method).to_dict()
    if SETTINGS.get().json:
        show(described, "")
        return
    text = method.explanation().split("\n\n>>>")[0]
    print(f"{method.name()} ({method.__name__}), guarantees {method.promises.model}\n\n{text}\n")
    print(f"protects from  {method.promises.protects_from}")
    print(f"choose it      {method.choose_when}")
    print(f"it costs       {method.costs}\n")
    rows = []
    for entry in described["parameters"]:
        option = f"-{entry['name']}" if len(entry["name"]) == 1 else "--" + entry["name"].replace("_", "-")
        allowed = (
            ", ".join(entry.get("choices", ())) or entry.get("reads") or f"{entry['type']} {entry['range']}".strip()
        )
        unit = f", in {entry['unit']}" if entry.get("unit") else ""
        rows.append((option, allowed + unit, shown_value(entry.get("default")), entry["help"]))
    show_table(("parameter", "values", "default", "meaning"), rows)
    for entry in described["parameters"]:
        labels = [f"{choice} ({label})" for choice, label in entry.get("choice_labels", {}).items()]
        if labels:
            print(f"{entry['name']}: {', '.join(labels)}")
    print(f"phases    {', '.join(described['stages'])}")
    print(f"checked   {described['verifier']}")
    print(f"measured  {', '.join(described['metrics'])}")
    print(f"repeats   {'with its seed' if described['randomized'] else 'exactly'}")
    print(f"on parts  {described['scaling']}")
    if described["needs"]:
        print(f"needs     {', '.join(described['needs'])}")

"""`crypsis warmup`: compile the kernels ahead of time, by running every method once on generated data."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.output import note, show

if TYPE_CHECKING:
    from crypsis.methods import Method
    from crypsis.release import Release

PEOPLE = 200
EASY: dict[str, Any] = {"k": 2, "on_infeasible": "truncate", "cell": 100.0}


def warmup(
    method: Annotated[
        list[str] | None, typer.Option("--method", help="Only this method; may be given several times.")
    ] = None,
) -> None:
    """Compile the kernels ahead of the first real run."""
    from crypsis.compilation import cache_directory
    from crypsis.errors import CrypsisError
    from crypsis.methods import METHODS, method_named

    started = time.perf_counter()
    chosen = [method_named(name) for name in method] if method else list(METHODS.values())
    for each in chosen:
        note(each.name())
        with suppress(CrypsisError):  # what this data cannot have; its kernels have run
            _run(each)
    seconds = time.perf_counter() - started
    kept = cache_directory()
    words = f"kernels are ready ({seconds:.1f} s)" + ("" if kept else "; no cache can be written, so only for this run")
    show({"seconds": seconds, "cached": kept is not None}, words)


def _run(method: type[Method]) -> None:
    """From data to a written release, and the attacks on it."""
    import tempfile
    from pathlib import Path

    from crypsis.attacks import ATTACKS
    from crypsis.errors import CrypsisError

    release = _sample_release(method)
    with tempfile.TemporaryDirectory() as folder:  # generated data only
        release.write(Path(folder) / "release")
    for attack in ATTACKS.values():
        with suppress(CrypsisError):  # it speaks of other data
            attack().run(release.data, release.original)


def _sample_release(method: type[Method]) -> Release:
    """A release of generated data with parameters that small data can have; its domains are as public as it is."""
    from crypsis import anonymize
    from crypsis.errors import CrypsisError
    from crypsis.parameters import parameters_of

    given: dict[str, Any] = {}
    for parameter in parameters_of(method):
        if parameter.name in EASY and EASY[parameter.name] in (parameter.choices or (EASY[parameter.name],)):
            given[parameter.name] = EASY[parameter.name]
        elif parameter.name.endswith("domain") or parameter.name == "domains":
            given[parameter.name] = parameter.parse("public-in-data", method.__name__)
    data = _sample_for(method.accepts)
    release: Release
    try:
        release = anonymize(data, method(**given))
    except CrypsisError:
        release = anonymize(_without_secrets(data), method(**given))
    return release


def _without_secrets(data: Any) -> Any:
    """The same sets of items, none of them marked as sensitive."""
    from dataclasses import replace

    if hasattr(data, "transactions"):
        return replace(data, transactions=_without_secrets(data.transactions))
    return replace(data, sensitive=None) if hasattr(data, "sensitive") else data


def _sample_for(kind: type) -> Any:
    """Generated data of a kind."""
    from crypsis.errors import NotApplicable
    from crypsis.samples import SAMPLES

    for sample in SAMPLES.values():
        made = sample.make(PEOPLE)
        for data in (made, getattr(made, "table", None), getattr(made, "transactions", None)):
            if isinstance(data, kind):
                return data
    raise NotApplicable(f"There is no sample of {kind.__name__}.")

"""`crypsis warmup`: compile the kernels ahead of time, by running every method once on generated data."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.completion import offer_methods
from crypsis.cli.output import note, show

if TYPE_CHECKING:
    from crypsis.methods import Method
    from crypsis.release import Release

PEOPLE = 200
METHODS_PER_PROCESS = 4  # fewer are sooner done in this one
EASY: dict[str, Any] = {"k": 2, "on_infeasible": "truncate", "cell": 100.0}


def warmup(
    method: Annotated[
        list[str] | None,
        typer.Option("--method", help="Compile only this method. Repeat for several.", autocompletion=offer_methods),
    ] = None,
) -> None:
    """Compile the kernels ahead of the first real run."""
    from crypsis.compilation import cache_directory
    from crypsis.executors.threads import available_workers
    from crypsis.methods import METHODS, method_named

    started = time.perf_counter()
    chosen = [method_named(name).name() for name in method] if method else [each.name() for each in METHODS.values()]
    kept = cache_directory()
    # A process costs a second, and what others compile is of use only if it is kept.
    processes = max(1, min(available_workers(), len(chosen) // METHODS_PER_PROCESS)) if kept else 1
    if processes == 1:
        for name in chosen:
            note(name)
            compile_kernels_of(name)
    else:
        _compile_in_processes(Shares(chosen, processes))
    seconds = time.perf_counter() - started
    words = f"kernels are ready ({seconds:.1f} s)" + ("" if kept else "; no cache can be written, so only for this run")
    show({"seconds": seconds, "cached": kept is not None}, words)


class Shares:
    """Names that several take one by one: each those that stand together, as these share kernels, then from others."""

    def __init__(self, names: list[str], parts: int) -> None:
        bounds = [len(names) * part // parts for part in range(parts + 1)]
        self._left = [deque(names[first:last]) for first, last in pairwise(bounds)]
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._left)

    def take(self, part: int) -> str | None:
        """The next of the own part, else the last of the longest; None when nothing is left."""
        with self._lock:
            own, longest = self._left[part], max(self._left, key=len)
            return own.popleft() if own else longest.pop() if longest else None


def _compile_in_processes(shares: Shares) -> None:
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from multiprocessing import get_context

    def work(part: int) -> None:
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            while name := shares.take(part):
                note(name)
                process.submit(compile_kernels_of, name).result()

    with ThreadPoolExecutor(len(shares)) as threads:
        list(threads.map(work, range(len(shares))))


def compile_kernels_of(name: str) -> None:
    """Run a method, and measure, write, read, verify and attack what it publishes, in whatever process this is."""
    import tempfile
    from pathlib import Path

    from crypsis.attacks import ATTACKS
    from crypsis.errors import CrypsisError
    from crypsis.evaluate.measures import figures_of
    from crypsis.methods import method_named
    from crypsis.metrics import METRICS
    from crypsis.release import read_release

    with suppress(CrypsisError):  # what this data cannot have; its kernels have run
        release = sample_release(method_named(name))
        for metric in METRICS:
            with suppress(CrypsisError):  # it wants what nobody gave
                figures_of(release.original, release.data, [metric])
        with suppress(CrypsisError), tempfile.TemporaryDirectory() as folder:  # generated data only
            release.write(Path(folder) / "release")
            read_release(Path(folder) / "release").verify(release.original)
        for attack in ATTACKS.values():
            with suppress(CrypsisError):  # it speaks of other data
                attack().run(release.data, release.original)


def sample_release(method: type[Method]) -> Release:
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

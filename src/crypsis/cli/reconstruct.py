"""`crypsis reconstruct`: datasets that could have been the original of a disassociated release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.output import show
from crypsis.errors import BadParameter, OutputExists


def reconstruct(
    release: Annotated[Path, typer.Argument(help="A disassociated release, a folder, or its .json or .parquet file.")],
    out: Annotated[Path, "Folder for the datasets, one file each."],
    n: Annotated[int, typer.Option("-n", help="How many datasets.", min=1)] = 1,
    term_multiplicity: Annotated[
        str,
        "Records that get a term of a term chunk: one, uniform, or a number.",
    ] = "one",
    seed: Annotated[int, "Seed of the draws."] = 0,
    format: Annotated[str, "'csv', 'parquet', 'jsonl' or 'fimi'."] = "csv",
) -> None:
    """Draw datasets that could have been the original, to be analysed like it.

    Each fits everything that was published; none is likelier to be the original for having been drawn. Averages over
    several are more telling than one.
    """
    from crypsis.cli.disassociated_input import disassociated_input
    from crypsis.data.writing import write_data

    suffixes = {"csv": ".csv", "parquet": ".parquet", "jsonl": ".jsonl", "fimi": ".dat"}
    if format not in suffixes:
        raise BadParameter(f"--format must be one of {', '.join(suffixes)}, got {format!r}.")
    multiplicity: str | int = int(term_multiplicity) if term_multiplicity.isdecimal() else term_multiplicity
    data = disassociated_input(release)
    files = [out / f"reconstruction_{number}{suffixes[format]}" for number in range(1, n + 1)]
    taken = [file for file in files if file.exists()]
    if taken:
        raise OutputExists(f"{taken[0]} exists already; choose another folder or remove it.")
    out.mkdir(parents=True, exist_ok=True)
    for drawn, file in zip(data.reconstruct(n, seed, multiplicity), files, strict=True):
        write_data(drawn, file, format=format)
    show({"files": [str(file) for file in files]}, "\n".join(f"wrote {file}" for file in files))

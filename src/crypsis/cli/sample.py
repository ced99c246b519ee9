"""`crypsis sample`: bundled sample data, made by seeded generators, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.output import show, show_table
from crypsis.cli.settings import SETTINGS
from crypsis.errors import BadParameter, did_you_mean


def sample(
    name: Annotated[
        str | None, typer.Argument(help="Name of the sample. Without a name, all samples are listed.")
    ] = None,
    out: Annotated[Path | None, "File to write: .csv, .parquet or .jsonl."] = None,
    locations: Annotated[Path | None, "For check-ins: file for the location table."] = None,
    size: Annotated[int | None, typer.Option("--size", min=1, help="How many records, trajectories or people.")] = None,
    seed: Annotated[int, "Seed of the generator."] = 1,
) -> None:
    """List the sample data, or write one to a file."""
    from crypsis.samples import SAMPLES

    if name is None:
        if SETTINGS.get().json:
            show({key: entry.description for key, entry in SAMPLES.items()}, "")
        else:
            rows = [(key, entry.kind, entry.description) for key, entry in SAMPLES.items()]
            show_table(("sample", "kind", "what it is"), rows)
        return
    if name not in SAMPLES:
        raise BadParameter(f"There is no sample {name!r}; known are {', '.join(SAMPLES)}.{did_you_mean(name, SAMPLES)}")
    if out is None:
        raise BadParameter("Say where the sample goes: --out FILE.")
    written = SAMPLES[name].write(out, locations=locations, size=size, seed=seed)
    show({"files": [str(path) for path in written]}, "\n".join(f"wrote {path}" for path in written))

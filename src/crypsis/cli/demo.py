"""`crypsis demo`: the whole path on generated check-ins, for whoever is new."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.output import note, progress, show, shown_value, verdict_words
from crypsis.errors import OutputExists


def demo(
    out: Annotated[Path, typer.Option("--out", help="Folder to write the release to.")] = Path("demo-release"),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier demo release.")] = False,
) -> None:
    """Anonymize sample check-ins, prove and measure it, release it."""
    if out.exists() and not overwrite:
        raise OutputExists(f"{out} exists already; choose another folder or add --overwrite.")
    from crypsis import SeqAnon
    from crypsis._api import anonymize
    from crypsis.samples.checkins import checkins

    data = checkins()
    note(
        f"1 load       {len(data):,} people, {data.visits:,} visits to {len(data.locations)} places of a small town "
        "(generated)"
    )
    method = SeqAnon(k=5, m=2)
    note(f"2 anonymize  {method.summary()}")
    with progress() as listener:
        release = anonymize(data, method, listener=listener)
    note("3 prove      with a verifier that shares no code with the method")
    verdict = release.verify()
    note("4 measure    what is left for analysis")
    utility = release.utility()
    for name, value in utility.items():
        note(f"             {name.replace('_', ' '):<38}{shown_value(value)}")
    note("5 release    data, manifest and report")
    folder = release.write(out, overwrite=overwrite)
    show(
        {
            "folder": str(folder),
            "report": str(folder / "report.html"),
            "verdict": verdict.to_dict(),
            "utility": utility,
        },
        f"\n{verdict_words(verdict)}\n\nrelease  {folder.resolve()}\nreport   {(folder / 'report.html').resolve()}",
    )

"""`crypsis demo`: the whole path on generated check-ins, or a live metro, for whoever is new."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.output import figure_lines, note, progress, show, verdict_words
from crypsis.errors import BadParameter, OutputExists, did_you_mean

_CONFIGURATION = """\
[privacy]
L = 3                               # an adversary knows up to three places and times of a passenger
K = 20                              # at least twenty passengers fit them
C = "60%"                           # and at most this share of them has the fare that must not be learned
N = 7                               # a window shows seven minutes
sensitive_values = ["concession"]

[source]
kind = "replay"
path = "events.csv"
rate = 20000                        # events a second

[sink]
kind = "ndjson"
path = "windows.ndjson"

[run]
state = "state"
"""


def demo(
    what: Annotated[str, typer.Argument(help="release, or stream for a live metro.")] = "release",
    out: Annotated[Path | None, "Folder to write to (default: demo-release or demo-stream)."] = None,
    overwrite: Annotated[bool, "Replace an earlier demo."] = False,
) -> None:
    """Anonymize sample check-ins, prove and measure it, release it; or watch a live metro."""
    demos = {"release": _release, "stream": _stream}
    if what not in demos:
        raise BadParameter(f"There is no demo {what!r}; there are release and stream.{did_you_mean(what, demos)}")
    demos[what](Path(f"demo-{what}") if out is None else out, overwrite)


def _stream(out: Path, overwrite: bool) -> None:
    """A metro for an hour in a few seconds, published minute by minute."""
    from crypsis.atomic import new_folder
    from crypsis.cli.stream import run_watched, words_of
    from crypsis.runtime import StreamConfiguration
    from crypsis.samples.metro_flow import metro_flow_frame

    with new_folder(out, overwrite=overwrite) as folder:
        frame = metro_flow_frame(20_000).rename({"location": "loc", "fare": "sa"})
        frame.select("id", "loc", "t", "sa").write_csv(folder / "events.csv")
        (folder / "stream.toml").write_text(_CONFIGURATION, encoding="utf-8")
    note(f"1 stream     {len(frame):,} events of 20,000 passengers at 65 stations in an hour (generated)")
    note("2 publish    a window of seven minutes every minute, each verified before it goes out")
    summary = run_watched(StreamConfiguration.read(out / "stream.toml"))
    files = f"windows       {(out / 'windows.ndjson').resolve()}\nconfiguration {(out / 'stream.toml').resolve()}"
    show({"folder": str(out), **summary}, f"\n{words_of(summary)}\n\n{files}")


def _release(out: Path, overwrite: bool) -> None:
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
    with progress(method.stages) as listener:
        release = anonymize(data, method, listener=listener)
    note("3 prove      with a verifier that shares no code with the method")
    verdict = release.verify()
    note("4 measure    remaining utility, compared with the original (private, not in the release)")
    utility = release.utility()
    for line in figure_lines(utility):
        note(f"           {line}")
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

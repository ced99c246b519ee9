"""`crypsis warmup`: compile every kernel ahead of time."""

from __future__ import annotations

import time

from crypsis.cli.output import show


def warmup() -> None:
    """Compile the kernels ahead of the first real run."""
    import tempfile
    from pathlib import Path

    from crypsis import SeqAnon, anonymize
    from crypsis.compilation import cache_directory
    from crypsis.samples.checkins import checkins

    started = time.perf_counter()
    release = anonymize(checkins(people=200), SeqAnon(k=2, m=2, on_infeasible="truncate"))
    with tempfile.TemporaryDirectory() as folder:  # generated data only
        release.write(Path(folder) / "release")
    seconds = time.perf_counter() - started
    kept = cache_directory()
    words = f"kernels are ready ({seconds:.1f} s)" + ("" if kept else "; no cache can be written, so only for this run")
    show({"seconds": seconds, "cached": kept is not None}, words)

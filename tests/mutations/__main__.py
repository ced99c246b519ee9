"""`python -m tests.mutations --files 50000 --seconds 1800`: read so many damaged files and print what failed.

`--resume FILE` notes how far the run came and goes on there. `--show 1234 --out FILE` writes one of the files.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

HANG = 10.0  # seconds of processor time for one file
LONGEST = 120.0  # seconds on the clock, where the machine is busy


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", help="damage files of one format alone")
    parser.add_argument("--server", action="store_true", help="send a share of the files to a running server, too")
    parser.add_argument("--resume", type=Path, help="note here how far the run came, and go on there")
    parser.add_argument("--show", type=int, help="write this file instead of reading any")
    parser.add_argument("--out", type=Path, default=Path("damaged"))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing that was started is left
    if given.show is not None:
        return _show(given.show, given.seed, given.out)
    first = _noted(given.resume, given.seed) if given.resume else given.first
    outcome = damaged_files_are_read(
        given.files,
        given.seconds,
        first=first,
        seed=given.seed,
        server=given.server,
        only=given.only,
        noted=given.resume,
    )
    print(f"{outcome['files']:,} files in {outcome['seconds']:.0f} s, {len(outcome['failures'])} failed")
    print(", ".join(f"{name} {count}" for name, count in sorted(outcome["formats"].items())))
    return 1 if outcome["failures"] else 0


def damaged_files_are_read(
    files: int,
    seconds: float,
    *,
    first: int = 0,
    seed: int = 0,
    server: bool = False,
    only: str | None = None,
    noted: Path | None = None,
) -> dict[str, Any]:
    """Read the files `first` to `first + files` in processes that are replaced when they end or hang."""
    failures = _Failures()
    formats: Counter[str] = Counter()
    started = time.monotonic()
    number = first
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mutations-")))
        options = ["--only", only] if only else []
        running = None
        if server:
            from tests.web.conftest import start

            running = start(folder / "workspace")
            stack.callback(running.stop)
            options += ["--address", running.base, f"--token={running.token}"]  # one may begin with -
        while number < first + files and time.monotonic() - started < seconds:
            home = folder / f"from-{number}"
            home.mkdir()
            reader = _Reader(home, number, seed, options)
            try:
                while number < first + files and time.monotonic() - started < seconds:
                    told = reader.told()
                    if "ended" in told:
                        failures.append({"failed": number, "seed": reader.seed, "what": told["ended"]})
                        number += 1
                        break
                    if "failed" in told:
                        failures.append(told)
                    elif "begins" in told:
                        number = told["begins"]
                        reader.seed = told["seed"]
                        formats[told["seed"]] += number < first + files and (not only or only == told["seed"])
                        if noted is not None and number % 200 == 0:
                            noted.write_text(json.dumps({"seed": seed, "next": number}))
                    if running is not None and running.process.poll() is not None:
                        failures.append({"failed": number, "seed": reader.seed, "what": "the server ended"})
                        running = None
            finally:
                reader.stop()
    if noted is not None:
        noted.write_text(json.dumps({"seed": seed, "next": number}))
    return {
        "files": sum(formats.values()),
        "seconds": time.monotonic() - started,
        "failures": failures,
        "formats": formats,
    }


class _Failures(list[dict[str, Any]]):
    """What failed, printed at once: a run may be long."""

    def append(self, failure: dict[str, Any]) -> None:
        print(f"\n--- file {failure['failed']} ({failure['seed']})\n{failure['what']}", flush=True)
        super().append(failure)


class _Reader:
    """A process that reads, watched: it has ten seconds of processor time for each file."""

    def __init__(self, folder: Path, first: int, seed: int, options: list[str]) -> None:
        root = Path(__file__).parents[2]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(root / "src"), str(root))),
            "POLARS_MAX_THREADS": "1",  # files are small, and threads wait for each other on a busy machine
        }
        self.errors = (folder / "errors.txt").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutations.process", str(folder), str(first), "1", str(seed), *options],
            stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL, env=environment, cwd=root,
        )  # fmt: skip
        self.folder = folder
        self.seed = ""
        self.pending: list[bytes] = []
        self.rest = b""

    def told(self) -> dict[str, Any]:
        """What it says next; `ended` where it is gone or hangs."""
        assert self.process.stdout is not None
        began, processor = time.monotonic(), self._processor_time()
        while not self.pending:
            if select.select([self.process.stdout], [], [], 1.0)[0]:
                said = os.read(self.process.stdout.fileno(), 1 << 16)
                if not said:
                    return {"ended": f"the process ended with {self.process.wait()}: {self._said()}"}
                *whole, self.rest = (self.rest + said).split(b"\n")
                self.pending += whole
                continue
            waited = time.monotonic() - began
            used = self._processor_time() - processor
            if waited > LONGEST or (used > HANG and self.seed):  # loading the package may take long, reading a file not
                self.process.kill()
                return {"ended": f"it hangs: {waited:.0f} s on the clock, {used:.0f} s of processor time"}
        told: dict[str, Any] = json.loads(self.pending.pop(0))
        return told

    def _processor_time(self) -> float:
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _said(self) -> str:
        return (self.folder / "errors.txt").read_text(errors="replace")[-2000:]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()


def _noted(file: Path, seed: int) -> int:
    if not file.exists():
        return 0
    content = json.loads(file.read_text())
    return int(content["next"]) if content["seed"] == seed else 0


def _show(number: int, seed: int, out: Path) -> int:
    from tests.mutations.process import made_file
    from tests.mutations.seeds import made_seeds

    with tempfile.TemporaryDirectory() as folder:
        chosen, content = made_file(made_seeds(Path(folder)), number, seed)
    target = out.with_name(out.name + chosen.suffix)
    target.write_bytes(content)
    print(f"{chosen.name}: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

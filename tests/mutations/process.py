"""Reads damaged files one after another and tells each; started by the command, which notices when it ends or hangs.

`python -m tests.mutations.process FOLDER FIRST STRIDE SEED [--address URL --token TOKEN] [--only NAME]`
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import shutil
import sys
import traceback
import warnings
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from crypsis.errors import CrypsisError, InternalError
from tests.mutations.damage import damaged
from tests.mutations.seeds import Seed, made_seeds

EVERY_COMMAND = 20  # one file in so many goes through the command line as well
EVERY_UPLOAD = 25
FINE_EXITS = (0, 2, 3, 4, 5)


def made_file(seeds: list[Seed], number: int, seed: int) -> tuple[Seed, bytes]:
    """File `number` of a run: the same for the same seeds, whatever ran before."""
    draw = random.Random(f"{seed}/{number}")
    chosen = seeds[draw.randrange(len(seeds))]
    return chosen, damaged(chosen.content, draw, binary=chosen.binary, pack=chosen.pack)


def read_in_process(seed: Seed, path: Path, number: int | None = None) -> str | None:
    """What went wrong, where it is no error of ours; by each of its readers, or by the one whose turn it is."""
    for reader in seed.readers if number is None else (seed.readers[number % len(seed.readers)],):
        try:
            reader(path)
        except InternalError:
            return traceback.format_exc()
        except CrypsisError as error:
            str(error), json.dumps(error.to_dict(), default=str)
        except MemoryError:
            return f"MemoryError in {reader}"
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return traceback.format_exc()
    return None


def read_by_command(seed: Seed, path: Path, folder: Path) -> str | None:
    """The same through the command line."""
    from crypsis.cli import main

    out = folder / "out"
    arguments = [part.replace("FILE", str(path)).replace("OUT", str(out)) for part in seed.command]
    told, errors = io.StringIO(), io.StringIO()
    code: Any = None
    commands = _commands()
    try:
        with (
            contextlib.redirect_stdout(told),
            contextlib.redirect_stderr(errors),
            patch("crypsis.cli.app.parser", lambda asked: commands),
        ):
            main([*arguments, "--quiet"])
    except SystemExit as stopped:
        code = stopped.code or 0
    except BaseException:
        return traceback.format_exc()
    finally:
        for left in folder.glob("out*"):  # a file or a folder, and what stands beside it
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    return None if code in FINE_EXITS else f"crypsis {' '.join(seed.command)}: exit {code}: {errors.getvalue()[-2000:]}"


@cache
def _commands() -> Any:
    """The commands as they are parsed; to make them anew takes longer than most files."""
    from crypsis.cli.app import parser

    return parser()


def read_by_upload(client: Any, seed: Seed, content: bytes) -> str | None:
    """The same through the interface of a running server."""
    sent = client.post("/api/uploads", params={"name": f"file{seed.suffix}"}, content=content)
    if sent.status_code >= 500:
        return f"upload: {sent.status_code} {sent.text[:500]}"
    if sent.status_code != 201:
        return None
    answer = client.post("/api/datasets", json={"upload": sent.json()["id"], "name": "damaged"})
    if answer.status_code >= 500:
        return f"dataset: {answer.status_code} {answer.text[:500]}"
    if answer.status_code == 201:
        number = answer.json()["id"]
        for path in ("", "/rows", "/risk"):
            shown = client.get(f"/api/datasets/{number}{path}")
            if shown.status_code >= 500:
                return f"{path}: {shown.status_code} {shown.text[:500]}"
        client.delete(f"/api/datasets/{number}")
    return None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("first", type=int)
    parser.add_argument("stride", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--address")
    parser.add_argument("--token")
    parser.add_argument("--only")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    channel = sys.stdout
    sys.stdout = sys.stderr
    seeds = made_seeds(given.folder)
    client = None
    if given.address:
        import httpx

        headers = {"Authorization": f"Bearer {given.token}"}
        anew = httpx.Limits(max_keepalive_connections=0)  # a connection that is kept may be closed as it is used
        client = httpx.Client(base_url=given.address, headers=headers, timeout=60, limits=anew, trust_env=False)
    number = given.first
    while True:
        seed, content = made_file(seeds, number, given.seed)
        print(json.dumps({"begins": number, "seed": seed.name}), file=channel, flush=True)
        if not given.only or given.only == seed.name:
            path = given.folder / f"file{seed.suffix}"
            path.write_bytes(content)
            wrong = read_in_process(seed, path, number)
            if wrong is None and seed.command and number % EVERY_COMMAND == 0:
                wrong = read_by_command(seed, path, given.folder)
            if wrong is None and client is not None and seed.upload and number % EVERY_UPLOAD == 0:
                wrong = read_by_upload(client, seed, content)
            if wrong is not None:
                told = {"failed": number, "seed": seed.name, "bytes": len(content), "what": wrong[-3000:]}
                print(json.dumps(told), file=channel, flush=True)
            path.unlink(missing_ok=True)
        number += given.stride


if __name__ == "__main__":
    main()

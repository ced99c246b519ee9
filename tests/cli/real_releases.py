"""Releases of real tables by the command line."""

from __future__ import annotations

import json


def released(run, folder, *arguments):
    done = run("anonymize", *arguments, "--out", folder, "--quiet")
    assert done.code == 0, done.err
    manifest = json.loads((folder / "release.json").read_text())
    assert manifest["verdict"]["holds"] is True
    assert (folder / "report.html").stat().st_size > 10_000
    again = run("verify", folder)
    assert again.code == 0, again.out + again.err
    return manifest


def figures(folder):
    """The figures against the original, which the private report holds."""
    return json.loads(folder.with_name(f"{folder.name}.private.json").read_text())["utility"]


def trees(folder, prefix, columns):
    return [part for name in columns for part in ("--hierarchy", f"{name}={folder / f'{prefix}_{name}.csv'}")]

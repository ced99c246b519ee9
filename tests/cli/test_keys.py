"""`crypsis keys`, `crypsis sign`, `--sign` and `verify --trusted`: made, signed, checked, and the exit codes."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    frame = pl.DataFrame({"age": [20, 21, 22, 50, 51, 52], "ill": ["flu", "cold", "gout"] * 2})
    frame.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def anonymized(run: Run, data: Path, *more: str | Path) -> Path:
    folder = data.parent / "release"
    roles = ("--quasi", "age", "--sensitive", "ill")
    done = run("anonymize", data, "--method", "mondrian", "-k", "3", *roles, "--out", folder, *more)
    assert done.code == 0, done.err
    return folder


def test_from_a_key_to_a_trusted_release(run: Run, data: Path) -> None:
    key, public = data.parent / "me", data.parent / "me.pub"
    made = run("keys", "make", "--out", key, "--name", "Ann of the registry", "--json")
    assert made.code == 0, made.err
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert json.loads(run("keys", "show", public, "--json").out)["key"] == json.loads(made.out)["key"]
    folder = anonymized(run, data, "--sign", key)
    plain = run("verify", folder)
    assert plain.code == 0
    assert "signed with the key" in plain.out
    told = run("verify", folder, "--trusted", public)
    assert told.code == 0
    assert "signed by Ann of the registry" in told.out
    answer = json.loads(run("verify", folder, "--trusted", public, "--json").out)
    assert answer["signature"]["state"] == "trusted"
    assert answer["signature"]["name"] == "Ann of the registry"


def test_a_missing_or_foreign_signature_fails_where_one_is_asked_for(run: Run, data: Path) -> None:
    for name in ("ann", "bob"):
        assert run("keys", "make", "--out", data.parent / name, "--name", name).code == 0
    folder = anonymized(run, data)
    unsigned = run("verify", folder)
    assert unsigned.code == 0
    assert "unsigned" in unsigned.out
    assert run("verify", folder, "--trusted", data.parent / "ann.pub").code == 4
    assert run("sign", folder, "--key", data.parent / "bob").code == 0
    foreign = run("verify", folder, "--trusted", data.parent / "ann.pub", "--json")
    assert foreign.code == 4
    assert json.loads(foreign.out)["signature"]["state"] == "untrusted"
    both = ("--trusted", data.parent / "ann.pub", "--trusted", data.parent / "bob.pub")
    assert run("verify", folder, *both).code == 0
    manifest = (folder / "release.json").read_text()
    (folder / "release.json").write_text(manifest.replace('"created": "20', '"created": "19'))
    broken = run("verify", folder, "--json")
    assert broken.code == 4
    assert json.loads(broken.out)["signature"]["state"] == "broken"
    refused = run("sign", folder, "--key", data.parent / "bob")
    assert refused.code == 4


def test_a_bad_key_is_refused_before_anything_is_read(run: Run, data: Path) -> None:
    (data.parent / "key").write_text("no key")
    (data.parent / "key").chmod(0o600)
    out = data.parent / "release"
    refused = run(
        "anonymize", data.parent / "nowhere.csv", "--method", "mondrian", "--out", out, "--sign", data.parent / "key"
    )
    assert refused.code == 2
    assert "bad-key" in refused.err
    assert not out.exists()


def test_options_without_effect_are_refused(run: Run, data: Path) -> None:
    assert run("keys", "make", "--out", data.parent / "me", "--name", "me").code == 0
    folder = anonymized(run, data)
    refused = run("verify", folder / "table.csv", "--quasi", "age", "--trusted", data.parent / "me.pub")
    assert (refused.code, "option-without-effect" in refused.err) == (2, True)
    refused = run("export", folder, "--out", data.parent / "x.csv", "--sign", data.parent / "me")
    assert (refused.code, "option-without-effect" in refused.err) == (2, True)

"""Signatures: whoever changes the folder after signing is found out; whom to trust is up to the recipient."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.errors import BadKey, CrypsisError, OutputExists, UnlistedFile
from crypsis.signatures import make_keys, read_public_key, sign_folder


@pytest.fixture
def release():
    frame = pl.DataFrame({"age": [20, 21, 22, 50, 51, 52], "ill": ["flu", "cold", "gout"] * 2})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})
    return crypsis.anonymize(table, crypsis.Mondrian(k=3))


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    return make_keys(tmp_path / "key", "Ὑπατία, 東京 hospital")


@pytest.fixture
def signed(release, keys, tmp_path: Path) -> Path:
    return release.write(tmp_path / "release", sign=keys[0])


def test_the_private_key_is_for_its_owner_and_the_public_one_says_whose_it_is(keys) -> None:
    private, public = keys
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert b"PRIVATE KEY" in private.read_bytes()
    assert read_public_key(public).name == "Ὑπατία, 東京 hospital"
    with pytest.raises(OutputExists):
        make_keys(private, "somebody else")


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "x" * 201])
def test_an_owner_without_a_name_of_one_line_gets_no_key(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadKey):
        make_keys(tmp_path / "key", name)
    assert not list(tmp_path.iterdir())


def test_a_signed_release_tells_its_key_and_to_whom_trusts_it_its_owner(signed, keys, tmp_path: Path) -> None:
    found = crypsis.read_release(signed)
    assert found.verify().holds
    assert (found.signature.state, found.signature.name) == ("signed", None)
    assert found.signature.key == read_public_key(keys[1]).fingerprint
    trusted = found.signature.trusted_by([keys[1]])
    assert (trusted.state, trusted.name) == ("trusted", "Ὑπατία, 東京 hospital")
    _, other = make_keys(tmp_path / "other", "Mallory")
    assert found.signature.trusted_by([other]).state == "untrusted"
    assert found.signature.trusted_by([other, keys[1]]).state == "trusted"


def test_an_unsigned_release_says_so(release, keys, tmp_path: Path) -> None:
    found = crypsis.read_release(release.write(tmp_path / "plain"))
    assert found.signature.state == "unsigned"
    assert found.signature.trusted_by([keys[1]]).state == "unsigned"
    assert found.verify().holds


def test_one_changed_byte_in_any_file_breaks_the_signature(signed, tmp_path: Path) -> None:
    for name in sorted(path.name for path in signed.iterdir()):
        copy = tmp_path / "copy"
        shutil.copytree(signed, copy)
        body = bytearray((copy / name).read_bytes())
        place = body.rindex(b'"') if name.endswith((".json", ".sig")) else len(body) // 2
        body[place - 1] ^= 1
        (copy / name).write_bytes(body)
        try:
            found = crypsis.read_release(copy)
        except CrypsisError:
            pass  # no longer readable
        else:
            assert found.signature.state == "broken", name
            assert not found.verify().holds
        shutil.rmtree(copy)


def test_a_forger_who_also_mends_the_checksums_is_found_out(signed) -> None:
    manifest = json.loads((signed / "release.json").read_text())
    manifest["created"] = "1999-01-01"
    (signed / "release.json").write_text(json.dumps(manifest))
    found = crypsis.read_release(signed)
    assert not found.damage or "wrongly signed" in found.damage[0]
    assert found.signature.state == "broken"
    assert "wrongly signed" in str(found.verify().problem)


def test_a_signature_of_another_folder_is_broken(signed, release, tmp_path: Path) -> None:
    other = release.write(tmp_path / "other", format="parquet")
    shutil.copy(signed / "release.sig", other / "release.sig")
    assert crypsis.read_release(other).signature.state == "broken"


def test_a_taken_file_or_an_added_one_is_refused_before_anything_else(signed) -> None:
    (signed / "notes.txt").write_text("trust me")
    with pytest.raises(UnlistedFile):
        crypsis.read_release(signed)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"null", b"\xff", b'{"schema": 1}', b"[" * 100_000])
def test_what_is_no_signature_is_a_broken_one(signed, content: bytes) -> None:
    (signed / "release.sig").write_bytes(content)
    assert crypsis.read_release(signed).signature.state == "broken"


@pytest.mark.parametrize("field", ["public_key", "signature", "algorithm", "schema"])
@pytest.mark.parametrize("value", ["", "AAAA", "é", None, 7, ["x"], "A" * 43 + "="])
def test_a_signature_with_one_odd_field_is_broken(signed, field: str, value: object) -> None:
    content = json.loads((signed / "release.sig").read_text()) | {field: value}
    (signed / "release.sig").write_text(json.dumps(content))
    assert crypsis.read_release(signed).signature.state == "broken"


def test_an_older_release_is_signed_later_and_signed_anew(release, keys, tmp_path: Path) -> None:
    folder = release.write(tmp_path / "plain")
    assert sign_folder(folder, keys[0]).state == "signed"
    other, public = make_keys(tmp_path / "other", "Bob")
    sign_folder(folder, other)
    assert crypsis.read_release(folder).signature.trusted_by([public]).name == "Bob"


def test_a_private_key_that_others_can_read_signs_nothing(release, keys, tmp_path: Path) -> None:
    keys[0].chmod(0o644)
    with pytest.raises(BadKey, match="chmod 600"):
        release.write(tmp_path / "never", sign=keys[0])
    assert not (tmp_path / "never").exists()


@pytest.mark.parametrize("content", [b"", b"hello", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_what_is_no_key_is_refused(release, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(BadKey):
        release.write(tmp_path / "never", sign=tmp_path / "key")
    with pytest.raises(BadKey):
        read_public_key(tmp_path / "key")
    with pytest.raises(BadKey):
        read_public_key(tmp_path / "nowhere")


def test_keys_of_another_algorithm_are_refused(release, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    made = ec.generate_private_key(ec.SECP256R1())
    pem = serialization.Encoding.PEM
    (tmp_path / "key").write_bytes(
        made.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "key.pub").write_bytes(
        made.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    with pytest.raises(BadKey):
        release.write(tmp_path / "never", sign=tmp_path / "key")
    with pytest.raises(BadKey):
        read_public_key(tmp_path / "key.pub")


def test_without_the_package_a_signed_release_is_read_and_says_that_it_was_not_checked(signed, keys) -> None:
    script = (
        "import sys; sys.modules['cryptography'] = None\n"
        "import crypsis\n"
        "from crypsis.errors import MissingExtra\n"
        f"found = crypsis.read_release({str(signed)!r})\n"
        "assert found.signature.state == 'unchecked', found.signature\n"
        "assert found.verify().holds\n"
        "try:\n"
        f"    found.signature.trusted_by([{str(keys[1])!r}])\n"
        "except MissingExtra: print('told')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "told\n", done.stderr

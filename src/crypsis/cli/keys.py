"""`crypsis keys` and `crypsis sign`: who vouches for a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.command import Group
from crypsis.cli.output import show
from crypsis.cli.settings import EVERY_COMMAND

keys_app = Group("Make keys that sign releases, and look at them.")

Sign = Annotated[
    Path | None, typer.Option("--sign", help="Sign the release with this private key (`crypsis keys make`).")
]


@keys_app.command("make", epilog=EVERY_COMMAND)
def make(
    out: Annotated[
        Path,
        "File of the private key. The public key is written next to it, with the ending .pub.",
    ],
    name: Annotated[str, "Whose key it is, as recipients are to read it."],
) -> None:
    """Make a private key that only you can read, and the public key for recipients."""
    from crypsis.signatures import make_keys, read_public_key

    private, public = make_keys(out, name)
    fingerprint = read_public_key(public).fingerprint
    show(
        {"private_key": str(private), "public_key": str(public), "key": fingerprint, "name": name},
        f"private key  {private}  (keep it to yourself)\npublic key   {public}  (give it to recipients)\n"
        f"key          {fingerprint}",
    )


@keys_app.command("show", epilog=EVERY_COMMAND)
def show_key(key: Annotated[Path, typer.Argument(help="A public key (.pub).")]) -> None:
    """Show whose a public key is, and the digits by which two people compare it."""
    from crypsis.signatures import read_public_key

    public_key = read_public_key(key)
    show({"key": public_key.fingerprint, "name": public_key.name}, f"{public_key.name}\n{public_key.fingerprint}")


def sign(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    key: Annotated[Path, "The private key to sign with (`crypsis keys make`)."],
) -> None:
    """Sign a release that was written before, if its guarantee holds."""
    from crypsis._api import read_release
    from crypsis.errors import OriginalRequired, VerificationFailed
    from crypsis.signatures import sign_folder

    release = read_release(folder)
    for problem in release.damage:
        raise VerificationFailed(f"Nothing was signed: {problem}")
    try:
        verdict = release.verify()
    except OriginalRequired:  # only the publisher can recount it, and did before it was written
        pass
    else:
        if not verdict.holds:
            raise VerificationFailed(f"Nothing was signed: {verdict}", **verdict.to_dict())
    signature = sign_folder(folder, key)
    show({"folder": str(folder), "signature": signature.to_dict()}, f"signed with the key {signature.key}")

"""Checking what somebody published: a release as a folder or an archive, or any published file, against a promise."""

from __future__ import annotations

import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from crypsis._api import read_release, verify
from crypsis.attacks import Attack, fitting_attacks
from crypsis.data.foreign_table import read_foreign_table
from crypsis.data.relational import PublishedTable
from crypsis.errors import (
    BadRelease,
    CrypsisError,
    InternalError,
    MissingFile,
    NotApplicable,
    OptionWithoutEffect,
    TooLarge,
    UnknownFormat,
    UnlistedFile,
)
from crypsis.evaluate.dataset import view_of
from crypsis.evaluate.first_look import suggested_roles_of
from crypsis.guarantees import GUARANTEES, Guarantee, Verdict, guarantee_named
from crypsis.methods import METHODS
from crypsis.parameters import parameters_of
from crypsis.publication import KIND_NAMES, kind_promised
from crypsis.publication.table_parts import MOST_PARTS, is_part_name
from crypsis.release_folder import MANIFEST
from crypsis.review import Review
from crypsis.signatures import Signature
from crypsis.translation import marked
from crypsis.verifiers import VERIFIERS
from crypsis.web.attacking import AttackAnswer, attacked
from crypsis.web.own_names import rename_in_errors
from crypsis.web.unpacking import check_unpacked
from crypsis.web.workspace import Workspace

_MOST_FILES = 64
_LARGEST = 4_000_000_000


@dataclass(frozen=True)
class Checked:
    """A verdict; of a release also its review, its manifest, what is damaged, and its signature as trusted here."""

    verdict: Verdict
    review: Review | None = None
    manifest: Mapping[str, Any] | None = None
    damage: tuple[str, ...] = ()
    signature: Signature | None = None

    @property
    def signature_words(self) -> str:
        """Without the option of the command line; empty where there is no release."""
        return "" if self.signature is None else str(self.signature).removesuffix(" (--trusted KEY.pub)")

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form."""
        verdict = self.verdict
        content = {
            "holds": verdict.holds,
            "words": str(verdict),
            "guarantee": verdict.promised.to_dict(),
            **verdict.to_dict(),
        }
        manifest = self.manifest
        if self.review is not None and manifest is not None and self.signature is not None:
            content["review"] = self.review.to_dict()
            content["release"] = {
                "created": manifest.get("created"),
                "method": manifest.get("method"),
                "kind": manifest["data"]["kind"],
                "rows": manifest["data"]["rows"],
                "figures": manifest.get("figures", {}),
                "damage": list(self.damage),
                "signature": self.signature.to_dict() | {"words": self.signature_words},
            }
        return content


class Verification:
    """Verdicts on uploads. Nothing of them is kept."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def of_upload(
        self,
        upload: str,
        promise: Mapping[str, Any] | None = None,
        original: Any = None,
        private_report: str | None = None,
        original_upload: str | None = None,
        person: str | None = None,
        trusted: Sequence[str] = (),
    ) -> Checked:
        """The verdict on a release (its archive) or, with a promise, on a file.

        Beside the original a release must also recode it honestly. It is a dataset, or of a table another upload, which
        is read with the roles that the release tells. The private report is another upload, too, and so are the public
        keys of those who are trusted.
        """
        path = self.workspace.upload(upload)
        if zipfile.is_zipfile(path):
            folder = self.workspace.unfinished()
            private = None if private_report is None else self.workspace.upload(private_report)
            file = None if original_upload is None else self.workspace.upload(original_upload)
            keys = [self.workspace.upload(key) for key in trusted]
            with rename_in_errors(folder, "release"), _unpacked(path, folder):
                return self.of_folder(folder, promise, original, private, file, person, keys)
        if original is not None or private_report is not None or original_upload is not None:
            raise NotApplicable("The original goes with the archive of a release; a file is checked by itself.")
        if trusted:
            raise OptionWithoutEffect("Public keys are for the archives of releases; a file has no signature.")
        with rename_in_errors(path, marked("the file")):
            return self.of_file(path, promise)

    def roles_of_upload(self, upload: str) -> dict[str, str]:
        """The columns of a table that does not say what it promises, each with the role that its name suggests."""
        return suggested_roles_of(self.workspace.upload(upload))

    def of_path(self, path: Path, promise: Mapping[str, Any] | None = None) -> Checked:
        """The same for a folder or file of this machine."""
        try:
            kind = path.stat().st_mode
        except (OSError, ValueError) as error:
            raise MissingFile(f"There is no file {str(path)[:400]}; check the path.") from error
        if stat.S_ISDIR(kind):
            return self.of_folder(path, promise)
        if not stat.S_ISREG(kind):
            raise UnknownFormat("This is neither a file nor a folder; name one of them.")
        return self.of_file(path, promise)

    def of_folder(
        self,
        folder: Path,
        promise: Mapping[str, Any] | None = None,
        original: Any = None,
        private_report: Path | None = None,
        original_file: Path | None = None,
        person: str | None = None,
        trusted: Sequence[Path] = (),
    ) -> Checked:
        release = read_release(folder, private_report=private_report)
        signature = _trusted_by(release.signature, trusted)
        if person is not None and original_file is None:
            raise OptionWithoutEffect("The person is a column of the original table; drop that, too, or leave it out.")
        if promise:
            release = replace(release, guarantee=chosen_promise(promise))
        manifest = release.manifest
        against = None if original is None else _as_the_method_took_them(original, manifest)
        if original_file is not None:
            with rename_in_errors(original_file, marked("the original")):
                against = release.read_original(original_file, **({} if person is None else {"person": person}))
        return Checked(release.verify(against), release.review(against), manifest, tuple(release.damage), signature)

    def attack(
        self,
        upload: str,
        original: Any,
        name: str,
        params: Mapping[str, Any],
        private_report: str | None = None,
    ) -> AttackAnswer:
        """What an adversary who knows pieces of the original finds in a release (its archive)."""
        folder = self.workspace.unfinished()
        private = None if private_report is None else self.workspace.upload(private_report)
        with rename_in_errors(folder, "release"), _unpacked(self.workspace.upload(upload), folder):
            release = read_release(folder, private_report=private)
            return attacked(name, params, release.data, _as_the_method_took_them(original, release.manifest))

    def fitting_attacks(self, upload: str, original: Any) -> dict[str, type[Attack]]:
        """The adversaries who could attack a release (its archive) beside its original."""
        folder = self.workspace.unfinished()
        with rename_in_errors(folder, "release"), _unpacked(self.workspace.upload(upload), folder):
            release = read_release(folder)
            return fitting_attacks(release.data, _as_the_method_took_them(original, release.manifest))

    def of_file(self, path: Path, promise: Mapping[str, Any] | None) -> Checked:
        if not promise:
            raise BadRelease(
                "This file does not state its guarantee; choose one to check it against, or drop the archive of "
                "a whole release.",
            )
        content = dict(promise)
        quasi, sensitive = content.pop("quasi", None), content.pop("sensitive", None)
        for columns in (quasi, sensitive):
            if not isinstance(columns or [], list) or not all(isinstance(column, str) for column in columns or []):
                raise BadRelease("quasi and sensitive are lists of names of columns.")
        chosen = chosen_promise(content)
        if quasi and (type(chosen), PublishedTable) in VERIFIERS:
            table = read_foreign_table(path, quasi=list(quasi), sensitive=list(sensitive or ()))
            return Checked(verify(table, chosen))
        return Checked(verify(kind_promised(chosen).read_file(path), chosen))


def _trusted_by(signature: Signature, keys: Sequence[Path]) -> Signature:
    """The signature as those see it who trust these keys."""
    if not keys:
        return signature
    with ExitStack() as names:
        for key in keys:
            names.enter_context(rename_in_errors(key, marked("the public key")))
        return signature.trusted_by(keys)


def _as_the_method_took_them(original: Any, manifest: Mapping[str, Any]) -> Any:
    name = str((manifest.get("method") or {}).get("name"))
    if name not in METHODS:
        raise NotApplicable(
            "The release does not say which method made it, so it cannot be compared with its original."
        )
    return view_of(original, METHODS[name].accepts)


@dataclass(frozen=True)
class CheckablePromise:
    """A promise that can be checked."""

    model: str
    kind: type[Guarantee]

    def to_dict(self) -> dict[str, Any]:
        """With its parameters."""
        return {
            "model": self.model,
            "help": (self.kind.__doc__ or "").strip().splitlines()[0],
            "protects_from": self.kind.protects_from,
            "parameters": [parameter.to_dict() for parameter in parameters_of(self.kind)],
        }


def promises() -> list[CheckablePromise]:
    """Every promise that can be checked."""
    return [CheckablePromise(model, kind) for model, kind in GUARANTEES.items()]


def chosen_promise(told: Mapping[str, Any]) -> Guarantee:
    """`{"model": "km-anonymity", "k": 5, "m": 2}`; values may be text, as typed."""
    values = {name: value for name, value in told.items() if name != "model"}
    kind = guarantee_named(str(told.get("model")))
    known = {parameter.name: parameter for parameter in parameters_of(kind)}
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise BadRelease(f"{kind.__name__} has no parameter {str(name)[:40]!r}; it has {', '.join(known)}.")
        given[name] = known[name].parse(value, kind.__name__) if isinstance(value, str) else value
    try:
        return kind(**given)
    except TypeError as error:
        missing = [name for name, parameter in known.items() if parameter.required and name not in given]
        if not missing:
            raise InternalError(f"{kind.__name__} could not be made.") from error
        raise BadRelease(f"{kind.__name__} needs {', '.join(missing)}.") from error


@contextmanager
def _unpacked(archive: Path, folder: Path) -> Iterator[Path]:
    """The files of an archive in a folder of their own, under their last names only."""
    folder.mkdir(mode=0o700)
    try:
        try:
            _unpack(archive, folder)
        except CrypsisError:
            raise
        except Exception as error:  # every unpacker has its own errors
            raise BadRelease("The archive is damaged or protected by a password.") from error
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unpack(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        members = [one for one in packed.infolist() if not one.is_dir()]
        most = min(_LARGEST, shutil.disk_usage(folder).free // 2)
        if len(members) > _MOST_FILES + MOST_PARTS or sum(member.file_size for member in members) > most:
            raise TooLarge(f"An archive of a release has up to {_MOST_FILES} files of {most:,} bytes in all.")
        manifests = [
            PurePosixPath(member.filename) for member in members if PurePosixPath(member.filename).name == MANIFEST
        ]
        if len(manifests) != 1:
            raise BadRelease(f"The archive is not that of a release: it has {len(manifests)} files {MANIFEST}.")
        inside = manifests[0].parent
        for one in members:
            target = folder / _place_in_release(PurePosixPath(one.filename), inside)
            target.parent.mkdir(mode=0o700, exist_ok=True)
            try:
                with packed.open(one) as source, target.open("xb") as copy:
                    shutil.copyfileobj(source, copy)
            except FileExistsError as error:
                raise BadRelease(f"The archive holds {one.filename!r} twice.") from error
            check_unpacked(target, most)


def _place_in_release(place: PurePosixPath, inside: PurePosixPath) -> PurePosixPath:
    """Where a file of an archive lies in the release: at its top, or among its parts. No other is passed over."""
    try:
        below = place.relative_to(inside)
    except ValueError:
        below = PurePosixPath()
    *above, name = below.parts or ("",)
    if (not above and name not in ("", ".", "..")) or (
        len(above) == 1 and above[0] in KIND_NAMES and is_part_name(name)
    ):
        return below
    raise UnlistedFile(f"The archive holds {str(place)[:80]!r}, which is not of the release; pack it without.")

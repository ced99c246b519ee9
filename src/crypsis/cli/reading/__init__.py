"""The options that say how a file is read: one file per kind of data, given to every command that reads one.

Which kind is read follows from the method, or from the release that was made. A command shows the options of all kinds;
one that says nothing about the kind at hand is refused, so that no wish is passed over in silence.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crypsis.cli.reading import events, foreign_tables, mixed, tables, tracks, trajectories, transactions
from crypsis.cli.reading.file_options import FILE_OPTIONS, file_options, how_of, reads_files
from crypsis.cli.reading.options import listed
from crypsis.errors import NotApplicable, OptionWithoutEffect

if TYPE_CHECKING:
    from crypsis.release import Release

Reader = Callable[..., Any]  # (path, class of the data to read; trajectories unless told)

# Class of the data: the module that reads it. By name, because the classes load slowly and `--help` must not.
KINDS = {
    "Trajectories": trajectories,
    "Tracks": tracks,
    "Transactions": transactions,
    "Table": tables,
    "Mixed": mixed,
    "Events": events,
    "PublishedTable": foreign_tables,
}


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the reading options; its parameter `read` becomes a function from a path to data."""
    own = inspect.signature(command, eval_str=True).parameters
    shown = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own.values()]
    shown = [parameter for parameter in shown if parameter.name != "read"]
    options = {name: option for name, option in _every_option().items() if name not in own}
    shown += options.values()

    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in options} | FILE_OPTIONS.get()
        command(read=partial(_read, chosen), **given)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return reads_files(run)


def _read(chosen: dict[str, Any], path: Path, kind: type | None = None, for_method: Any = None) -> Any:
    name = "Trajectories" if kind is None else kind.__name__
    if name not in KINDS:
        raise NotApplicable(f"{name} cannot be read from a file here.")
    _refuse_unused(chosen, name)
    _refuse_without_effect(name, path, chosen)
    understood = _options_of(name)
    told = {option: value for option, value in chosen.items() if option in understood}
    takes_method = "for_method" in inspect.signature(KINDS[name].read).parameters
    method = {"for_method": for_method} if takes_method else {}
    return KINDS[name].read(path, **told, **method, **how_of(chosen))


def _refuse_unused(chosen: dict[str, Any], name: str) -> None:
    """An option that says nothing about this kind of data is an error."""
    reader = KINDS[name]
    understood = (*_options_of(name), *file_options())
    for option, value in chosen.items():
        if value not in (None, False) and option not in understood:
            plurals = dict.fromkeys(KINDS[other].PLURAL for other in KINDS if option in _options_of(other))
            fitting = " or ".join(plurals)
            raise OptionWithoutEffect(
                f"--{option.replace('_', '-')} says how {fitting} are read; here {reader.PLURAL} are.",
                option=option,
                kind=reader.PLURAL,
            )


def _refuse_without_effect(kind: str, path: Path, chosen: dict[str, Any]) -> None:
    """Refuse what this file is not read with: each way of reading says what it uses."""
    from crypsis.data.ways_of_reading import refuse_unused, way_of

    if kind == "PublishedTable":
        return
    way = way_of(kind.lower(), path, chosen.get("input_format"), grid=chosen.get("grid") is not None)
    refuse_unused(way, chosen, beside=("input_format",))


@cache
def _options_of(kind: str) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(KINDS[kind].read, eval_str=True).parameters
    return {name: option for name, option in parameters.items() if name not in ("path", "for_method", "how")}


@cache
def _every_option() -> dict[str, inspect.Parameter]:
    """The options of all kinds; one that several kinds understand is described once, in `options.py`."""
    return {name: option for kind in KINDS for name, option in _options_of(kind).items()}


def given(read: Reader, option: str) -> Any:
    """What was said about one reading option, None if nothing."""
    assert isinstance(read, partial)
    return read.args[0].get(option)


def how(read: Reader) -> dict[str, Any]:
    """The format of the file and its options, as far as they were typed."""
    assert isinstance(read, partial)
    return how_of(read.args[0])


def read_original(read: Reader, path: Path, release: Release) -> Any:
    """The data that a release was made of. Roles and items of a table are those of the release unless typed."""
    from crypsis.data.mixed import Mixed
    from crypsis.data.relational import Table

    kind = kind_of_input(release.manifest) or _compared_kind(release)
    typed = [option for option in _ROLES if given(read, option) is not None]
    if kind not in (Table, Mixed) or release.kind.name not in ("table", "mixed") or typed:
        return read(path, kind)
    assert isinstance(read, partial)
    chosen = read.args[0]
    _refuse_unused(chosen, kind.__name__)
    return release.read_original(
        path,
        person=chosen["person"],
        each_row_is_a_person=chosen["each_row_is_a_person"],
        missing_tokens=tuple(listed(chosen["missing"])) or ("?",),
        unparsable="missing" if chosen["as_missing"] else "error",
        **how_of(chosen),
    )


_ROLES = ("quasi", "sensitive", "identifier", "label", "other", "types", "items", "sensitive_items")


def _compared_kind(release: Release) -> type | None:
    """The kind of data that the verifier of this release compares with."""
    from crypsis.verifiers import VERIFIERS

    found = VERIFIERS.get((type(release.guarantee), type(release.data)))
    return None if found is None else found[1]


def kind_of_input(manifest: dict[str, Any]) -> type | None:
    """The kind of data that a release was made from, as its method takes it."""
    from crypsis.methods import METHODS

    method = (manifest.get("method") or {}).get("name")
    return METHODS[method].accepts if method in METHODS else None


def words_on(data: Any, read: Reader | None = None) -> str:
    """What was read, in a few words, and as what: the kind, whose each record is, and which column serves as what."""
    reader = KINDS.get(type(data).__name__)
    counts = f"read {len(data):,} records" if reader is None else f"read {reader.words_on(data)}"
    read_as = getattr(data, "read_as", None)
    counts += f"\nread as: {read_as}" if read_as is not None else ""
    if reader is None:
        return counts
    chosen = read.args[0] if isinstance(read, partial) else {}
    told = dict(getattr(data, "understood", ()) or reader.understood(data, chosen))
    if "person" not in told and chosen.get("person"):
        told = {"person": chosen["person"], **told}
    roles = ", ".join(f"{role} = {name}" for role, name in told.items())
    alone = "" if "person" in told else "; each record counts as a person"
    return f"{counts}\nunderstood: {reader.PLURAL}{', ' if roles else ''}{roles}{alone}"

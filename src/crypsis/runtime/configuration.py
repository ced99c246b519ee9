"""The configuration of a live stream: what is promised, where events come from, where windows go, and the limits.

A TOML file with the tables [privacy], [source], [sink] and [run]; everything is checked before anything is read.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from crypsis.data.formats.compression import existing_file
from crypsis.data.sensitive_values import SensitiveValues
from crypsis.errors import BadConfiguration, BadParameter, CrypsisError, SensitiveLocation, did_you_mean
from crypsis.methods.stream.intake import PLAIN
from crypsis.methods.stream.itsa import ITSA
from crypsis.parameters import exact_share, parameters_of
from crypsis.runtime.connection import LOGIN, check_login

SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_LIVE = ("mqtt", "redis")

# name: what a value must be, and the default; a name without one must be given
_NEEDED = object()
_PORT = (int, 1, 65535)
_SOURCES: dict[str, dict[str, tuple[Any, Any]]] = {
    "csv": {"path": (str, _NEEDED)},
    "ndjson": {"path": (str, _NEEDED)},
    "stdin": {},
    "replay": {"path": (str, _NEEDED), "rate": (float, 0.0), "speedup": (float, 0.0)},
    "mqtt": {
        "topic": (str, _NEEDED),
        "host": (str, "127.0.0.1"),
        "port": (_PORT, 1883),
        "client": (str, "crypsis"),
        **LOGIN,
    },
    "redis": {
        "stream": (str, _NEEDED),
        "host": (str, "127.0.0.1"),
        "port": (_PORT, 6379),
        "group": (str, "crypsis"),
        **LOGIN,
    },
}
_SINKS: dict[str, dict[str, tuple[Any, Any]]] = {
    "ndjson": {"path": (str, _NEEDED)},
    "folder": {"path": (str, _NEEDED)},
    "stdout": {},
    "mqtt": {
        "topic": (str, _NEEDED),
        "host": (str, "127.0.0.1"),
        "port": (_PORT, 1883),
        "client": (str, "crypsis-windows"),
        **LOGIN,
    },
    "redis": {"stream": (str, _NEEDED), "host": (str, "127.0.0.1"), "port": (_PORT, 6379), **LOGIN},
}
_WHERE = ("host", "port", "client", "rate", "speedup", *LOGIN)  # may change between two runs of one stream


@dataclass(frozen=True)
class Running:
    """The table [run]: where the state lies, how much is checked, and the limits."""

    state: str
    verify: str = "every"
    verify_horizon: str | None = None
    checkpoint_every: int = 10
    queue: int = 65_536
    max_people: int = 2_000_000
    max_known_people: int = 20_000_000
    max_events_in_window: int = 20_000_000
    max_waiting_events: int = 20_000_000
    max_bad_fraction: float = 0.1
    strict: bool = False
    locations: tuple[str, ...] | None = None
    time_unit: str | None = None
    pseudonym_epoch: int | None = None
    spool_limit: int = 1 << 30
    retry_seconds: float = 60.0
    port: int | None = None
    keep_late: bool = False
    people: str | None = None
    encrypt_state: bool = False
    state_key: str | None = None

    least: ClassVar[Mapping[str, int]] = {
        "checkpoint_every": 1,
        "queue": 1,
        "max_people": 1,
        "max_known_people": 1,
        "max_events_in_window": 1,
        "max_waiting_events": 1,
        "pseudonym_epoch": 1,
        "spool_limit": 1 << 16,
        "port": 0,
    }
    decisive: ClassVar[tuple[str, ...]] = ("locations", "time_unit", "pseudonym_epoch", "encrypt_state")


@dataclass(frozen=True)
class StreamConfiguration:
    """A checked configuration. `start` is the instant of timestamp 0 where times are instants."""

    method: ITSA
    source: Mapping[str, Any]
    sink: Mapping[str, Any]
    run: Running
    start: datetime | None = None
    folder: Path = field(default_factory=Path)  # relative paths begin here

    @classmethod
    def read(cls, file: str | Path) -> StreamConfiguration:
        """Read a TOML file; paths in it are relative to it."""
        path = existing_file(file)
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise BadConfiguration(f"The configuration is no TOML: {error}.", where=str(path)) from error
        try:
            return cls.from_tables(content, path.parent)
        except CrypsisError as error:
            error.where = error.where or str(path)
            raise

    @classmethod
    def from_tables(cls, content: Mapping[str, Any], folder: str | Path = ".") -> StreamConfiguration:
        """Check the four tables."""
        known = ("privacy", "source", "sink", "run")
        for name in content:
            if name not in known:
                raise BadConfiguration(f"There is no table [{name}].{did_you_mean(name, known)}", parameter=name)
        tables = {name: content.get(name, {}) for name in known}
        for name, table in tables.items():
            if not isinstance(table, Mapping):
                raise BadConfiguration(f"[{name}] must be a table, got {table!r}.", parameter=name)
        run = _running(tables["run"])
        privacy, start = _with_start(dict(tables["privacy"]), run.time_unit)
        method = _method(privacy)
        source, sink = _end("source", tables["source"], _SOURCES), _end("sink", tables["sink"], _SINKS)
        if method.mode == "cumulative" and method.H is None and source["kind"] in (*_LIVE, "stdin"):
            raise BadConfiguration(
                "Mode cumulative without H keeps everything for ever, which a live source never ends: give H, at "
                "least N.",
                parameter="H",
            )
        for value in (value for _, value in method.sensitive_values.tokens):
            if run.locations is not None and value in run.locations:
                raise SensitiveLocation(
                    f"{value!r} is a location; who was there would be known for sure. Declare values of the person "
                    "only.",
                    value=value,
                )
        if run.pseudonym_epoch is not None and method.pseudonyms != "stable":
            raise BadConfiguration(
                "pseudonym_epoch renews stable pseudonyms; say pseudonyms = 'stable'.", parameter="pseudonym_epoch"
            )
        return cls(method, source, sink, run, start, Path(folder))

    def path(self, name: str) -> Path:
        """A path of the configuration."""
        return self.folder / name

    @property
    def live(self) -> bool:
        """The source ends only when told so."""
        return self.source["kind"] in _LIVE

    @property
    def max_forward_jump(self) -> int:
        jump = self.method.max_forward_jump
        return 10 * self.method.N if jump is None else jump

    @property
    def sampled(self) -> Fraction:
        """The share of windows that are verified before they are published."""
        return _share_verified(self.run.verify)

    @property
    def horizon_sampled(self) -> Fraction:
        """The share of windows before which all that is out is recounted; the share of `verify` unless told."""
        return self.sampled if self.run.verify_horizon is None else _share_verified(self.run.verify_horizon)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The sensitive attributes of an event."""
        return tuple(sorted({attribute for attribute, _ in self.method.sensitive_values.tokens}))

    @property
    def digest(self) -> str:
        """Equal for two configurations that decide the same windows from the same events, and put them in one place."""
        ends = [{name: end[name] for name in sorted(end) if name not in _WHERE} for end in (self.source, self.sink)]
        method = {name: str(value) for name, value in self.method.described_parameters().items()}
        if not self.method.exits:
            del method["exits"]  # as before there were ends: a stream that was begun then goes on
        method["sensitive_values"] = json.dumps(self.method.sensitive_values.to_json())
        decisive = {name: getattr(self.run, name) for name in Running.decisive}
        said = [method, *ends, decisive, str(self.start)]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _running(table: Mapping[str, Any]) -> Running:
    declared = {entry.name: entry for entry in fields(Running)}
    given: dict[str, Any] = {}
    for name, value in table.items():
        if name not in declared:
            raise BadConfiguration(f"[run] has no setting {name!r}.{did_you_mean(name, declared)}", parameter=name)
        given[name] = _run_value(name, value, str(declared[name].type))
    if "state" not in given:
        raise BadConfiguration("[run] needs state, the folder of journal and checkpoints.", parameter="state")
    run = Running(**given)
    _share_verified(run.verify)
    if run.verify_horizon is not None:
        _share_verified(run.verify_horizon, "verify_horizon")
    if run.time_unit is not None and run.time_unit not in SECONDS:
        raise BadConfiguration(
            f"[run] time_unit must be one of {', '.join(SECONDS)}, got {run.time_unit!r}.", parameter="time_unit"
        )
    if not 0 <= run.max_bad_fraction <= 1:
        raise BadConfiguration(
            f"[run] max_bad_fraction must be from 0 to 1, got {run.max_bad_fraction}.", parameter="max_bad_fraction"
        )
    if run.locations is not None and len(set(run.locations)) < len(run.locations):
        raise BadConfiguration("[run] locations names a location twice.", parameter="locations")
    return run


def _run_value(name: str, value: Any, type_said: str) -> Any:
    if name == "locations":
        if not isinstance(value, (list, tuple)) or not all(_is_label(label) for label in value):
            raise BadConfiguration("[run] locations must be a list of texts without line breaks.", parameter=name)
        return tuple(value)
    wanted = next(kind for kind in (bool, int, float, str) if type_said.split(" | ")[0] == kind.__name__)
    return _typed(f"[run] {name}", name, value, wanted, Running.least.get(name))


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\n" not in value


def _typed(said: str, name: str, value: Any, wanted: Any, least: int | None = None, most: int | None = None) -> Any:
    if isinstance(wanted, tuple):
        wanted, least, most = wanted
    if wanted is float and type(value) is int:
        value = float(value)
    expected = _IN_WORDS[wanted] + (f" of at least {least}" if least is not None else "")
    if type(value) is not wanted:
        raise BadConfiguration(f"{said} must be {expected}, got {value!r}.", parameter=name)
    if (least is not None and value < least) or (most is not None and value > most):
        expected += f" and at most {most}" if most is not None else ""
        raise BadConfiguration(f"{said} must be {expected}, got {value!r}.", parameter=name)
    if wanted is float and not 0 <= value < float("inf"):
        raise BadConfiguration(f"{said} must be a number of at least 0, got {value!r}.", parameter=name)
    if wanted is str and not value:
        raise BadConfiguration(f"{said} must not be empty.", parameter=name)
    return value


_IN_WORDS = {int: "an int", float: "a number", str: "a text", bool: "true or false"}


def _share_verified(said: str, name: str = "verify") -> Fraction:
    if said in ("every", "off"):
        return Fraction(said == "every")
    try:
        kind, _, share = said.partition(":")
        exact = exact_share(share)
        if kind == "sample" and 0 <= exact <= 1:
            return exact
    except (TypeError, ValueError, ArithmeticError):
        pass
    raise BadConfiguration(f"[run] {name} must be every, sample:SHARE or off, got {said!r}.", parameter=name)


def _with_start(privacy: dict[str, Any], time_unit: str | None) -> tuple[dict[str, Any], datetime | None]:
    """Times as instants need an instant t0; it is timestamp 0."""
    t0 = privacy.get("t0")
    if time_unit is None:
        return privacy, None
    try:
        start = t0 if isinstance(t0, datetime) else datetime.fromisoformat(str(t0))
    except ValueError as error:
        raise BadConfiguration(
            f"With time_unit, [privacy] t0 must be an instant such as 2026-03-01T00:00:00Z, got {t0!r}.", parameter="t0"
        ) from error
    return {**privacy, "t0": 0}, start if start.tzinfo else start.replace(tzinfo=UTC)


def _method(privacy: dict[str, Any]) -> ITSA:
    known = [parameter.name for parameter in parameters_of(ITSA)]
    for name in privacy:
        if name not in known:
            raise BadConfiguration(f"[privacy] has no setting {name!r}.{did_you_mean(name, known)}", parameter=name)
    values = _sensitive_values(privacy.pop("sensitive_values", []))
    try:
        if privacy.get("H") == "unbounded":
            privacy["H"] = None
        if "C" in privacy:
            privacy["C"] = exact_share(privacy["C"])
        method = ITSA(**privacy, sensitive_values=values)
    except (BadParameter, TypeError, ValueError, ArithmeticError) as error:
        parameter = getattr(error, "details", {}).get("parameter") or "C"  # the only one that is read before its check
        raise BadConfiguration(f"[privacy] {error}", parameter=parameter) from error
    if method.C < 1 and not values.tokens:
        raise BadConfiguration(
            "[privacy] C bounds how surely sensitive values are known: name them in sensitive_values, or leave C out.",
            parameter="sensitive_values",
        )
    return method


def _sensitive_values(said: Any) -> SensitiveValues:
    """A list of values of `sa`, or a table of attributes with their values and perhaps a C of their own."""
    try:
        if isinstance(said, Mapping):
            return SensitiveValues.from_json(dict(said))
        if isinstance(said, (list, tuple)):
            return SensitiveValues({PLAIN: said} if said else {})
    except CrypsisError as error:
        raise BadConfiguration(f"[privacy] sensitive_values: {error}", parameter="sensitive_values") from error
    raise BadConfiguration(
        f"[privacy] sensitive_values must be a list of values of {PLAIN}, or a table of attributes with their values, "
        f"got {said!r}; a live stream cannot know all that will occur.",
        parameter="sensitive_values",
    )


def _end(which: str, table: Mapping[str, Any], kinds: Mapping[str, Mapping[str, tuple[Any, Any]]]) -> Mapping[str, Any]:
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise BadConfiguration(
            f"[{which}] kind must be one of {', '.join(kinds)}, got {kind!r}.{did_you_mean(str(kind), kinds)}",
            parameter="kind",
        )
    settings = kinds[kind]
    for name in table:
        if name != "kind" and name not in settings:
            raise BadConfiguration(
                f"[{which}] of kind {kind} has no setting {name!r}.{did_you_mean(name, settings)}", parameter=name
            )
    checked: dict[str, Any] = {"kind": kind}
    for name, (wanted, default) in settings.items():
        if name not in table and default is _NEEDED:
            raise BadConfiguration(f"[{which}] of kind {kind} needs {name}.", parameter=name)
        checked[name] = default if name not in table else _typed(f"[{which}] {name}", name, table[name], wanted)
    check_login(which, checked)
    if kind == "replay" and bool(checked["rate"]) == bool(checked["speedup"]):
        raise BadConfiguration("[source] of kind replay needs rate or speedup, one of them.", parameter="rate")
    return checked

"""Which executor a word stands for: `serial`, `dask`, or the address of a scheduler."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Self, cast

from crypsis.errors import BadParameter, OptionWithoutEffect
from crypsis.executors.certificates import Certificates
from crypsis.executors.executor import DEFAULT_MEMORY, Executor, bytes_of
from crypsis.parameters import AtLeast, Checked

SERIAL, DASK = "serial", "dask"
PATHS = ("scratch", "tls_ca", "tls_cert", "tls_key")
_SECURITY = ("tls_ca", "tls_cert", "tls_key", "insecure", "dashboard")


@dataclass(frozen=True, kw_only=True)
class WhereToRun(Checked):
    """Where work on parts of the data runs: options of commands, and keys of `[executor]` in an experiment."""

    called = "executor"

    executor: Annotated[
        str | None,
        "Work on parts, not on all data at once: 'serial' (this process), 'dask' (a cluster on this machine), or "
        "the address of a scheduler (tls://host:8786).",
    ] = None
    workers: Annotated[int | None, AtLeast(1), "With --executor dask: number of processes."] = None
    memory: Annotated[str | None, "With --executor: memory per worker, e.g. 4GiB."] = None
    scratch: Annotated[str | None, "With --executor: folder for temporary files, which every worker can see."] = None
    block_rows: Annotated[int | None, AtLeast(1), "With --executor: records worked on at once (1,000,000)."] = None
    tls_ca: Annotated[str | None, "With tls://: certificate of the authority."] = None
    tls_cert: Annotated[str | None, "With tls://: your certificate."] = None
    tls_key: Annotated[str | None, "With tls://: your private key."] = None
    insecure: Annotated[bool, "Allow tcp:// to another host: whoever connects there can run code."] = False
    encrypt_scratch: Annotated[bool, "With --executor: encrypt temporary files, with a key in memory alone."] = False
    dashboard: Annotated[bool, "With --executor dask: serve the engine's pages, on this machine alone."] = False

    @classmethod
    def of(cls, command: Any) -> Self:
        """What was typed for the options of a command; those that it lacks were not."""
        typed: dict[str, Any] = {option.name: getattr(command, option.name, option.default) for option in fields(cls)}
        typed |= {name: str(typed[name]) for name in PATHS if typed[name] is not None}
        return cls(**typed)

    def given(self) -> dict[str, Any]:
        """The keys that say something."""
        return {name: value for name, value in self.parameters().items() if value not in (None, False)}

    @property
    def is_cluster(self) -> bool:
        """Work goes to other processes."""
        return self.executor not in (None, SERIAL)

    def check(self) -> None:
        """Refuse what could not be started, before anything is read."""
        bytes_of(DEFAULT_MEMORY if self.memory is None else self.memory)
        if self.is_cluster:
            _check_cluster(str(self.executor), Certificates(self.tls_ca, self.tls_cert, self.tls_key), self.insecure)
            if self.executor != DASK:
                from crypsis.executors.dask import refuse_at_address

                refuse_at_address(str(self.executor), dashboard=self.dashboard, encrypt_scratch=self.encrypt_scratch)
        else:
            _refuse_without_cluster(self.workers, [getattr(self, name) for name in _SECURITY])

    def start(self) -> Executor:
        """The executor; whoever starts it closes it."""
        return chosen_executor(
            self.executor or SERIAL,
            workers=self.workers,
            memory=DEFAULT_MEMORY if self.memory is None else self.memory,
            scratch=self.scratch,
            encrypt_scratch=self.encrypt_scratch,
            **{name: getattr(self, name) for name in _SECURITY},
        )


def chosen_executor(
    executor: str | Executor | None,
    *,
    workers: int | None = None,
    memory: int | str = DEFAULT_MEMORY,
    scratch: str | Path | None = None,
    encrypt_scratch: bool = False,
    **security: Any,
) -> Executor:
    """The executor that was named, or given; without one, this process."""
    if executor is not None and not isinstance(executor, str):
        return executor
    if executor in (None, SERIAL):
        _refuse_without_cluster(workers, security.values())
        from crypsis.executors.serial import Serial

        return Serial(memory=memory, scratch=scratch, encrypt_scratch=encrypt_scratch)
    _refuse_unknown(str(executor))
    from crypsis.executors.dask import Dask

    address = None if executor == DASK else executor
    place: dict[str, Any] = {"memory": memory, "scratch": scratch, "encrypt_scratch": encrypt_scratch}
    return cast(Executor, Dask(address, workers=workers, **place, **security))


def _refuse_without_cluster(workers: int | None, security: Iterable[Any]) -> None:
    if workers not in (None, 1) or any(security):
        raise OptionWithoutEffect(
            "One process works without a cluster (executor='serial'); workers, certificates and a dashboard belong to "
            "'dask'.",
            parameter="workers",
        )


def _refuse_unknown(executor: str) -> None:
    if executor != DASK and "://" not in executor:
        raise BadParameter(
            "executor must be 'serial', 'dask' or the address of a scheduler such as tls://host:8786, got "
            f"{executor!r}.",
            parameter="executor",
        )


def _check_cluster(executor: str, certificates: Certificates, insecure: bool) -> None:
    _refuse_unknown(executor)
    from crypsis.executors.dask import check_address, refuse_without_address

    if executor == DASK:
        refuse_without_address(certificates, insecure=insecure)
    else:
        check_address(executor, insecure=insecure)
        certificates.check(executor)

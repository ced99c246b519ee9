"""Dask: work on shards in the workers of a cluster, an embedded one or one that is there already.

Nothing else in Crypsis knows the engine. The scheduler sees names of files in scratch and random task keys, never data:
`common` is written once per call to a file, large results are files, and errors come back as values. Who may connect to
a scheduler may run code as its workers; so an embedded cluster listens on loopback alone and speaks TLS with keys that
never touch the disk, and one on another host needs TLS.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import logging
import os
import pickle
import platform
import secrets
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from crypsis.encrypted_files import forget_key, keep_key, opened
from crypsis.errors import (
    BadParameter,
    InsecureScheduler,
    MissingExtra,
    OptionWithoutEffect,
    WorkerFailed,
    WorkersDiffer,
)
from crypsis.executors.certificates import Certificates
from crypsis.executors.executor import (
    DEFAULT_MEMORY,
    ClosedAtExit,
    Failed,
    Resident,
    Work,
    ask,
    attempt,
    bytes_of,
    checked,
    gather_pieces,
    write_pieces,
)
from crypsis.executors.scratch import Scratch, load
from crypsis.executors.threads import available_workers
from crypsis.version import VERSION

LARGE = 8 << 20  # bytes; larger results are files
RETRIES = 5
SCHEDULER_PORT = 8786
REACHED_BY_CLIENT = 30  # seconds in which a scheduler must answer
WORKERS_WITHIN = 60  # seconds in which it must have workers
REACHED_WITHIN = 60  # seconds in which a worker must find its scheduler
LOOK_AGAIN = 20.0  # seconds after which whoever waits looks for workers
WITHOUT_WORKERS = 240.0  # seconds
_PROBE, _VERSIONS = "probe", "versions"
_ALIKE = ("numpy", "numba", "polars", "distributed")
_SETTINGS = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.allowed-failures": RETRIES,
    "distributed.admin.log-length": 0,
    "distributed.admin.low-level-log-length": 0,
    "distributed.worker.memory.target": False,  # nothing is ever spilled: no data are held by the engine
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
    "distributed.worker.daemon": True,
}


class Dask(ClosedAtExit):
    """Runs tasks in the workers of a Dask cluster.

    Without an address a cluster is started on this machine: `workers` processes with so much `memory` each, on loopback
    with TLS. With one, `tls://` needs the certificates; `tcp://` is refused but on loopback, unless `insecure`.
    `scratch` is a folder that every worker can read and write; `encrypt_scratch` encrypts its files with a key that is
    in memory alone. `dashboard` has an embedded cluster serve the pages of the engine, on loopback: `dashboard_link`.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        workers: int | None = None,
        memory: int | str = DEFAULT_MEMORY,
        scratch: str | Path | None = None,
        encrypt_scratch: bool = False,
        dashboard: bool = False,
        tls_ca: str | Path | None = None,
        tls_cert: str | Path | None = None,
        tls_key: str | Path | None = None,
        insecure: bool = False,
    ) -> None:
        self.memory = bytes_of(memory)
        if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
            raise BadParameter(f"workers must be an int of at least 1, got {workers!r}.", parameter="workers")
        certificates = Certificates(tls_ca, tls_cert, tls_key)
        if address is not None:
            check_address(address, insecure=insecure)
            certificates.check(address)
            refuse_at_address(address, dashboard=dashboard, encrypt_scratch=encrypt_scratch)
        else:
            refuse_without_address(certificates, insecure=insecure)
        require_engine()
        import dask
        from distributed import Client, LocalCluster
        from distributed.security import Security

        self._cluster: Any = None
        self._client: Any = None
        self.scratch = Scratch.new(scratch, encrypted=encrypt_scratch)
        shown = {name: value for name, value in _SETTINGS.items() if not (dashboard and name.endswith("http.routes"))}
        try:
            with dask.config.set(shown):
                if address is None:
                    self._cluster = LocalCluster(
                        n_workers=workers or available_workers(),
                        threads_per_worker=1,
                        processes=True,
                        memory_limit=self.memory,
                        security=Security.temporary(),
                        protocol="tls://",
                        host="127.0.0.1",
                        dashboard_address="127.0.0.1:0",  # without one: port 8787 of every interface
                        scheduler_kwargs={"dashboard": dashboard},
                        silence_logs=logging.CRITICAL,
                        local_directory=str(self.scratch.below("engine").folder),
                    )
                    self._client = Client(self._cluster, set_as_default=False)
                else:
                    self._connect(address, certificates, workers or 1)
        except (OSError, TimeoutError) as error:
            self.close()
            raise WorkerFailed(f"The cluster cannot be reached or started ({type(error).__name__}).") from None
        except BaseException:
            self.close()
            raise
        self.workers = workers or max(len(self._addresses()), 1)
        self.dashboard_link = str(self._cluster.dashboard_link) if dashboard else None
        try:
            if self.scratch.key is not None:
                self._client.register_plugin(_plugin_with_key(str(self.scratch.folder), self.scratch.key))
            self._compare_workers()
        except BaseException:
            self.close()
            raise

    def _connect(self, address: str, certificates: Certificates, workers: int) -> None:
        """Speak to the scheduler at an address, which must have so many workers."""
        from distributed import Client

        security = security_of(address, certificates, "client")
        try:
            self._client = Client(address, security=security, set_as_default=False, timeout=REACHED_BY_CLIENT)
        except (OSError, TimeoutError):
            raise WorkerFailed(
                f"No scheduler answers at {address}. Check the address and the certificates, and that the scheduler "
                "runs (crypsis scheduler)."
            ) from None
        try:
            self._client.wait_for_workers(workers, timeout=WORKERS_WITHIN)
        except TimeoutError:
            found = len(self._addresses())
            raise WorkerFailed(
                f"The scheduler at {address} has {found} of {workers} workers. Start more (crypsis "
                "worker), or ask for fewer (`workers`)."
            ) from None

    def _addresses(self) -> list[str]:
        return sorted(self._client.scheduler_info(n_workers=-1).get("workers", ()))  # a lost scheduler tells nothing

    def _compare_workers(self) -> None:
        """Before the first task: every worker has the same versions and kernels, and sees scratch."""
        probe = self.scratch.write(_PROBE, b"crypsis")
        own = describe_worker(probe)
        self.scratch.save(_VERSIONS, own)
        for told in self._client.run(describe_worker, probe).values():
            different = sorted(name for name in own if told.get(name) != own[name])
            if different:
                raise workers_differ(different)

    def check_input(self, files: Sequence[Path]) -> None:
        for hidden in self._client.run(hidden_files, [str(file) for file in files]).values():
            if hidden:
                raise WorkersDiffer(
                    f"A worker does not see {Path(hidden[0]).name}, a file of the input. Put the input where all "
                    "workers see it under the same path.",
                    differs=["input"],
                )

    def map(self, work: Work, shards: Sequence[Any], *common: Any) -> list[Any]:
        shared = self.scratch.save(f"common-{secrets.token_hex(8)}", common)
        folder = str(self.scratch.folder)
        return self._results([self._submit(run_task, work, shard, shared, folder) for shard in shards])

    def fold(self, work: Work, combine: Work, shards: Sequence[Any], *common: Any) -> Any:
        shared = self.scratch.save(f"common-{secrets.token_hex(8)}", common)
        folder = str(self.scratch.folder)
        level = [self._submit(run_task, work, shard, shared, folder) for shard in shards]
        while len(level) > 1:
            pairs = [level[index : index + 2] for index in range(0, len(level), 2)]
            level = [pair[0] if len(pair) == 1 else self._submit(run_pair, combine, *pair, folder) for pair in pairs]
        return self._results(level)[0] if level else None

    def exchange(self, work: Work, shards: Sequence[Any], targets: int, *common: Any) -> list[list[str]]:
        folder = str(self.scratch.below("exchange").folder)
        numbered = list(enumerate(shards))
        return gather_pieces(self.map(send_pieces, numbered, work, folder, common), targets)

    def resident(self, make: Work, shards: Sequence[Any], *common: Any) -> Resident:
        return DaskResident(self, make, list(shards), common)

    def _submit(self, task: Any, *arguments: Any) -> Any:
        key = f"crypsis-{secrets.token_hex(16)}"
        return self._client.submit(task, *arguments, key=key, pure=False, retries=3)

    def _forget(self, name: str) -> None:
        """Let every worker that can be reached drop the residents of this name."""
        if self._client is not None:
            with suppress(OSError, TimeoutError):  # whoever asks a lost cluster next is told
                self._client.run(forget_residents, name, on_error="ignore")

    def _results(self, futures: list[Any]) -> list[Any]:
        from distributed.scheduler import KilledWorker

        try:
            return [checked(unpacked(self._result_of(future))) for future in futures]
        except KilledWorker:
            raise WorkerFailed(
                f"A task ended {RETRIES} workers one after another, probably for lack of memory. Give workers more "
                "(`memory`), or smaller blocks (`block_rows`)."
            ) from None
        except (OSError, CancelledError) as error:  # the scheduler is gone, or forgot what it was asked for
            raise WorkerFailed(f"The cluster was lost ({type(error).__name__}); nothing was written.") from None
        finally:
            for future in futures:
                future.release()

    def _result_of(self, future: Any) -> Any:
        """What a task returns. Workers of an embedded cluster that were given up are started again; without any worker
        for long there is nothing to wait for."""
        alone_since: float | None = None
        while True:
            try:
                return future.result(timeout=LOOK_AGAIN)
            except TimeoutError:
                found = len(self._addresses())
                if found < self.workers and self._cluster is not None:
                    self._cluster.scale(self.workers)
                alone_since = None if found else alone_since or monotonic()
                if alone_since is not None and monotonic() - alone_since > WITHOUT_WORKERS:
                    raise WorkerFailed(
                        "No worker is left, and none came back; nothing was written. Start workers, and run again."
                    ) from None

    def close(self) -> None:
        """Cancel what runs, end an embedded cluster, and remove scratch."""
        if self._client is not None and self._cluster is None and self.scratch.key is not None:
            with suppress(OSError, TimeoutError):  # a cluster that is lost knows nothing any more
                self._client.unregister_worker_plugin(_name_of_plugin(str(self.scratch.folder)))
        for one in (self._client, self._cluster):
            if one is not None:
                one.close()
        self._client = self._cluster = None
        self.scratch.remove()


class DaskResident:
    """Objects that stay in the workers. The state of an object is made again, from its shard and the calls so far,
    wherever it is asked for and not there: a worker that is lost loses nothing."""

    def __init__(self, executor: Dask, make: Work, shards: list[Any], common: Sequence[Any]) -> None:
        self._executor = executor
        self._name = secrets.token_hex(8)
        self._plan = executor.scratch.save(f"resident-{self._name}", (make, shards, tuple(common)))
        self._numbers = list(range(len(shards)))
        self._calls = 0  # so many files are the log
        self._before = 0  # calls that need not be repeated

    def call(self, name: str, *arguments: Any) -> list[Any]:
        scratch = self._executor.scratch
        scratch.save(name_of_call(self._name, self._calls), (name, arguments))
        self._calls += 1
        log = Log(str(scratch.folder), self._name, self._before, self._calls)
        return self._executor.map(ask_resident, self._numbers, self._plan, log)

    def snapshot(self) -> None:
        self._before = self._calls

    def close(self) -> None:
        self._executor._forget(self._name)


@dataclass(frozen=True)
class Log:
    """The calls of objects that stay, each in a file of a folder: so many, of which the first need not be repeated."""

    folder: str
    name: str
    before: int
    calls: int

    def read(self, number: int) -> tuple[str, Sequence[Any]]:
        """What was called, and with what."""
        called: tuple[str, Sequence[Any]] = load(str(Path(self.folder, name_of_call(self.name, number))))
        return called


def name_of_call(name: str, number: int) -> str:
    """The file of a call."""
    return f"call-{name}-{number}"


_residents: dict[tuple[str, int], tuple[int, Any, Any]] = {}


def ask_resident(number: int, plan: str, log: Log) -> Any:
    """The answer of an object to the last call of the log; calls that it has not seen are made first, in order."""
    seen, one, answer = _residents.get((log.name, number), (-1, None, None))
    if seen < log.before or seen > log.calls:
        make, shards, common = load(plan)
        one, seen = make(shards[number], *common), log.before
    while seen < log.calls:
        method, arguments = log.read(seen)
        answer = ask(one, method, arguments)
        seen += 1
    _residents[log.name, number] = (seen, one, answer)
    return answer


def forget_residents(name: str) -> None:
    """Drop the objects of this name."""
    for key in [key for key in _residents if key[0] == name]:
        del _residents[key]


@lru_cache(maxsize=4)
def differences(folder: str) -> tuple[str, ...]:
    """In what this process differs from the driver whose scratch folder this is: workers may come at any time."""
    own = describe_worker(str(Path(folder, _PROBE)))
    if not own["scratch folder"]:
        return ("scratch folder",)
    told = load(str(Path(folder, _VERSIONS)))
    return tuple(sorted(name for name in told if own.get(name) != told[name]))


def workers_differ(different: Sequence[str]) -> WorkersDiffer:
    """The error that names what is not alike."""
    return WorkersDiffer(
        f"A worker differs from this process in {', '.join(different)}. Install the same versions on all, and give a "
        "scratch folder that all can see (`scratch`).",
        differs=list(different),
    )


def run_task(work: Work, shard: Any, shared: str, folder: str) -> Any:
    """One task in a worker, unless the worker is not like the driver."""
    if different := differences(folder):
        return packed(Failed(workers_differ(different)), folder)
    return packed(attempt(work, shard, _common(shared)), folder)


def run_pair(combine: Work, one: Any, other: Any, folder: str) -> Any:
    """Two results combined; an error stays one."""
    if different := differences(folder):
        return packed(Failed(workers_differ(different)), folder)
    first, second = unpacked(one), unpacked(other)
    if isinstance(first, Failed):
        return packed(first, folder)
    return packed(second if isinstance(second, Failed) else attempt(combine, first, (second,)), folder)


def send_pieces(numbered: tuple[int, Any], work: Work, folder: str, common: Sequence[Any]) -> list[tuple[int, str]]:
    """Cut one part into pieces for other tasks and return their files."""
    number, shard = numbered
    return write_pieces(shard, work, folder, number, common)


class _InFile:
    """A result that is a file."""

    def __init__(self, file: str) -> None:
        self.file = file


def packed(result: Any, folder: str) -> Any:
    """A result as bytes, or as a file where it is large: the scheduler never holds data."""
    content = pickle.dumps(result, protocol=5)
    if len(content) <= LARGE:
        return content
    return _InFile(Scratch.at(folder).write(f"result-{secrets.token_hex(8)}", content))


def unpacked(result: Any) -> Any:
    """The result of a task."""
    return load(result.file) if isinstance(result, _InFile) else pickle.loads(result)


@lru_cache(maxsize=4)
def _common(file: str) -> Any:
    return load(file)


def hidden_files(files: Sequence[str]) -> list[str]:
    """Those that this process cannot read."""
    return [file for file in files if not os.access(file, os.R_OK)]


def _name_of_plugin(folder: str) -> str:
    return f"crypsis-{Path(folder).name}"


def _plugin_with_key(folder: str, key: bytes) -> Any:
    """Tells every worker, also those that come later, what the files of scratch are encrypted with."""
    from distributed import WorkerPlugin

    class KeyOfScratch(WorkerPlugin):
        name = _name_of_plugin(folder)

        def setup(self, worker: Any) -> None:
            keep_key(folder, key)

        def teardown(self, worker: Any) -> None:
            forget_key(folder)

    return KeyOfScratch()


def describe_worker(probe: str) -> dict[str, Any]:
    """What must be alike everywhere."""
    try:
        with opened(probe) as stream:
            sees = stream.read() == b"crypsis"
    except OSError:
        sees = False
    kernels = hashlib.sha256()
    for path in sorted((Path(__file__).parent.parent / "kernels").glob("*.py")):
        kernels.update(path.read_bytes())
    python = ".".join(platform.python_version_tuple()[:2])
    versions = {name: version(name) for name in _ALIKE}
    return {"Python": python, "crypsis": VERSION, **versions, "kernels": kernels.hexdigest(), "scratch folder": sees}


def run_scheduler(
    address: str, certificates: Certificates, *, insecure: bool = False, announce: Callable[[str], None]
) -> None:
    """Serve as the scheduler of a cluster until interrupted, without pages or logs that could show data."""
    check_address(address, insecure=insecure)
    certificates.check(address)
    require_engine()
    from distributed import Scheduler

    parts = urlsplit(address)

    def make() -> Any:
        return Scheduler(
            host=parts.hostname,
            port=parts.port or SCHEDULER_PORT,
            protocol=f"{parts.scheme}://",
            security=security_of(address, certificates, "scheduler", "worker", "client"),
            dashboard=False,
        )

    _serve(make, lambda server: announce(str(server.address)), "The scheduler ended by itself.")


def run_worker(
    address: str,
    certificates: Certificates,
    *,
    memory: int | str = DEFAULT_MEMORY,
    insecure: bool = False,
    announce: Callable[[str], None],
) -> None:
    """Serve as a worker of a cluster until interrupted. A process that dies is started again."""
    check_address(address, insecure=insecure)
    certificates.check(address)
    require_engine()
    import dask
    from distributed import Nanny

    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # for the process that the nanny starts
    with TemporaryDirectory(prefix="crypsis-worker-") as folder:

        def make() -> Any:
            return Nanny(
                address,
                nthreads=1,
                memory_limit=bytes_of(memory),
                security=security_of(address, certificates, "worker", "scheduler", "client"),
                host=loopback_or_any(address),
                local_directory=folder,
                death_timeout=REACHED_WITHIN,
                silence_logs=logging.CRITICAL,
                config=dask.config.config,
                dashboard=False,
            )

        _serve(make, lambda server: announce(str(server.worker_address)), "The scheduler cannot be reached any more.")


def _serve(make: Callable[[], Any], announce: Callable[[Any], None], ended: str) -> None:
    """Run a server of the engine until SIGINT or SIGTERM; one that ends by itself is an error."""
    import dask

    async def run() -> bool:
        interrupted = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, interrupted.set)
        async with make() as server:
            announce(server)
            waits = [asyncio.ensure_future(server.finished()), asyncio.ensure_future(interrupted.wait())]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return interrupted.is_set()

    with dask.config.set(_SETTINGS):
        try:
            asked = asyncio.run(run())
        except (OSError, RuntimeError, TimeoutError) as error:
            raise WorkerFailed(f"The cluster cannot be reached or started ({type(error).__name__}).") from None
    if not asked:
        raise WorkerFailed(ended)


def require_engine() -> None:
    """The engine is installed, and writes no logs: they may hold arguments of tasks."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            "A cluster needs the package distributed; install it with: pip install 'crypsis[cluster]'"
        ) from error
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def security_of(address: str, certificates: Certificates, *roles: str) -> Any:
    """How a process shows who it is, and whom it trusts; None without TLS."""
    from distributed.security import Security

    if not address.startswith("tls://"):
        return None
    return Security(require_encryption=True, **certificates.options_for(*roles))


def check_address(address: str, *, insecure: bool = False) -> None:
    """A scheduler is spoken to with TLS, or on loopback."""
    parts = urlsplit(address)
    if parts.scheme not in ("tls", "tcp") or not parts.hostname:
        raise BadParameter(
            f"A scheduler has an address such as tls://host:8786, got {address!r}.", parameter="executor"
        )
    if parts.scheme == "tls" or insecure or _is_loopback(parts.hostname):
        return
    raise InsecureScheduler(
        "This scheduler is on another host and would be spoken to without TLS: whoever listens learns where data lie, "
        "and whoever connects runs code. Use tls:// with certificates, or allow it (insecure=True) on a network that "
        "you trust."
    )


def refuse_at_address(address: str, *, dashboard: bool, encrypt_scratch: bool) -> None:
    """What is only done on a cluster of one's own, or where nobody listens."""
    if dashboard:
        raise OptionWithoutEffect(
            "The pages of a scheduler are served by whoever started it; `dashboard` belongs to executor='dask'.",
            parameter="dashboard",
        )
    parts = urlsplit(address)
    if encrypt_scratch and parts.scheme != "tls" and not _is_loopback(parts.hostname or ""):
        raise InsecureScheduler(
            "The key of an encrypted scratch folder goes to the workers, and without TLS everybody on the way reads "
            "it. Use tls:// with certificates, or leave `encrypt_scratch` out."
        )


def refuse_without_address(certificates: Certificates, *, insecure: bool) -> None:
    """What a cluster of one's own has no use for: its workers are on this machine, with certificates of their own."""
    if insecure or certificates != Certificates():
        raise OptionWithoutEffect(
            "A cluster on this machine makes its own certificates and listens on loopback alone; certificates and "
            "`insecure` belong to the address of a scheduler (executor='tls://host:8786').",
            parameter="executor",
        )


def loopback_or_any(address: str) -> str | None:
    """Where a worker of this scheduler listens: on loopback alone if the scheduler does."""
    host = urlsplit(address).hostname or ""
    return host if _is_loopback(host) else None


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

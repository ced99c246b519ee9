"""`crypsis scheduler` and `crypsis worker`: the processes of a cluster, with settings that keep data private."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from crypsis.cli.command import Command
from crypsis.cli.output import note, show
from crypsis.cli.settings import SETTINGS
from crypsis.cli.where_to_run import Insecure, Memory, TlsCa, TlsCert, TlsKey


@dataclass(frozen=True, kw_only=True)
class Scheduler(Command):
    """Run the scheduler of a cluster, to which workers connect and which --executor names.

    Whoever can connect to a scheduler can run code as its workers, so it takes connections with certificates of your
    authority only. It serves no web pages, and neither logs nor task names hold data. Stop it with Ctrl+C.
    """

    address: Annotated[str, typer.Argument(help="Where to listen, e.g. tls://0.0.0.0:8786.")] = "tls://0.0.0.0:8786"
    tls_ca: TlsCa = None
    tls_cert: TlsCert = None
    tls_key: TlsKey = None
    insecure: Insecure = False

    def execute(self) -> None:
        from crypsis.executors.certificates import Certificates
        from crypsis.executors.dask import run_scheduler

        certificates = Certificates(self.tls_ca, self.tls_cert, self.tls_key)
        run_scheduler(self.address, certificates, insecure=self.insecure, announce=_announce("Scheduler"))


@dataclass(frozen=True, kw_only=True)
class Worker(Command):
    """Run a worker of a cluster: one process, started again if it dies. Run the command once per core.

    It sees the input and the scratch folder under the same paths as the process that uses the cluster, and has the same
    versions of Python, Crypsis, numpy, numba, polars and distributed. Stop it with Ctrl+C.
    """

    address: Annotated[str, typer.Argument(help="Address of the scheduler, e.g. tls://scheduler:8786.")]
    memory: Memory = None
    tls_ca: TlsCa = None
    tls_cert: TlsCert = None
    tls_key: TlsKey = None
    insecure: Insecure = False

    def execute(self) -> None:
        from crypsis.executors.certificates import Certificates
        from crypsis.executors.dask import run_worker
        from crypsis.executors.executor import DEFAULT_MEMORY

        run_worker(
            self.address,
            Certificates(self.tls_ca, self.tls_cert, self.tls_key),
            memory=self.memory or DEFAULT_MEMORY,
            insecure=self.insecure,
            announce=_announce("Worker"),
        )


def _announce(what: str) -> Callable[[str], None]:
    def announce(address: str) -> None:
        if SETTINGS.get().json:
            show({"address": address}, "")
            sys.stdout.flush()
        else:
            print(f"{what} at {address}", flush=True)
            note("stop with Ctrl+C")

    return announce

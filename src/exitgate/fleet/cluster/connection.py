"""How a cluster is reached: a new one on this machine, or one whose scheduler has an address."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import current_thread, main_thread
from typing import Any

from msgspec import Struct

from exitgate.core.model.decision import CANNOT_READ, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.fleet.cluster.certificates import LOOPBACK, security_in

CODES = {"EP881": "a cluster that cannot be used"}
TLS = "tls://"
#: A task that took its worker with it is not tried again: its transcripts are, one by one. And although Dask
#: opens a server for pages in any case, there are none in it.
SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
#: Seconds that a scheduler is waited for.
PATIENCE = 20


class Connection(Struct, frozen=True):
    """
    Where a cluster is.

    Args:
        address: Of its scheduler, `tls://HOST:PORT`; empty for a new cluster on this machine.
        workers: Processes of a new one; None for one per core.
    """

    address: str = ""
    workers: int | None = None


def connection(address: str | None, workers: int | None, *, insecure: bool) -> Connection:
    """
    Return where a cluster is, by the options of a command.

    Raises:
        ExitgateError: 64 for an address without encryption, unless `insecure`, and for options that do not
            go together, or where Dask is not installed.
    """
    if address is not None:
        if workers is not None:
            raise _usage("`--workers` is for a cluster on this machine", "omit it, or `--scheduler`")
        if not address.startswith(TLS) and not insecure:
            message = f"`--scheduler {address}` is not encrypted, and its workers run what they are sent"
            raise _usage(message, f"write `{TLS}HOST:PORT`, or add `--insecure`")
    elif insecure:
        raise _usage("`--insecure` is for `--scheduler ADDRESS`", "omit it: a cluster here is encrypted")
    missing = [name for name in ("distributed", "cryptography") if find_spec(name) is None]
    if missing:
        message = f"`--executor dask` needs `{missing[0]}`, which is not installed"
        raise _usage(message, "install `exitgate[fleet]`")
    return Connection(address or "", workers)


def connected(connection: Connection) -> tuple[Any, Callable[[], None]]:
    """
    Return a client of a cluster, and what to call to leave it.

    A new cluster listens on 127.0.0.1 alone, encrypts every connection with a key of its own, and shows no
    pages. Its processes look for modules where this one does, but not in the working folder.

    Raises:
        ExitgateError: 74 where it cannot be reached or started.
    """
    distributed: Any = import_module("distributed")
    for logger in [one for one in logging.root.manager.loggerDict if one.startswith("distributed")]:
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # what matters is a result, a remark or an error
    if connection.address:
        if connection.address.startswith(TLS):
            _check_certificates(connection.address)
        try:
            client = distributed.Client(connection.address, timeout=PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, TypeError, ValueError, RuntimeError) as error:
            message = f"cannot reach the scheduler at {connection.address}: {' '.join(str(error).split())}"
            help = "is it running, and are Dask's `distributed.comm.tls` settings those of the cluster?"
            raise ExitgateError([Diagnostic("EP881", message, help=help)], CANNOT_READ) from error
        return client, client.close
    return _started(connection.workers)


def _check_certificates(address: str) -> None:
    """Raise `ExitgateError` (74) without certificates: a client of Dask would take a minute to end."""
    security: Any = import_module("distributed.security")
    why = "Dask's `distributed.comm.tls` settings name no certificates"
    try:
        if security.Security().get_connection_args("client").get("ssl_context") is not None:
            return
    except (OSError, ValueError) as error:
        why = f"the certificates of Dask's settings cannot be used: {' '.join(str(error).split())}"
    help = "set `distributed.comm.tls.ca-file`, `client.cert` and `client.key`, as the cluster has them"
    problem = Diagnostic("EP881", f"cannot reach the scheduler at {address}: {why}", help=help)
    raise ExitgateError([problem], CANNOT_READ)


def _started(workers: int | None) -> tuple[Any, Callable[[], None]]:
    dask: Any = import_module("dask")
    distributed: Any = import_module("distributed")
    leave = ExitStack()
    try:
        with _uninterrupted():
            folder = tempfile.mkdtemp(prefix="exitgate-cluster-")
            leave.callback(_remove, folder)
            leave.enter_context(_safe_path())
            leave.enter_context(dask.config.set(SETTINGS))
            security = security_in(folder)
            cluster = distributed.LocalCluster(
                n_workers=workers or os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                host=LOOPBACK,
                protocol=TLS,
                security=security,
                dashboard_address=f"{LOOPBACK}:0",
                worker_dashboard_address=f"{LOOPBACK}:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
                local_directory=folder,
                preload=["exitgate.fleet.cluster.worker"],
            )
            leave.callback(cluster.close)
            client = distributed.Client(cluster, security=security, set_as_default=False)
            leave.callback(client.close)
    except BaseException as error:
        leave.close()
        if not isinstance(error, OSError | RuntimeError):
            raise
        message = f"cannot start a cluster: {' '.join(str(error).split())}"
        problem = Diagnostic("EP881", message, help="use `--executor local`")
        raise ExitgateError([problem], CANNOT_READ) from error
    return client, leave.close


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep the working folder out of the modules of every Python that is started meanwhile."""
    name = "PYTHONSAFEPATH"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """
    Ignore Ctrl-C for the seconds of a start: a cluster that is half there cannot be closed.

    Processes that are started meanwhile ignore it to their end: this one ends them. Those that take the place
    of one that died do so by what Dask loads in them.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _remove(folder: str) -> None:
    """Remove a folder in which a process that ends may still put something."""
    for pause in (0.0, 0.1, 0.3, 1.0):
        time.sleep(pause)
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return


def _usage(message: str, help: str) -> ExitgateError:
    return ExitgateError([Diagnostic("EP881", message, help=help)], USAGE)

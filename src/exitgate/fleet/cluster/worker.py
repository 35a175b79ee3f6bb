"""What Dask loads in each worker of a cluster on this machine."""

from __future__ import annotations

import signal


def dask_setup(_: object) -> None:
    """Leave Ctrl-C to the process that started the worker: it ends the workers itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

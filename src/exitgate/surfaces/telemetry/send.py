"""The process that tells of decisions: started by a check, on its own, gone when it is done."""

from __future__ import annotations

import os
import sys

from exitgate.gate.incidents import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

KIND = "telemetry"
#: Seconds for everything, however slowly a collector answers; each request has OpenTelemetry's own limit.
LIMIT = 60.0


def main() -> None:
    """Do what the words of the command line say: state directory, whether to send, textfile."""
    directory, spooled, textfile = sys.argv[1:4]
    if textfile:
        _noting(directory, lambda: _write(directory, textfile))
    if spooled:
        _noting(directory, lambda: send(LIMIT))


def send(limit: float) -> None:
    """
    Send what is in the spool of this environment, for at most `limit` seconds.

    Then the process ends in the middle of it; what was not taken is noted and waits for the next one.
    """
    from threading import Thread

    from exitgate.surfaces.telemetry import spool
    from exitgate.surfaces.telemetry.otel.sender import Sender

    folder = spool.opened(os.environ)
    sender = Sender(folder, spool.destination(os.environ))
    failed: list[Exception] = []

    def work() -> None:
        try:
            sender.send()
        except Exception as error:
            failed.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(limit)
    if thread.is_alive():
        if sender.under_way:
            sender.fail(sender.under_way, f"no answer within {limit:g} s")
        os._exit(1)
    os.close(folder)
    if failed:
        raise failed[0]


def _write(directory: str, path: str) -> None:
    from exitgate.surfaces.telemetry.prometheus.textfile import write

    write(directory, path)


def _noting(directory: str, work: Callable[[], None]) -> None:
    try:
        work()
    except Exception as error:  # nobody sees this process: the incident is all there is
        text = str(error) or type(error).__name__
        note(directory, KIND, f"decisions were not told: {text[:1].lower()}{text[1:]}")

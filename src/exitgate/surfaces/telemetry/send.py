"""The process that tells of decisions: started by a check, on its own, gone when it is done."""

from __future__ import annotations

import os
import sys

from exitgate.surfaces.telemetry.lost import once, why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds for the textfile, whose folder another process may hold; and for everything that is sent,
#: however slowly a collector answers. Each request has OpenTelemetry's own limit.
WRITING, SENDING = 20.0, 60.0


def main() -> None:
    """Do what the words of the command line say: state directory, whether to send, textfile."""
    directory, spooled, textfile = sys.argv[1:4]
    if textfile:
        text = f"decisions could not be written to `{textfile}`"
        from exitgate.surfaces.telemetry.prometheus.textfile import write

        try:
            if not within(WRITING, lambda: write(directory, textfile)):
                once(directory, f"{text}: its folder is locked")
        except Exception as error:  # nobody sees this process: the incident is all there is
            once(directory, f"{text}: {why(error)}")
    if spooled:
        try:
            send(SENDING)
        except Exception as error:
            once(directory, f"decisions could not be sent: {why(error)}")
    os._exit(0)  # a thread may wait for ever


def send(limit: float) -> None:
    """
    Send what is in the spool of this environment, for at most `limit` seconds.

    What was not taken until then is noted, and waits for the next one.
    """
    from exitgate.surfaces.telemetry import spool
    from exitgate.surfaces.telemetry.otel.sender import Sender

    sender = Sender(spool.opened(os.environ), spool.destination(os.environ))
    if not within(limit, sender.send):
        sender.give_out(f"no answer within {limit:g} s")


def within(limit: float, work: Callable[[], None]) -> bool:
    """Return whether `work` ended within `limit` seconds; raises what it raises. Else it goes on, unheard."""
    from threading import Thread

    failed: list[Exception] = []

    def run() -> None:
        try:
            work()
        except Exception as error:
            failed.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit)
    if failed:
        raise failed[0]
    return not thread.is_alive()

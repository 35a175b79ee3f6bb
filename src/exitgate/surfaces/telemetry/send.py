"""The process that shows decisions: started by a check, on its own, gone when it is done."""

from __future__ import annotations

import os
import sys

from exitgate.surfaces.telemetry.lost import once, why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds for the textfile, whose folder another process may hold; and for everything that is sent in one
#: try, however slowly a collector answers. Each request has OpenTelemetry's own limit.
WRITING, SENDING = 20.0, 60.0


def main() -> None:
    """Do what the words of the command line say: state directory, whether to send, textfile, which try."""
    directory, spooled, textfile, *more = sys.argv[1:5]
    number = int(more[0]) if more else 0
    if textfile and number == 0:
        text = f"decisions could not be written to `{textfile}`"
        from exitgate.surfaces.telemetry.prometheus.textfile import write

        try:
            if not within(WRITING, lambda: write(directory, textfile)):
                once(directory, f"{text}: its folder is locked")
        except Exception as error:  # this process is not watched: the incident is all there is
            once(directory, f"{text}: {why(error)}")
    if spooled:
        from exitgate.surfaces.telemetry.again import again, rested
        from exitgate.surfaces.telemetry.start import program

        try:
            if (number == 0 or rested(number)) and not send(SENDING, number):
                again(program(directory, spooled=True, prometheus=None), number + 1)
        except Exception as error:
            once(directory, f"decisions could not be sent: {why(error)}")
    os._exit(0)  # a thread may wait for ever


def send(limit: float, number: int = 0) -> bool:
    """
    Send what is in the spool of this environment, for at most `limit` seconds.

    Args:
        limit: Seconds.
        number: Which try it is: 0 for that of a check, whose failure is noted.

    Returns:
        Whether nothing is left that the collector did not take; that is noted, and waits for another try.
    """
    from exitgate.surfaces.telemetry import spool
    from exitgate.surfaces.telemetry.otel.sender import Sender

    sender = Sender(spool.opened(os.environ), spool.destination(os.environ), counts=number == 0)
    if not within(limit, sender.send):
        sender.give_out(f"no answer within {limit:g} s")
    return not sender.failed


def within(limit: float, work: Callable[[], None]) -> bool:
    """
    Return whether `work` ended within `limit` seconds; raises what it raises. Else it continues, unheard.
    """
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

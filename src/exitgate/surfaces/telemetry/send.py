"""The process that shows decisions: started by a check, on its own, gone when it is done."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from exitgate.core.system import portable
from exitgate.core.system.child import become, leave
from exitgate.core.system.python import command, environment
from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.spool import note_once, reason_lost
from exitgate.surfaces.telemetry.switches import switches_in

#: Seconds for the textfile, whose folder another process may hold; and for everything that is sent in one
#: try, however slowly a collector answers. Each request has OpenTelemetry's own limit.
WRITING, SENDING = 20.0, 60.0


def main() -> None:
    """Do what the words of the command line say: state directory, whether to send, textfile, which try."""
    directory, spooled, textfile, *more = sys.argv[1:5]
    number = int(more[0]) if more else 0
    if textfile and number == 0:
        text = f"decisions could not be written to `{textfile}`"
        from exitgate.surfaces.telemetry.prometheus_textfile import write_textfile

        try:
            if not ended_within(WRITING, lambda: write_textfile(directory, textfile)):
                note_once(directory, f"{text}: its folder is locked")
        except Exception as error:  # this process is not watched: the incident is all there is
            note_once(directory, f"{text}: {reason_lost(error)}")
    if spooled:
        try:
            if (number == 0 or rested(number)) and not send(SENDING, number):
                retry(sender_program(directory, spooled=True, prometheus=None), number + 1)
        except Exception as error:
            note_once(directory, f"decisions could not be sent: {reason_lost(error)}")
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
    from exitgate.surfaces.telemetry.otel.sender import Sender

    sender = Sender(spool.opened(os.environ), spool.destination(os.environ), counts=number == 0)
    if not ended_within(limit, sender.send):
        sender.give_out(f"no answer within {limit:g} s")
    return not sender.failed


def ended_within(limit: float, work: Callable[[], None]) -> bool:
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


# Starts the process that shows decisions, and leaves it to itself.
#
# It outlives the check, holds nothing that the check's caller could wait for, and cannot be led astray by
# the folder it was started in: it is in ``/`` and imports nothing from there.


def start_sender(directory: str, spooled: bool, prometheus: str | None) -> None:
    """
    Start a process for what was just decided.

    Args:
        directory: The state directory, absolute.
        spooled: Whether it sends what is in the spool.
        prometheus: The textfile to write, or None.

    Raises:
        OSError: It could not be started.
    """
    leave(sender_program(directory, spooled, prometheus), environment())


def sender_program(directory: str, spooled: bool, prometheus: str | None) -> list[str]:
    """Return the words of the process, see `start_sender`. Raises OSError when no interpreter is known."""
    words = (directory, "1" if spooled else "", prometheus or "")
    return command("exitgate.surfaces.telemetry.send", "main", *words)


# Trying again after an outage, for a bounded time: else the last decision of a run would wait for another
# run.
#
# Between two tries the process holds the right to send, so that one waits for a destination and no more,
# and it is a new process each time: what a try loaded, and a thread that still hangs in it, is gone.

#: Seconds before the first try after one that failed, doubled each time up to the longest.
FIRST, LONGEST = 1.0, 60.0


def pause_before(number: int, limit: float) -> float | None:
    """
    Return the seconds to wait before try `number`, from 1, after the one of the check itself.

    None where all pauses up to it would take longer than `limit`, in seconds.
    """
    spent = 0.0
    for earlier in range(number):
        pause = min(FIRST * 2**earlier, LONGEST)
        spent += pause
        if spent > limit:
            return None
    return pause if number > 0 else 0.0


def rested(number: int) -> bool:
    """
    Wait before try `number`; return whether there is anything left to send and no other process who does.

    A spool that was removed is not made again.
    """
    pause = pause_before(number, switches_in(os.environ).retry)
    if pause is None or not os.path.isdir(spool.place(os.environ)):
        return False
    folder, goal = spool.opened(os.environ), spool.destination(os.environ)
    lock = spool.locked(folder, goal)
    try:
        if lock is None or not spool.waiting(folder, goal):
            return False
        time.sleep(pause)
        return os.path.isdir(spool.place(os.environ))
    finally:
        if lock is not None:
            os.close(lock)
        portable.close(folder)


def retry(words: list[str], number: int) -> None:
    """
    Begin this process anew for try `number`, with the words of its program.

    Comes back where no try is left, or the environment wants none.
    """
    if pause_before(number, switches_in(os.environ).retry) is not None:
        become([*words, str(number)])

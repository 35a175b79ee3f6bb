"""One session of a host: its stops are decided on one after the other, each once."""

from __future__ import annotations

import os
import time

from exitgate.gate.discover import BREAKER_RUN
from exitgate.gate.incidents import CALLS, note
from exitgate.hosts import wording
from exitgate.hosts.codes import NO_MESSAGE, PAYLOAD, problem
from exitgate.hosts.gathered import new_part, sign_of
from exitgate.hosts.memory import ENDING, Memory, forget_old, keep, recall
from exitgate.hosts.standing import key_of, standing
from exitgate.hosts.under_way import UnderWay
from exitgate.hosts.waiting import waited_for
from exitgate.ledger.names import usable
from exitgate.model.digest import hex_digest
from exitgate.model.verdict import BAD_POLICY, CONTINUE, NOTHING_TO_DECIDE
from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.gate.checked import Checked
    from exitgate.gate.request import Request
    from exitgate.hosts.registry import Host
    from exitgate.hosts.standing import Standing
    from exitgate.hosts.turn import Reply, Turn

_FILE_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_FILE_LENGTH = 80


class Session:
    """
    A session that is a loop.

    Args:
        name: The host's id.
        host: Its module.
        turn: What the payload says.
        directory: The state directory.
        marked: Whether its prompt made it a loop: that is remembered.
    """

    def __init__(self, name: str, host: Host, turn: Turn, directory: str, marked: bool) -> None:
        self._name = name
        self._host = host
        self._turn = turn
        self._directory = directory
        self._marked = marked

    def answer(
        self,
        request: Request,
        message: str | None,
        limit: int,
        began: float,
        remarks: Sequence[str],
        say: Callable[[Reply], bool],
    ) -> None:
        """
        Decide on a stop, remember it, and say the reply.

        Args:
            request: Policy, state directory and root.
            message: What the agent said, None if not reported.
            limit: Blocks in a row.
            began: When this call began, seconds since the epoch.
            remarks: What the user should know beside the decision.
            say: Writes the reply.

        Raises:
            ExitgateError: As `gate.check.check`, and where calls or memory cannot be kept.
        """
        turn = self._turn
        path = self._path()
        if message is None:
            help = "neither the payload nor the transcript has it"
            raise problem(NO_MESSAGE, "the agent's response is not known", help, NOTHING_TO_DECIDE)
        with self._call(path) as call:
            for left in call.killed:
                self._note_killed(left)
            memory = self._recalled(path, remarks := list(remarks))
            serial = None if call.left is None else call.left.get("serial")
            stand = standing(turn, message, memory, serial if isinstance(serial, int) else None, began)
            call.say(stand.serial)
            checked = self._decided(request, self._new_part(message, memory), stand.id_of(memory.born))
            held_back = checked.decision.verdict == CONTINUE and not stand.is_full(limit)
            whole = sign_of(message) if turn.gathered else ""
            keep(path, stand.remembered(memory, held_back, time.time(), self._marked).but(whole=whole))
            if not say(self._reply(checked, stand, limit, held_back, remarks)):
                what = "the reply could not be written: the host did not get the decision"
                note(self._directory, "failed_open", what, host=self._name, session=turn.session[:200])

    def waits(self, settings: Mapping[str, object], began: float, say: Callable[[Reply], bool]) -> bool:
        """
        Let the agent stop and return True where something in the background is waited for.

        What is there is remembered, so that the same is not waited for at every stop; the same stop reported
        twice counts once.

        Args:
            settings: What settings say of hooks.
            began: When this call began, seconds since the epoch.
            say: Writes the reply.

        Raises:
            ExitgateError: As `answer` does.
        """
        path = self._path()
        key = key_of(self._turn, self._turn.message or "")
        with self._call(path) as call:
            for left in call.killed:
                self._note_killed(left)
            memory = self._recalled(path, [])
            again = key == memory.undecided and began <= memory.time
            waited, tasks = waited_for(self._turn.waiting, settings, "" if again else memory.tasks)
            if not again:
                marked = memory.marked or self._marked
                undecided = key if waited else ""
                now = time.time() if waited else memory.time
                keep(path, memory.but(tasks=tasks, undecided=undecided, time=now, marked=marked))
        if waited:
            say(self._host.let_stop(wording.waiting_note(waited)))
        return bool(waited)

    def _path(self) -> str:
        """Return where the session is remembered. Raises `ExitgateError` (65) where it has no id."""
        if not self._turn.session:
            help = "the host gives the id of a session in its payload"
            raise problem(PAYLOAD, "the payload names no session", help, BAD_POLICY)
        return _memory_path(self._directory, self._turn)

    def _call(self, path: str) -> UnderWay:
        folder, file = os.path.split(path)
        told = {"host": self._name, "session": self._turn.session[:200]}
        return UnderWay(folder, file.removesuffix(ENDING), told)

    def _new_part(self, message: str, memory: Memory) -> str:
        """Return what was said since the agent was held back, where the host gives more than that."""
        goes_on = self._turn.gathered and memory.blocked and self._turn.active is not False
        return new_part(message, memory.whole) if goes_on else message

    def _decided(self, request: Request, message: str, turn: str) -> Checked:
        from exitgate.surfaces.decide import decide

        texts = {"response": message}
        if self._turn.prompt is not None:
            texts["task"] = self._turn.prompt
        return decide(request.but(run=run_name(self._turn.session), turn=turn, texts=texts))

    def _reply(
        self, checked: Checked, stand: Standing, limit: int, held_back: bool, remarks: Sequence[str]
    ) -> Reply:
        if held_back:
            return self._host.go_on(wording.reason(checked, stand.row + 1, limit), "\n".join(remarks))
        if checked.decision.verdict == CONTINUE:
            what = wording.capped_note(checked, stand.row)
            note(self._directory, "capped", what, host=self._name, session=self._turn.session[:200])
        else:
            what = wording.exit_note(checked)
        return self._host.let_stop("\n".join((what, *remarks)))

    def _recalled(self, path: str, remarks: list[str]) -> Memory:
        """Return what is remembered; what cannot be read is begun anew, and said."""
        memory = recall(path)
        if memory is None:
            if os.path.lexists(path):
                remarks.append(
                    f"exitgate: `{safe(os.path.basename(path))}` could not be read; blocks are counted "
                    "again from 0"
                )
            forget_old(os.path.dirname(path), time.time())
            memory = Memory(f"{time.time():.6f}", marked=self._marked)
            # Kept before anything is decided: if there is no room for it, the agent is not held back.
            keep(path, memory)
        return memory

    def _note_killed(self, left: dict[str, object]) -> None:
        session, host = str(left.get("session", ""))[:200], str(left.get("host", ""))[:40]
        what = f"a call for session `{safe(session)}` was ended before it could answer"
        ended = left.get("ended")
        when = {"time": ended} if isinstance(ended, float) else {}
        note(self._directory, "killed", what, host=host, session=session, **when)


def is_remembered(directory: str, turn: Turn) -> bool:
    """Return whether an earlier prompt of the session made it a loop."""
    memory = recall(_memory_path(directory, turn)) if turn.session else None
    return memory is not None and memory.marked


def run_name(session: str) -> str:
    """Return the name of the run for a session: its id, or a digest of one that cannot be a name."""
    if usable(session) and session != BREAKER_RUN:
        return session
    return f"session-{hex_digest(session.encode('utf-8', 'replace'))}"


def _memory_path(directory: str, turn: Turn) -> str:
    name = turn.session
    if len(name) > _FILE_LENGTH or not _FILE_SIGNS.issuperset(name):
        name = f"session-{hex_digest(name.encode('utf-8', 'replace'))}"
    return os.path.join(directory, CALLS, f"{name}{ENDING}")

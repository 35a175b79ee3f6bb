"""One session of a host: its stops are decided on one after the other, each once."""

from __future__ import annotations

import os
import time

from exitgate.core.ledger.runs import usable
from exitgate.core.model.decision import BAD_POLICY, COMPLETE, CONTINUE, NOTHING_TO_DECIDE
from exitgate.core.model.display import counted
from exitgate.core.model.json_object import object_of
from exitgate.core.model.value import Value
from exitgate.core.probes.answer import LATE
from exitgate.core.state.discover import BREAKER_RUN
from exitgate.core.state.incidents import CALLS, note
from exitgate.core.system.digest import hex_digest
from exitgate.hosts.hook.protocol import NO_MESSAGE, PAYLOAD, problem, waited_for
from exitgate.hosts.hook.session_files import (
    ENDING,
    WAIT,
    Memory,
    PendingCall,
    load_memory,
    remove_old,
    save_memory,
)
from exitgate.report.terminal import safe, safe_block
from exitgate.report.wording import brief, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.core.gate.decision import CheckResult
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.state.request import Request
    from exitgate.hosts.hook.protocol import Host, Reply, Task, Turn
    from exitgate.hosts.hook.session_files import Left
    from exitgate.hosts.hook.time_limit import TimeLimit


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
        time: How long this call may take; None where it asks nothing.
        goal: What its first prompt names as the goal, which is remembered as well; or the empty text.
    """

    def __init__(
        self,
        name: str,
        host: Host,
        turn: Turn,
        directory: str,
        marked: bool,
        time: TimeLimit | None = None,
        goal: str = "",
    ) -> None:
        self._name = name
        self._host = host
        self._turn = turn
        self._directory = directory
        self._marked = marked
        self._time = time
        self._goal = goal

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
            serial = None if call.left is None else call.left.whole("serial")
            stand = stop_of(turn, message, memory, serial, began)
            call.say(stand.serial)
            checked = self._decided(request, self._new_part(message, memory), stand.id_of(memory.born))
            if self._time is not None and _was_late(checked) and (remark := self._time.remark()):
                remarks.append(remark)
            held_back = checked.decision.verdict == CONTINUE and not stand.is_full(limit)
            whole = sign_of(message) if turn.gathered else ""
            kept = stand.remembered(memory, held_back, time.time(), self._marked).but(whole=whole)
            if self._goal and checked.decision.exit_class == COMPLETE:
                kept = kept.but(goal="", marked=False)  # it is met: what the user asks next is not about it
            save_memory(path, kept)
            if not say(self._reply(checked, stand, limit, held_back, remarks)):
                what = "the reply could not be written: the host did not get the decision"
                note(self._directory, "failed_open", what, host=self._name, session=turn.session[:200])

    def lacks_judge(self, say: Callable[[Reply], bool], note: str) -> None:
        """Let the agent stop; say once that no command judges whether its goal is met."""
        path = self._path()
        with self._call(path) as call:
            for left in call.killed:
                self._note_killed(left)
            is_new = load_memory(path) is None
            self._recalled(path, [])
        say(self._host.let_stop(note if is_new else ""))

    def waits(self, settings: JsonObject, began: float, say: Callable[[Reply], bool]) -> bool:
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
                save_memory(path, memory.but(tasks=tasks, undecided=undecided, time=now, marked=marked))
        if waited:
            say(self._host.let_stop(waiting_note(waited)))
        return bool(waited)

    def _path(self) -> str:
        """Return where the session is remembered. Raises `ExitgateError` (65) where it has no id."""
        if not self._turn.session:
            help = "the host gives the id of a session in its payload"
            raise problem(PAYLOAD, "the payload names no session", help, BAD_POLICY)
        return _memory_path(self._directory, self._turn)

    def _call(self, path: str) -> PendingCall:
        folder, file = os.path.split(path)
        told = {"host": self._name, "session": self._turn.session[:200]}
        patience = 0.0 if self._time is None else self._time.until - time.monotonic()
        return PendingCall(folder, file.removesuffix(ENDING), told, max(WAIT, patience))

    def _new_part(self, message: str, memory: Memory) -> str:
        """Return what was said since the agent was held back, where the host gives more than that."""
        goes_on = self._turn.gathered and memory.blocked and self._turn.active is not False
        return new_part(message, memory.whole) if goes_on else message

    def _decided(self, request: Request, message: str, turn: str) -> CheckResult:
        from exitgate.surfaces.decide import decide

        texts = {"response": message}
        if self._turn.prompt is not None:
            texts["task"] = self._turn.prompt
        return decide(request.but(run=run_name(self._turn.session), turn=turn, texts=texts))

    def _reply(
        self, checked: CheckResult, stand: Stop, limit: int, held_back: bool, remarks: Sequence[str]
    ) -> Reply:
        if held_back:
            return self._host.go_on(reason(checked, stand.row + 1, limit), "\n".join(remarks))
        if checked.decision.verdict == CONTINUE:
            what = capped_note(checked, stand.row)
            note(self._directory, "capped", what, host=self._name, session=self._turn.session[:200])
        else:
            what = exit_note(checked)
        return self._host.let_stop("\n".join((what, *remarks)))

    def _recalled(self, path: str, remarks: list[str]) -> Memory:
        """Return what is remembered; what cannot be read is begun anew, and said."""
        memory = load_memory(path)
        if memory is None:
            if os.path.lexists(path):
                remarks.append(
                    f"exitgate: `{safe(os.path.basename(path))}` could not be read; blocks are counted "
                    "again from 0"
                )
            remove_old(os.path.dirname(path), time.time())
            memory = Memory(f"{time.time():.6f}", marked=self._marked, goal=self._goal)
            # Kept before anything is decided: if there is no room for it, the agent is not held back.
            save_memory(path, memory)
        return memory

    def _note_killed(self, left: Left) -> None:
        session, host = str(left.get("session", ""))[:200], str(left.get("host", ""))[:40]
        what = f"a call for session `{safe(session)}` was ended before it could answer"
        note(self._directory, "killed", what, host=host, session=session, time=left.number("ended"))


def _was_late(checked: CheckResult) -> bool:
    """Return whether a probe that this decision asked came to the end of its time."""
    asked = object_of(None if checked.line is None else checked.line.get("probes"))
    return any(asked.object(name).text("status") == LATE for name in asked)


def remembered(directory: str, turn: Turn) -> Memory | None:
    """Return what is remembered of the session; None where nothing is."""
    return load_memory(_memory_path(directory, turn)) if turn.session else None


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


# Messages of a host that gives all that was said since the user's prompt, at every stop anew. Pure.
#
# What was said before the agent was held back was decided on then: taken again, an error that was fixed
# since would count at every later stop.

#: What is between what was said before and after the agent was held back.
_BETWEEN = "\n"


def sign_of(message: str) -> str:
    """Return what tells a message again: its length in characters and a digest."""
    return f"{len(message)}:{hex_digest(message.encode('utf-8', 'replace'))}"


def new_part(message: str, before: str) -> str:
    """
    Return what is in `message` behind the one that `before` is the sign of.

    All of it where it does not begin so, or is the same: that may be a version of the host that gives
    the last turn alone, and an agent that repeats itself is what policies look for.
    """
    length, _, _ = before.partition(":")
    if not (length.isascii() and length.isdigit()) or sign_of(message[: int(length)]) != before:
        return message
    return message[int(length) :].removeprefix(_BETWEEN) or message


# Which stop a call shows, and how often in a row the agent was held back before it. Pure.
#
# Counting rests on what is remembered; what a host says only adds to it. The host's flag is not a base: it
# was seen false on every stop, which must not hold an agent for ever, and false once in between, which must
# not lose the count (`docs/decisions/0701-hooks.md`).

#: Blocks since the agent last stopped are at most so many times the limit, no matter what the host says.
PROMPTS = 4


class Stop(Value):
    """
    Where a call is.

    Args:
        serial: Number of the stop in its session, from 1.
        key: Digest of what tells it.
        prompt: Digest of the host's id of the prompt, or the empty text.
        row: How often in a row the agent was held back before it.
        held: The same, no matter what the host says of new prompts.
    """

    __slots__ = ("held", "key", "prompt", "row", "serial")

    def __init__(self, serial: int, key: str, prompt: str, row: int, held: int) -> None:
        self.serial = serial
        self.key = key
        self.prompt = prompt
        self.row = row
        self.held = held

    def id_of(self, born: str) -> str:
        """Return the id of the turn for the ledger; `born` is the memory's."""
        return f"{born}-{self.serial}-{self.key[:16]}"

    def is_full(self, limit: int) -> bool:
        """Return whether the agent may not be held back once more."""
        return self.row >= limit or self.held >= PROMPTS * limit

    def remembered(self, before: Memory, blocked: bool, now: float, marked: bool) -> Memory:
        """Return what must be remembered of this stop, answered at `now`."""
        return before.but(
            serial=self.serial,
            key=self.key,
            time=now,
            row=self.row,
            held=self.held,
            blocked=blocked,
            prompt=self.prompt,
            marked=before.marked or marked,
        )


def stop_of(turn: Turn, message: str, memory: Memory, left: int | None, began: float) -> Stop:
    """
    Return where a call is.

    Args:
        turn: What the host says.
        message: What the agent said.
        memory: Of the session.
        left: Number of the stop that an earlier call was deciding on when it was ended, or None.
        began: When this call began, seconds since the epoch.
    """
    key = key_of(turn, message)
    # The same again: reported with the host's own time, or before the last was answered (two hooks of
    # one event), or the last was never answered. The same words at a later stop are another stop.
    same = key == memory.key and (bool(turn.stamp) or began <= memory.time or left == memory.serial)
    if same:
        return Stop(memory.serial, key, memory.prompt, memory.row, memory.held)
    row = memory.row + 1 if memory.blocked else 0
    held = memory.held + 1 if memory.blocked else 0
    prompt = hex_digest(turn.prompt_id.encode("utf-8", "replace")) if turn.prompt_id else ""
    if turn.active is False and prompt and memory.prompt and prompt != memory.prompt:
        row = 0
    row = max(row, turn.held, 1 if turn.active else 0)
    return Stop(memory.serial + 1, key, prompt, row, held)


def key_of(turn: Turn, message: str) -> str:
    """Return the digest of what tells a stop."""
    told = (turn.prompt_id, turn.stamp, str(turn.active), str(turn.held), message)
    return hex_digest("\0".join(told).encode("utf-8", "replace"))


# What the agent and the user read of a decision.

#: Characters of a text for people, and of one for the agent.
NOTE_LIMIT, REASON_LIMIT = 4_000, 16_000
#: What an agent reads of a decision without advice: a message is about the run, not for the agent. It must
#: hold no words that a policy takes for a claim, for agents repeat what they read.
GO_ON = "Continue with the task, or end it in the agreed way."
#: History forms under way that are named.
_PENDING = 3


def reason(checked: CheckResult, number: int, limit: int) -> str:
    """
    Return what an agent that is held back reads: the policy's advice, else the rule's message and that it
    is to go on; and where the policy is.

    `number` of `limit` blocks in a row is this one.
    """
    decision = checked.decision
    said = (decision.advice or "").strip() or _go_on(decision.message.strip())
    under_way = [f"`{step.rule}` at {one}" for step in decision.steps for one in step.pending][:_PENDING]
    stands = f"; {', '.join(under_way)}" if under_way else ""
    times = counted(limit, "time", "times in a row")
    return f"{said[:REASON_LIMIT]}\n\n{_head(checked)}{stands}; blocked {number} of {times}"


def _go_on(message: str) -> str:
    return f"{message}\n{GO_ON}" if message else GO_ON


def exit_note(checked: CheckResult) -> str:
    """Return what the user reads when an EXIT lets the agent stop."""
    decision = checked.decision
    lines = [f"{_head(checked)}: {safe(brief(decision.message, working_folder()))}"]
    if decision.retry_at is not None:
        import time

        lines.append(f"go on after {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(decision.retry_at))} UTC")
    lines += [f"warning: {safe(brief(one.message, working_folder()))}" for one in decision.warnings]
    if decision.escalation:
        lines += ["", safe_block(decision.escalation)]
    return "\n".join(lines)[:NOTE_LIMIT]


def capped_note(checked: CheckResult, limit: int) -> str:
    """Return what the user reads when the agent may stop though the decision is CONTINUE."""
    times = counted(limit, "time", "times in a row")
    return (
        f"{_head(checked)}, but the agent was blocked {times} and may stop "
        "now: the run continues with your next prompt"
    )


def waiting_note(waiting: tuple[Task, ...]) -> str:
    """Return what the user reads when nothing is decided because something runs in the background."""
    named = ", ".join(f"`{safe(one.named)}`" for one in waiting[:_PENDING])
    more = f" and {len(waiting) - _PENDING} more" if len(waiting) > _PENDING else ""
    return (
        f"exitgate: no decision yet, the agent waits for {named}{more}; "
        "list programs that never end in the settings: `hooks: {servers: [COMMAND]}`"
    )


def _head(checked: CheckResult) -> str:
    """Return the decision, who made it and on which iteration."""
    decision, policy, iteration = checked.decision, checked.policy, checked.iteration
    verdict = CONTINUE if decision.verdict == CONTINUE else f"{decision.verdict} {decision.exit_class}"
    return (
        f"exitgate: {verdict} (`{decision.outcome}` of {policy.name} {policy.version}, "
        f"iteration {iteration.number})"
    )

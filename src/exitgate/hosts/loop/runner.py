"""The loop: ask the policy, start the agent, keep what it says, decide, and again until EXIT."""

from __future__ import annotations

import os
from collections.abc import Mapping
from errno import E2BIG

from exitgate.core.engine.stages import BEFORE
from exitgate.core.envelopes.plain import tail_of
from exitgate.core.gate.decision import CheckResult
from exitgate.core.gate.new_run import reset
from exitgate.core.ledger import read
from exitgate.core.model.decision import CLASS_CODES, EXIT, OK
from exitgate.core.model.display import duration
from exitgate.core.model.json_object import number_of, object_of, whole_of
from exitgate.core.model.value import micro
from exitgate.core.observe.files import decode
from exitgate.core.state import discover
from exitgate.core.state.incidents import note
from exitgate.core.system import process_group, safe_files
from exitgate.core.system.child import PreparationError
from exitgate.hosts.loop import child, paths, resume
from exitgate.hosts.loop.child import INTERRUPTED, Ended
from exitgate.hosts.loop.codes import cannot_keep, cannot_pass_on, ledger_gone, not_a_word
from exitgate.hosts.loop.console import Console
from exitgate.hosts.loop.options import LoopOptions
from exitgate.hosts.loop.prompt import PROMPT, PROMPT_FILE, fill, place_in, put_in_place
from exitgate.hosts.loop.resume import Leftover
from exitgate.hosts.loop.signals import Clock, Signals, shortest, wait_until
from exitgate.hosts.loop.tee import Tee
from exitgate.hosts.loop.transcript import BEGIN, DECIDED, END, ITERATION, START, Transcript, observed_in
from exitgate.surfaces.decide import decide

Line = Mapping[str, object]


#: Characters of advice that are in the agent's environment: the system bounds it. The prompt has it whole.
ADVICE_LENGTH = 8192


class _StoppedError(Exception):
    """Somebody ended the loop while it asked the world: nothing was decided, the next loop asks again."""


class Loop:
    """
    One loop under way; the caller holds the run (`exitgate.hosts.loop.run_lock`).

    Args:
        asked: What to do.
        told: Who is reported.
        out, err: Where the agent's words go.
        signals: That end it.
        clock: The time.
    """

    def __init__(
        self, asked: LoopOptions, told: Console, out: Tee, err: Tee, signals: Signals, clock: Clock
    ) -> None:
        self._asked = asked
        self._told = told
        self._out = out
        self._err = err
        self._signals = signals
        self._clock = clock
        plain = asked.request()
        self._name = discover.run_name(plain)
        self._directory = discover.state_dir(plain)
        self._transcript = Transcript(self._directory, self._name)
        self._begun = ""
        self._cost: float | None = None
        self._counted = False
        self._waits = 0  # in a row, with no iteration that went on between them
        self._cut = False
        self._sequence = 0

    def run(self) -> int:
        """
        Go round until the policy says EXIT, a bound is reached or somebody ends it; return the exit code.

        Raises:
            ExitgateError: As a check does, and 73 where something cannot be kept; no agent is left behind.
        """
        try:
            return self._round()
        except _StoppedError:
            return self._interrupted(None)

    def _round(self) -> int:
        raw = self._asked.prompt.read()  # trouble with it comes before anything is begun
        put_in_place(self._asked.command, raw, "")
        left = resume.find_leftover(self._directory, self._name, self._clock.now())
        checked, advice = self._take_up(left), left.advice
        if checked is not None:
            if self._is_over(checked, earlier=True):
                return self._ended(checked)
            advice = checked.decision.advice or (advice if checked.decision.verdict == EXIT else "")
            checked = None  # that may have been long ago: budgets are asked again
        while not self._signals.asked:
            if checked is None or checked.decision.verdict == EXIT:
                checked = self._before()
                if self._is_over(checked):
                    return self._ended(checked)
                if checked.decision.verdict == EXIT:
                    continue
            advice = checked.decision.advice or advice
            if self._asked.most is not None and checked.iteration.number >= self._asked.most:
                return self._bounded(checked)
            checked = self._iterate(checked.iteration.number + 1, advice)
            if checked.decision.exit_class != "wait":
                self._waits = 0
            if checked.decision.verdict != EXIT:
                advice = ""  # it was taken; an agent that was held up is reported again
            if not self._cut and self._is_over(checked):
                return self._ended(checked)
        return self._interrupted(checked)

    def _take_up(self, left: Leftover) -> CheckResult | None:
        """Decide on what an earlier loop left undecided, or tell what it had no time to tell."""
        if left.started is not None:
            count = resume.end_survivor(left.started, self._asked.limits.grace)
            if count:
                self._note(f"ended {_processes(count)} left running by an agent of an earlier loop")
        if left.run is None or (left.untold is None and left.cut is None):
            return None
        self._transcript = Transcript(self._directory, left.run)
        if left.untold is not None:
            return self._decided(left.untold, left.prompt)
        assert left.cut is not None
        line = {
            **{key: left.cut[key] for key in ("iteration", "turn", "started_at") if key in left.cut},
            "ended_at": self._clock.now(),
            "exit_status": INTERRUPTED,
            "interrupted": True,
            "text": "",
        }
        self._transcript.append(ITERATION, line)
        self._note(f"iteration {line['iteration']} was cut short; it counts as interrupted")
        return self._decided(line, left.prompt)

    def _note(self, text: str) -> None:
        """Report trouble that is over, and keep it for `exitgate doctor`: at night no user watches."""
        self._told.note(text)
        note(self._directory, "loop", text, run=self._name)

    def _before(self) -> CheckResult:
        """Ask the rules of the stage before the next iteration."""
        self._look_for_ledger()
        checked = self._asks(stage=BEFORE, time=self._clock.now())
        self._written(checked)
        self._begin(checked)
        self._cost, self._counted = _total(checked, "cost"), True
        self._told.before(checked)
        return checked

    def _asks(
        self, *, time: float, texts: Mapping[str, str] | None = None, agent_exit: int | None = None,
        turn: str | None = None, stage: str | None = None, remarks: tuple[str, ...] = (),
    ) -> CheckResult:  # fmt: skip
        """Return a decision. Raises `_StoppedError` where somebody ends the loop while a probe runs."""
        try:
            return decide(
                self._asked.request(
                    texts=texts, agent_exit=agent_exit, turn=turn, stage=stage, time=time, remarks=remarks,
                    watch=self._watch,
                )
            )  # fmt: skip
        finally:
            self._told.asked()

    def _watch(self, probe: str, seconds: float, said: str) -> None:
        if self._signals.asked:
            raise _StoppedError
        self._told.probing(probe, seconds, said)

    def _look_for_ledger(self) -> None:
        """Raise `ExitgateError` (74) where what this loop wrote is gone: every budget would begin anew."""
        last = read.last(self._directory, self._name) if self._sequence else None
        found = 0 if last is None else whole_of(last.get("sequence"))
        if found is None or found < self._sequence:
            raise ledger_gone(self._directory)

    def _written(self, checked: CheckResult) -> None:
        sequence = None if checked.line is None else whole_of(checked.line.get("sequence"))
        self._sequence = self._sequence if sequence is None else sequence

    def _begin(self, checked: CheckResult) -> None:
        """Begin or take up the transcript of the run that a check belongs to."""
        run = checked.iteration.run
        if run == self._begun:
            return
        self._transcript, self._begun = Transcript(self._directory, run), run
        policy = checked.policy
        line = {
            "time": self._clock.now(),
            "started_at": _total(checked, "started_at"),
            "iteration": checked.iteration.number,
            "command": list(self._asked.command),
            "policy": {"name": policy.name, "version": policy.version, "digest": policy.digest},
        }
        self._transcript.append(BEGIN, {**line, **observed_in(checked, self._transcript)})
        self._told.begins(checked)

    def _iterate(self, number: int, advice: str) -> CheckResult:
        """Start the agent, follow it to its end, keep what it said and decide on it."""
        raw = self._asked.prompt.read()
        prompt = None if raw is None else fill(raw, number, advice, append=self._asked.prompt.append)
        file = os.path.abspath(paths.prompt_path(self._directory, self._name))
        words = put_in_place(self._asked.command, prompt, file)
        place = place_in(self._asked.command)
        if place == PROMPT_FILE:
            _write(file, prompt or b"")
        reads = prompt is not None and place is None
        started_at = self._clock.now()
        task = None if prompt is None else decode(prompt)[0]
        opening = {"iteration": number, "turn": f"run {number} {started_at!r}", "started_at": started_at}
        ended = self._agent(
            words,
            prompt if reads else None,
            self._environment(number, advice),
            {**opening, "prompt": self._transcript.text("prompt", task)},
        )
        self._cut = ended.interrupted
        if ended.hung:
            note(
                self._directory, "loop", f"iteration {number}: ended the agent: {ended.hung}", run=self._name
            )
        elif ended.left and not (ended.interrupted or ended.timed_out):
            self._told.note(f"ended {_processes(ended.left)} left running by the agent")
        line = {**opening, "ended_at": self._clock.now(), **_how(ended)}
        self._transcript.append(ITERATION, line)
        return self._decided(line, task)

    def _agent(
        self, words: tuple[str, ...], prompt: bytes | None, environment: Mapping[str, str], opening: Line
    ) -> Ended:
        def first() -> None:
            pid = os.getpid()
            self._transcript.append(START, {**opening, "pid": pid, "process": process_group.identity(pid)})

        # A start without a process: nothing came of it.
        nothing = {key: value for key, value in opening.items() if key != "prompt"}
        # The line of a start is written by the agent's own process, before the agent begins, and until then
        # that process holds the run: whenever this loop is killed, the next one finds what it started.
        self._signals.starts()
        try:
            started = child.start(words, environment, reads=prompt is not None, first=first)
        except (OSError, ValueError) as error:
            self._signals.follows(None)
            if (
                isinstance(error, OSError)
                and error.errno == E2BIG
                and place_in(self._asked.command) == PROMPT
            ):
                self._transcript.append(START, nothing)
                raise not_a_word(PROMPT, "it is too long for this system") from error
            ended = child.not_started(words[0], error)
            self._told.note(ended.err.text()[0].rstrip("\n"))  # no other process says so
            return ended
        except PreparationError:  # it does not tell why
            self._signals.follows(None)
            self._transcript.append(START, nothing)
            raise
        with child.Following(started, prompt or b"", self._out, self._err, self._asked.limits) as following:
            try:
                return following.to_the_end(self._signals)
            except OSError as error:
                raise cannot_pass_on(error) from error

    def _environment(self, number: int, advice: str) -> dict[str, str]:
        return {
            **os.environ,
            "EXITGATE_RUN": self._name,
            "EXITGATE_ITERATION": str(number),
            "EXITGATE_ADVICE": advice.replace("\0", "")[:ADVICE_LENGTH],
            "EXITGATE_STATE_DIR": os.path.abspath(self._directory),
        }

    def _decided(self, line: Line, task: str | None) -> CheckResult:
        """Decide on a kept iteration, or find the decision that was made on it, and tell it."""
        number, status = whole_of(line["iteration"]), whole_of(line["exit_status"])
        started_at, ended_at = number_of(line.get("started_at")), number_of(line["ended_at"])
        assert number is not None, "this loop wrote the line"
        assert ended_at is not None, "this loop wrote the line"
        self._look_for_ledger()
        texts = {"response": str(line["text"]), **({} if task is None else {"task": task})}
        remarks = (f"the agent was ended: {line['hung']}",) if "hung" in line else ()
        checked = self._asks(
            texts=texts, agent_exit=status, turn=str(line["turn"]), time=ended_at, remarks=remarks
        )
        self._written(checked)
        if checked.iteration.run != self._transcript.run:  # the run was begun anew by hand meanwhile
            self._transcript.append(DECIDED, {"iteration": number, "moved_to": checked.iteration.run})
            self._begin(checked)
            self._counted = False
            said = self._transcript.text("prompt", task)
            self._transcript.append(
                ITERATION, {**line, "prompt": said, "iteration": checked.iteration.number}
            )
        cost = _total(checked, "cost")
        spent = None if cost is None or not self._counted else micro(cost - (self._cost or 0.0))
        self._cost, self._counted = cost, True
        decision = checked.decision
        told = {
            "iteration": checked.iteration.number,
            "sequence": checked.line["sequence"] if checked.line is not None else None,
            "verdict": decision.verdict,
            "class": decision.exit_class,
            "outcome": decision.outcome,
            "cost": spent,
        }
        took = 0.0 if started_at is None else max(0.0, ended_at - started_at)
        self._told.decided(checked, took, spent)
        self._transcript.append(DECIDED, {**told, **observed_in(checked, self._transcript)})
        return checked

    def _is_over(self, checked: CheckResult, *, earlier: bool = False) -> bool:
        """Return whether the decision ends the loop; one that says to wait is waited for first."""
        decision = checked.decision
        if decision.verdict != EXIT or (earlier and decision.exit_class == "interrupted"):
            return False
        now = self._clock.now()
        if decision.exit_class != "wait":
            return True
        if decision.retry_at is None:
            self._told.waits(checked, now)
            return True
        if decision.retry_at - now > self._asked.longest_wait:
            longest = duration(self._asked.longest_wait)
            self._told.note(f"that is longer than `--max-wait` allows: {longest}")
            return True
        self._waits += 1
        least = min(shortest(self._waits), self._asked.longest_wait)
        self._told.waits(checked, now)
        if self._waits > 1 and decision.retry_at < now + least:
            self._told.note(f"held up {self._waits} times in a row: waits {duration(least)}")
        wait_until(max(decision.retry_at, now + least), self._clock, self._signals, self._told.countdown)
        self._told.clear()
        return False

    def _bounded(self, checked: CheckResult) -> int:
        """End the run at the loop's own bound: the ledger says so, as no rule of the policy did."""
        why = f"--max-iterations {self._asked.most} is reached"
        reset(self._asked.request(), why)
        return self._close(checked, "exhausted", why, CLASS_CODES["exhausted"])

    def _interrupted(self, checked: CheckResult | None) -> int:
        why = f"ended by {self._signals.name}"
        return INTERRUPTED if checked is None else self._close(checked, "interrupted", why, INTERRUPTED)

    def _ended(self, checked: CheckResult) -> int:
        decision = checked.decision
        kind = decision.exit_class or ""
        return self._close(checked, kind, decision.outcome, exit_code(kind))

    def _close(self, checked: CheckResult, kind: str, why: str, code: int) -> int:
        run, number = checked.iteration.run, checked.iteration.number
        self._transcript.append(END, {"time": self._clock.now(), "class": kind, "why": why})
        self._told.over(run, number, _total(checked, "elapsed"), _total(checked, "cost"), kind, why, code)
        return code


def exit_code(kind: str | None) -> int:
    """Return the exit code of a loop that ended with this class: only `complete` is success."""
    return OK if kind is None or kind == "complete" else CLASS_CODES[kind]


def _how(ended: Ended) -> dict[str, object]:
    """
    Return how an iteration ended, and what the agent said, as the policy gets it.

    That is standard output; after a failure with the last lines of standard error behind it, where programs
    say why they cannot go on.
    """
    out, left_out, remarks = ended.out.text()
    err, err_left_out, _ = ended.err.text()
    text = out
    if ended.status and err.strip():
        text += ("" if not out or out.endswith("\n") else "\n") + tail_of(err) + "\n"
    return {
        "exit_status": ended.status,
        "timed_out": ended.timed_out,
        "interrupted": ended.interrupted,
        **({"hung": ended.hung} if ended.hung else {}),
        "text": text,
        "left_out": left_out,
        "stderr": err,
        "stderr_left_out": err_left_out,
        **({"remarks": list(remarks)} if remarks else {}),
    }


def _total(checked: CheckResult, name: str) -> float | None:
    """Return a total of the run so far, None where it is not known."""
    return None if checked.line is None else object_of(checked.line.get("totals")).number(name)


def _processes(count: int) -> str:
    return f"{count} process{'' if count == 1 else 'es'}"


def _write(path: str, raw: bytes) -> None:
    """Write the prompt where the agent finds it. Raises `ExitgateError` (73)."""
    try:
        with open(safe_files.writing(path, empty=True), "wb") as file:
            file.write(raw)
    except OSError as error:
        raise cannot_keep(path, error) from error

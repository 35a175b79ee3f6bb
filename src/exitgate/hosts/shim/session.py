"""What one step works with: the project's files as they are, the answer before, and the check to ask."""

from __future__ import annotations

import os

from exitgate.core.ledger.gitignore import leave_out_files
from exitgate.core.model.value import Value
from exitgate.hosts.shim import bash, state_files
from exitgate.hosts.shim import files as files_module
from exitgate.hosts.shim.analysis import statements_by
from exitgate.hosts.shim.bash import StateTexts
from exitgate.hosts.shim.foreign_state import ForeignState
from exitgate.hosts.shim.state_files import signals_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from exitgate.core.gate.decision import CheckResult
    from exitgate.core.model.json_object import Json
    from exitgate.core.state.request import Request
    from exitgate.hosts.shim.analysis import Statements

    Plain = dict[str, object]

    from exitgate.core.policy.compiled import CompiledPolicy, Parameter


class Session:
    """
    One step of the loop.

    Args:
        places: Where its files are.
        policy: Shipped name or path, None for what the project's settings choose.
        environment: Its variables.
        now: Seconds since the epoch.
    """

    def __init__(
        self, places: Places, policy: str | None, environment: Mapping[str, str], now: float
    ) -> None:
        self.places = places
        self.policy = policy
        self.environment = environment
        self.now = now
        found = bash.read_answer(places.answer)
        self.values: dict[str, str] = found[0] if found is not None else {}
        self.ours = found[1] if found is not None else None
        self.there = StateTexts(
            *(files_module.text_of(path) for path in (places.signals, places.breaker, places.analysis))
        )

    @property
    def foreign(self) -> bool:
        """Whether somebody else wrote, removed or first made a state file since the last answer."""
        return self.ours is None or self.ours.parts() != self.there.parts()

    @property
    def breaker_is_foreign(self) -> bool:
        """Whether somebody else wrote the breaker's file."""
        return self.ours is None or self.ours.breaker != self.there.breaker

    @property
    def tells(self) -> bool:
        """Whether the files tell of an iteration: by an analysis, or by a signal."""
        return self.there.analysis is not None or bool(signals_in(self.there.signals))

    @property
    def breaker(self) -> Plain:
        """The breaker's file; a new one where it is missing or cannot be read."""
        return self.breaker_in(self.there)

    def breaker_in(self, files: StateTexts) -> Plain:
        """The breaker's file among these; a new one where it is missing or cannot be read."""
        return state_files.breaker_in(files.breaker) or state_files.closed_breaker(self.now)

    def told(self, said: Statements | None = None) -> ForeignState:
        """
        Return what the files tell of earlier iterations.

        With `said` that is the iteration under way, which the breaker's counters do not know yet.
        """
        signals = signals_in(self.there.signals)
        if said is not None:
            return ForeignState(signals, said, self.breaker, latest=False)
        last = statements_by(self.there.analysis)
        return ForeignState(signals, last, self.breaker, latest=True)

    def request(self, **more: Any) -> Request:
        """Return a request on this project, with settings from the loop's variables that were changed."""
        from exitgate.core.state.request import Request

        places = self.places
        asked: dict[str, Any] = {
            "plan": places.plan,
            "policy": self.policy,
            "state_dir": places.state_dir,
            "left_out": places.left_out(),
            "time": self.now,
            **more,
        }
        if is_set(self.environment):
            from exitgate.core.gate.settings import policy_of

            asked["settings"] = settings_of(self.environment, policy_of(Request(policy=self.policy)))
        return Request(**asked)

    def leave(
        self,
        checked: CheckResult,
        breaker: Plain,
        loop: int,
        *,
        signals: str,
        analysis: str | None,
        more: Mapping[str, Json],
    ) -> None:
        """
        Write what changed of the state files, then the answer.

        Args:
            checked: The check.
            breaker: The breaker's file, its counters up to date, its state not yet.
            loop: Number of the loop it was.
            signals: Text of `.exit_signals`.
            analysis: Text of `.response_analysis`; None leaves the one that is there, or none.
            more: What else the shell wants to know.

        Raises:
            ExitgateError: 73 when a file cannot be written.
        """
        from exitgate.hosts.shim.state_files import reason_of

        places = self.places
        after = self._moved(checked, breaker)
        move = state_files.move_of(breaker, after, loop)
        history = files_module.text_of(places.history)
        written = StateTexts(
            signals, state_files.breaker_text(after), self.there.analysis if analysis is None else analysis
        )
        moved = self.breaker["state"] != after["state"]  # else the file, and with it its history, has it
        moves = state_files.history_after(history, move if moved else None)
        if not self.values or loop == 1:  # the shell writes the first before it starts an agent
            leave_out_files((places.begun, places.answer, places.signals, places.breaker, places.analysis))
        paths = (places.signals, places.breaker, places.analysis, places.history)
        old = (*self.there.parts(), history)
        for path, before, text in zip(paths, old, (*written.parts(), moves), strict=True):
            if text != before:
                files_module.replace(path, text)
        reason, halt = reason_of(checked.decision)
        values = {
            "loop": loop,
            "verdict": checked.decision.verdict,
            "reason": reason,
            "halt": halt,
            "outcome": checked.decision.outcome,
            "message": checked.decision.message,
            "advice": checked.decision.advice,
            "breaker": after["state"],
            "moved": "" if move is None else f"{move['from_state']} -> {move['to_state']}: {move['reason']}",
            "plan": places.plan or checked.iteration.source("plan").path or "",
            **more,
        }
        files_module.replace(places.answer, bash.answer_text(values, written))

    def leave_again(self, loop: int) -> None:
        """Write the answer once more, for another loop: the run ended, and nothing changed since."""
        assert self.ours is not None
        files_module.replace(self.places.answer, bash.answer_text({**self.values, "loop": loop}, self.ours))

    def _moved(self, checked: CheckResult, breaker: Plain) -> Plain:
        from exitgate.core.engine.breaker import CLOSED
        from exitgate.hosts.shim.analysis import value_of
        from exitgate.hosts.shim.files import instant
        from exitgate.hosts.shim.state_files import breaker_in_words

        state = value_of(checked.facts, "circuit.state")
        if checked.policy.breaker is None or not isinstance(state, str) or state == breaker["state"]:
            return breaker
        reason = value_of(checked.facts, "circuit.reason")
        why = str(reason) if reason else "progress" if state == CLOSED else checked.decision.message
        told = breaker_in_words(why, state, breaker, checked.policy.breaker)
        return state_files.with_state(breaker, state, told, instant(breaker.get("opened_at")), self.now)


# Variables of the loop that are parameters of policies: its own defaults do not count as set.

#: Variable -> parameter of `ralph-claude-code`, what the loop itself sets, what follows the value.
VARIABLES = {
    "CB_NO_PROGRESS_THRESHOLD": ("cb_no_progress_threshold", "3", ""),
    "CB_SAME_ERROR_THRESHOLD": ("cb_same_error_threshold", "5", ""),
    "CB_PERMISSION_DENIAL_THRESHOLD": ("cb_permission_denial_threshold", "2", ""),
    "CB_COOLDOWN_MINUTES": ("cooldown", "30", "m"),
    "MAX_CONSECUTIVE_TEST_LOOPS": ("max_consecutive_test_loops", "3", ""),
    "MAX_CONSECUTIVE_DONE_SIGNALS": ("max_consecutive_done_signals", "2", ""),
    "OPTIONAL_SECTIONS": ("optional_sections", "Optional,Future,Future Enhancements,Nice to Have", ""),
    "CLAUDE_ALLOWED_TOOLS": (
        "allowed_tools",
        "Write,Read,Edit,Bash(git add *),Bash(git commit *),Bash(git diff *),Bash(git log *),"
        "Bash(git status),Bash(git status *),"
        "Bash(git push *),Bash(git pull *),Bash(git fetch *),Bash(git checkout *),"
        "Bash(git branch *),Bash(git stash *),Bash(git merge *),Bash(git tag *),Bash(npm *),Bash(pytest)",
        "",
    ),
}

#: Variables that are lists, of which an empty one is one without entries.
LISTS = ("OPTIONAL_SECTIONS", "CLAUDE_ALLOWED_TOOLS")


def is_set(environment: Mapping[str, str]) -> bool:
    """Return whether some variable has another value than the loop gives it."""
    return any(_differs(environment, name, own) for name, (_, own, _) in VARIABLES.items())


def settings_of(environment: Mapping[str, str], policy: CompiledPolicy) -> dict[str, str]:
    """
    Return parameter -> text, for the policy's parameters whose variable is not what the loop sets.

    Raises:
        ExitgateError: 65 for a value that its parameter does not take.
    """
    settings = {}
    for name, (parameter, own, unit) in VARIABLES.items():
        if _differs(environment, name, own) and parameter in policy.parameters:
            settings[parameter] = _text(name, environment[name]) + unit
            _check(name, settings[parameter], policy.parameters[parameter])
    return settings


def _check(name: str, text: str, parameter: Parameter) -> None:
    from exitgate.core.policy.sections.parameters import out_of_bounds
    from exitgate.core.policy.values import Unfit, from_text

    try:
        beyond = out_of_bounds(parameter, from_text(parameter.type, text))
        wrong = f"the value of the policy's `{parameter.name}` is {beyond}" if beyond else ""
    except Unfit as unfit:
        wrong = str(unfit)
    if wrong:
        from exitgate.core.model.decision import BAD_POLICY
        from exitgate.hosts.shim.files import NO_SETTING, problem

        help = "change it in `.ralphrc`, or in the environment, wherever it is set"
        raise problem(NO_SETTING, f"`{name}`: {wrong}", help, BAD_POLICY)


def _differs(environment: Mapping[str, str], name: str, own: str) -> bool:
    """Return whether a variable says something else; an empty number counts as not set, as in bash."""
    value = environment.get(name, own)
    return value != own and (name in LISTS or bool(value.strip()))


def _text(name: str, value: str) -> str:
    """Return a value as a policy reads it: of a list without its empty entries, as the loop skips them."""
    if name not in LISTS:
        return value.strip()
    return ",".join(entry.strip() for entry in value.split(",") if entry.strip())


# Where that loop keeps its files: as its variables say, else as it does by itself.

RALPH_DIR = ".ralph"

#: Files that the loop itself writes below its folder: no work of the agent.
OF_THE_LOOP = (
    ".call_count", ".circuit_breaker_history", ".circuit_breaker_state", ".claude_session_id",
    ".docker_sandbox_state", ".e2b_sandbox_state", ".exit_signals", ".exitgate_answer", ".exitgate_begun",
    ".github_lifecycle_state", ".json_parse_result", ".last_output_length", ".last_reset",
    ".loop_start_sha", ".ralph_session", ".ralph_session_history", ".response_analysis", ".token_count",
    "live.log", "logs", "progress.json", "queue.json", "status.json",
)  # fmt: skip


class Places(Value):
    """
    Paths of one project.

    Args:
        folder: Where the loop's files are, `.ralph` unless RALPH_DIR is different.
        signals: `.exit_signals`.
        analysis: `.response_analysis`.
        breaker: `.circuit_breaker_state`.
        history: `.circuit_breaker_history`.
    """

    __slots__ = ("analysis", "breaker", "folder", "history", "signals")

    def __init__(self, folder: str, signals: str, analysis: str, breaker: str, history: str) -> None:
        self.folder = folder
        self.signals = signals
        self.analysis = analysis
        self.breaker = breaker
        self.history = history

    def beside(self, name: str) -> str:
        """Return the path of a file in the folder."""
        return os.path.join(self.folder, name)

    @property
    def answer(self) -> str:
        """The file in which the shell finds what was decided."""
        return self.beside(".exitgate_answer")

    @property
    def begun(self) -> str:
        """The file in which the shell notes the loop in which it starts an agent."""
        return self.beside(".exitgate_begun")

    @property
    def plan(self) -> str | None:
        """The plan, the only place where the loop looks for it; None for exitgate's own default paths."""
        path = self.beside("fix_plan.md")
        return path if os.path.isfile(path) else None

    @property
    def state_dir(self) -> str | None:
        """The state directory; None for the default, which is below `.ralph`."""
        named = os.environ.get("EXITGATE_STATE_DIR")
        if named or os.path.normpath(self.folder) == RALPH_DIR:
            return named or None
        return self.beside("exitgate")

    def left_out(self) -> tuple[str, ...]:
        """Return the files that are not work of the agent, absolute."""
        named = (self.signals, self.analysis, self.breaker, self.history)
        own = (self.beside(name) for name in OF_THE_LOOP)
        return tuple(dict.fromkeys(os.path.abspath(path) for path in (*own, *named)))


def places_of(environment: Mapping[str, str]) -> Places:
    """Return the places that the variables name; one that is empty counts as not set."""
    folder = environment.get("RALPH_DIR") or RALPH_DIR

    def place(variable: str, name: str) -> str:
        return environment.get(variable) or os.path.join(folder, name)

    return Places(
        folder,
        place("EXIT_SIGNALS_FILE", ".exit_signals"),
        place("RESPONSE_ANALYSIS_FILE", ".response_analysis"),
        place("CB_STATE_FILE", ".circuit_breaker_state"),
        place("CB_HISTORY_FILE", ".circuit_breaker_history"),
    )

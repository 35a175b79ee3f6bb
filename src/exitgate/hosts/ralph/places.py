"""Where that loop keeps its files: as its variables say, else as it does by itself."""

from __future__ import annotations

import os

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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

"""What an iteration said: by the facts of any policy, or by an analysis file of somebody else."""

from __future__ import annotations

from exitgate.hosts.ralph.files import count_in, object_in
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.gate.checked import Checked
    from exitgate.model.evidence import Fact

#: What is said -> the fact of the policy `ralph-claude-code` that is 1 for it, and facts of other policies,
#: of which one is enough: a name for true, a pair for a value.
SIGNS: dict[str, tuple[str, tuple[str | tuple[str, str], ...]]] = {
    "exit": ("loop.exit", ("status.exit_signal", "promise.emitted")),
    "done": (
        "loop.done",
        (
            "status.exit_signal",
            "promise.emitted",
            ("status.status", "COMPLETE"),
            "completion.found",
            "no_work.found",
        ),
    ),
    "test_only": ("loop.test_only", ("tests.only", ("status.work_type", "TEST_ONLY"))),
    "files": ("loop.files", ("git.changed", "progress.made")),
    "progress": ("loop.progress", ("progress.made",)),
    "asking": ("loop.asking", ("questions.asked",)),
    "error": ("loop.error", ("errors.present",)),
    "denied": ("loop.denied", ("denials.blocking",)),
}

#: Member of an analysis file -> what it says.
MEMBERS = {
    "exit_signal": "exit",
    "has_completion_signal": "done",
    "is_test_only": "test_only",
    "has_progress": "files",
    "asking_questions": "asking",
    "has_permission_denials": "denied",
}


class Said(Value):
    """
    What one iteration said or did, yes or no.

    Args:
        exit: The exit signal is true.
        done: The work is said to be done.
        test_only: Tests were run and nothing else was done.
        files: Files changed.
        progress: The breaker takes it for progress.
        asking: A person is asked.
        error: There is an error.
        denied: A tool was refused that is not allowed anyway.
    """

    __slots__ = ("asking", "denied", "done", "error", "exit", "files", "progress", "test_only")

    def __init__(
        self,
        *,
        exit: bool = False,
        done: bool = False,
        test_only: bool = False,
        files: bool = False,
        progress: bool = False,
        asking: bool = False,
        error: bool = False,
        denied: bool = False,
    ) -> None:
        self.exit = exit
        self.done = done
        self.test_only = test_only
        self.files = files
        self.progress = progress
        self.asking = asking
        self.error = error
        self.denied = denied


def said_in(checked: Checked) -> Said:
    """Return what the iteration of a check said, by the facts of its policy."""
    return Said(**{name: _is_said(checked.facts, *sign) for name, sign in SIGNS.items()})


def said_by(text: str | None, *, files: bool | None = None, error: bool = False) -> Said | None:
    """
    Return what an analysis file says, None where there is none or it is not a JSON object.

    Args:
        text: Of the file.
        files: Whether files changed, where the caller knows it better.
        error: Whether there was an error; the file does not say it.
    """
    found = object_in(text)
    if found is None:
        return None
    inner = found.get("analysis")
    analysis = inner if isinstance(inner, dict) else {}
    told = {name: analysis.get(member) is True for member, name in MEMBERS.items()}
    if files is not None:
        told["files"] = files
    moved = told["files"] or told["exit"] or told["done"] or count_in(analysis, "files_modified") > 0
    return Said(**told, progress=moved, error=error)


def value_of(facts: Mapping[str, Fact], name: str) -> object:
    """Return the value of a fact, None where it is unknown or the policy has none of that name."""
    fact = facts.get(name)
    return None if fact is None or isinstance(fact.value, Unknown) else fact.value


def count_of(facts: Mapping[str, Fact], name: str) -> int:
    """Return the count that a fact holds, 0 where it is unknown."""
    value = value_of(facts, name)
    return int(value) if isinstance(value, int | float) else 0


def refused_in(checked: Checked, said: Said, told: int) -> tuple[bool, bool]:
    """
    Return whether a tool was refused for good, and whether only parts of longer commands were.

    Where the policy knows nothing of `told` refusals in the agent's JSON, they count as the first.
    """
    facts = checked.facts
    unknown = value_of(facts, "denials.blocking") is None or not count_of(facts, "denials.count")
    refused = said.denied or (told > 0 and unknown)
    covered = told > 0 and not refused and value_of(facts, "denials.blocking") is False
    return refused, covered


def _is_said(facts: Mapping[str, Fact], own: str, others: tuple[str | tuple[str, str], ...]) -> bool:
    if own in facts:
        return count_of(facts, own) == 1
    return any(
        value_of(facts, one) is True if isinstance(one, str) else value_of(facts, one[0]) == one[1]
        for one in others
    )

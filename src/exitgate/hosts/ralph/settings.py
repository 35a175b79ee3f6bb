"""Variables of the loop that are parameters of policies: its own defaults do not count as set."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy

#: Variable -> parameter of `ralph-claude-code`, what the loop itself sets, what stands behind the value.
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


def is_set(environment: Mapping[str, str]) -> bool:
    """Return whether some variable has another value than the loop gives it."""
    return any(environment.get(name, own) != own for name, (_, own, _) in VARIABLES.items())


def settings_of(environment: Mapping[str, str], policy: CompiledPolicy) -> dict[str, str]:
    """Return parameter -> text, for the policy's parameters whose variable is not what the loop sets."""
    return {
        parameter: environment[name] + unit
        for name, (parameter, own, unit) in VARIABLES.items()
        if environment.get(name, own) != own and parameter in policy.parameters
    }

"""Variables of the loop that are parameters of policies: its own defaults do not count as set."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy, Parameter

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
    from exitgate.policy.parameters import out_of_bounds
    from exitgate.policy.values import Unfit, from_text

    try:
        beyond = out_of_bounds(parameter, from_text(parameter.type, text))
        wrong = f"the value of the policy's `{parameter.name}` is {beyond}" if beyond else ""
    except Unfit as unfit:
        wrong = str(unfit)
    if wrong:
        from exitgate.hosts.ralph.codes import NO_SETTING, problem
        from exitgate.model.verdict import BAD_POLICY

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

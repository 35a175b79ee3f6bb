"""The policies of a dry run: those that are named, each with settings of its own, or the one in force."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from exitgate.core.model.decision import BAD_POLICY, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy.cache import Seen
from exitgate.core.policy.compiled import CompiledPolicy

#: Codes of the dry run, one line each; `docs` reads them.
CODES = {
    "EP860": "an expectation that cannot be read",
    "EP861": "the output would overwrite a transcript",
    "EP862": "the output cannot be written",
    "EP863": "settings of one policy that cannot be read",
    "EP864": "an output format whose package is not installed",
    "EP865": "an output format that can only be written to a file",
}
#: Stands for every shipped policy.
EVERY = "all"


def chosen_policies(
    names: Sequence[str], settings: Mapping[str, str], root: str = "."
) -> dict[str, CompiledPolicy]:
    """
    Return policies by the names they go by, each once, in order.

    Args:
        names: ``NAME``, ``PATH``, either with settings of its own (``bb3:min_confidence=80,max_errors=3``),
            or `EVERY`. Without any, the policy that `exitgate check` would ask in `root`, with the layers
            of settings there; a policy that is named is asked as it was written.
        settings: Parameter -> text for every policy that has it.
        root: Folder that the project file is looked for from.

    Raises:
        ExitgateError: 65 with everything that is wrong with policies and settings, 64 where only the
            words are.
    """
    if not names:
        from exitgate.core.gate.settings import policy_of
        from exitgate.core.state.request import Request

        policy = policy_of(Request(settings=settings, root=root))
        return {policy.name: policy}
    problems: list[Diagnostic] = []
    found: dict[str, CompiledPolicy] = {}
    code, taken = USAGE, set[str]()
    for name in dict.fromkeys(_spread(names)):
        try:
            found[name] = _loaded(*name_and_settings(name), settings, taken)
        except ExitgateError as error:
            problems += error.diagnostics
            if error.exit_code != USAGE and code != BAD_POLICY:
                code = error.exit_code
    left = set(settings) - taken
    if not problems and left:
        # A policy has to complain: it knows the names it has.
        first = next(iter(found))
        _load(name_and_settings(first)[0], {name: settings[name] for name in sorted(left)})
    if problems:
        raise ExitgateError(problems, code)
    return found


def name_and_settings(name: str) -> tuple[str, dict[str, str]]:
    """
    Return name or path of a policy, and its settings, out of ``NAME:PARAMETER=VALUE,PARAMETER=VALUE``.

    Raises:
        ExitgateError: 64, for settings without a name or an equals sign.
    """
    head, colon, rest = name.rpartition(":")
    if not colon or os.path.exists(name) or ("=" not in rest and ("/" in rest or os.sep in rest)):
        return name, {}
    settings: dict[str, str] = {}
    for part in rest.split(","):
        parameter, equals, value = part.partition("=")
        if not equals and settings:
            # a comma within a value
            last = next(reversed(settings))
            settings[last] += f",{part}"
            continue
        if not equals or not parameter.strip() or not head:
            help = "write `--policy NAME:PARAMETER=VALUE`, separate several with commas"
            message = f"`{part}` in `{name}` is not a setting of a policy"
            raise ExitgateError([Diagnostic("EP863", message, help=help)], USAGE)
        settings[parameter.strip()] = value
    return head, settings


def _spread(names: Sequence[str]) -> list[str]:
    from exitgate.core.policy import shipped

    return [one for name in names for one in (shipped.policies() if name == EVERY else (name,))]


def _loaded(
    reference: str, own: Mapping[str, str], settings: Mapping[str, str], taken: set[str]
) -> CompiledPolicy:
    policy = _load(reference, {})
    fitting = {name: text for name, text in settings.items() if name in policy.parameters}
    taken.update(fitting)
    both = {**fitting, **own}
    return _load(reference, both) if both else policy


def _load(reference: str, settings: Mapping[str, str]) -> CompiledPolicy:
    """Return a policy as it was written, from the user's cache where nothing has changed."""
    from exitgate.core.policy.cache import load
    from exitgate.core.settings.files import is_there

    place = os.path.abspath(reference)
    # a name that no file here takes is that of a shipped policy, the same in every folder
    named = not ("/" in reference or "." in reference or os.sep in reference or is_there(place))

    def make(seen: Seen) -> CompiledPolicy:
        from exitgate.core.policy.compile import load_policy

        policy = load_policy(reference, settings=settings, seen=seen)
        if named:
            seen.leave_out((place,))
        return policy

    folder = "" if named else os.getcwd()
    asked = ["as written", folder, reference, *(f"{name}={text}" for name, text in settings.items())]
    return load(asked, make).policy

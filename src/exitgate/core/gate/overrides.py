"""Facts given by hand, on the command line or by a program, instead of what is extracted."""

from __future__ import annotations

from exitgate.core.facts.given import NAME as DECLARED
from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.value import Unknown, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.compiled import CompiledPolicy


#: Code -> what it means.
CODES = {
    "EP840": "a given fact does not belong to the policy",
    "EP841": "the value of a given fact does not match its type",
}
#: What a ledger has beside such a fact; replay knows it by that, so the words stay, no matter who gives it.
NOTE = "given on the command line"
UNKNOWN = "unknown"


def given_facts(given: Mapping[str, str], policy: CompiledPolicy) -> dict[str, Fact]:
    """
    Return the facts that ``--fact NAME=VALUE`` gives, typed as the policy's specs say.

    The value ``unknown`` makes a fact unknown. A fact that the policy declares under `given:` has the text as
    its evidence, and its range holds.

    Raises:
        ExitgateError: 64, with every name that no condition could use and every value that does not match.
    """
    facts: dict[str, Fact] = {}
    wrong: list[Diagnostic] = []
    declared = {entry.prefix for entry in policy.extractions if entry.extractor == DECLARED} if given else ()
    for name, text in given.items():
        value = _typed(name, text, policy)
        if not isinstance(value, Diagnostic) and name in declared:
            value = _within(name, text, value, policy)
        if isinstance(value, Diagnostic):
            wrong.append(value)
        else:
            facts[name] = Fact(name, value, (_evidence(text),) if name in declared else (), note=NOTE)
    if wrong:
        raise ExitgateError(wrong, USAGE)
    return facts


def _within(name: str, text: str, value: object, policy: CompiledPolicy) -> object:
    """Return the value, or a diagnostic where it is outside the range of the fact."""
    if not is_number(value):
        return value
    spec = policy.facts[name]
    below = spec.low is not None and value < spec.low
    if not below and (spec.high is None or value <= spec.high):
        return value
    from exitgate.core.model.display import shown

    bound = shown(spec.low if below else spec.high, spec.type)
    message = f"fact `{name}`: `{text}` is {'below' if below else 'above'} its range"
    return Diagnostic(
        "EP841", message, help=f"write a value of {'at least' if below else 'at most'} `{bound}`"
    )


def _evidence(text: str) -> Evidence:
    """Return a given text as the evidence of its fact."""
    line = text.split("\n", 1)[0]
    return Evidence(DECLARED, 1, 1, 0, len(line), line)


def questions(given: Mapping[str, str], policy: CompiledPolicy) -> tuple[str, ...]:
    """Return a question for each fact of type percent that is given as a fraction, such as `0.8`."""
    if not given:
        return ()
    from exitgate.core.policy.values import from_text, question

    asked = []
    for name, text in given.items():
        type = policy.facts[name].type
        if type.kind == "percent" and text.strip().lower() != UNKNOWN:
            said = question(text, from_text(type, text))
            asked += [f"fact `{name}`: {said}"] if said else []
    return tuple(asked)


def _typed(name: str, text: str, policy: CompiledPolicy) -> object:
    from exitgate.core.model.spelling import suggestion
    from exitgate.core.policy.values import Unfit, from_text

    spec = policy.facts.get(name)
    if spec is None:
        message = f"policy `{policy.name}` has no fact `{name}`"
        return Diagnostic("EP840", message, help=suggestion(name, policy.facts, "facts"))
    if text.strip().lower() == UNKNOWN:
        return Unknown(NOTE, name)
    try:
        return from_text(spec.type, text)
    except Unfit as unfit:
        message = f"fact `{name}` is a {spec.type}: {unfit}"
        return Diagnostic("EP841", message, help=unfit.help)

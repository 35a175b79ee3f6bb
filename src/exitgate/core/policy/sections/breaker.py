"""The breaker a policy keeps itself: the section `circuit:` with conditions."""

from __future__ import annotations

from exitgate.core.language.measure import facts_of
from exitgate.core.language.silence import exits_on_silence
from exitgate.core.model.json_object import number_of
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import DURATION
from exitgate.core.policy.compiled import Breaker, Opening
from exitgate.core.policy.condition_cache import CONDITIONS
from exitgate.core.policy.sections.conditions import check_condition, parse_condition
from exitgate.core.policy.values import Unfit, from_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.core.language.silence import Silence
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import Derived
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.sections.conditions import Checked, Names
    from exitgate.core.policy.yaml.node import YamlNode


_PREFIX = "circuit."


def keeps_breaker(root: YamlNode) -> bool:
    """Return whether the policy has a breaker of its own, instead of one that something else keeps."""
    circuit = root.get("circuit")
    return circuit is not None and "from" not in circuit.fields


def read_breaker(
    root: YamlNode, names: Names, derived: Iterable[Derived], silence: Silence, findings: Findings
) -> Breaker | None:
    """
    Return the breaker of a merged policy; None without one, or after an error.

    Args:
        root: The merged policy.
        names: What its conditions may name.
        derived: The computed facts: those that rest on the breaker's state cannot move it.
        silence: What computed facts come to when nothing is known.
        findings: Takes EP3xx, EP4xx.
    """
    circuit = root.get("circuit")
    if circuit is None or not keeps_breaker(root):
        return None
    before = findings.errors()
    _check_shape(circuit, findings)
    resting = _resting(derived, names.conditions)
    openings = []
    for part in circuit.fields["open"].items:
        checked = _condition(part.fields["when"], names, resting, findings)
        if checked is not None:
            _check_silence(part, checked, names, silence, findings)
            openings.append(
                Opening(part.fields["id"].text, checked.node, checked.text, part.fields["id"].place)
            )
    watch, close = (
        _condition(circuit.fields[key], names, resting, findings) if key in circuit.fields else None
        for key in ("watch", "close")
    )
    cooldown = _cooldown(circuit.get("cooldown"), names, findings)
    if findings.errors() > before:
        return None
    return Breaker(
        tuple(openings),
        watch.node if watch is not None else None,
        close.node if close is not None else None,
        cooldown,
    )


def _check_shape(circuit: YamlNode, findings: Findings) -> None:
    if "close" not in circuit.fields:
        for key in ("watch", "cooldown"):
            if key in circuit.fields:
                help = "add `close: CONDITION`, such as `close: progress.made`"
                message = f"`{key}:` without `close:`: a HALF_OPEN breaker could never close"
                findings.error("EP482", message, circuit.fields[key].label, help)
    seen: dict[str, YamlNode] = {}
    for part in circuit.fields["open"].items:
        id = part.fields["id"]
        first = seen.setdefault(id.text, id)
        if first is not id:
            message = f"two openings have the id `{id.text}`"
            findings.error(
                "EP450", message, id.place, "give this one a different id", (("first", first.place),)
            )


def _condition(
    part: YamlNode, names: Names, resting: Mapping[str, str], findings: Findings
) -> Checked | None:
    """Return the checked condition; report one that asks for the state it is to find (EP480)."""
    spoken = parse_condition(part, findings, names)
    checked = check_condition(spoken, names, findings) if spoken is not None else None
    if checked is None:
        return None
    asked = sorted(
        name for name in facts_of(checked.node, names.conditions)
        if name.startswith(_PREFIX) or name in resting
    )  # fmt: skip
    if asked:
        name = asked[0]
        by_way = f", which depends on `{resting[name]}`" if name in resting else ""
        message = f"a condition of the breaker uses `{name}`{by_way}"
        findings.error("EP480", message, part.place, "use facts of what the agent said and did")
        return None
    return checked


def _resting(derived: Iterable[Derived], conditions: Mapping[str, Node]) -> dict[str, str]:
    """Return the computed facts that rest on the breaker's state, each with the fact by way of which."""
    found: dict[str, str] = {}
    for fact in derived:
        nodes = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
        uses = {name for node in nodes for name in facts_of(node, conditions)} | set(fact.signals)
        cause = next((n for n in sorted(uses) if n.startswith(_PREFIX) or n in found), None)
        if cause is not None:
            found[fact.name] = found.get(cause, cause)
    return found


def _check_silence(
    part: YamlNode, checked: Checked, names: Names, silence: Silence, findings: Findings
) -> None:
    values = {name: parameter.value for name, parameter in names.parameters.items()}
    if exits_on_silence(checked.node, values, names.conditions, silence, known=CONDITIONS) is None:
        return
    message = f"the breaker would open (`{part.fields['id'].text}`) without any response"
    help = "let the condition require a known fact, or write a rule with `on_silence: exit`"
    findings.error("EP464", message, part.fields["when"].place, help)


def _cooldown(part: YamlNode | None, names: Names, findings: Findings) -> float | None:
    """Return seconds, from a duration or a parameter of that type."""
    if part is None:
        return None
    text = part.text
    if text.startswith("$"):
        parameter = names.parameters.get(text[1:])
        if parameter is None:
            if not names.is_broken(text):
                help = suggestion(text, [f"${name}" for name in names.parameters], "parameters")
                findings.error("EP468", f"there is no parameter `{text}`", part.place, help)
            return None
        if parameter.type != DURATION:
            help = "name a parameter of type duration, or write a duration such as `30m`"
            message = f"`{text}` is a {parameter.type}, not a duration"
            findings.error("EP483", message, part.place, help)
            return None
        value = parameter.value
    else:
        try:
            value = from_yaml(DURATION, part.plain(), text)
        except Unfit as unfit:
            findings.error("EP483", str(unfit), part.place, unfit.help)
            return None
    return number_of(value)

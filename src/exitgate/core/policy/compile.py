"""From a name or path to a policy that can decide: `load_policy`."""

from __future__ import annotations

from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.facts.registry import load
from exitgate.core.language.measure import facts_of, lookback
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import COUNT
from exitgate.core.policy.compiled import NUMBER, CompiledPolicy
from exitgate.core.policy.extending.holding import with_held
from exitgate.core.policy.extending.merged import read_as_far
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import Library
from exitgate.core.policy.locked.limits import check_asked as check_asked_elsewhere
from exitgate.core.policy.sections.absent_defaults import read_silence
from exitgate.core.policy.sections.asked import check_asked
from exitgate.core.policy.sections.breaker import read_breaker
from exitgate.core.policy.sections.computed import read_computed
from exitgate.core.policy.sections.conditions import Names
from exitgate.core.policy.sections.facts import read_extractions
from exitgate.core.policy.sections.lexicons import read_mask, report_unread
from exitgate.core.policy.sections.options import Known
from exitgate.core.policy.sections.parameters import apply_profile, apply_settings, read_parameters
from exitgate.core.policy.sections.rules import read_invariant, read_otherwise, read_rule
from exitgate.core.policy.sections.templates import histories
from exitgate.core.policy.sections.views import facts_in, read_views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from exitgate.core.language.tree import Node
    from exitgate.core.policy.cache import Seen
    from exitgate.core.policy.compiled import Derived, Extraction, Invariant, Parameter, Rule, Template
    from exitgate.core.policy.extending.merged import Merged
    from exitgate.core.policy.sections.facts import Extracted
    from exitgate.core.policy.yaml.node import YamlNode


_NOTHING: Mapping[str, str] = {}


def load_policy(
    reference: str,
    *,
    settings: Mapping[str, str] = _NOTHING,
    base: str | None = None,
    profile: str | None = None,
    seen: Seen | None = None,
) -> CompiledPolicy:
    """
    Read, check and compile a policy and all it extends.

    Args:
        reference: Name of a shipped policy, or a path to a policy file.
        settings: Values of parameters as texts, by name, as ``--set`` takes them.
        base: Folder that a relative path starts from; the working directory by default.
        profile: Name of a profile of the policy whose values come before `settings`.
        seen: Receives the files that were read, and missing ones.

    Raises:
        ExitgateError: With every diagnostic found, exit code 65.
    """
    findings = Findings()
    library = Library(findings, base, seen)
    merged, rest = read_as_far(reference, library, findings)
    look_over(rest, library, findings)
    if merged is None:
        findings.raise_errors()
    assert merged is not None
    parameters, broken = _parameters(merged.root, settings, profile, findings)
    read = _settings_read(settings, profile)
    policy = compile_merged(merged, library, parameters, broken, read, findings)
    findings.raise_errors()
    assert policy is not None
    return policy


def look_over(rest: Merged | None, library: Library, findings: Findings) -> None:
    """Report what is wrong in the sound parts of a policy, if any, of which others are out of shape."""
    if rest is None:
        return
    parameters, broken = _parameters(rest.root, _NOTHING, None, findings)
    compile_merged(rest, library, parameters, broken, (), findings)


def compile_merged(
    merged: Merged,
    library: Library,
    parameters: Mapping[str, Parameter],
    broken: set[str],
    settings: Iterable[str],
    findings: Findings,
    layers: Mapping[str, object] | None = None,
) -> CompiledPolicy | None:
    """
    Return the compiled policy; None, or one that must not be used, after an error.

    Args:
        merged, library, findings: The policy and those it extends; read them; takes diagnostics.
        parameters, broken: Effective values, and the names of those declared with an error.
        settings: All that was set beside the files, as texts; they become part of the digest.
        layers: As `exitgate.core.policy.compiled.CompiledPolicy` says.
    """
    root = (merged := with_held(merged, parameters, findings)).root
    extracted = read_extractions(root, Known(root, parameters, broken), library, findings)
    named = {"$" + name for name in broken} | extracted.broken | merged.broken
    names, derived = read_computed(root, Names(extracted.specs, parameters, {}, named), findings)
    values = {name: parameter.value for name, parameter in parameters.items()}
    silence = read_silence(derived, values, names.conditions, extracted.unreadable)
    breaker = read_breaker(root, names, derived, silence, findings)
    mask, views = read_mask(root, library, findings), read_views(root, names, findings)
    _report_rest(root, extracted, library, findings)
    rules = _good(read_rule(part, names, findings, silence) for part in merged.rules)
    invariants, otherwise = _invariants(root, names, findings), read_otherwise(root, names, findings)
    exit_after = _exit_after(root, names, findings)
    if findings.errors():
        return None
    conditions = [*_conditions(rules, derived, names), *(breaker.conditions() if breaker else ())]
    messages = [otherwise, *(t for rule in rules for t in (rule.because, rule.advice, rule.escalation))]
    used = _used(conditions, messages, names).union(facts_in(views), *(fact.signals for fact in derived))
    policy = CompiledPolicy(
        name=root.fields["policy"].text,
        format=1,
        version=root.fields["version"].text,
        title=root.fields["title"].text if "title" in root.fields else "",
        digest=library.digest(settings),
        path=merged.file,
        parameters=parameters,
        extractions=_needed(extracted, root, used, _used([one.given for one in invariants], (), names)),
        derived=derived,
        facts=names.facts,
        conditions=names.conditions,
        rules=rules,
        otherwise_message=otherwise,
        exit_after_blind=exit_after,
        unreadable=extracted.unreadable,
        invariants=invariants,
        lookback=_lookback([*conditions, *(one.given for one in invariants)], messages, values, names),
        warnings=findings.sorted(),
        breaker=breaker,
        mask=mask,
        layers=_with_sources(layers, library),
        views=views,
    )
    return check_asked(policy, findings)


def _report_rest(root: YamlNode, extracted: Extracted, library: Library, findings: Findings) -> None:
    """Report lexicons that nothing reads, and what a policy from elsewhere may not say."""
    report_unread(root, library, findings)
    if library.fetched:
        check_asked_elsewhere(root, extracted.extractions, library.fetched, findings)


def _with_sources(layers: Mapping[str, object] | None, library: Library) -> Mapping[str, object] | None:
    """Return the layers, and behind them what is from elsewhere: source, what is pinned, digest."""
    found = {one.entry.source: one.entry for one, _ in library.fetched.values()}
    if not found:
        return layers
    rows = [[name, one.pinned, f"sha256:{one.digest}"] for name, one in sorted(found.items())]
    return {**(layers or {}), "fetched": rows}


def _lookback(
    conditions: Iterable[Node], messages: Iterable[Template], values: Mapping[str, object], names: Names
) -> int:
    """Return how many earlier iterations any condition or message reads."""
    by_conditions = (lookback(node, values, names.conditions) for node in conditions)
    return max([0, *by_conditions, *(histories(template, values) for template in messages)])


def _good(rules: Iterable[Rule | None]) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule is not None)


def _invariants(root: YamlNode, names: Names, findings: Findings) -> tuple[Invariant, ...]:
    """Return the invariants without an error."""
    section = root.get("invariants")
    parts = section.items if section is not None else ()
    _report_twice(parts, findings)
    read = [read_invariant(part, names, findings) for part in parts]
    return tuple(invariant for invariant in read if invariant is not None)


def _exit_after(root: YamlNode, names: Names, findings: Findings) -> int | None:
    """Return `undetermined.exit_after`, a number or the value of a parameter of type count."""
    undetermined = root.get("undetermined")
    if undetermined is None:
        return None
    part = undetermined.fields["exit_after"]
    if not part.text.startswith("$"):
        return int(part.value) if isinstance(part.value, int | float) else None
    parameter = names.parameters.get(part.text[1:])
    if parameter is None:
        if not names.is_broken(part.text):
            help = suggestion(part.text, [f"${name}" for name in names.parameters], "parameters")
            findings.error("EP468", f"there is no parameter `{part.text}`", part.place, help)
        return None
    least = parameter.low if isinstance(parameter.low, int | float) else 0
    if parameter.type != COUNT or least < 1:
        help = "name a parameter of type count with `min: 1`, or write a number such as `2`"
        findings.error("EP506", f"`{part.text}` is not a count of at least 1", part.place, help)
        return None
    return int(str(parameter.value))


def _parameters(
    root: YamlNode, settings: Mapping[str, str], profile: str | None, findings: Findings
) -> tuple[dict[str, Parameter], set[str]]:
    """Return the parameters with profile and settings applied; every profile is checked, chosen or not."""
    parameters, broken = read_parameters(root.get("parameters"), findings)
    section = root.get("profiles")
    profiles = section.fields if section is not None else {}
    changed = parameters
    for name, part in profiles.items():
        applied = apply_profile(parameters, part, findings, broken)
        changed = applied if name == profile else changed
    if profile is not None and profile not in profiles:
        help = suggestion(profile, profiles, "profiles")
        findings.error("EP478", f"the policy has no profile `{profile}`", None, help)
    return apply_settings(changed, settings, findings, broken), broken


def _settings_read(settings: Mapping[str, str], profile: str | None) -> list[str]:
    return [f"profile={profile}"] * (profile is not None) + [f"{k}={v}" for k, v in sorted(settings.items())]


def _report_twice(parts: Iterable[YamlNode], findings: Findings) -> None:
    seen: dict[str, YamlNode] = {}
    for part in parts:
        id_ = part.fields["id"]
        first = seen.setdefault(id_.text, id_)
        if first is not id_:
            message = f"two invariants have the id `{id_.text}`"
            findings.error(
                "EP450", message, id_.place, "give this one a different id", (("first", first.place),)
            )


def _conditions(rules: Iterable[Rule], derived: Iterable[Derived], names: Names) -> Iterator[Node]:
    """Yield every checked condition and formula that a decision can rest on."""
    for rule in rules:
        yield rule.when
        if rule.retry_after is not None:
            yield rule.retry_after
    yield from names.conditions.values()
    for fact in derived:
        yield from (row.when for row in fact.rows)
        if fact.formula is not None:
            yield fact.formula


def _used(conditions: Iterable[Node], messages: Iterable[Template], names: Names) -> set[str]:
    """Return the facts that conditions and messages name."""
    used: set[str] = set()
    for node in conditions:
        used |= facts_of(node, names.conditions)
    for template in messages:
        slots = [piece for piece in template if isinstance(piece, tuple)]
        used |= {slot[0] for slot in slots}
        used |= {NUMBER for slot in slots if len(slot) == 2}
    return used


def _needed(
    extracted: Extracted, root: YamlNode, used: set[str], promised: set[str]
) -> tuple[Extraction, ...]:
    """
    Return the extractions the policy names, its given facts, and the built-in ones it uses.

    One that looks at nothing unless it is named is left out if only invariants (`promised`) name it.
    """
    section = root.get("facts")
    own = section.fields if section is not None else {}
    options = {
        str(word)
        for extraction in extracted.extractions
        for value in extraction.options.values()
        if isinstance(value, list)
        for word in value
        if isinstance(word, str)
    }
    decisive = used | (options & extracted.specs.keys())
    named = decisive | promised
    prefixes, deciding = ({name.partition(".")[0] for name in some} for some in (named, decisive))
    return tuple(
        e.but(unasked=_unused_facts(e, named))
        for e in extracted.extractions
        if e.extractor == GIVEN
        or (e.prefix in deciding if _only_if_named(e) else e.prefix in prefixes or e.prefix in own)
    )


def _only_if_named(extraction: Extraction) -> bool:
    """Return whether an extraction looks at nothing unless a condition or message names a fact of it."""
    return getattr(load(extraction.extractor), "ONLY_IF_NAMED", False)


def _unused_facts(extraction: Extraction, named: set[str]) -> tuple[str, ...]:
    """Return the facts that are observed only where a policy names them, and this one does not."""
    only: frozenset[str] = getattr(load(extraction.extractor), "WHEN_ASKED", frozenset())
    return tuple(sorted(name for name in only if f"{extraction.prefix}.{name}" not in named))

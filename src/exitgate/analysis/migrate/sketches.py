"""Facts and extractors of the first sketches in the spelling of format 1."""

from __future__ import annotations

from exitgate.analysis.migrate import keys
from exitgate.core.model.decision import CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from exitgate.analysis.migrate.step import Path, Remarks

    #: From a fact's full name, its entry and its extractor's to the name and the entry in format 1.
    Reader = Callable[[str, Any, Any], tuple[str, Any] | None]
    from typing import Any


PLAN, BREAKER = "plan_checklist", "circuit_breaker"
BREAKER_FILE = ".ralph/circuit-state.json"
CHECKLIST, COUNTED = ("total", "done", "open", "percent"), "count"
NO_FORM = "write the entry by hand; `exitgate explain EXTRACTOR` has an example"


def migrate_facts(document: Any, remarks: Remarks) -> None:
    """Make of each fact with its own origin the entry of an extractor, and of formulas ones of full names."""
    if not isinstance(document.get("facts"), dict):
        return
    facts: Any = document["facts"]
    extractors = document.get("extractors")
    named = extractors if isinstance(extractors, dict) else {}
    made: Any = keys.block(())
    used: set[str] = set()
    for name, entry in facts.items():
        path = ("facts", name)
        if not isinstance(entry, dict):
            made[name] = entry
        elif "formula" in entry:
            entry["formula"] = _full_names(str(entry["formula"]), tuple(facts))
            made[name] = entry
        elif entry.get("from") == BREAKER:
            _breaker(document, name, path, remarks)
        elif entry.get("from") == PLAN:
            _plan(made, name, path, remarks)
        else:
            used |= _read_by(made, name, entry, named, path, remarks)
            comment = facts.ca.items.get(name)
            if comment is not None and made:
                made.ca.items.setdefault(list(made)[-1], comment)
    _carry(facts, made)
    document["facts"] = made
    _set_aside(document, named, used, remarks)


def _breaker(document: Any, name: str, path: Path, remarks: Remarks) -> None:
    if name.partition(".")[0] != "circuit":
        help = "the breaker is available as `circuit.state`, `circuit.reason` and `circuit.opened_at`"
        remarks.impossible(path, f"`{name}` cannot come from the breaker", help)
    elif "circuit" not in document:
        keys.inserted(document, "facts", "circuit", keys.block([("from", BREAKER_FILE)], flow=True))


def _plan(made: Any, name: str, path: Path, remarks: Remarks) -> None:
    prefix, _, part = name.rpartition(".")
    if part not in CHECKLIST or not prefix:
        help = f"a plan gives {', '.join('NAME.' + one for one in CHECKLIST)}"
        remarks.impossible(path, f"`{name}` cannot be read from a plan", help)
    elif prefix not in made:
        made[prefix] = keys.block([("extract", "checklist"), ("from", "plan")], flow=True)


def _read_by(made: Any, name: str, entry: Any, named: Any, path: Path, remarks: Remarks) -> set[str]:
    """Make the entry of a fact that one of the policy's own extractors reads; return which one it is."""
    using = entry.get("using")
    extractor = named.get(using) if isinstance(using, str) else None
    if not isinstance(extractor, dict):
        if "extract" in entry:
            made[name] = entry
            return set()
        message = f"there is no extractor for `{name}`"
        remarks.impossible(path, message, NO_FORM)
        return set()
    reader = READERS.get(str(extractor.get("kind")))
    found = reader(name, entry, extractor) if reader is not None else None
    if found is None:
        message = f"`{extractor.get('kind')}` cannot give `{name}` in format 1"
        remarks.impossible(("extractors", using), message, NO_FORM)
        return set()
    if any("unless_preceded_by" in row for row in extractor.get("first_match", ()) if isinstance(row, dict)):
        message = "`unless_preceded_by` is now the guard `negated`, with the words of the lexicon guards-en"
        remarks.kept(("extractors", using, "first_match"), message, "check the words there")
    made[found[0]] = found[1]
    return {using}


def _weighted(name: str, entry: Any, extractor: Any) -> tuple[str, Any] | None:
    """Read `weighted_phrases`: the first explicit statement, else the base, and points for further words."""
    pairs: list[tuple[str, object]] = [("extract", "graded_words"), ("from", entry.get("from", "response"))]
    first = extractor.get("first_match")
    if first:
        rows = [keys.block([("value", row.get("score")), ("words", row.get("words"))], True) for row in first]
        pairs.append(("first", rows))
        if any("unless_preceded_by" in row for row in first):
            pairs.append(("guards", keys.listed(["negated"])))
    if "base" in extractor:
        pairs.append(("otherwise", extractor["base"]))
    if "add" in extractor:
        pairs.append(("add", extractor["add"]))
    if "clamp" in extractor:
        pairs.append(("range", extractor["clamp"]))
    return name, keys.block(pairs)


def _counted(name: str, entry: Any, extractor: Any) -> tuple[str, Any] | None:
    """Read `count_words`: how many lines hold one of the words."""
    prefix, _, part = name.rpartition(".")
    if part != COUNTED or not prefix:
        return None
    source = entry.get("from", "response")
    pairs = [("extract", "error_lines"), ("from", source), ("words", extractor.get("words"))]
    return prefix, keys.block(pairs, flow=True)


READERS: dict[str, Reader] = {"weighted_phrases": _weighted, "count_words": _counted}


def _carry(facts: Any, made: Any) -> None:
    """Take over the comments of entries that keep their names."""
    for name, comment in facts.ca.items.items():
        if name in made and comment is not None:
            made.ca.items.setdefault(name, comment)
    if facts.ca.comment is not None:
        made.ca.comment = facts.ca.comment


def _set_aside(document: Any, named: Any, used: set[str], remarks: Remarks) -> None:
    """Take out the extractors that were read; keep what no fact uses under `x-extractors`."""
    if "extractors" not in document:
        return
    left = [name for name in named if name not in used]
    if not left:
        keys.taken(document, "extractors")
        return
    for name in [name for name in named if name in used]:
        keys.taken(document["extractors"], name)
    message = "extractors that no fact uses are kept under `x-extractors`"
    remarks.kept(("extractors", left[0]), message, "remove them, or name them in an entry of `facts:`")
    keys.renamed(document, "extractors", "x-extractors")


def _full_names(formula: str, names: tuple[str, ...]) -> str:
    """Return a formula with full names of facts: the sketches wrote `tasks_done` for `tasks.done`."""
    from exitgate.core.language.problem import LanguageError
    from exitgate.core.language.syntax.parse import parse

    short = {name.replace(".", "_"): name for name in names}
    try:
        tree = parse(formula)
    except LanguageError:
        return formula  # what is wrong with it is reported when the policy is compiled
    found = sorted(
        (node.start, node.end, short[str(node.args[0])])
        for node in tree.walk()
        if node.op == "fact" and str(node.args[0]) in short
    )
    for start, end, name in reversed(found):
        formula = formula[:start] + name + formula[end:]
    return formula


# Rules and invariants of the first sketches in the spelling of format 1.

#: Outcomes of the sketches that were not class, with the class they were for.
CLASS_OF = {
    "needs_review": "review",
    "failing": "review",
    "circuit_open": "halted",
    "budget": "exhausted",
}
RENAMED = {"message": "because", "enforcement": "mode"}


def migrate_rules(document: Any, remarks: Remarks) -> None:
    """Give every rule `exit:`, `continue:` or `warn:` for `then:`, and `because:` for `message:`."""
    rules = document.get("rules")
    severities: list[tuple[str, object]] = []
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        if not isinstance(rule, dict):
            continue
        path = ("rules", number)
        for old, new in RENAMED.items():
            keys.renamed(rule, old, new)
        severity = keys.taken(rule, "severity")
        if severity is not None:
            severities.append((str(rule.get("id")), severity))
        if isinstance(rule.get("then"), dict):
            _effect(rule, (*path, "then"), remarks)
    if severities:
        message = "rules have no severity in format 1; it is kept under `x-severity`"
        remarks.kept(("rules",), message, "the class of an exit says what a person must do")
        document["x-severity"] = keys.block(severities)


def _effect(rule: Any, path: Path, remarks: Remarks) -> None:
    then = rule["then"]
    decision, outcome = then.get("decision"), then.get("outcome")
    if decision == "continue":
        keys.renamed(rule, "then", "continue", True)
    elif decision == "warn":
        keys.renamed(rule, "then", "warn", True)
    elif decision == "exit":
        found = then.get("class", _class_of(outcome))
        if found is None:
            message = f"`{outcome}` does not say which class of exit it is"
            help = f"write `class:` beside it, one of {', '.join(CLASSES)}"
            remarks.impossible((*path, "outcome") if "outcome" in then else path, message, help)
            return
        keys.renamed(rule, "then", "exit", found)
    else:
        remarks.impossible(path, f"`{decision}` is not a decision", "write `decision: exit` or `continue`")
        return
    if outcome is not None and decision != "warn" and outcome != rule.get("id"):
        keys.inserted(rule, decision, "outcome", outcome)


def _class_of(outcome: object) -> str | None:
    return str(outcome) if outcome in CLASSES else CLASS_OF.get(str(outcome))


def migrate_invariants(document: Any, remarks: Remarks) -> None:
    """Write facts that an invariant takes for granted as a condition, and set aside what none can say."""
    invariants = document.get("invariants")
    if not isinstance(invariants, list):
        return
    possible: list[object] = []
    for number in reversed(range(len(invariants))):
        one = invariants[number]
        if not isinstance(one, dict):
            continue
        if "facts" in one:
            keys.renamed(one, "facts", "given", _given(one["facts"]))
        for claim in ("always", "never"):
            if one.get(claim) in CLASS_OF:
                one[claim] = CLASS_OF[str(one[claim])]
        if "possible" in one:
            message = "an invariant cannot state what is possible; it is kept under `x-possible`"
            remarks.kept(("invariants", number, "possible"), message, "write a case for it in tests.yaml")
            possible.insert(0, one)
            del invariants[number]
    if possible:
        document["x-possible"] = possible
    if not invariants:
        keys.taken(document, "invariants")


def _given(facts: object) -> str:
    """Return the condition that some facts have some values."""
    if not isinstance(facts, dict) or not facts:
        return "nothing is known"
    return " and ".join(f"{name} is {_value(value)}" for name, value in facts.items())


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

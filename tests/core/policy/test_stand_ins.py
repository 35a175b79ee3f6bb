"""`unreadable:`: each fact of an extractor takes a value of its type, whatever the type is."""

from __future__ import annotations

import json
from pathlib import Path

from cases import each

from exitgate.core.facts import registry
from exitgate.core.gate.check import check
from exitgate.core.model.value import Type
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.sections.facts import full_specs
from exitgate.core.state.request import Request

#: Kind of type -> how a value is written in YAML, and the value.
VALUES: dict[str, tuple[object, object]] = {
    "bool": (True, True),
    "count": (3, 3),
    "number": (0.5, 0.5),
    "percent": ("70%", 70),
    "duration": ("30m", 1800),
    "text": ("a, b", "a, b"),
    "signature": ("s", "s"),
    "list": (["a", "b, c"], ("a", "b, c")),
}
#: Options that an extractor asks for.
NEEDED: dict[str, dict[str, object]] = {
    "artifacts": {"files": ["dist/a.whl"]},
    "json": {"file": "a.json"},
    "json_file": {"file": "a.json"},
    "matching_lines": {"patterns": ["^FATAL"]},
    "signature": {"lexicon": "signatures"},
    "status_block": {
        "name": "LOOP_STATUS",
        "fields": {"exit_signal": {"key": "EXIT_SIGNAL", "type": "bool"}},
    },
    "task_file": {"open": "tasks/open/*.md", "done": "tasks/done/*.md"},
}
HEAD = "policy: p\nformat: 1\nversion: 1.0.0\n"


def alone(id: str) -> bool:
    """Return whether an extractor can be used without options; those always there have no entry."""
    module = registry.load(id)
    never = id in ("progress", "given") or getattr(module, "ONLY_IF_NAMED", False)
    return id not in registry.BUILT_IN.values() and not never and bool(module.OPTIONS)


def value(type: Type) -> tuple[object, object]:
    if type.kind == "enum":
        return type.members[-1].lower(), type.members[-1]
    if type.kind == "money":
        return f"5 {type.currency}", 5
    return VALUES[type.kind]


@each("id", sorted(filter(alone, registry.names())))
def test_every_fact_takes_a_value_of_its_type(id: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    entry: dict[str, object] = {"extract": id, **NEEDED.get(id, {})}
    rule = "rules: [{id: r, when: run.iterations > 3, exit: stuck}]\n"
    file.write_text(f"{HEAD}facts: {json.dumps({'x': entry})}\n{rule}", encoding="utf-8")
    (extraction,) = [one for one in load_policy(str(file)).extractions if one.prefix == "x"]
    specs = full_specs(extraction)
    entry["unreadable"] = {
        name.removeprefix("x").lstrip(".") or "value": value(spec.type)[0] for name, spec in specs.items()
    }
    file.write_text(f"{HEAD}facts: {json.dumps({'x': entry})}\n{rule}", encoding="utf-8")
    assert load_policy(str(file)).unreadable == {name: value(spec.type)[1] for name, spec in specs.items()}


def test_a_list_that_stands_in_is_read_by_conditions_and_told(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        HEAD + "facts: {tests: {extract: tests, from: tool_results, unreadable: {names: [alpha, beta]}}}\n"
        "rules: [{id: flaky, when: 'tests.names contains \"beta\"', exit: review, on_silence: exit, why: x,\n"
        "         because: '{tests.names}'}]\n",
        encoding="utf-8",
    )
    (tmp_path / "response.md").write_text("I looked.", encoding="utf-8")
    for _ in range(2):  # compiled, then from the cache
        asked = Request(str(tmp_path / "response.md"), policy=str(tmp_path / "policy.yaml"), record=False)
        found = check(asked)
        assert (found.decision.rule, found.decision.message) == ("flaky", "alpha, beta")

"""No policy, lexicon or kept state can run code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loops import Loop
from simpleeval import InvalidExpression

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import Type

MARK = "ran"
TAGS = [
    "!!python/object/apply:os.system ['touch ran']",
    "!!python/object/new:os.system ['touch ran']",
    "!!python/name:os.system ''",
    "!!python/module:antigravity ''",
    "!<tag:yaml.org,2002:python/object/apply:subprocess.call> [[touch, ran]]",
    "!!binary dG91Y2ggcmFu",
    "!include /etc/hostname",
    "!env HOME",
]


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("place", ["title: {}\n", "facts:\n  x: {}\n", "rules:\n  - {}\n", "mask: {}\n"])
def test_tags_are_refused_and_make_nothing(loop: Loop, tag: str, place: str) -> None:
    loop.policy(place.format(tag) + ("rules: []\n" if "rules" not in place else ""))
    ran = loop.run("validate", "./policy.yaml")
    assert ran.code == 65 or ran.code == 69
    assert "EP108" in ran.all
    assert not list(loop.root.rglob(MARK))


@pytest.mark.parametrize("tag", TAGS)
def test_tags_in_settings_and_lexicons_too(loop: Loop, tag: str) -> None:
    loop.write(".bb3/config.yaml", f"exit_decision:\n  policy: {tag}\n")
    loop.write("r.md", "done")
    ran = loop.run("check", "r.md")
    assert (ran.code, "EP108" in ran.all) == (65, True)
    loop.write(".bb3/config.yaml", "")
    loop.write("words.yaml", f"lexicon: words\nformat: 1\ntitle: {tag}\nentries: []\n")
    loop.policy("facts: {said: {extract: phrases, lexicon: ./words.yaml}}\nrules: []\n")
    assert "EP108" in loop.run("validate", "./policy.yaml").all
    assert not list(loop.root.rglob(MARK))


CONDITIONS = [
    "__import__('os').system('touch ran')",
    "tasks.__class__.__mro__ is 1",
    "tasks.done.__class__ is known",
    "tasks.done > ().__class__",
    "(lambda: 1)() > 0",
    "[x for x in tasks.done]",
    "open('ran', 'w')",
    "exec('1') or tasks.done > 0",
    "f'{tasks.done}' is known",
    "tasks.done ** 9 ** 9 ** 9 > 1",
    "tasks.done if true else 1",
    "getattr(tasks, 'done') > 1",
    "tasks['done'] > 1",
    "print(tasks.done) is known",
    "$__builtins__ > 1",
    "@__class__",
    "tasks.done > 1; import os",
    "tasks.done > 1\nimport os",
    "breakpoint()",
    "type(tasks.done) is known",
]


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_are_no_python(loop: Loop, text: str) -> None:
    with pytest.raises(LanguageError):
        check(parse(text), Scope({"tasks.done": FactSpec("tasks.done", Type("count"), "d")}, {}, {}))
    rule = json.dumps({"id": "a", "when": text, "exit": "complete"})
    score = json.dumps({"formula": text})
    for part in (f"rules: [{rule}]\n", f"rules: []\nfacts: {{tasks: {{extract: checklist}}, x: {score}}}\n"):
        loop.policy(part)
        ran = loop.run("validate", "./policy.yaml")
        assert ran.code not in (0, 70)
        assert "Traceback" not in ran.all
    assert not (loop.root / MARK).exists()


TEMPLATES = [
    "{tasks.done.__class__}",
    "{tasks.__class__.__mro__[1].__subclasses__}",
    "{tasks.done!r}",
    "{tasks.done:>99999999999}",
    "{0.__class__}",
    "{__builtins__}",
    "{self}",
    "{$goal.__init__.__globals__}",
    "{tasks[done]}",
]


@pytest.mark.parametrize("text", TEMPLATES)
def test_messages_name_facts_and_nothing_else(loop: Loop, text: str) -> None:
    rule = json.dumps({"id": "a", "when": "tasks.done >= 0", "exit": "complete", "because": text})
    loop.policy(f"facts: {{tasks: {{extract: checklist, from: plan}}}}\nrules: [{rule}]\n")
    ran = loop.run("validate", "./policy.yaml")
    assert ran.code not in (0, 70)
    assert "EP46" in ran.all


def test_percent_and_dollar_signs_of_a_message_are_text(loop: Loop) -> None:
    because = "%(x)s %s $(touch ran) `touch ran` $HOME {{x.__class__}}"
    rule = json.dumps({"id": "a", "when": "tasks.done >= 0", "exit": "complete", "because": because})
    loop.policy(f"facts: {{tasks: {{extract: checklist, from: plan}}}}\nrules: [{rule}]\n")
    loop.write("r.md", "x")
    loop.write("plan.md", "- [x] a\n")
    out = loop.run("check", "r.md", "plan.md", "--policy", "./policy.yaml").out
    assert "%(x)s %s $(touch ran) `touch ran` $HOME {x.__class__}" in " ".join(out.split())
    assert not (loop.root / MARK).exists()


HOSTILE_NAMES = [
    "__import__('os').system('touch ran')",
    "x\n    import os",
    "a'b\"c\\",
    "r[0]",
    "__class__",
    "{x}",
]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_and_texts_of_a_stored_tree_never_become_code(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A tree comes back from a file of the state directory, where anybody may have written it.
    from exitgate.core.language.evaluation.chain import compile_chain

    monkeypatch.chdir(tmp_path)
    text = Type("text")
    for op in ("is", "is_not", "contains"):
        fact = Node("fact", (name,), type=text)
        node = Node(op, (fact, Node("text", (name,), type=text)), type=Type("bool"))
        stored = Node.from_json(json.loads(json.dumps(node.to_json())))
        records = ({name: name},)
        wanted = op != "is_not"
        assert compile_node(stored, {}, {})(records) is wanted
        assert evaluate(stored, records, {}, {}) is wanted
        assert compile_chain([stored], {}, {})(records) == (0 if wanted else -1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("op", ["__import__", "exec", "lambda", "fact\nimport os", "call"])
def test_an_unknown_operation_of_a_stored_tree_is_refused(op: str) -> None:
    node = Node(op, ("os", Node("bool", (True,), type=Type("bool"))), type=Type("bool"))
    with pytest.raises(LookupError):
        compile_node(node, {}, {})
    try:
        value = evaluate(node, ({},), {}, {})
    except (LookupError, ValueError, TypeError, AttributeError, InvalidExpression):
        value = "os"
    assert value == "os"  # a text it was given, at most

"""Policies made to be slow take bounded time; any change of a policy gives diagnostics at worst."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import Steps

from exitgate.analysis.format import format_text
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy

HEAD = "policy: p\nformat: 1\nversion: 1.0.0\n"
COUNT = 500
#: Steps that loading one may take. Most take a fifth; what grows without bounds takes millions of millions.
STEPS = 2_500_000
HOSTILE = {
    "unknown keys": "".join(f"k{n}: 1\n" for n in range(COUNT)),
    "unknown keys in rules": "rules:\n"
    + "".join(f"  - {{id: r{n}, wen: a, exi: b}}\n" for n in range(COUNT)),
    "rules with one id": "rules:\n" + "  - {id: r, when: said.empty, warn: true}\n" * 300,
    "unknown facts": "rules:\n"
    + "".join(f"  - {{id: r{n}, when: f{n} > 3, warn: true}}\n" for n in range(400)),
    "a long chain of conditions": "conditions:\n"
    + "".join(f"  c{n}: '@c{n + 1} or run.iterations > {n}'\n" for n in range(300))
    + "  c300: run.iterations > 1\nrules: []\n",
    "a doubling chain of conditions": "conditions:\n"
    + "".join(f"  c{n}: '@c{n + 1} or @c{n + 1}'\n" for n in range(60))
    + "  c60: run.iterations > 1\nrules: [{id: a, when: '@c0', warn: true}]\n",
    "braces": "rules:\n  - {id: a, when: run.iterations > 1, warn: true, because: '" + "{ " * 250 + "'}\n",
    "duplicates": "a: 1\n" * 2_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_bounded_time(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(ExitgateError) as caught, Steps(STEPS):
        load_policy("p.yaml", base=str(tmp_path))
    assert all(found.place is not None for found in caught.value.diagnostics)


SHIPPED = [Path(shipped.path(name)).read_text(encoding="utf-8") for name in shipped.policies()]
SPLICES = st.sampled_from([
    ": ",
    "- ", "'", '"', "#", "{", "}", "[", "]", "\n", "  ", "&a", "*a", "!", "|", ">", "@", "$", "null", "true",
    "0", "1e9", "x", "{x: y}", "\u202e", "\x00", "\u00e9", ",", "disabled: true",
])  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_changed_policy_compiles_or_gives_diagnostics(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from(SHIPPED))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.sampled_from([0, 0, 1, 4, 30]))
        text = text[:start] + data.draw(SPLICES) + text[end:]
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "p.yaml").write_text(text, encoding="utf-8", newline="")
    try:
        load_policy("p.yaml", base=str(folder))
        done = format_text(text, "p.yaml")
    except ExitgateError as error:
        assert error.diagnostics
        for found in error.diagnostics:
            assert found.code[:2] == "EP"
            assert "Traceback" not in found.message
    else:
        assert format_text(done, "p.yaml") == done


KEYS = [
    "a", "when", "id", "exit", "all", "any", "not", "append", "extract", "points", "formula", "default",
    "type",
]  # fmt: skip
SECTIONS = [
    "parameters", "lists", "facts", "conditions", "rules", "otherwise", "undetermined", "invariants",
    "profiles", "circuit", "extends", "title",
]  # fmt: skip
TEXTS = st.text("ab.$@{}> ", max_size=8) | st.just("tasks.done > 3")
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 200) | TEXTS,
    lambda c: st.lists(c, max_size=3) | st.dictionaries(st.sampled_from(KEYS), c, max_size=4),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(SECTIONS), PLAIN, min_size=1))
def test_any_shape_compiles_or_gives_diagnostics(
    tmp_path_factory: pytest.TempPathFactory, sections: dict[str, object]
) -> None:
    import yaml

    folder = tmp_path_factory.mktemp("shape")
    (folder / "p.yaml").write_text(HEAD + yaml.safe_dump(sections, allow_unicode=True), encoding="utf-8")
    try:
        load_policy("p.yaml", base=str(folder))
    except ExitgateError as error:
        assert all(found.message for found in error.diagnostics)

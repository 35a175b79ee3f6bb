"""`hooks:` put into settings of any form, everything else kept."""

from __future__ import annotations

import pytest
from cases import each

from exitgate.analysis.edits import apply
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.hosts.install.opt_in import with_opt_in

ON = {"enabled": "true", "max_blocks": "5"}

FORMS = {
    "a block": "exit_decision:\n  policy: bb3\n",
    "no line end": "exit_decision:\n  policy: bb3",
    "comments": "# a\nexit_decision: # b\n  # c\n  policy: bb3 # d\n# e\n",
    "deeper": "project: {type: x}\nexit_decision:\n      policy: bb3\nother: [1]\n",
    "no section": "project: {type: x}\n",
    "no section, no line end": "project: {type: x}",
    "an empty section": "exit_decision:\n",
    "an empty section at the end": "a: 1\nexit_decision:",
    "in braces": "exit_decision: {policy: bb3, min_completion: 90}\n",
    "empty braces": "exit_decision: {}\n",
    "all in braces": "{exit_decision: {policy: bb3}}\n",
    "hooks there": "exit_decision:\n  hooks:\n    marker: 'go go go'\n  policy: bb3\n",
    "hooks in braces": "exit_decision:\n  hooks: {marker: go go go}\n",
    "empty hooks": "exit_decision:\n  hooks:\n  policy: bb3\n",
    "switched off": "exit_decision:\n  hooks:\n    enabled: false # for now\n    max_blocks: 9\n",
    "Windows line ends": "exit_decision:\r\n  policy: bb3\r\n",
}


@each("form", FORMS)
def test_every_form(form: str) -> None:
    text = FORMS[form]
    before = load_yaml(text, "config.yaml").data
    assert isinstance(before, dict)
    change = with_opt_in(text, "config.yaml", ON)
    after = load_yaml(change.new, "config.yaml").data
    assert isinstance(after, dict)
    section = before.get("exit_decision") or {}
    hooks = {**(section.get("hooks") or {}), "enabled": True, "max_blocks": 5}
    assert after == {**before, "exit_decision": {**section, "hooks": hooks}}
    assert [line for line in text.splitlines() if "#" in line and "enabled" not in line] == [
        line for line in change.new.splitlines() if "#" in line and "enabled" not in line
    ]
    assert ("\r" in change.new) == ("\r" in text)
    assert with_opt_in(change.new, "config.yaml", ON).is_none
    again = change.new
    for edits in change.back:
        again = apply(again, edits)
    assert again == text


@pytest.mark.parametrize(
    "text",
    ["{project: {a: b}}\n", "exit_decision: ~\n", "exit_decision:\n  hooks: ~\n", "exit_decision: no\n"],
)
def test_a_form_without_a_place_is_told(text: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        with_opt_in(text, "config.yaml", ON)
    (problem,) = caught.value.diagnostics
    assert problem.code == "EP568"
    assert problem.help == "add this by hand: `exit_decision: {hooks: {enabled: true, max_blocks: 5}}`"


def test_what_is_no_yaml_is_told() -> None:
    with pytest.raises(ExitgateError) as caught:
        with_opt_in("exit_decision: [\n", "config.yaml", ON)
    assert caught.value.diagnostics[0].code.startswith("EP1")

"""`exitgate config` and `exitgate schema config`, and a check that decides with layers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import each, some
from cli_program import Ran
from cli_program import run as run_program
from compiled import COMPILED
from jsonschema import Draft202012Validator

from exitgate.cli.command import ParsedArguments
from exitgate.cli.commands.config import below, documented
from exitgate.cli.options import settled_of
from exitgate.report.config import entries

EXAMPLE = """\
exit_decision:
  min_confidence: 80      # Stricter for critical features
  min_completion: 90
  stagnation_loops: 2
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".bb3").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".ralph").mkdir()
    (root / ".ralph/last-response.md").write_text("I am confident. One more task done.\n", encoding="utf-8")
    (root / ".ralph/@fix_plan.md").write_text("- [x] a\n" * 17 + "- [ ] b\n" * 3, encoding="utf-8")
    (root / ".bb3/config.yaml").write_text(EXAMPLE, encoding="utf-8")
    return root


def run(root: Path, *words: str, **environment: str) -> Ran:
    home = next(str(folder.parent) for folder in (root, *root.parents) if folder.name == "project")
    quiet = {"HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "EXITGATE_CACHE_DIR": COMPILED}
    return run_program(*words, cwd=root, **{**quiet, "EXITGATE_PRESET": "", **environment})


def test_the_table_of_the_example(project: Path) -> None:
    ran = run(project, "config", "--policy", "bb3")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert "project: .bb3/config.yaml" in lines
    at = next(n for n, line in enumerate(lines) if line.startswith("min_confidence"))
    assert lines[at].split() == ["min_confidence", "80%", "project,", ".bb3/config.yaml:2:19"]
    assert lines[at + 1].strip().startswith("overrides 70% of policy, shipped:bb3:")
    assert lines[at + 2].strip() == "used by low_confidence"


def test_the_chain_of_one_value(project: Path) -> None:
    ran = run(
        project, "config", "min_confidence", "--set", "min_confidence=99", EXITGATE_SET_MIN_CONFIDENCE="85"
    )
    assert ran.code == 0
    assert ran.out.splitlines()[:4] == [
        "min_confidence = 99%",
        "  99%  command line  <- in force",
        "  85%  environment, EXITGATE_SET_MIN_CONFIDENCE",
        "  80%  project, .bb3/config.yaml:2:19",
    ]
    assert "allowed  percent from 0% to 100%" in ran.out
    assert "used by  low_confidence (shipped:recommended:" in ran.out


def test_json_has_the_whole_chain(project: Path) -> None:
    ran = run(project, "config", "stagnation_loops", "--format", "json")
    (entry,) = json.loads(ran.out)["settings"]
    assert (entry["value"], entry["layer"], entry["file"], entry["line"], entry["column"]) == (
        2, "project", ".bb3/config.yaml", 4, 21,
    )  # fmt: skip
    assert [below["value"] for below in entry["overrode"]] == [3]
    assert entry["used_by"] == ["stagnation"]


def test_a_rule_and_its_reason(project: Path) -> None:
    (project / ".bb3/config.yaml").write_text(
        "exit_decision:\n  rules:\n    stagnation: {disabled: true, why: slow work, until: 2020-01-01}\n",
        encoding="utf-8",
    )
    ran = run(project, "config", "stagnation")
    assert ran.out.startswith(
        "stagnation = disabled\n  disabled  project, .bb3/config.yaml:3:28  <- in force\n"
    )
    assert "why until 2020-01-01  slow work (project)" in ran.out
    assert "warning[EP479]" in ran.err


def test_a_name_that_is_none(project: Path) -> None:
    ran = run(project, "config", "min_confidenc")
    assert (ran.code, ran.out) == (64, "")
    assert "did you mean `min_confidence`?" in ran.err


def keys(schema: dict[str, Any], whole: dict[str, Any], depth: int = 2) -> Iterator[str]:
    """Yield the paths of all keys that a schema names, of a name that is free one."""
    schema = {**schema, **(whole["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else {})}
    for key, value in schema.get("properties", {}).items():
        yield key
        if depth:
            yield from (f"{key}.{below}" for below in keys(value, whole, depth - 1))


@pytest.mark.parametrize("policy", ["recommended", "bb3"])
def test_every_key_of_the_schema_is_known(project: Path, policy: str) -> None:
    """Each is shown, or said to be set nowhere; never denied."""
    (project / ".bb3/config.yaml").write_text(f"exit_decision: {{policy: {policy}}}\n", encoding="utf-8")
    whole = json.loads(run(project, "schema", "config").out)
    found = [*keys(whole, whole, 3), "project.type"]
    assert {"exit_decision.rules", "exit_decision.hooks.enabled", "exit_decision.preset"} <= set(found)
    assert len(found) > 100
    settled = settled_of(ParsedArguments({"policy": policy}))
    every = entries(settled)
    told = [key for key in some(found, 80) if not below(key, every) and documented(key, settled) is None]
    assert told == []


@each(
    "key, said",
    [
        ("rules", "low_confidence = enforce"), ("rules.low_confidence", "rules.low_confidence.when ="),
        ("rules.low_confidence.mode", "low_confidence = enforce"), ("exit_decision.min_completion", "= 90%"),
        ("hooks", "no layer sets `hooks`"), ("hooks.enabled", "means    "), ("project.type", "means    "),
        ("sources.plan", "no layer sets"), ("mode", "no layer sets `mode`"),
        ("preset", "no layer sets `preset`"),
        ("policies.bb3.max_errors", "counts while that policy decides"),
        ("facts.tasks", "facts.tasks.extract ="),
    ],
)  # fmt: skip
def test_a_key_of_the_file(project: Path, key: str, said: str) -> None:
    ran = run(project, "config", key)
    assert ran.code == 0, ran
    assert said in ran.out


@each(
    "key", ["shadow", "hooks.nothing", "rules.low_confidence.nothing", "lists.nothing", "min_completion.low"]
)
def test_a_key_that_is_none(project: Path, key: str) -> None:
    assert run(project, "config", key).code == 64


def test_all_that_is_wrong_is_told_with_65_and_nothing_is_recorded(project: Path) -> None:
    (project / ".bb3/config.yaml").write_text(
        "exit_decision: {min_confidnce: 80, mode: dry}\n", encoding="utf-8"
    )
    for words in (["check"], ["config"], ["schema", "config"], ["facts", ".ralph/last-response.md"]):
        ran = run(project, *words)
        assert (ran.code, ran.out) == (65, ""), words
        assert "did you mean `min_confidence`?" in ran.err
        assert "`dry` is not allowed here" in ran.err
        assert ".bb3/config.yaml:1:17" in ran.err
    assert not (project / ".ralph/exitgate").exists()


def test_a_check_decides_with_the_projects_file_from_below(project: Path) -> None:
    words = ("check", "../.ralph/last-response.md", "../.ralph/@fix_plan.md", "-p", "bb3", "--no-record")
    (project / "src").mkdir()
    assert run(project / "src", *words).code == 0  # 85 % done, 90 wanted
    (project / ".bb3/config.yaml").unlink()
    assert run(project / "src", *words).code == 10  # 80 wanted


def test_the_ledger_keeps_the_digest_of_each_layer(project: Path) -> None:
    assert run(project, "check").code == 0
    lines = (project / ".ralph/exitgate/ledger.jsonl").read_text(encoding="utf-8").splitlines()
    (layer,) = json.loads(lines[-1])["policy"]["layers"]
    assert (layer["layer"], layer["file"], len(layer["digest"])) == ("project", ".bb3/config.yaml", 32)


def test_an_exception_out_of_date_warns_and_decides_as_before(project: Path) -> None:
    text = "exit_decision: {policy: bb3, rules: {high_completion: {mode: warn, why: x, until: DAY}}}\n"
    codes = []
    for day in ("2999-01-01", "2020-01-01"):
        (project / ".bb3/config.yaml").write_text(text.replace("DAY", day), encoding="utf-8")
        ran = run(project, "check", "--no-record")
        codes.append(ran.code)
    assert codes == [0, 0]
    assert "until 2020-01-01, which has passed" in " ".join((ran.out + ran.err).split())


def test_the_schema_is_made_for_the_policy_in_force(project: Path) -> None:
    schema = json.loads(run(project, "schema", "config").out)
    section = schema["$defs"]["section"]["properties"]
    assert section["min_completion"]["minimum"] == 1
    assert section["min_completion"]["default"] == 100
    validator = Draft202012Validator(schema)
    assert validator.is_valid({"exit_decision": {"min_confidence": 80}, "other": {"tool": 1}})
    assert not validator.is_valid({"exit_decision": {"min_confidence": 101}})
    page = run(project, "schema", "config", "--format", "markdown").out
    assert "| `min_confidence` |" in page


def test_hostile_text_is_shown_not_obeyed(project: Path) -> None:
    (project / ".bb3/config.yaml").write_text(
        'exit_decision: {rules: {stagnation: {mode: warn, why: "\\e[2Jgone\\nnot a line"}}}\n',
        encoding="utf-8",
    )
    ran = run(project, "config")
    assert "\x1b" not in ran.out
    assert "\\x1b[2Jgone\\nnot a line" in ran.out


def test_validate_takes_files_of_settings(project: Path) -> None:
    assert run(project, "validate", ".bb3/config.yaml").code == 0
    (project / ".bb3/config.yaml").write_text("exit_decision: {min_confidnce: 80}\n", encoding="utf-8")
    ran = run(project, "validate", ".")
    assert ran.code == 65
    assert "did you mean `min_confidence`?" in ran.out
    assert "`policy` is missing" not in ran.out

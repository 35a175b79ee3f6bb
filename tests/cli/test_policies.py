"""`exitgate policies`: listed, shown, copied, never over something that exists."""

from __future__ import annotations

import json
import os
from pathlib import Path

from cases import EVERY, each
from cli_policy import write
from cli_program import run

from exitgate.cli.commands import policies
from exitgate.core.policy import shipped
from exitgate.reference.index import within


def test_list_names_every_shipped_policy() -> None:
    ran = run("policies", "list")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(shipped.policies())
    titles = [title for _, _, title in policies.titles()]
    assert all(map(str.endswith, ran.out.splitlines(), titles))


def test_list_as_json() -> None:
    rows = json.loads(run("policies", "list", "--format", "json").out)
    assert [row["policy"] for row in rows] == list(shipped.policies())
    assert all(row["version"] and row["title"] for row in rows)


def test_show_prints_knobs_rules_and_promises(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("policies", "show", "policy.yaml", "--set", "goal=95", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "small 1.0.0\nA small policy\npolicy.yaml\n\n"
        "Parameters\n  $goal  95%  Share of ticked tasks that ends the run. (default 80%)\n\n"
        "Rules; the first that is true decides\n"
        "○ done  EXIT complete\n│   when  tasks.percent >= $goal\n"
        "│   says  {tasks.done} of {tasks.total} tasks done\n│\n"
        "○ still  EXIT stuck\n│   when  tasks.done unchanged for 3 iterations\n│   says  nothing ticked\n│\n"
        "● otherwise  CONTINUE\n\n"
        "Invariants\n  silence  given nothing is known: never EXIT\n"
    )


def test_show_keeps_the_room_of_the_others_when_a_value_is_long(tmp_path: Path) -> None:
    places = "{type: list, item: text, default: [first floor, second floor, attic], doc: Where to look.}"
    head = "policy: long\nformat: 1\nversion: 1.0.0\ntitle: Long\nparameters:\n  patience: "
    known = "{type: count, default: 3, doc: How long.}"
    rules = (
        "rules: [{id: a, when: run.iterations > $patience, exit: stuck, because: a}]\notherwise: continue\n"
    )
    (tmp_path / "long.yaml").write_text(f"{head}{known}\n  places: {places}\n{rules}", encoding="utf-8")
    shown = run("policies", "show", "long.yaml", cwd=tmp_path).out
    assert "  $patience  3  How long.\n" in shown
    assert '  $places    ["first floor", "second floor", "attic"]\n                Where to look.\n' in shown


def test_show_as_json(tmp_path: Path) -> None:
    write(tmp_path)
    shown = json.loads(run("policies", "show", "policy.yaml", "--format", "json", cwd=tmp_path).out)
    assert [rule["id"] for rule in shown["rules"]] == ["done", "still"]
    assert shown["parameters"][0]["value"] == 80


def test_show_of_a_broken_policy_is_65(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("policies", "show", "wrong.yaml", cwd=tmp_path)
    assert (ran.code, ran.out) == (65, "")
    assert "did you mean `tasks.percent`?" in ran.err


#: One with rules of its own, one with a parent and lexicons; the soak validates all copies.
VALIDATED = ("bb3", "doyaken")


@each("name", shipped.policies())
def test_an_ejected_policy_validates_and_says_where_it_came_from(name: str, tmp_path: Path) -> None:
    ran = run("policies", "eject", name, "mine", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    source = Path(shipped.path(name)).parent
    for path in (tmp_path / "mine").iterdir():
        assert f"wrote mine/{path.name}\n" in ran.out
        if path.name != "policy.yaml":
            original = (source / path.name).read_text("utf-8")
            assert path.read_text("utf-8") == within(original, path.name)
    first, *rest = (tmp_path / "mine" / "policy.yaml").read_text(encoding="utf-8").splitlines()
    assert first.startswith(f"# Copied from the shipped policy {name} of exitgate ")
    original = (source / "policy.yaml").read_text(encoding="utf-8").splitlines()
    assert rest == [line for line in original if not line.startswith("# yaml-language-server:")]
    if EVERY or name in VALIDATED:
        assert run("validate", "mine", cwd=tmp_path).code == 0


def test_eject_overwrites_nothing(tmp_path: Path) -> None:
    name = shipped.policies()[0]
    (tmp_path / name).mkdir()
    (tmp_path / name / "tests.yaml").write_text("mine", encoding="utf-8")
    ran = run("policies", "eject", name, cwd=tmp_path)
    assert (ran.code, ran.out) == (73, "")
    assert "the file exists; nothing was written" in ran.err
    assert os.listdir(tmp_path / name) == ["tests.yaml"]
    assert (tmp_path / name / "tests.yaml").read_text(encoding="utf-8") == "mine"


def test_eject_into_something_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = run("policies", "eject", shipped.policies()[0], "file/below", cwd=tmp_path)
    assert ran.code == 73
    assert "Traceback" not in ran.err


def test_eject_of_an_unknown_policy(tmp_path: Path) -> None:
    name = shipped.policies()[0]
    ran = run("policies", "eject", name + "x", cwd=tmp_path)
    assert (ran.code, ran.out) == (64, "")
    assert f"did you mean `{name}`?" in ran.err

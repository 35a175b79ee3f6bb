"""`exitgate release-check`: what a policy is compared with, what its version must be, what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_repository import BASE, POLICY, Program, Repository
from jsonschema import Draft202012Validator

from exitgate.core.policy import shipped


def test_what_was_not_changed_is_right(repository: Repository, exitgate: Program) -> None:
    assert repository.folder.exists()
    code, out, err = exitgate("release-check")
    assert (code, err) == (0, "")
    assert out == (
        "base 1.0.0 (HEAD) → 1.0.0: nothing changed since HEAD\n\n"
        "ours 1.2.0 (HEAD) → 1.2.0: nothing changed since HEAD\n"
    )


def test_layout_and_comments_ask_for_nothing(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "title: Ours", "# a comment\ntitle:   Ours")
    assert exitgate("release-check", "policy.yaml")[0] == 0


WORDS = """\
ours 1.2.0 (HEAD) → 1.2.0
  patch  rule `words_too`: words changed
"""


def test_words_ask_for_a_patch(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "they said so", "so they said")
    code, out, err = exitgate("release-check", "policy.yaml")
    assert (code, out) == (69, WORDS)
    assert (
        "error[EP541]: version 1.2.0 does not reflect the changes since 1.2.0: this is a\n    patch change\n"
        in err
    )
    assert "--> policy.yaml:3:10" in err
    assert "help: write `version: 1.2.1`" in err
    for version in ("1.2.1", "1.3.0", "2.0.0", "1.10.0"):
        repository.write(
            "policy.yaml", POLICY.replace("they said so", "so they said").replace("1.2.0", version)
        )
        assert exitgate("release-check", "policy.yaml")[0] == 0


def test_a_decision_asks_for_a_major_version_and_is_shown(repository: Repository, exitgate: Program) -> None:
    repository.change("lib/base.yaml", "tasks.percent >= $goal", "tasks.percent > $goal")
    repository.change("policy.yaml", "1.2.0", "1.9.0")
    code, out, err = exitgate("release-check", "policy.yaml")
    assert code == 69
    assert "  major  an input is decided differently: EXIT complete by `enough` → CONTINUE" in out
    assert "         tasks.percent 80%\n" in out
    assert "write `version: 2.0.0`" in err


def test_a_version_that_went_back(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "1.2.0", "1.1.9")
    code, _, err = exitgate("release-check", "policy.yaml", "--against", "HEAD")
    assert code == 69
    assert "version 1.1.9 is before 1.2.0, and nothing changed" in err


def test_write_sets_the_version_and_nothing_else(repository: Repository, exitgate: Program) -> None:
    text = POLICY.replace("they said so", "so they said")
    repository.write("policy.yaml", text.replace("1.2.0", '"1.2.0"'))
    code, out, err = exitgate("release-check", "--write", "policy.yaml")
    assert (code, err) == (0, "")
    assert "set version 1.2.1 in policy.yaml" in out
    assert (repository.folder / "policy.yaml").read_text(encoding="utf-8") == text.replace("1.2.0", '"1.2.1"')
    assert exitgate("release-check", "--write", "policy.yaml")[0] == 0


def test_the_last_release_is_the_highest_tag(repository: Repository, exitgate: Program) -> None:
    repository.git("tag", "v0.9.0")
    repository.change("policy.yaml", "1.2.0", "1.3.0")
    repository.commit("ours-v1.10.0")
    repository.change("policy.yaml", "1.3.0", "1.4.0")
    repository.commit("ours-v1.9.0")
    repository.git("tag", "other-v7.0.0")
    repository.git("tag", "ours-vnext")
    assert "ours 1.3.0 (ours-v1.10.0) → 1.4.0" in exitgate("release-check", "policy.yaml")[1]
    assert "base 1.0.0 (v0.9.0) → 1.0.0" in exitgate("release-check", "lib/base.yaml")[1]


def test_a_tag_on_another_branch_is_no_release(repository: Repository, exitgate: Program) -> None:
    repository.git("checkout", "-q", "-b", "other")
    repository.change("policy.yaml", "1.2.0", "9.0.0")
    repository.commit("ours-v9.0.0")
    repository.git("checkout", "-q", "main")
    assert "ours 1.2.0 (HEAD)" in exitgate("release-check", "policy.yaml")[1]


def test_without_tags_it_is_the_newest_revision_of_another_version(
    repository: Repository, exitgate: Program
) -> None:
    repository.change("policy.yaml", "they said so", "so they said")
    repository.commit()
    repository.change("policy.yaml", "1.2.0", "1.2.1")
    repository.commit()
    repository.change("policy.yaml", "so they said", "well")
    code, out, _ = exitgate("release-check", "policy.yaml")
    assert code == 0
    assert f"ours 1.2.0 ({repository.git('rev-parse', 'HEAD~1')[:9]}) → 1.2.1" in out


def test_a_new_policy_is_a_first_version(repository: Repository, exitgate: Program) -> None:
    repository.write("new.yaml", POLICY.replace("policy: ours", "policy: new"))
    for words in ((), ("--against", "HEAD")):
        code, out, _ = exitgate("release-check", "new.yaml", *words)
        assert (code, out) == (0, "new 1.2.0: a first version: nothing to compare it with\n")


def test_against_a_file_a_shipped_name_and_a_revision(repository: Repository, exitgate: Program) -> None:
    repository.write("old.yaml", POLICY.replace("1.2.0", "0.9.0"))
    assert exitgate("release-check", "policy.yaml", "--against", "old.yaml")[0] == 0
    ours = Path(shipped.path("bb3")).read_text(encoding="utf-8").replace("policy: bb3\n", "policy: ours\n")
    repository.write("ours/policy.yaml", ours)
    code, out, _ = exitgate("release-check", "ours/policy.yaml", "--against", "bb3")
    assert (code, out) == (69, "ours 2.1.0 (bb3) → 2.1.0\n  major  the policy: it has another name\n")
    assert exitgate("release-check", "policy.yaml", "--against", "HEAD")[0] == 0
    assert exitgate("release-check", "policy.yaml", "--against", "nope")[0] == 66
    assert exitgate("release-check", ".", "--against", "old.yaml")[0] == 64


def test_outside_of_git(tmp_path: Path, exitgate: Program) -> None:
    (tmp_path / "policy.yaml").write_text(BASE.replace("./own.yaml", "claims-en"), encoding="utf-8")
    code, _, err = exitgate("release-check", str(tmp_path / "policy.yaml"))
    assert code in {65, 66}
    (tmp_path / "empty").mkdir()
    assert exitgate("release-check", str(tmp_path / "empty"))[0] == 66
    assert exitgate("release-check", str(tmp_path / "nowhere.yaml"))[0] in {65, 66}
    assert err


def test_a_broken_policy_is_told_before_anything(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "words.found", "words.fnd")
    code, out, err = exitgate("release-check", "policy.yaml", "--write")
    assert (code, out) == (65, "")
    assert "policy.yaml:7:" in err


def test_json(repository: Repository, exitgate: Program) -> None:
    repository.change("lib/base.yaml", "default: 80", "default: 81")
    code, out, err = exitgate("release-check", "--format", "json")
    assert (code, err) == (69, "")
    plain = json.loads(out)
    Draft202012Validator(shipped.schema("release-check")).validate(plain)
    assert [(one["path"], one["level"], one["smallest"], one["right"]) for one in plain["policies"]] == [
        ("lib/base.yaml", "major", "2.0.0", False), ("policy.yaml", "major", "2.0.0", False),
    ]  # fmt: skip
    needs = plain["policies"][0]["needs"]
    assert needs[0]["kind"]["facts"] == [{"tasks.percent": 80}]
    assert {"level": "major", "why": "its default changed", "section": "parameters", "name": "goal"} in needs
    assert plain["policies"][0]["problem"]["line"] == 3


def test_json_of_a_first_version_and_of_words(repository: Repository, exitgate: Program) -> None:
    repository.write("new.yaml", POLICY.replace("policy: ours", "policy: new"))
    repository.change("policy.yaml", "they said so", "so they said")
    plain = json.loads(exitgate("release-check", "--format", "json", "--write")[1])
    Draft202012Validator(shipped.schema("release-check")).validate(plain)
    assert [(one["level"], one["smallest"], one["right"]) for one in plain["policies"]] == [
        (None, "1.0.0", True), (None, None, True), ("patch", "1.2.1", True),
    ]  # fmt: skip


def test_github_and_markdown(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "they said so", "so they said")
    code, out, _ = exitgate("release-check", "policy.yaml", "--format", "github")
    assert code == 69
    assert out.startswith(
        "::error file=policy.yaml,line=3,endLine=3,col=10,endColumn=15,title=EP541::version"
    )
    _, out, _ = exitgate("release-check", "policy.yaml", "--format", "markdown")
    assert out == (
        "### ❌ ours 1.2.0 → 1.2.0\n\n"
        "Version 1.2.0 does not reflect the changes since 1.2.0: this is a patch change.\n\n"
        "- **patch**: rule \\`words\\_too\\`: words changed\n"
    )


def test_a_version_that_went_back_is_set(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "1.2.0", "1.1.9")
    words = ("release-check", "policy.yaml", "--against", "HEAD")
    assert "Version 1.1.9 is before 1.2.0" in exitgate(*words, "--format", "markdown")[1]
    assert exitgate(*words, "--write")[1].endswith("  set version 1.2.0 in policy.yaml\n")
    assert repository.git("status", "--porcelain") == ""


def test_a_version_in_a_block_is_not_set(repository: Repository, exitgate: Program) -> None:
    text = POLICY.replace("they said so", "so they said").replace("1.2.0   # of the policy", ">-\n  1.2.0")
    repository.write("policy.yaml", text)
    code, out, err = exitgate("release-check", "policy.yaml", "--write")
    assert code == 69
    assert "set version" not in out
    assert "help: write `version: 1.2.1` in one line" in err
    assert (repository.folder / "policy.yaml").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("broken", ["policy: x\n bad: [\n", "\ufeffpolicy: x\n", '# one\npolicy: "\\q"\n'])
def test_a_broken_policy_in_a_folder_is_not_passed_over(
    repository: Repository, exitgate: Program, broken: str
) -> None:
    repository.write("deep/policy.yaml", broken)
    repository.write("deep/others.yaml", "steps: [\n")
    code, out, err = exitgate("release-check")
    assert (code, out) == (65, "")
    assert "deep/policy.yaml:" in err
    assert "others" not in err


def test_a_shallow_clone_does_not_say_what_was_released(repository: Repository, exitgate: Program) -> None:
    clone = repository.folder / "clone"
    repository.git("commit", "-q", "--allow-empty", "-m", "another")
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.folder}", str(clone))
    code, out, err = exitgate("release-check", str(clone / "policy.yaml"))
    assert (code, out) == (66, "")
    assert "this is a shallow clone" in err
    assert "`git fetch --tags --unshallow`" in " ".join(err.split())
    assert exitgate("release-check", str(clone / "policy.yaml"), "--against", "HEAD")[0] == 0


def test_a_version_of_more_digits_than_a_number_has(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "1.2.0", "1" * 30 + ".0.0")
    code, _, err = exitgate("release-check", "policy.yaml")
    assert code == 65
    assert "is not a version" in err


def test_a_release_in_another_format_is_an_error_at_its_place(
    repository: Repository, exitgate: Program
) -> None:
    repository.change("lib/base.yaml", "format: 1\n", "format: 99\n")
    repository.commit("base-v1.0.0")
    repository.change("lib/base.yaml", "format: 99\n", "format: 1\n")
    code, out, err = exitgate("release-check", "lib/base.yaml")
    assert (code, out) == (65, "")
    assert "base-v1.0.0:lib/base.yaml:2:" in err

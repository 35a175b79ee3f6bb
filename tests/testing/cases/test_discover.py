"""Which files of tests paths mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.testing.cases.discover import find, find_here

POLICY = (
    "policy: p\nformat: 1\nversion: 1.0.0\nrules:\n  - {id: a, when: run.iterations > 3, exit: exhausted}\n"
)
TESTS = "format: 1\ntests:\n  - {name: a, expect: {firm: true}}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for place in ("policies/one", "policies/two/deep", "policies/.hidden", "policies/node_modules/x"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "policy.yaml").write_text(POLICY)
        (tmp_path / place / "tests.yaml").write_text(TESTS)
    (tmp_path / "policies" / "named").mkdir()
    (tmp_path / "policies" / "named" / "tests.yaml").write_text(f"policy: bb3\n{TESTS}")
    (tmp_path / "policies" / "foreign").mkdir()
    (tmp_path / "policies" / "foreign" / "tests.yaml").write_text("suites: [a]\n")
    (tmp_path / "policies" / "bare").mkdir()
    (tmp_path / "policies" / "bare" / "policy.yaml").write_text(POLICY)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    return tmp_path


ALL = ("policies/named/tests.yaml", "policies/one/tests.yaml", "policies/two/deep/tests.yaml")


@pytest.mark.parametrize(
    ("paths", "files"),
    [
        (["policies"], ALL),
        (["policies/one", "policies"], (ALL[1], ALL[0], ALL[2])),
        (["policies/one/policy.yaml"], ALL[1:2]),
        (["policies/one/tests.yaml", "./policies/one"], ALL[1:2]),
        (["policies/.hidden"], ("policies/.hidden/tests.yaml",)),
        (["."], ALL),
    ],
)
def test_paths(project: Path, paths: list[str], files: tuple[str, ...]) -> None:
    assert find(paths) == files


def test_a_policy_of_any_name_means_the_tests_beside_it(project: Path) -> None:
    (project / "policies" / "one" / "strict.yaml").write_text(POLICY)
    (project / "policies" / "one" / "more.yaml").write_text(TESTS)
    assert find(["policies/one/strict.yaml"]) == ("policies/one/tests.yaml",)
    assert find(["policies/one/more.yaml"]) == ("policies/one/more.yaml",)


def test_shipped_policies_by_name(project: Path) -> None:
    (found,) = find(["bb3"])
    assert found.endswith("policies/bb3/tests.yaml")
    (project / "bb3").mkdir()
    with pytest.raises(ExitgateError, match=r"no `tests\.yaml` beside"):
        find(["bb3"])


def test_everything_that_leads_nowhere_is_told_at_once(project: Path) -> None:
    with pytest.raises(ExitgateError) as caught:
        find(["policies/bare", "policies/bare/policy.yaml", "gone/", "bb4", "policies/one"])
    assert caught.value.exit_code == 66
    assert [d.code for d in caught.value.diagnostics] == ["EP501"] * 4
    assert "did you mean `bb3`" in caught.value.diagnostics[3].help


def test_a_project_without_paths(project: Path) -> None:
    assert find_here({}) == ALL
    (project / "tests.yaml").write_text(f"policy: bb3\n{TESTS}")
    assert find_here({}) == ("tests.yaml", *ALL)


def test_what_stands_beside_the_policy_that_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    with pytest.raises(ExitgateError) as caught:
        find_here({})
    assert caught.value.exit_code == 66
    assert "exitgate test recommended" in caught.value.diagnostics[0].help
    for folder in (".git", ".bb3", "rules"):
        (tmp_path / folder).mkdir()
    (tmp_path / ".bb3" / "config.yaml").write_text("exit_decision: {policy: ../rules/policy.yaml}\n")
    (tmp_path / "rules" / "policy.yaml").write_text(POLICY)
    (tmp_path / "rules" / "tests.yaml").write_text(TESTS)
    (found,) = find_here({})
    assert Path(found).resolve() == tmp_path / "rules" / "tests.yaml"

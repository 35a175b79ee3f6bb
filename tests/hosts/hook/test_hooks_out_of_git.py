"""What a hook writes is left out of git, whatever the host."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hosts_calls import HOSTS, Hooks


def staged(project: Path) -> list[str]:
    subprocess.run(["git", "add", "-A"], cwd=project, check=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=project, check=True, capture_output=True)
    return listed.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize("host", HOSTS)
def test_nothing_that_a_hook_writes_is_added(hooks: Hooks, host: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=hooks.project, check=True)
    hooks.payload(host)  # writes the host's own files
    hooks.hook(host)
    before = {str(path.relative_to(hooks.project)) for path in hooks.project.rglob("*") if path.is_file()}
    assert any(name.startswith(".ralph/exitgate/") for name in before)
    assert hooks.kinds() == []
    assert not [name for name in staged(hooks.project) if name.startswith(".ralph")]


def test_nothing_of_a_hook_that_fails_is_added(hooks: Hooks) -> None:
    subprocess.run(["git", "init", "-q"], cwd=hooks.project, check=True)
    (hooks.project / ".ralph").mkdir()
    (hooks.project / "policy.yaml").write_text("no policy")
    hooks.hook("claude-code")
    assert (hooks.state / "incidents.jsonl").exists()
    assert not [name for name in staged(hooks.project) if name.startswith(".ralph")]

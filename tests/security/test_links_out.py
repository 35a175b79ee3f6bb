"""What is found by default, or named by a project, stays in the project; what is not ours is not quoted."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each, some
from loops import Loop

SECRET = "hunter2"
FORMS = ("text", "json", "github")
#: Files that hold secrets, as they look.
OTHERS = {
    "environ": f"HOME=/root\0PASSWORD={SECRET}\0",
    "passwd": f"root:{SECRET}:0:0:root:/root:/bin/bash\nbin:x:1:1\n",
    "ini": f"[default]\naws_secret_access_key = {SECRET}\n",
    "netrc": f"machine example.org login me password {SECRET}\n",
    "dotenv": f"# keys\nAPI_KEY={SECRET}\n",
    "properties": f"user: me\npassword = {SECRET}\n",
    "key": f"-----BEGIN KEY-----\n{SECRET}\n-----END KEY-----\n",
    "json": f'{{"auths": {{"a": "{SECRET}"}}, "auths": 1}}',
    "kube": f"apiVersion: v1\ntoken: &a {SECRET}\ntoken: {SECRET}\n",
    "latin": f"name: {SECRET}\n".encode("latin-1") + b"\xe9\n",
    "list": f"- {SECRET}\n- !!python/object {SECRET}\n",
    "tabs": f"a:\n\t{SECRET}\n",
    "cookies": f"# Netscape HTTP Cookie File\n.a.org\tTRUE\t/\tFALSE\t0\tid\t{SECRET}\n",
}


@pytest.fixture
def outside(loop: Loop) -> Path:
    folder = loop.root.parent / "outside"
    folder.mkdir()
    return folder


@each("name", [".ralph/last-response.md", "fix_plan.md", ".ralph/fix_plan.md", "PLAN.md", "PROMPT.md"])
def test_a_link_out_of_a_default_place_is_not_read(loop: Loop, outside: Path, name: str) -> None:
    (outside / "secret").write_text(f"- [ ] {SECRET}\nerror: {SECRET}\n- [x] all done {SECRET}\n")
    path = loop.root / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(outside / "secret")
    for words in (("check",), ("check", "--format", "json"), ("explain",), ("history",), ("-v", "check")):
        ran = loop.run(*words)
        assert SECRET not in ran.all, (words, ran.all)
        assert ran.code != 70
    assert SECRET not in "".join(p.read_text("utf-8", "replace") for p in loop.root.rglob("*.jsonl"))
    path.unlink()


def test_a_response_that_is_named_may_be_a_link(loop: Loop, outside: Path) -> None:
    (outside / "said").write_text("going on")
    loop.write("x", "").unlink()
    (loop.root / "r.md").symlink_to(outside / "said")
    assert loop.run("check", "r.md", "--policy", "bb3").code == 0


def test_the_reason_is_said(loop: Loop, outside: Path) -> None:
    (outside / "said").write_text("all done")
    (loop.root / ".ralph").mkdir()
    (loop.root / ".ralph/last-response.md").symlink_to(outside / "said")
    assert "leads out of the project" in loop.run("check", "--format", "json").all


def test_a_prompt_that_leads_out_is_refused(loop: Loop, outside: Path) -> None:
    (outside / "prompt").write_text(SECRET)
    (loop.root / "PROMPT.md").symlink_to(outside / "prompt")
    ran = loop.run("run", "--max-iterations", "1", "--", "cat")
    assert (ran.code, "leads out" in ran.all, SECRET in ran.all) == (74, True, False)


@each("way", ["{outside}/preset.yaml", "../../outside/preset.yaml", "../linked/preset.yaml", "../link.yaml",
              "/proc/self/environ", "/etc/passwd"])  # fmt: skip
def test_a_project_names_no_preset_elsewhere(loop: Loop, outside: Path, way: str) -> None:
    (outside / "preset.yaml").write_text("exit_decision: {max_errors: 3}\n")
    for name, target in (("linked", outside), ("link.yaml", outside / "preset.yaml")):
        (loop.root / name).unlink(missing_ok=True)
        (loop.root / name).symlink_to(target)
    loop.write(".bb3/config.yaml", f"exit_decision: {{preset: '{way.format(outside=outside)}'}}\n")
    ran = loop.run("config")
    assert (ran.code, "EP488" in ran.all, "leads out" in ran.all) == (65, True, True)


def test_the_user_names_any_preset(loop: Loop, outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (outside / "preset.yaml").write_text("exit_decision: {policy: bb3}\n")
    (loop.root.parent / "home/.config/exitgate").mkdir(parents=True)
    mine = loop.root.parent / "home/.config/exitgate/config.yaml"
    mine.write_text(f"exit_decision: {{preset: {outside}/preset.yaml}}\n")
    assert loop.run("config").code == 0
    mine.unlink()
    loop.write(".bb3/config.yaml", "exit_decision: {preset: ~/team.yaml}\n")
    (loop.root.parent / "home/team.yaml").write_text("exit_decision: {policy: bb3}\n")
    assert loop.run("config").code == 0
    monkeypatch.setenv("EXITGATE_PRESET", str(outside / "preset.yaml"))
    assert loop.run("config").code == 0


@each("kind", some(OTHERS, 5))
def test_what_is_not_ours_is_never_quoted(
    loop: Loop, outside: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    raw = OTHERS[kind]
    for path in (outside / "other.yaml", loop.root / "other.yaml", loop.root.parent / "home/other.yaml"):
        path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    loop.write("r.md", "x")
    other = str(outside / "other.yaml")
    loop.policy("facts: {a: {extract: phrases, lexicon: ./other.yaml}}\nrules: []\n").rename("lexicon.yaml")
    loop.policy("extends: ./other.yaml\n").rename("extends.yaml")
    commands = [
        ("check", "r.md", "--policy", other),
        ("check", "r.md", "--policy", "./lexicon.yaml"),
        ("check", "r.md", "--policy", "./extends.yaml"),
        *(("validate", other, "--format", form) for form in FORMS),
        ("lint", other), ("fmt", "--check", other), ("test", other),
        ("diff", other, "bb3"), ("prove", other), ("score", "--labels", other, "."),
    ]  # fmt: skip
    for words in commands:
        ran = loop.run(*words)
        assert (SECRET in ran.all, ran.code == 70) == (False, False), (words, ran.all)
    loop.write(".bb3/config.yaml", "exit_decision: {preset: ~/other.yaml}\n")
    for _ in range(2):
        for words in (("config",), ("check", "r.md"), ("doctor",), ("validate", ".")):
            ran = loop.run(*words)
            assert (SECRET in ran.all, ran.code == 70) == (False, False), (words, ran.all)
        (loop.root / ".bb3/config.yaml").unlink(missing_ok=True)
        monkeypatch.setenv("EXITGATE_PRESET", other)
    monkeypatch.delenv("EXITGATE_PRESET")
    (loop.root / ".bb3/config.yaml").symlink_to(loop.root / "other.yaml")
    for words in (("config",), ("check", "r.md"), ("doctor",), ("validate", ".")):
        ran = loop.run(*words)
        assert (SECRET in ran.all, ran.code == 70) == (False, False), (words, ran.all)
    (loop.root / ".bb3/config.yaml").unlink()


def test_what_is_ours_is_quoted(loop: Loop) -> None:
    loop.policy("rules: [a: b: c]\n")
    assert "rules: [a" in loop.run("validate", "./policy.yaml").all


HOOK_STATES = [".ralph", ".ralph/exitgate", ".ralph/exitgate/hooks"]


@each("at", HOOK_STATES)
def test_an_incident_goes_through_no_link(loop: Loop, outside: Path, at: str) -> None:
    from exitgate.hosts.hook.answer import HookRequest, answer
    from exitgate.hosts.hook.protocol import load_host

    for name in HOOK_STATES:
        if (loop.root / name).is_symlink():
            (loop.root / name).unlink()
    (loop.root / at).parent.mkdir(parents=True, exist_ok=True)
    if (loop.root / at).is_dir():
        (loop.root / at).rmdir()
    target = outside / at.replace("/", "-")
    (target / "exitgate").mkdir(parents=True)
    (loop.root / at).symlink_to(target)
    said: list[object] = []
    environment = {"EXITGATE_LOOP": "1"}

    def keep(reply: object) -> bool:
        said.append(reply)
        return True

    payload = {"session_id": "s", "cwd": str(loop.root), "hook_event_name": "Stop"}
    answer(HookRequest("claude-code"), load_host("claude-code"), lambda: payload, environment, keep)
    assert said
    assert [path for path in outside.rglob("*") if path.is_file()] == []

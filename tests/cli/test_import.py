"""`exitgate import`: other loops' settings shown first, written when agreed to, beside what is there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli_program import run
from cli_terminal import run_on_terminal
from compiled import COMPILED
from patience import PATIENCE

from exitgate.core.policy.yaml.document import load_yaml

if TYPE_CHECKING:
    from cli_repository import Program

CONFIG = ".bb3/config.yaml"
RALPHRC = """\
# Loop of the shop
MAX_CALLS_PER_HOUR=80
export CB_NO_PROGRESS_THRESHOLD=4
CB_COOLDOWN_MINUTES="${CB_COOLDOWN_MINUTES:-45}"
OPTIONAL_SECTIONS="Later,Ideas"
"""
WRITTEN = """\
# Settings from .ralphrc, by `exitgate import ralphrc`.
# `exitgate config` shows what is in force and who set it.
# `profile: as_it_is` under `policy:` restores the script's own defects.
exit_decision:
  policy: ralph-claude-code
  cb_no_progress_threshold: 4  # .ralphrc:3 CB_NO_PROGRESS_THRESHOLD=4
  cooldown: 45m  # .ralphrc:4 CB_COOLDOWN_MINUTES="${CB_COOLDOWN_MINUTES:-45}"
  optional_sections: [Later, Ideas]  # .ralphrc:5 OPTIONAL_SECTIONS="Later,Ideas"
  # Not imported: an hourly pause is not a decision to stop
  #   .ralphrc:2 MAX_CALLS_PER_HOUR=80
"""
COUNTED = "parameters for `ralph-claude-code`: 3; not imported: 1; the comments say why\n"


@pytest.fixture
def exitgate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program in a repository of its own, with a `.ralphrc`."""
    from cli_repository import Program

    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("CB_COOLDOWN_MINUTES", raising=False)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".ralphrc").write_text(RALPHRC, encoding="utf-8")
    return Program(capsys)


def config() -> str:
    return Path(CONFIG).read_text(encoding="utf-8")


def put(text: str) -> None:
    Path(CONFIG).parent.mkdir(exist_ok=True)
    Path(CONFIG).write_text(text, encoding="utf-8", newline="")


def test_shown_first_and_written_when_told_to(exitgate: Program) -> None:
    code, out, err = exitgate("import", "ralphrc")
    assert code == 0
    assert out == f"--- /dev/null\n+++ {CONFIG}\n@@ -0,0 +1,10 @@\n" + "".join(
        f"+{line}\n" for line in WRITTEN.splitlines()
    )
    assert err == COUNTED + "nothing was written; repeat with `--yes` to write it\n"
    assert not Path(CONFIG).exists()
    code, again, _ = exitgate("import", "ralphrc", "--yes")
    assert (code, again) == (0, out + f"wrote {CONFIG}\n")
    assert config() == WRITTEN
    assert exitgate("import", "ralphrc", "--yes") == (
        0,
        "",
        COUNTED + f"{CONFIG} already has all of it; nothing to write\n",
    )


def test_print_only_prints(exitgate: Program) -> None:
    assert exitgate("import", "ralphrc", "--print") == (0, WRITTEN, COUNTED)
    assert not Path(".bb3").exists()


def test_imported_values_are_in_force_with_their_lines(exitgate: Program) -> None:
    exitgate("import", "ralphrc", "--yes")
    code, out, err = exitgate("config", "cooldown")
    assert (code, err) == (0, "")
    assert f"45m project, {CONFIG}:7:13 <- in force" in " ".join(out.split())
    assert exitgate("config", "cb_no_progress_threshold")[1].splitlines()[0] == "cb_no_progress_threshold = 4"
    assert exitgate("config")[1].startswith("ralph-claude-code ")


def test_the_better_policy_and_the_profile(exitgate: Program) -> None:
    out = exitgate("import", "ralphrc", "--policy", "recommended", "--print")[1]
    assert "  policy: recommended\n  stagnation_loops: 4  # .ralphrc:3" in out
    assert "as_it_is" not in out
    assert exitgate("import", "ralphrc", "--profile", "as_it_is", "--yes")[0] == 0
    assert exitgate("config", "loose_words")[1].startswith("loose_words = true\n")


def test_an_unknown_profile_or_policy_is_refused(exitgate: Program) -> None:
    code, out, err = exitgate("import", "ralphrc", "--profile", "as_is", "--yes")
    assert (code, out) == (65, "")
    assert "EP597" in err
    assert "profiles: `as_it_is`" in err
    assert exitgate("import", "ralphrc", "--policy", "bb3")[0] == 64
    assert not Path(CONFIG).exists()


def test_nothing_to_import(exitgate: Program, tmp_path: Path) -> None:
    code, _, err = exitgate("import", "doyaken")
    assert code == 66
    assert "error[EP592]: there are no settings of doyaken here" in err
    assert exitgate("import", "ralphrc", "nowhere")[0] == 66
    Path("bare").mkdir()
    assert exitgate("import", "ralphrc", "bare")[0] == 66
    Path("bare/.ralphrc").mkdir()
    code, _, err = exitgate("import", "ralphrc", "bare")
    assert code == 74
    assert "it is a directory" in " ".join(err.split())
    os.mkfifo("fifo")
    assert exitgate("import", "ralphrc", "fifo")[0] == 74
    Path("large").write_text("A=1\n" * 1_100_000, encoding="utf-8")
    code, out, err = exitgate("import", "ralphrc", "large")
    assert (code, out) == (74, "")
    assert "it has more than 4194304 bytes" in err


@pytest.mark.parametrize("named", [(), ("../../.ralphrc",)])
def test_from_a_folder_of_the_repository_it_is_found_and_goes_to_the_root(
    exitgate: Program, monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...]
) -> None:
    Path("below/deeper").mkdir(parents=True)
    monkeypatch.chdir("below/deeper")
    code, out, _ = exitgate("import", "ralphrc", *named, "--yes")
    assert (code, out.splitlines()[-1]) == (0, f"wrote ../../{CONFIG}")
    assert Path("../..", CONFIG).read_text(encoding="utf-8") == WRITTEN


def test_nothing_is_looked_for_outside_of_the_repository(
    exitgate: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("other/.git").mkdir(parents=True)
    monkeypatch.chdir("other")
    code, _, err = exitgate("import", "ralphrc")
    assert code == 66
    assert "up to the repository's root" in " ".join(err.split())


def test_a_config_file_of_another_tool_is_passed_over(exitgate: Program) -> None:
    put("exit_decision:\n  min_confidence: 80\n")
    for other in ("title: shop\n", "base: &b {a: 1}\nmore: *b\n", "a: 1\na: 2\n"):
        Path("config.yaml").write_text(other, encoding="utf-8")
        code, out, err = exitgate("import", "bb3")
        assert (code, "+  policy: bb3" in out) == (0, True), err
    Path("config.yaml").write_text("a: 1\na: 2\nmax_errors: 9\n", encoding="utf-8")
    assert "+  max_errors: 9  # config.yaml:3 max_errors: 9" in exitgate("import", "bb3")[1]
    Path("config.yaml").write_text("max_errors: 9\nmax_errors: 8\n", encoding="utf-8")
    assert exitgate("import", "bb3")[0] == 65


def test_lines_go_behind_the_section_and_before_what_ends_the_file(exitgate: Program) -> None:
    put("exit_decision:\n  min_confidence: 80\n  # ours\n\n# the end\n")
    assert exitgate("import", "bb3", "--yes")[0] == 0
    assert config() == "exit_decision:\n  min_confidence: 80\n  # ours\n  policy: bb3\n\n# the end\n"
    put("exit_decision:\n  min_confidence: 80\n  x-note: |\n    one\n\n    # two\n\n# the end\n")
    assert exitgate("import", "bb3", "--yes")[0] == 0
    section = load_yaml(config(), CONFIG).root.fields["exit_decision"].plain()
    assert section == {"min_confidence": 80, "x-note": "one\n\n# two\n", "policy": "bb3"}


def test_variables_of_the_shell_count_where_they_are_asked(
    exitgate: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CB_COOLDOWN_MINUTES", "5")
    assert "cooldown: 45m" in exitgate("import", "ralphrc", "--print")[1]
    out = exitgate("import", "ralphrc", "--environment", "--print")[1]
    assert "cooldown: 5m  # <environment CB_COOLDOWN_MINUTES> CB_COOLDOWN_MINUTES=5\n" in out


OLD = """\
# of the team
other_tool: {a: 1}
exit_decision:
    # the breaker waits
    cooldown: 10m   # ten
    rules:
        circuit_open: {}

# the end
last: true
"""


def test_what_is_there_stays_with_every_comment(exitgate: Program) -> None:
    old = OLD.replace("    rules:\n        circuit_open: {}\n", "    x-note: |\n      two\n      lines\n")
    put(old)
    code, out, err = exitgate("import", "ralphrc", "--yes")
    assert code == 0
    assert "warning[EP596]: `cooldown` is kept; the imported value would be 45m" in err
    assert f"--> {CONFIG}:5:5" in err
    assert "--> .ralphrc:4:1 has a different value" in err
    assert out.startswith(f"--- {CONFIG}\n+++ {CONFIG} (the settings to import)\n")
    added = [line for line in config().splitlines() if line not in old.splitlines()]
    assert [line for line in config().splitlines() if line not in added] == old.splitlines()
    assert added[0] == "    policy: ralph-claude-code"
    assert added[1] == "    cb_no_progress_threshold: 4  # .ralphrc:3 CB_NO_PROGRESS_THRESHOLD=4"
    section = load_yaml(config(), CONFIG).root.fields["exit_decision"].plain()
    assert isinstance(section, dict)
    assert section["cooldown"] == "10m"
    assert section["x-note"] == "two\nlines\n"
    assert section["optional_sections"] == ["Later", "Ideas"]


@pytest.mark.parametrize(
    "old",
    ["", "# nothing yet\n", "other: 1", "exit_decision:\n", "a: 1\nexit_decision:  # ours\nb: 2\n",
     "exit_decision:\r\n  max_iterations: 9\r\n", "exit_decision:\n  max_iterations: 9", "exit_decision:",
     "exit_decision:\n  optional_sections: [Later, Ideas]\n  policies: {bb3: {max_errors: 3}}\n"],
)  # fmt: skip
def test_files_of_any_shape_take_it(exitgate: Program, old: str) -> None:
    put(old)
    code, _, err = exitgate("import", "ralphrc", "--yes")
    assert (code, err) == (0, COUNTED), err
    new = Path(CONFIG).read_bytes().decode()
    kept = [line for line in old.split("\n") if line.strip()]
    assert [line for line in new.split("\n") if line in kept] == kept
    assert ("\r\n" in old) == ("\r\n" in new)
    section = load_yaml(new, CONFIG).root.fields["exit_decision"].plain()
    assert isinstance(section, dict)
    assert section["cooldown"] == "45m"


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("exit_decision: {max_iterations: 9}\n", "has its `exit_decision:` in braces"),
        ("exit_decision:\n  policy: bb3\n", "help: add them by hand: `--print` shows them"),
        ("exit_decision:\n  policy: recommended\n", "help: import for that policy: `--policy recommended`"),
        ("exit_decision:\n  no_such_knob: 4\n", "would be wrong"),
        ("{a: 1}\n", "would be wrong"),
    ],
)
def test_what_cannot_take_it_is_refused_with_what_to_add(exitgate: Program, old: str, words: str) -> None:
    put(old)
    code, out, err = exitgate("import", "ralphrc", "--yes")
    assert (code, out) == (65, "")
    assert "EP597" in err
    assert words in err
    assert config() == old
    assert exitgate("import", "ralphrc", "--print")[:2] == (0, WRITTEN)


def test_a_wrong_file_is_told_and_left(exitgate: Program) -> None:
    put("exit_decision:\n  cooldown: 1m\n  cooldown: 2m\n")
    code, out, err = exitgate("import", "ralphrc", "--yes")
    assert (code, out) == (65, "")
    assert "EP105" in err
    put("exit_decision: [1]\n")
    assert exitgate("import", "ralphrc", "--yes")[0] == 65
    Path(CONFIG).write_bytes(b"\xff")
    assert exitgate("import", "ralphrc")[0] == 74
    Path(CONFIG).unlink()
    Path(CONFIG).symlink_to("nowhere")
    assert exitgate("import", "ralphrc", "--yes")[0] == 74


def test_settings_of_bb3_work_as_they_stand_and_get_the_policy(exitgate: Program) -> None:
    put("exit_decision:\n  min_confidence: 80      # stricter\n  min_completion: 90\n")
    assert exitgate("import", "bb3", "--yes")[0] == 0
    assert config() == (
        "exit_decision:\n  min_confidence: 80      # stricter\n  min_completion: 90\n  policy: bb3\n"
    )
    Path("config.yaml").write_text(
        "min_confidence: 70\nmin_completion: 80\nmax_errors: 9\n", encoding="utf-8"
    )
    code, _, err = exitgate("import", "bb3", "--yes")
    assert code == 0
    assert err.count("is kept; the imported value would be") == 2
    assert config().endswith("  policy: bb3\n  max_errors: 9  # config.yaml:3 max_errors: 9\n")
    Path("config.yaml").write_text("min_completion: 0\n", encoding="utf-8")
    err = exitgate("import", "bb3")[2]
    assert "warning[EP594]: `min_completion` does not match" in err
    assert "--> config.yaml:1:17" in err
    assert "--> shipped:bb3:" in err


def test_settings_of_doyaken(exitgate: Program) -> None:
    Path(".doyaken").mkdir()
    Path(".doyaken/manifest.yaml").write_text(
        "project: {name: shop}\ncircuit_breaker:\n  cooldown_minutes: 7\n", encoding="utf-8"
    )
    assert exitgate("import", "doyaken", "--yes")[0] == 0
    assert "  cooldown: 7m  # .doyaken/manifest.yaml:3 circuit_breaker.cooldown_minutes: 7\n" in config()
    for text, code in (
        ("circuit_breaker: &a {x: *a}\n", 65),
        ("other: &a {x: 1}\nmore: *a\ncircuit_breaker: {}\n", 0),
        ("circuit_breaker: {}\nother: [1, *a]\n", 0),
        ("- 1\n", 65),
        ("circuit_breaker: [\n", 65),
    ):
        Path(".doyaken/manifest.yaml").write_text(text, encoding="utf-8")
        assert exitgate("import", "doyaken", "--print")[0] == code, text


def test_variables_alone_are_enough(exitgate: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ED_CONFIDENCE_THRESHOLD", "60")
    code, out, _ = exitgate("import", "doyaken", "--environment", "--print")
    assert code == 0
    assert out.startswith("# Settings from the environment, by `exitgate import doyaken`.\n")
    assert "  confident_score: 60  # <environment ED_CONFIDENCE_THRESHOLD>" in out
    monkeypatch.delenv("ED_CONFIDENCE_THRESHOLD")
    assert exitgate("import", "doyaken", "--environment")[0] == 66


def test_sections_of_other_tools_are_left_alone_whatever_they_hold(exitgate: Program) -> None:
    old = "tool: &a {x: 1}\nmore: *a\nexit_decision:\n  max_iterations: 9\n"
    put(old)
    assert exitgate("import", "ralphrc", "--yes")[0] == 0
    assert config().startswith(old)
    assert exitgate("config", "cooldown")[1].splitlines()[0] == "cooldown = 45m"


@pytest.mark.parametrize(("typed", "writes"), [("y\n", True), ("n\n", False)])
def test_a_terminal_is_asked(typed: str, writes: bool, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("max_errors: 9\n", encoding="utf-8")
    home = str(tmp_path / "home")
    ran = run_on_terminal("import", "bb3", cwd=tmp_path, typed=typed, NO_COLOR="1", HOME=home)
    assert ran.code == 0
    assert f"write {CONFIG}? [y/N] " in ran.out
    assert (tmp_path / CONFIG).exists() == writes


@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff=\x1b[31m", b"CB_X='\xe2\x80\xae'\nALLOWED_TOOLS=\xff\n", b"if x; A=("]
)
def test_hostile_files_are_told_and_nothing_else(content: bytes, exitgate: Program) -> None:
    Path(".ralphrc").write_bytes(content)
    code, out, err = exitgate("import", "ralphrc", "--print")
    assert code == 0
    assert (out + err).replace("\n", "").replace("\t", "").isprintable()
    assert load_yaml(out, CONFIG).root.fields["exit_decision"].plain() == {"policy": "ralph-claude-code"}


def test_bash_would_run_what_import_only_reads(exitgate: Program, tmp_path: Path) -> None:
    """The bait of the property is real: bash does run it."""
    (tmp_path / ".ralphrc").write_text("CB_COOLDOWN_MINUTES=$(echo > ran; echo 3)\n", encoding="utf-8")
    exitgate("import", "ralphrc", "--yes")
    assert not (tmp_path / "ran").exists()
    subprocess.run(["/bin/bash", "-c", ". ./.ralphrc"], cwd=tmp_path, check=True, timeout=PATIENCE)
    assert (tmp_path / "ran").exists()


def test_a_file_without_settings_of_bb3_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "web.yaml").write_text("port: 80\nmin_replicas: 2\n", encoding="utf-8")
    ran = run("import", "bb3", "web.yaml", "--yes", cwd=tmp_path)
    assert (ran.code, ran.out) == (66, "")
    assert "`web.yaml` has no settings of bb3" in ran.err
    assert not (tmp_path / ".bb3").exists()


def test_settings_of_bb3s_breaker_are_told(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "scripts/lib/circuit-breaker"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("limits:\n  idle: 6\n", encoding="utf-8")
    (tmp_path / "config.yaml").write_text("max_errors: 7\n", encoding="utf-8")
    ran = run("import", "bb3", "--print", cwd=tmp_path)
    assert ran.code == 0
    assert "max_errors: 7" in ran.out
    assert "#   scripts/lib/circuit-breaker/config.yaml:2 circuit-breaker.limits.idle" in ran.out


def test_retries_of_doyaken_are_told(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".doyaken").mkdir()
    text = "retry_budget: {total: 9}\nagents: {max_retries: 2}\ncircuit_breaker: {cooldown_minutes: 8}\n"
    (tmp_path / ".doyaken/manifest.yaml").write_text(text, encoding="utf-8")
    ran = run("import", "doyaken", "--print", cwd=tmp_path)
    assert "cooldown: 8m" in ran.out
    assert ".doyaken/manifest.yaml:1 retry_budget.total" in ran.out
    assert ".doyaken/manifest.yaml:2 agents.max_retries" in ran.out

"""Prompts: byte for byte, with what is replaced in them, and where the agent finds them."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_project import DONE_IN, Project

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.hosts.loop.prompt import ADVICE, ITERATION, LIMIT, Prompt, fill, place_in, put_in_place

PARTS = st.lists(st.sampled_from([ADVICE, ITERATION, b"{", b"}", b"{x}", b"{{advice}}", b"\xff\n", b"a b"]))
SAVE = 'cat > "got$EXITGATE_ITERATION"; '


@pytest.mark.parametrize(
    ("prompt", "advice", "given_to_it"),
    [
        (b"Do {iteration}: {advice}!", "go on", b"Do 3: go on!"),
        (b"{iteration}{iteration}", "", b"33"),
        (b"{advice}", "", b""),
        (b"{advice}", "{iteration} {advice}", b"{iteration} {advice}"),
        (b"{adv{iteration}ice} {ADVICE} {{x}} %s \\n", "", b"{adv3ice} {ADVICE} {{x}} %s \\n"),
        (b"plain", "", b"plain"),
        (b"plain", "go on\n", b"plain\n\n## Advice for iteration 3\n\ngo on\n"),
        (b"plain\n", "a\nb", b"plain\n\n## Advice for iteration 3\n\na\nb\n"),
        (b"", "a", b"\n## Advice for iteration 3\n\na\n"),
    ],
)
def test_only_two_places_are_replaced(prompt: bytes, advice: str, given_to_it: bytes) -> None:
    assert fill(prompt, 3, advice) == given_to_it


def test_advice_is_not_added_where_nobody_wants_it() -> None:
    assert fill(b"plain", 3, "go on", append=False) == b"plain"
    assert fill(b"{advice}", 3, "go on", append=False) == b"go on"


@settings(max_examples=50, deadline=None)
@given(PARTS, st.text(max_size=5))
def test_everything_else_stays_byte_for_byte(parts: list[bytes], advice: str) -> None:
    told = advice.encode("utf-8", "surrogatepass")
    wanted_text = b"".join(parts).replace(ADVICE, b"\0A").replace(ITERATION, b"\0I")
    expected = wanted_text.replace(b"\0I", b"7").replace(b"\0A", told)
    assert fill(b"".join(parts), 7, advice, append=False) == expected


def test_places_on_a_command_line_are_whole_words() -> None:
    words = ("agent", "{prompt}", "--file={prompt_file}", "sh -c {prompt}", "x{prompt}", "{prompt}=")
    assert put_in_place(words, b"a; rm -rf $(x) \xff", "/f") == (
        "agent", "a; rm -rf $(x) \udcff", "--file=/f", "sh -c {prompt}", "x{prompt}", "{prompt}=",
    )  # fmt: skip
    assert (place_in(words), place_in(words[2:]), place_in(words[3:])) == ("{prompt}", "{prompt_file}", None)


def test_a_word_cannot_hold_every_prompt() -> None:
    with pytest.raises(ExitgateError, match="EP575") as raised:
        put_in_place(("{prompt}",), b"a\0b", "/f")
    assert raised.value.exit_code == 64


def test_the_prompt_is_given_on_standard_input_and_read_anew(project: Project) -> None:
    project.write("PROMPT.md", b"first \xff {iteration}")
    script = f'{SAVE} printf "second {{advice}} {{x}}" > PROMPT.md; {DONE_IN.format(3)}'
    assert project.run(script).code == 0
    assert (project.folder / "got1").read_bytes() == b"first \xff 1"
    assert project.read("got2") == "second  {x}"
    assert project.read("got3") == "second try 2 more {x}"
    texts = [line["prompt"].get("text") for line in project.transcript() if line["kind"] == "start"]
    assert texts == ["first \ufffd 1", "second  {x}", "second try 2 more {x}"]


def test_advice_stands_behind_a_prompt_without_a_place_for_it(project: Project) -> None:
    project.write(".ralph/PROMPT.md", "the task")
    script = f'{SAVE} echo "$EXITGATE_ADVICE" > "advice$EXITGATE_ITERATION"; {DONE_IN.format(3)}'
    assert project.run(script).code == 0
    assert [project.read(f"got{n}") for n in (1, 2, 3)] == [
        "the task", "the task", "the task\n\n## Advice for iteration 3\n\ntry 2 more\n",
    ]  # fmt: skip
    assert [project.read(f"advice{n}") for n in (1, 2, 3)] == ["\n", "\n", "try 2 more\n"]
    assert project.run(script, "--no-advice").code == 0
    assert project.read("got3") == "the task"


def test_the_environment_says_where_the_agent_is(project: Project) -> None:
    names = "RUN", "ITERATION", "STATE_DIR"
    script = f"echo {' '.join(f'$EXITGATE_{name}' for name in names)} > env; {DONE_IN.format(1)}"
    assert project.run(script, "--run", "nightly", "--state-dir", "state").code == 0
    assert project.read("env") == f"nightly 1 {project.folder / 'state'}\n"


@pytest.mark.parametrize(
    ("word", "script"),
    [
        ("{prompt}", 'printf %s "$1" > got'),
        ("{prompt_file}", 'cat "$1" > got'),
        ("--p={prompt}", 'printf %s "$1" > got'),
    ],
)
def test_the_prompt_stands_on_the_command_line(project: Project, word: str, script: str) -> None:
    project.write("task.md", "a 'b' \"c\" $(touch hacked) {iteration}\n\n")
    script = f"{script}; wc -c > stdin; {DONE_IN.format(1)}"
    ran = project.main(*project.words(script, "--prompt", "task.md"), "agent", word)
    assert ran.code == 0, ran.err
    assert project.read("got") == word.partition("{")[0] + "a 'b' \"c\" $(touch hacked) 1\n\n"
    assert project.read("stdin").strip() == "0"
    assert not (project.folder / "hacked").exists()


def test_a_prompt_too_long_for_a_word_ends_the_loop_before_the_agent(project: Project) -> None:
    project.write("PROMPT.md", b"x" * (3 << 20))
    ran = project.main(*project.words("echo never > never"), "agent", "{prompt}")
    assert ran.code == 64, ran.err
    assert "error[EP575]" in ran.err
    assert not (project.folder / "never").exists()
    again = project.main(*project.words(DONE_IN.format(1)), "agent")
    assert (again.code, [one["iteration"] for one in project.iterations()]) == (0, [1])
    assert "cut short" not in again.err


def test_standard_input_is_read_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from a pipe {iteration}")
    os.close(writing)
    before = os.dup(0)
    try:
        os.dup2(reading, 0)
        assert project.run(f"{SAVE}{DONE_IN.format(2)}", "--prompt", "-").code == 0
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(reading)
    assert [project.read("got1"), project.read("got2")] == ["from a pipe 1", "from a pipe 2"]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--prompt", "none.md"], 66, "prompt at `none.md` does not exist"),
        (["--prompt", "."], 74, "prompt at `.` cannot be read"),
        (["--prompt", "pipe"], 74, "prompt at `pipe` cannot be read"),
        (["--prompt", "large"], 74, "prompt at `large` is larger than 4 MiB"),
        (["--grace", "soon"], 64, "`soon` is not a duration"),
        (["--timeout", "0"], 64, "`--timeout 0` gives the agent no time"),
        (["--max-iterations", "0"], 64, "`--max-iterations 0` is less than 1"),
        (["--max-iterations", "2", "--set", "max_iterations=3"], 64, "are both given"),
        (["--set", "nothing=1"], 65, "nothing"),
    ],
)
def test_trouble_comes_before_the_agent(project: Project, options: list[str], code: int, said: str) -> None:
    os.mkfifo("pipe")
    with open("large", "wb") as file:
        file.truncate(LIMIT + 1)
    ran = project.run("echo never > never", *options)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert not (project.folder / "never").exists()


def test_a_place_without_a_prompt_is_an_error(project: Project) -> None:
    ran = project.main(*project.words("echo never > never"), "agent", "{prompt}")
    assert ran.code == 66
    assert "the command needs `{prompt}`, but there is no prompt" in ran.err


def test_a_command_that_is_not_there_begins_nothing(project: Project) -> None:
    ran = project.main("run", "-p", "small.yaml", "--", "no-such-agent")
    assert ran.code == 64
    assert "error[EP571]: `no-such-agent` cannot be started" in ran.err
    assert not (project.folder / ".ralph").exists()
    assert project.main("run", "-p", "small.yaml").code == 64


def test_what_the_agent_only_repeats_of_its_prompt_is_no_promise(project: Project) -> None:
    project.write("PROMPT.md", "When all is done, say <promise>DONE</promise> in a line.\n")
    ran = project.run("cat", "--max-iterations", "1")
    assert ran.code == 14, ran.err


def test_a_prompt_in_memory_is_that() -> None:
    assert Prompt(None, b"x").read() == b"x"
    assert Prompt(None).read() is None

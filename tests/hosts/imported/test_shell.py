"""Assignments of a bash file: what they set is told as bash would have set it, or not at all."""

from __future__ import annotations

import os
import shutil
import string
import subprocess
from pathlib import Path

import pytest
from cases import each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import PATIENCE

from exitgate.core.policy.yaml.lines import Lines
from exitgate.hosts.imported.shell import assignments


def values(text: str, **around: str) -> dict[str, str | None]:
    found, _ = assignments(Lines(".ralphrc", text), around)
    return {name: one.value for name, one in found.items()}


@each(
    ("text", "value"),
    [
        ("A=5", "5"),
        ("  A=5 # five", "5"),
        ("A=5#five", "5#five"),
        ("export A=5", "5"),
        ("export B=1 A=5", "5"),
        ("declare -i A=5", "5"),
        ("readonly A='x y'", "x y"),
        ("A=\"x y\"'z'", "x yz"),
        (r'A="a\"b\$c\d"', 'a"b$c\\d'),
        (r"A=a\ b", "a b"),
        ("A=$'a\\tb'", "a\tb"),
        ("A=", ""),
        ('A="one\ntwo"', "one\ntwo"),
        ("A=on\\\ne", "one"),
        ("A=1; A=2", "2"),
        ("A=1\nA+=2", "12"),
        ("B=x\nA=${B}y$B", "xyx"),
        ('A="${A:-45}"', "45"),
        ('A="${Q-a}${Q:-b}"', "ab"),
        ("Q=\nA=${Q:-full}", "full"),
        ("Q=\nA=${Q-unset}", ""),
        ("Q=1\nA=${Q:+there}${N:+not}", "there"),
        ('A="${Q:-${R:-deep}}"', "deep"),
        (': "${A:=45}"', "45"),
        (': "${A:=45}"\nB=$A', "45"),
        ("A='$(touch x)'", "$(touch x)"),
        ("if x; then B=1; fi\nA=5", "5"),
        ("f() { B=1; }\nA=5", "5"),
        ("function f { B=1; }\nfunction g() { B=1; }\nA=5", "5"),
        ("case $x in a) B=1;; (b) B=2;; esac\nA=5", "5"),
        ("(B=1)\nA=5", "5"),
        ("cat <<EOT\nA=6\nEOT\nA=5", "5"),
        ("cat <<-'E O' >x\nA=6\n\tE O\nA=5", "5"),
        ("B=$(printf ')' ; echo '))')\nA=5", "5"),
        ("B=`echo \nA=6`\nA=5", "5"),
        ("[ -z x ] && B=1\nA=5", "5"),
        ("B=(1 2\n A=6 # )\n 3)\nA=5", "5"),
        ("f() { return 1; }\nfunction g { exit; }\nfunction h()\n{\n return\n}\n(exit 1)\nA=5", "5"),
        ("echo A exit\nunset B\nA=5\nprintf A=7", "5"),
        ("f() { A=1; }\nf\nA=5\necho f", "5"),
        ('B=$(echo ")" "$(echo "it\'s)")")\nA=5', "5"),
        ('C="$(echo \')\' ")")"\nA=5', "5"),
        ("A=5 || B=1", "5"),
    ],
)
def test_what_bash_would_surely_set_is_read(text: str, value: str) -> None:
    assert values(text)["A"] == value


@each(
    ("text", "why"),
    [
        ("A=$(date)", "run"),
        ("A=`date`", "run"),
        ('A="x$((1 + 2))"', "run"),
        ("A=${B%x}", "run"),
        ("A=${!B}", "run"),
        ("A=$1", "run"),
        ("A=$HOME/x", "`HOME` is not set"),
        ("A=${B:?no}", "`B` is not set"),
        ("A=(1 2 3)", "array"),
        ("A+=1", "adds to"),
        ("if x; then A=1; fi", "in an `if`"),
        ("if x; then\n  A=1\nelse\n  A=2\nfi", "in an `if`"),
        ("for i in 1; do A=$i; done", "not set"),
        ("f() {\n A=1\n}", "in an `if`"),
        ("x && A=1", "in an `if`"),
        ("x ||\n  A=1", "in an `if`"),
        ("(A=1)", "in an `if`"),
        ("A=1\nunset A", "it is changed by a command"),
        ("A=1\nread -r B A <file", "it is changed by a command"),
        ("A=1\nlet 'A=2'", "it is changed by a command"),
        ("return\nA=1", "may end before"),
        ("[[ -t 0 ]] || return 0\nA=1", "may end before"),
        ("if x; then exit; fi\nA=1", "may end before"),
        ("f() { function g() { return; }; }; { return; }\nA=1", "may end before"),
        ("A = 1", "a space before its `=`"),
        ("f() { A=9; }\nA=1\nf", "it is changed by a command"),
        ("function f { A=9; }\nA=1\nf x", "it is changed by a command"),
        ("A=1 &", "in an `if`"),
        ("A=1 | cat", "in an `if`"),
        ("declare -u A=abc", "`declare` changes"),
        ("A=$[1 + 1]", "run"),
        ("A=<(date)", "run"),
        ("A='5", "not closed"),
        ('A="5', "not closed"),
        ("A=${B:-5", "not closed"),
        ("A=" + "x" * 5000, "longer than"),
        ("A=x\n" + "A=$A$A$A$A\n" * 40, "longer than"),
        ("A=" + "${B:-" * 40 + "x" + "}" * 40, "nested expansions"),
        ("A=\udcff", "UTF-8"),
    ],
)
def test_what_only_running_the_file_could_tell_is_unknown(text: str, why: str) -> None:
    one = assignments(Lines(".ralphrc", text), {})[0]["A"]
    assert one.value is None
    assert why in one.why


@pytest.mark.parametrize(
    "text", ["A=5 make", "echo A=5", "# A=5", "echo 'x\nA=5'", "cat <<X\nA=5\nX", "A-B=5", "9A=5"]
)
def test_what_is_no_assignment_is_none(text: str) -> None:
    assert "A" not in values(text)


def test_variables_around_the_script_count_where_they_are_given() -> None:
    assert values("A=${Q:-1}", Q="7") == {"A": "7"}
    assert values("A=${Q:-1}") == {"A": "1"}
    assert values("Q=2\nA=$Q", Q="7")["A"] == "2"


def test_places_and_other_files() -> None:
    text = "# head\nexport A=1 \\\n  B='two'\n. ./more.sh\nsource x; eval \"$y\"\n"
    found, others = assignments(Lines("rc", text), {})
    assert (str(found["A"].place), str(found["B"].place)) == ("rc:2:8", "rc:3:3")
    assert found["B"].written == "B='two'"
    assert [str(place) for place in others] == ["rc:4:1", "rc:5:1", "rc:5:11"]


WORDS = st.sampled_from(
    ["a", "B", "7", " ", "  ", "#", "=", "'", '"', "\\", "$A", "${B}", "${C:-", "${D-", "}", "${A:+", "\n",
     ";", "-", ".", "%", "x y", "é", "*", "~", "[", "]", ":", "A=", "\nB=", "\nexport C=", "'q r'",
     '"s $A t"', "\nunset A\n", "\nread -r B <<<x\n", "\nf() { A=9; return; }\n", "\nlet B=7\n"]
)  # fmt: skip
BASH = shutil.which("bash") or "bash"
SHOW = "\nfor n in A B C D; do [ -v $n ] && printf '%s=%s\\0' $n \"${!n}\"; done"


@given(st.lists(st.lists(WORDS, max_size=12).map("".join), min_size=1, max_size=3))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_bash_agrees(pieces: list[str]) -> None:
    """Where bash itself takes the text for sound, no value that is told is another than bash's."""
    text = "".join(f"\n{name}={piece}" for name, piece in zip("ABC", pieces, strict=False)) + "\n"
    told = values(text)
    ran = subprocess.run(
        [BASH, "--norc", "--noprofile", "-c", "set -f\n" + text + SHOW],
        env={"PATH": "/nowhere", "LC_ALL": "C.UTF-8"}, capture_output=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    if ran.stderr:
        return  # bash stumbles over it, or calls a program
    shown = dict(pair.split("=", 1) for pair in ran.stdout.decode().split("\0")[:-1])
    for name, value in told.items():
        if value is not None and name in "ABCD":
            assert shown.get(name) == value, (text, shown)


#: What a file could hold that would do something if any of it were run.
BAIT = ["$(touch ran)", "`touch ran`", "; touch ran;", "| touch ran", "&& touch ran", "<(touch ran)", "$((",
        "${A", "${A:=$(touch ran)}", "<<X\n", "\nX\n", "'", '"', "\\", "(", ")", "{", "}", "A=", "export ",
        "if ", "fi", "\x00", "\xff", "é", "eval touch ran", ". ./x", "function f() {", "\r\n",
        "$'\\x41'"]  # fmt: skip


@given(
    st.lists(st.one_of(st.sampled_from(BAIT), st.text(string.printable, max_size=5)), max_size=30).map(
        "".join
    )
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_crashes_it_and_none_is_run(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    before = Path.cwd()
    os.chdir(folder)
    try:
        found, _ = assignments(Lines("rc", text), {})
    finally:
        os.chdir(before)
    assert not (folder / "ran").exists()
    for one in found.values():
        assert (one.value is None) == bool(one.why)
        assert one.written in text


@given(st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_no_bytes_crash_it(content: bytes) -> None:
    assignments(Lines("rc", content.decode("utf-8", "surrogateescape")), {})


@each(
    "bait",
    [
        "$(",
        '$("',
        "f() { A=1; }\nA=2\nf\n",
        "${A:-",
        "(",
        '"',
        "$'",
        "`",
        "<<",
        "A=(",
        "if ",
        "A=$A$A\n",
        "\\\n",
        "x;",
    ],
)
def test_long_files_take_linear_time(bait: str) -> None:
    """64 KiB of what opens and never closes, many times a line: within the time of the test run."""
    text = bait * (64 * 1024 // len(bait))
    assignments(Lines("rc", text), {})

"""No policy and no text makes a check hang or eat memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cases import EVERY
from loops import HEAD, Loop
from patience import PATIENCE
from steps import Steps, steps

from exitgate.core.facts.text.secrets import Mask
from exitgate.core.policy import shipped

#: Patterns that take a backtracking engine a time that doubles with every character.
EXPLOSIVE = ["(a+)+$", "(a|aa)*$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?:a?){50}a{50}", "(x+x+)+y"]


@pytest.mark.parametrize("pattern", EXPLOSIVE)
def test_patterns_are_linear(loop: Loop, pattern: str) -> None:
    entry = {"id": "a", "pattern": pattern, "examples": ["a"]}
    mask = {"id": "b", "pattern": pattern, "markers": ["aa"], "examples": ["a"]}
    loop.write(
        "l.yaml", yaml.safe_dump({"lexicon": "l", "format": 1, "title": "t", "uses": [], "entries": [entry]})
    )
    loop.write(
        "m.yaml", yaml.safe_dump({"lexicon": "m", "format": 1, "title": "t", "uses": [], "entries": [mask]})
    )
    when = json.dumps(f"circuit.reason matches {json.dumps(pattern)}")
    loop.policy(
        "facts: {x: {extract: phrases, lexicon: ./l.yaml}}\n"
        "mask: {lexicon: ./m.yaml}\ncircuit: {from: s.json}\n"
        f"rules: [{{id: r, when: x.count > 0, exit: complete}}, {{id: s, when: {when}, exit: blocked}}]\n"
    )
    loop.write("s.json", json.dumps({"state": "CLOSED", "reason": "a" * 100_000 + "!"}))
    loop.write("r.md", ("a" * 3_000 + "!\n") * 40)
    with Steps(most=1_000_000):
        ran = loop.run("check", "r.md", "--policy", "./policy.yaml")
    assert ran.code < 64, ran


@pytest.mark.parametrize(
    "pattern", ["(a{1000}){1000}", "((a{100}){100}){100}", "a{1001}", "(?P<x>a)(?P=x)", "(?<=a)b"]
)
def test_patterns_too_large_or_of_another_engine_are_refused(loop: Loop, pattern: str) -> None:
    entry = {"id": "a", "pattern": pattern, "examples": ["a"]}
    loop.write(
        "l.yaml", yaml.safe_dump({"lexicon": "l", "format": 1, "title": "t", "uses": [], "entries": [entry]})
    )
    loop.policy("facts: {x: {extract: phrases, lexicon: ./l.yaml}}\nrules: []\n")
    ran = loop.run("validate", "./policy.yaml")
    assert (ran.code != 0, "EP443" in ran.all) == (True, True)


def test_masking_is_linear() -> None:
    mask = Mask(yaml.safe_load(Path(shipped.lexicon_path("secrets")).read_text(encoding="utf-8"))["entries"])
    for piece in (
        "://:@",
        "ghp_",
        "-----BEGIN PRIVATE KEY-----",
        "SECRET=",
        "eyJeyJeyJ.",
        "Bearer ",
        "a" * 40 + " sk-",
    ):
        texts = (piece * (size // len(piece)) for size in (50_000, 400_000))
        few, many = (steps(lambda text=text: mask.cover(text)) for text in texts)
        assert many <= 12 * few


#: Bytes of the largest response that is read, and of those that memory is measured with.
LARGEST = 49_000_000
BIG, PART = (LARGEST, 4_000_000) if EVERY else (12_000_000, 2_000_000)
#: Of memory: about twice what the program takes anyway, and so many times the text.
ALONE, TIMES = 100_000_000, 20
LIMIT = ALONE + TIMES * LARGEST


@pytest.mark.parametrize(
    ("made", "size"),
    [
        ("All tests pass, maybe.\n", BIG),
        *((one, PART) for one in ("a", "\x1b[31m\n", "\0", "ERROR: x\n", "```\n")),
    ],
)
def test_memory_on_the_largest_input(loop: Loop, made: str, size: int) -> None:
    raw = made.encode()
    loop.write("r.md", raw * (size // len(raw)))
    assert run_limited(loop.root, "r.md", ALONE + TIMES * size) in range(19)


@pytest.mark.parametrize("size", [50_000_001, 5_000_000_000])
def test_larger_files_are_refused_unread(loop: Loop, size: int) -> None:
    path = loop.write("r.md", "")
    with path.open("r+b") as file:
        file.truncate(size)
    assert run_limited(loop.root, "r.md") == 74


def run_limited(folder: Path, response: str, limit: int = LIMIT) -> int:
    """Return the exit code of a check that may use `limit` bytes of memory."""
    words = [sys.executable, "-m", "exitgate", "check", response, "--policy", "bb3", "--quiet"]
    ran = subprocess.run(
        words, cwd=folder, capture_output=True, check=False, timeout=PATIENCE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    return ran.returncode


SLOW_YAML = {
    "keys": "a: " * 50_000,
    "sequences": "[" * 100_000,
    "mappings": "{" * 100_000,
    "items": "- " * 50_000,
    "aliases": "a: &x [" + "*x," * 3_000 + "]",
    "aliases behind tabs": "a: &x [" + "\t*x," * 3_000 + "]",
    "questions": "? " * 30_000,
    "a quotation": "'" * 99_999,
    "a number": "x: " + "9" * 100_000,
    "levels": "a:\n" + "".join(" " * n + "a:\n" for n in range(1, 300)),
    "marks": "\ufeff" * 1000,
}


@pytest.mark.parametrize("text", SLOW_YAML.values(), ids=SLOW_YAML.keys())
def test_yaml_made_to_be_slow(loop: Loop, text: str) -> None:
    loop.write("p.yaml", HEAD + text)
    with Steps(most=3_000_000):
        ran = loop.run("validate", "./p.yaml")
    assert ran.code in (65, 69)

"""
Recordings of real shapes with two lines broken, read as a response and as a transcript: no reader may fail.

    python benchmarks/envelopes.py --inputs 2000 --seed 1

A line is cut off, doubled, left out, exchanged with another, put in front, joined with the next, or one of
its values becomes another kind of value. Prints how many inputs of how many shapes were read, and every
exception with the input that raised it; exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
sys.path[:0] = [str(TESTS / one) for one in ("shared", "transcripts", "transcripts/readers")]

from every_sample import Sample, samples  # noqa: E402
from hostile_files import ODD  # noqa: E402
from loop_folders import read  # noqa: E402
from test_hostile import ONE, STREAM  # noqa: E402

from exitgate.core.envelopes.unwrap import NotReadError, unwrap  # noqa: E402

FORMS = ("auto", "json", "jsonl")


def cut(lines: list[str], at: int, chance: random.Random) -> None:
    lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]


def double(lines: list[str], at: int, chance: random.Random) -> None:
    lines.insert(chance.randrange(len(lines) + 1), lines[at])


def leave_out(lines: list[str], at: int, _: random.Random) -> None:
    del lines[at]


def exchange(lines: list[str], at: int, chance: random.Random) -> None:
    other = chance.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def to_front(lines: list[str], at: int, _: random.Random) -> None:
    lines.insert(0, lines.pop(at))


def join(lines: list[str], at: int, _: random.Random) -> None:
    lines[at : at + 2] = ["".join(lines[at : at + 2])]


def fence(lines: list[str], at: int, chance: random.Random) -> None:
    lines.insert(
        at, chance.choice(["```", "~~~", "", "[", "{", "}", '"', "\x1b[2J", "\0", "{}", "[]", "null"])
    )


def turn(lines: list[str], at: int, chance: random.Random) -> None:
    """Replace a value in the line's JSON by an odd one; a line that is not JSON loses a character."""
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        place = chance.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:place] + lines[at][place + 1 :]
        return
    lines[at] = json.dumps(_turned(value, chance))


def _turned(value: object, chance: random.Random) -> object:
    if isinstance(value, dict) and value and chance.random() < 0.8:
        name = chance.choice(list(value))
        return {**value, name: _turned(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.8:
        place = chance.randrange(len(value))
        return [*value[:place], _turned(value[place], chance), *value[place + 1 :]]
    return chance.choice(ODD)


BREAKS: tuple[Callable[[list[str], int, random.Random], None], ...] = (
    cut, double, leave_out, exchange, to_front, join, fence, turn,
)  # fmt: skip


def broken(body: str, chance: random.Random) -> str:
    """Return a text with two of its lines broken."""
    lines = body.split("\n")
    for _ in range(2):
        if lines:
            chance.choice(BREAKS)(lines, chance.randrange(len(lines)), chance)
    return "\n".join(lines)


def look(sample: Sample, body: str, folder: Path) -> None:
    """Read a text as a response in every form, and as the transcript that it was made of."""
    for form in FORMS:
        try:
            unwrap(body, form, failed=bool(len(body) % 2))
        except NotReadError:
            assert form != "auto"
    if sample.reader:
        read(sample.at(folder, body.encode("utf-8", "surrogatepass")), sample.reader)


def responses() -> tuple[str, ...]:
    """Return answers in envelopes, which no reader of transcripts takes."""
    said = lines_of(STREAM)
    return (
        STREAM,
        ONE,
        f"{said[0]}\n{ONE}\n",
        f"{ONE}\n{ONE}\n",
        json.dumps([json.loads(one) for one in said[:3]]),
    )


def lines_of(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def sample_of(body: str) -> Sample:
    return Sample("", "response", "response", body)


def main() -> int:
    """Break and read, and print what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=2000, help="texts that are read (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="of what is broken (default 1)")
    asked = parser.parse_args()
    chance, failed = random.Random(asked.seed), 0
    with tempfile.TemporaryDirectory() as place:
        shapes = [*samples(Path(place)).values(), *(sample_of(body) for body in responses())]
        for number in range(asked.inputs):
            sample = shapes[number % len(shapes)]
            body = broken(sample.body, chance)
            folder = Path(place) / str(number)
            try:
                look(sample, body, folder)
            except Exception:
                failed += 1
                print(f"{sample.reader} ({sample.shape}):\n{traceback.format_exc()}\n{body!r}\n")
    print(f"{asked.inputs} inputs of {len(shapes)} shapes read, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Responses as agents write them, as many different ones as are asked for."""

from __future__ import annotations

from random import Random

SUBJECTS = (
    "The reader",
    "The writer of records",
    "A new module",
    "The cache",
    "The old function",
    "`src/load_{n}.py`",
    "The page on formats",
    "Each of the {n} callers",
    "The server",
    "The client",
    "The parser of dates",
    "The list of columns",
    "The queue behind the worker",
    "This branch",
    "The table `orders_{n}`",
    "The log",
    "Our own type for money",
    "The screen with the settings",
    "Every request above {n} KB",
    "The search index",
)
VERBS = (
    "now takes",
    "no longer copies",
    "reads",
    "keeps",
    "sorts",
    "hands on",
    "returns",
    "builds",
    "renames",
    "wraps",
    "checks",
    "counts",
    "stores",
    "sends",
    "is given",
    "shares",
    "looks up",
    "splits",
    "joins",
    "writes",
)
OBJECTS = (
    "the settings of the project",
    "one record at a time",
    "`Reader.read_{n}`",
    "at most {n} fields",
    "what the caller passed in",
    "the digest of the file",
    "both kinds of messages",
    "rows in the order of their dates",
    "a list instead of a generator",
    "the path relative to the root",
    "the number of open connections",
    "the names of the columns",
    "only the part behind the header",
    "every second page",
    "the value from the form",
    "the user's own time zone",
    "the lines that changed since version 2.{n}",
    "an index over two columns",
    "the shape that the schema asks for",
    "the address of the next worker",
)
ENDS = (
    "",
    "",
    "",
    " before it reads the body",
    ", as the tests in `tests/test_{n}.py` show",
    " when the form is sent",
    ", so that the writer knows about one format only",
    " because the schema of table {n} is shared",
    " once per run",
    ", which is shorter",
    " in {n} places",
    " and leaves the rest to the caller",
)
#: What such responses say of the whole: about as often as recorded ones do.
CLAIMS = (
    "All {n} tests pass.",
    "The tests of this module pass.",
    "The first of the two tasks is complete.",
    "This probably explains the slow start.",
    "The migration is not done yet.",
    "Should I go on with part {n}?",
    "There is nothing left to do in this file.",
    "The build succeeded.",
    "I fixed {n} errors in the reader.",
)
HEADINGS = ("Summary", "What changed", "Why", "Notes", "Next steps", "Details of part {n}")
ITEMS = (
    "- `src/reader_{n}.py`: reads one record at a time",
    "- **Limits**: a record has at most {n} fields",
    "- [x] write the reader for case {n}",
    "{n}. check the length first",
)
BLOCKS = (
    "```python\ndef read_{n}(path):\n    with open(path) as file:\n"
    "        return parse(file.read(), limit={n})\n```",
    "```bash\n$ git status --short\n M src/reader_{n}.py\n?? tests/test_reader_{n}.py\n```",
    "| file | lines |\n|---|---:|\n| reader_{n}.py | {n} |\n| writer.py | 48 |",
    "```\n$ pytest -q\n....................\n{n} passed in 1.{n}s\n```",
)
#: Share of sections that end with the output of a test runner, and of sentences that are claims.
RUNS, CLAIMED = 0.15, 0.1
STATUS = (
    "---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nTASKS_COMPLETED_THIS_LOOP: 1\nFILES_MODIFIED: {n}\n"
    "TESTS_STATUS: PASSING\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: false\n"
    "RECOMMENDATION: Go on with part {n} of the plan\n---END_RALPH_STATUS---\n"
)
PLAN = "# Plan\n\n" + "".join(f"- [{'x' if n < 12 else ' '}] step {n} of the plan\n" for n in range(30))
TASK = (
    "Read @fix_plan.md and do the most important open item. Run the tests of what you change. When every "
    "item is done and nothing is left to do, say so in the status block.\n"
)


def response(size: int, number: int) -> str:
    """Return response `number` of about `size` characters: prose, lists, blocks, a status block."""
    chance = Random(number)
    end = STATUS.format(n=number % 90 + 1)
    pieces: list[str] = []
    length = len(end)
    while length < size:
        part = _section(chance)
        pieces.append(part)
        length += len(part) + 2
    return "\n\n".join(pieces)[: size - len(end) - 2] + "\n\n" + end


def on_one_line(size: int, number: int) -> str:
    """Return a text of `size` characters that is response after response without an end of line."""
    pieces: list[str] = []
    length = 0
    while length < size:
        part = response(10_000, number * 1_000 + len(pieces)).replace("\n", " ")
        pieces.append(part)
        length += len(part) + 1
    return " ".join(pieces)[:size]


def _section(chance: Random) -> str:
    prose = " ".join(_sentence(chance) for _ in range(chance.randint(3, 6)))
    items = "\n".join(chance.choices(ITEMS, k=chance.randint(2, 5)))
    block = BLOCKS[-1] if chance.random() < RUNS else chance.choice(BLOCKS[:-1])
    parts = [f"## {chance.choice(HEADINGS)}", prose, items, block]
    # a number of its own for each place
    return "".join(
        piece if at == 0 else f"{chance.randint(2, 99)}{piece}"
        for at, piece in enumerate("\n\n".join(parts).split("{n}"))
    )


def _sentence(chance: Random) -> str:
    if chance.random() < CLAIMED:
        return chance.choice(CLAIMS)
    parts = (chance.choice(SUBJECTS), chance.choice(VERBS), chance.choice(OBJECTS))
    return " ".join(parts) + chance.choice(ENDS) + "."

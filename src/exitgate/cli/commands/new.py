"""`exitgate new`: skeletons that work as they are written."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec import Struct

import exitgate
from exitgate.cli.command import SUCCESS, TROUBLE, Answer, Argument, Command, Option
from exitgate.cli.files import write_new
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CANNOT_WRITE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.policy import shipped
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.command import ParsedArguments, Run


_CODES = (SUCCESS, TROUBLE[0], ("73", "a file exists or cannot be written; no file is overwritten"))
_IN = Option("--in FOLDER", "target folder; the current folder by default", default=".")
_TREE = Option("--in FOLDER", "the checkout of exitgate; this folder by default", default=".")


def _run(kind: str) -> Run:
    def run(given: ParsedArguments, _: Terminal) -> Answer:
        """Write the files of a skeleton and say what is left to do."""
        made = skeleton(kind, given.word("name"), given.word("in"))
        write(made.files)
        written = "".join(f"wrote {safe(path)}\n" for path in made.files)
        return Answer(written + "next:\n" + "".join(f"  {safe(line)}\n" for line in made.next))

    return run


def _child(kind: str, summary: str, about: str, name: str, where: Option, example: str) -> Command:
    return Command(
        kind,
        summary,
        about=about,
        arguments=(Argument("NAME", name),),
        options=(where,),
        examples=((f"exitgate new {kind} {example}", summary),),
        codes=_CODES,
        run=_run(kind),
    )


COMMAND = Command(
    "new",
    "start a policy, reader, lint, extractor, host or function of the language",
    about="Writes a small working example with passing tests. No existing file is overwritten.",
    examples=(
        ("exitgate new policy night_run --in policies", "a policy with tests and a page"),
        ("exitgate new reader acme", "a package that reads another format"),
    ),
    codes=_CODES,
    children=(
        _child(
            "policy",
            "start a policy with tests",
            "Writes NAME/policy.yaml, tests.yaml and README.md; the policy validates, its tests pass, "
            "and lint finds nothing.",
            "its name: lower case, `-` or `_` between words",
            _IN,
            "night_run --in policies",
        ),
        _child(
            "reader",
            "start a reader of transcripts",
            "Writes a package with an entry point that exitgate finds once it is installed. In a checkout "
            "of exitgate: a reader in its own tree, and the registry line that you must add.",
            "the format's id: lower case, `-` between words",
            _IN,
            "acme",
        ),
        _child(
            "lint",
            "start a lint, in a checkout of exitgate",
            "Writes the lint with its page and a test, and shows the registry line that you must add.",
            "its id: lower case, `-` between words",
            _TREE,
            "rule-of-ours",
        ),
        _child(
            "extractor",
            "start an extractor of facts, in a checkout of exitgate",
            "Writes the extractor, a test and an example for its page, and shows the registry line that you "
            "must add.",
            "its id: lower case, `_` between words",
            _TREE,
            "todo_lines",
        ),
        _child(
            "form",
            "start a function of the condition language, in a checkout of exitgate",
            "Writes the page of a function of values and a test of both evaluators and z3, and shows the "
            "line for each table that must know the function.",
            "its name: lower case, `_` between words",
            _TREE,
            "opposite",
        ),
        _child(
            "host",
            "start an agent host, in a checkout of exitgate",
            "Writes what the hook knows of the host (payload, replies, settings) and a test, and shows the "
            "registry line that you must add.",
            "its id: lower case, `-` between words",
            _TREE,
            "acme-code",
        ),
    ),
)


# The skeletons that `exitgate new` writes: which files, where to, with what filled in.

#: Codes of this package, one line each; `docs` reads them.
CODES = {
    "EP525": "a name that a new file cannot have",
    "EP526": "a skeleton for exitgate's own tree, outside that tree",
}
#: Kinds of which there is nothing outside of exitgate.
_OF_THE_TREE = ("lint", "extractor", "form", "host")
KINDS = ("policy", "reader", "lint", "extractor", "form", "host")
#: A file of the tree that only a checkout of exitgate has.
TREE = os.path.join("src", "exitgate", "core", "policy", "compile.py")
_PARTS = os.path.join("src", "exitgate")

#: Skeleton -> template -> its destination. `{folder}`, `{name}` and `{module}` are filled in.
_FILES: dict[str, dict[str, str]] = {
    "policy": {
        "policy.yaml": "{name}/policy.yaml",
        "tests.yaml": "{name}/tests.yaml",
        "README.md": "{name}/README.md",
    },
    "package": {
        "pyproject.toml.txt": "{name}/pyproject.toml",
        "reader.py.txt": "{name}/{module}_reader.py",
        "test.py.txt": "{name}/test_{module}_reader.py",
        "README.md": "{name}/README.md",
    },
    "reader": {
        "reader.py.txt": "src/exitgate/recordings/readers/{module}.py",
        "test.py.txt": "tests/recordings/readers/test_{module}.py",
    },
    "lint": {
        "lint.py.txt": "src/exitgate/analysis/lint/lints/{module}.py",
        "test.py.txt": "tests/analysis/lint/test_{module}.py",
    },
    "extractor": {
        "extractor.py.txt": "src/exitgate/core/facts/extractors/{module}.py",
        "test.py.txt": "tests/core/facts/test_{module}.py",
        "page.md": "src/exitgate/reference/sources/extractors/{module}.md",
    },
    "form": {
        "page.yaml": "src/exitgate/reference/sources/functions/{module}.yaml",
        "test.py.txt": "tests/core/language/test_{module}.py",
    },
    "host": {
        "host.py.txt": "src/exitgate/hosts/agents/{module}.py",
        "test.py.txt": "tests/hosts/hook/test_{module}.py",
    },
}
#: Skeleton -> what is left to do, a line each.
_NEXT: dict[str, tuple[str, ...]] = {
    "policy": (
        "exitgate test {at}",
        "exitgate lint {at}",
        "exitgate check --policy {at}/policy.yaml --no-record",
    ),
    "package": ("pip install -e {at}", "pytest {at}", "exitgate transcripts --readers"),
    "reader": (
        'add `"{id}",` to READERS in src/exitgate/recordings/registry.py',
        "add a `Sample` of it in tests/recordings/readers/every_sample.py",
        "add its row to the table in docs/explanation/transcripts.md",
        "pytest {test} tests/docs/test_transcripts_page.py",
        "python docs/generate.py",
    ),
    "lint": (
        'add `"{id}",` to IDS in src/exitgate/analysis/lint/registry.py',
        "pytest {test} tests/analysis/lint/test_pages.py",
        "python docs/generate.py",
    ),
    "extractor": (
        'add `"{module}": "exitgate.core.facts.extractors.{module}",` in src/exitgate/core/facts/registry.py',
        "pytest {test}",
        "python docs/generate.py",
    ),
    "form": (
        'add `Function("{module}", "call", (NUMERIC,), SAME, "its argument with the other sign", '
        '"{module}(score) < 0", value=lambda value: -value, bounds="neg"),` to _TABLE in '
        "src/exitgate/core/language/functions.py",
        'add `"call_{module}": minus,` to FUNCTIONS in src/exitgate/analysis/reference_evaluator/logic.py',
        'add `"{module}": lambda numbers, world: minus(numbers[0], world),` to CALLS in '
        "src/exitgate/analysis/solver/numbers.py",
        "pytest {test} tests/core/language/test_every_form_drawn.py tests/core/language/test_differential.py",
        "python docs/generate.py",
    ),
    "host": (
        'add `"{id}",` to HOSTS in src/exitgate/hosts/hook/protocol.py',
        "pytest {test} tests/hosts/install",
        "python docs/generate.py",
        "add it to docs/how-to/use-in-your-agent.md and docs/explanation/hooks.md",
    ),
}


class Skeleton(Struct, frozen=True):
    """
    Files to write.

    Args:
        files: Path -> text.
        next: What is left to do, a line each.
    """

    files: Mapping[str, str]
    next: tuple[str, ...]


def skeleton(kind: str, name: str, folder: str) -> Skeleton:
    """
    Return what a new thing of a kind begins with.

    A reader in a checkout of exitgate is one of its own; elsewhere it is a package with an entry point.

    Args:
        kind: One of `KINDS`.
        name: Words in lower case with hyphens or underscores between them.
        folder: Where a policy or a package goes; the checkout for the others.

    Raises:
        ExitgateError: 64 for a name that cannot be used, and for a part of exitgate outside of a checkout.
    """
    _check_name(name)
    inside = os.path.isfile(os.path.join(folder, TREE))
    if kind in _OF_THE_TREE and not inside:
        raise usage_error(f"`{folder}` is not a checkout of exitgate", _elsewhere(kind), "EP526")
    chosen = "package" if kind == "reader" and not inside else kind
    words = {"name": name, "module": name.replace("-", "_"), "id": name.replace("_", "-")}
    # ids of policies and extractors are written as they are given
    filled = {**words, "folder": os.path.join(folder, name) if folder != "." else name}
    texts = {
        os.path.normpath(os.path.join(folder, target.format(**words))): _template(chosen, file, filled)
        for file, target in _FILES[chosen].items()
    }
    if chosen == "policy":
        texts |= {os.path.normpath(os.path.join(folder, name, f"{one}.schema.json")): _schema(one)
                  for one in ("policy", "tests")}  # fmt: skip
    test = next((path for path in texts if os.path.basename(path).startswith("test_")), "")
    at = {**words, "at": filled["folder"], "test": test}
    return Skeleton(texts, tuple(line.format(**at) for line in _NEXT[chosen]))


def _schema(name: str) -> str:
    """Return the text of a schema, which goes beside the files that name it for editors."""
    import json

    return json.dumps(shipped.schema(name), indent=2, ensure_ascii=False) + "\n"


def write(files: Mapping[str, str]) -> None:
    """
    Write new files with the folders they need; nothing where one of them exists.

    Raises `ExitgateError` (73): a file exists (EP804), or cannot be written (EP805).
    """
    taken = [path for path in files if os.path.lexists(path)]
    if taken:
        help = "choose another name, or another folder: `--in FOLDER`"
        raise ExitgateError(
            [
                Diagnostic("EP804", "the file exists; nothing was written", Location(path), help)
                for path in taken
            ],
            CANNOT_WRITE,
        )
    for path, text in files.items():
        write_new(path, text, "name another folder")


def _check_name(name: str) -> None:
    words = name.replace("-", "_").split("_")
    plain = all(word.isascii() and word.isalnum() and word == word.lower() for word in words)
    if not plain or not name[0].isalpha():
        help = "use lower-case letters and digits, with one `-` or `_` between words: `night_run`"
        raise usage_error(f"`{name}` cannot be a name", help, "EP525")
    from keyword import iskeyword

    if iskeyword(name):
        raise usage_error(f"`{name}` is a word of Python", "choose another name", "EP525")


def _elsewhere(kind: str) -> str:
    things = "functions of the language" if kind == "form" else f"{kind}s"
    more = "; words belong in a lexicon" if kind == "extractor" else ""
    return f"{things} are part of exitgate: name its checkout, `--in FOLDER`{more}"


def _template(kind: str, file: str, words: Mapping[str, str]) -> str:
    folder = os.path.join(os.path.dirname(os.path.abspath(exitgate.__file__)), "reference", "scaffold", kind)
    with open(os.path.join(folder, file), encoding="utf-8") as found:
        text = found.read()
    for word, value in words.items():
        text = text.replace(f"<<{word}>>", value)
    return text

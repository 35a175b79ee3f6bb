"""The skeletons that `exitgate new` writes: which files, where to, with what filled in."""

from __future__ import annotations

import os

from exitgate.cli.replace import write_new
from exitgate.cli.usage import usage_error
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.place import Place
from exitgate.model.value import Value
from exitgate.model.verdict import CANNOT_WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Codes of this room, one line each; `docs` reads them.
CODES = {
    "EP525": "a name that a new file cannot have",
    "EP526": "a skeleton for exitgate's own tree, outside that tree",
}
KINDS = ("policy", "reader", "lint", "extractor")
#: A file of the tree that only a checkout of exitgate has.
TREE = os.path.join("src", "exitgate", "policy", "compile.py")
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
        "reader.py.txt": "src/exitgate/transcripts/readers/{module}.py",
        "test.py.txt": "tests/transcripts/readers/test_{module}.py",
    },
    "lint": {
        "lint.py.txt": "src/exitgate/analysis/lint/lints/{module}.py",
        "test.py.txt": "tests/analysis/lint/test_{module}.py",
    },
    "extractor": {
        "extractor.py.txt": "src/exitgate/facts/extractors/{module}.py",
        "test.py.txt": "tests/facts/test_{module}.py",
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
        'add `"{id}",` to READERS in src/exitgate/transcripts/registry.py',
        "add a `Sample` of it in tests/transcripts/readers/every_sample.py",
        "pytest {test}",
    ),
    "lint": (
        'add `"{id}",` to IDS in src/exitgate/analysis/lint/registry.py',
        "pytest {test} tests/analysis/lint/test_pages.py",
        "python docs/generate.py",
    ),
    "extractor": (
        'add `"{module}": "exitgate.facts.extractors.{module}",` in src/exitgate/facts/registry.py',
        "pytest {test}",
        "python docs/generate.py",
    ),
}


class Skeleton(Value):
    """
    Files to write.

    Args:
        files: Path -> text.
        next: What is left to do, a line each.
    """

    __slots__ = ("files", "next")

    def __init__(self, files: Mapping[str, str], next: tuple[str, ...]) -> None:
        self.files = files
        self.next = next


def skeleton(kind: str, name: str, folder: str) -> Skeleton:
    """
    Return what a new policy, reader, lint or extractor begins with.

    A reader in a checkout of exitgate is one of its own; elsewhere it is a package with an entry point.

    Args:
        kind: One of `KINDS`.
        name: Words in lower case with hyphens or underscores between them.
        folder: Where a policy or a package goes; the checkout for the others.

    Raises:
        ExitgateError: 64 for a name that cannot be used, and for a lint or extractor outside of a checkout.
    """
    _check_name(name)
    inside = os.path.isfile(os.path.join(folder, TREE))
    if kind in ("lint", "extractor") and not inside:
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

    from exitgate.policy import shipped

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
                Diagnostic("EP804", "the file exists; nothing was written", Place(path), help)
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
    if kind == "lint":
        return "lints are part of exitgate: name its checkout, `--in FOLDER`"
    return "extractors are part of exitgate: name its checkout, `--in FOLDER`; words belong in a lexicon"


def _template(kind: str, file: str, words: Mapping[str, str]) -> str:
    import exitgate

    folder = os.path.join(os.path.dirname(os.path.abspath(exitgate.__file__)), "scaffold", kind)
    with open(os.path.join(folder, file), encoding="utf-8") as found:
        text = found.read()
    for word, value in words.items():
        text = text.replace(f"<<{word}>>", value)
    return text

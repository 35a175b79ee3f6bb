"""Examples performed: their files written into an empty folder, their commands run there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.evaluation.pending import pending
from exitgate.core.language.evaluation.unknowns import unknowns
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import Type, Unknown
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.reference import source
from exitgate.reference.source import VALIDATE, Block
from exitgate.report.wording import value_text
from exitgate.testing.cases import series
from exitgate.testing.cases.values import read

Run = Callable[[str, str], tuple[str, int]]


class Shown(Struct, frozen=True):
    """What one block of an example became: the block, what its commands printed, the last exit code."""

    block: Block
    printed: str = ""
    code: int | None = None


def perform(halves: Iterable[tuple[Block, ...]], run: Run) -> tuple[tuple[Shown, ...], ...]:
    """
    Return the blocks of each half with what is printed, in order.

    A half begins with the files that the one before it was given, in a folder of its own. Raises ValueError
    for output that names that folder, and for lines that are not a command lines.
    """
    files: dict[str, str] = {}
    done = []
    for blocks in halves:
        with tempfile.TemporaryDirectory() as place:
            folder = os.path.realpath(place)
            for name, text in files.items():
                _write(folder, name, text)
            done.append(tuple(_half(blocks, files, folder, run)))
    return tuple(done)


def _half(blocks: tuple[Block, ...], files: dict[str, str], folder: str, run: Run) -> Iterable[Shown]:
    asked = False
    fresh = False
    for block in blocks:
        if block.kind == "prose":
            yield Shown(block)
        elif block.kind == "console":
            yield _console(block, folder, run)
            asked = True
        else:
            files[block.name] = block.text
            _write(folder, block.name, block.text)
            fresh = True
            yield Shown(block)
    if fresh and not asked:
        yield _console(Block("console", "", VALIDATE + "\n"), folder, run)


def _console(block: Block, folder: str, run: Run) -> Shown:
    lines = []
    code = 0
    for line in block.text.splitlines():
        if not line.startswith("$ "):
            raise ValueError(f"`{line}` is not a command line")
        printed, code = run(line[2:], folder)
        if folder in printed:  # wrapped otherwise on every machine
            raise ValueError(f"`{line}` prints where it ran:\n{printed}")
        lines += [line, *printed.splitlines()]
    return Shown(block, "\n".join(lines) + "\n", code)


def _write(folder: str, name: str, text: str) -> None:
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def console_blocks(shown: Iterable[Shown]) -> list[str]:
    """Return blocks as the lines of a page: files with their names, commands with what they printed."""
    lines: list[str] = []
    for one in shown:
        block = one.block
        if block.kind == "prose":
            lines += [block.text, ""]
        elif block.kind == "console":
            lines += ["```console", one.printed.rstrip("\n"), "```", ""]
            lines += [f"Exit code [{one.code}](../exit-codes.md).", ""] if one.code else []
        else:
            lines += [f"`{block.name}`:", "", f"```{block.kind}", block.text.rstrip("\n"), "```", ""]
    return lines


# Conditions of examples, evaluated: on which facts, and what comes out.

VOCABULARY = "vocabulary.yaml"


class EvaluatedExample(Struct, frozen=True):
    """An example: canonical condition, facts in series notation, what comes out, remark of the source."""

    condition: str
    given: tuple[str, ...]
    result: str
    note: str


class Vocabulary:
    """The facts, parameters and named conditions that examples of the language may use."""

    def __init__(self) -> None:
        plain = load_examples(source.HERE, VOCABULARY)
        self.types = {str(name): _type(kind) for name, kind in mapping(plain["facts"]).items()}
        knobs = {str(name): list_of(pair) for name, pair in mapping(plain["parameters"]).items()}
        kinds = {name: _type(pair[0]) for name, pair in knobs.items()}
        self.parameters = {name: read(pair[1], kinds[name]) for name, pair in knobs.items()}
        specs = {name: FactSpec(name, kind, "") for name, kind in self.types.items()}
        self.scope = Scope(specs, kinds, {})
        self.named = {str(name): str(text) for name, text in mapping(plain["conditions"]).items()}
        trees = {name: check(parse(text), self.scope) for name, text in self.named.items()}
        self.scope = Scope(specs, kinds, trees)

    def is_condition(self, text: str) -> bool:
        """Return whether a text of the language is true, false or unknown, rather than a value."""
        type_ = check(parse(text), self.scope, None).type
        return type_ is not None and type_.kind == "bool"

    def ask(self, example: Mapping[str, object]) -> EvaluatedExample:
        """
        Return an example evaluated: `condition` on `facts`, texts in series notation or lists of values.

        Raises `LanguageError` for a condition that is wrong, ValueError where the two evaluators disagree.
        """
        text = str(example["condition"])
        facts = mapping(example.get("facts", {}))
        records = self._records(facts)
        node = check(parse(text), self.scope, None)
        asked = (self.parameters, self.scope.conditions)
        value = compile_node(node, *asked)(records)
        second = evaluate(node, records, *asked)
        if value.__class__ is not second.__class__ or (value != second and not isinstance(value, Unknown)):
            raise ValueError(f"the evaluators disagree on `{text}`: {value!r}, {second!r}")
        given = tuple(f"{name}: {_written(samples)}" for name, samples in facts.items())
        result = self._described(node, value, records)
        return EvaluatedExample(unparse(node), given, result, str(example.get("note", "")))

    def _described(self, node: Node, value: object, records: Sequence[Mapping[str, object]]) -> str:
        asked = (self.parameters, self.scope.conditions)
        if isinstance(value, Unknown):
            missing = {
                u.origin if u.origin in self.types else u.reason: u for u in unknowns(node, records, *asked)
            }
            told = "unknown" if value.least is None else value_text(value, node.type)
            return f"{told} ({', '.join(missing or {value.reason: value})})"
        told = value_text(value, node.type)
        under_way = [str(one) for one in pending(node, records, *asked)]
        return f"{told}, pending {', '.join(under_way)}" if value is False and under_way else told

    def _records(self, facts: Mapping[str, object]) -> tuple[dict[str, object], ...]:
        columns = {
            name: [self._sample(name, sample) for sample in _samples(written)]
            for name, written in facts.items()
        }
        size = max(map(len, columns.values()), default=1)
        rows: list[dict[str, object]] = [{} for _ in range(size)]
        for name, column in columns.items():
            for row, value in zip(rows[size - len(column) :], column, strict=True):
                row[name] = value
        return tuple(rows)

    def _sample(self, name: str, sample: object) -> object:
        if isinstance(sample, Unknown):
            return Unknown("not said", name)
        return read(sample, self.types[name])


def load_examples(folder: str, name: str) -> dict[str, object]:
    """Return a source in YAML as plain values. Raises `ExitgateError` for one that cannot be read."""
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as file:
        return mapping(load_yaml(file.read(), name).data)


def mapping(plain: object) -> dict[str, object]:
    """Return a mapping of a source as what it is; raises TypeError for anything else."""
    if not isinstance(plain, dict):
        raise TypeError(f"a mapping was expected, not {plain!r}")
    return plain


def list_of(plain: object) -> list[object]:
    """Return a list of a source as what it is; raises TypeError for anything else."""
    if not isinstance(plain, list):
        raise TypeError(f"a list was expected, not {plain!r}")
    return plain


def _type(plain: object) -> Type:
    if isinstance(plain, list):
        return Type("enum", members=tuple(map(str, plain)))
    kind, _, rest = str(plain).partition(" ")
    if kind == "list":
        return Type("list", item=_type(rest.removeprefix("of ")))
    return Type("money", currency=rest) if kind == "money" else Type(kind)


def _samples(written: object) -> Sequence[object]:
    return written if isinstance(written, list) else series.parse(_written(written))


def _written(samples: object) -> str:
    if isinstance(samples, list):
        return " ".join("[" + ", ".join(map(str, list_of(one))) + "]" for one in samples)
    return str(samples).lower() if isinstance(samples, bool) else str(samples)

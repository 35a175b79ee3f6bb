"""From a file to the subject that lints look at."""

from __future__ import annotations

import os

from msgspec import Struct

from exitgate.analysis.lint.finding import LEXICON, POLICY, SETTINGS
from exitgate.analysis.lint.subject import Subject
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.extending.holding import with_held
from exitgate.core.policy.extending.merged import read_merged
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import Library, load_file
from exitgate.core.policy.reading import reading
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.policy.sections.lexicons import read_lexicons
from exitgate.core.policy.yaml.document import Document
from exitgate.core.settings.load import settled_alone

TESTS = "tests.yaml"
ENDINGS = (".yaml", ".yml")
#: Key at the top of a file -> what kind it is.
KINDS = {"lexicon": LEXICON, "exit_decision": SETTINGS, "policy": POLICY}
#: Keys at the top of files that are checked elsewhere.
OTHERS = frozenset(("tests", "labels"))
#: Lexicons beside a policy are looked for among so many files.
LOOKED_AT = 200


class Opened(Struct, eq=False):
    """A file as far as it could be opened: the subject, None for a file no lint is for; what is wrong."""

    subject: Subject | None
    problems: tuple[Diagnostic, ...] = ()


def kind_of(document: Document) -> str:
    """Return the kind of a file by its keys; empty for one that is not linted, such as policy tests."""
    return next((kind for key, kind in KINDS.items() if key in document.root.fields), "")


def open_subject(
    path: str,
    default: str,
    today: str = "",
    earlier: str | None = None,
    text: str | None = None,
    named: bool = False,
) -> Opened:
    """
    Return the subject of a file, with its errors where it does not compile.

    Args:
        path: The file, as diagnostics name it.
        default: The policy of settings that name none.
        today: The day, ``2027-03-01``; empty for none.
        earlier: Text of the file as it was.
        text: Counts in place of what the file holds.
        named: It is meant to be linted: where its keys do not tell its kind, it is a policy.

    Raises:
        ExitgateError: The file cannot be read (66, 74).
    """
    if text is not None:
        texts = {os.path.realpath(path): text.encode("utf-8", "surrogatepass")}
        return reading(texts, lambda: open_subject(path, default, today, earlier, named=named))
    try:
        document = load_file(path)
    except ExitgateError as error:
        if error.exit_code != ExitgateError.exit_code:
            raise
        return Opened(None, error.diagnostics)
    kind = kind_of(document)
    if kind == LEXICON:
        return _lexicon(path, document, today, earlier)
    if kind == SETTINGS:
        return _settings(path, document, default, today, earlier)
    if kind == POLICY or (named and not OTHERS & document.root.fields.keys()):
        return _policy(path, document, today, earlier)
    return Opened(None)


def _policy(path: str, document: Document, today: str, earlier: str | None) -> Opened:
    folder = os.path.dirname(os.path.abspath(path))
    tests = os.path.join(folder, TESTS)
    found = tests if os.path.isfile(tests) else None
    beside = _lexicons_in(folder)
    reference = _reference(path)
    try:
        policy = load_policy(reference)
    except ExitgateError as error:
        bare = Subject(POLICY, document, tests=found, beside=beside, today=today, earlier=earlier)
        return Opened(bare, error.diagnostics)
    findings = Findings()
    merged = read_merged(reference, Library(findings), findings)
    merged = with_held(merged, policy.parameters, findings) if merged is not None else None
    return Opened(Subject(POLICY, document, policy, merged, None, None, found, beside, today, earlier))


def _reference(path: str) -> str:
    """Return a path that is read as one, even where the file is named like a shipped policy."""
    return path if os.sep in path or path.endswith(ENDINGS) else os.path.join(".", path)


def _lexicon(path: str, document: Document, today: str, earlier: str | None) -> Opened:
    from exitgate.core.policy.yaml.node import YamlNode

    findings = Findings()
    findings.know(document.lines)
    check_schema(document.root, shipped.schema("lexicon"), findings)
    resolved = None
    if not findings.errors():
        library = Library(findings)
        # read as a policy beside it would read it
        if library.policy(_reference(path)) is not None:
            name = os.path.join(".", os.path.basename(path))
            resolved = read_lexicons(YamlNode(name, document.root.place), library, findings)
    problems = findings.sorted() if findings.errors() else ()
    subject = Subject(LEXICON, document, lexicon=resolved, today=today, earlier=earlier)
    return Opened(subject, problems)


def _settings(path: str, document: Document, default: str, today: str, earlier: str | None) -> Opened:
    try:
        settled = settled_alone(path, default)
    except ExitgateError as error:
        return Opened(Subject(SETTINGS, document, today=today, earlier=earlier), error.diagnostics)
    subject = Subject(SETTINGS, document, settled.policy, settled=settled, today=today, earlier=earlier)
    return Opened(subject)


def _lexicons_in(folder: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the lexicons in a folder by name, each with the files it uses; what cannot be read is none."""
    found = []
    for name in sorted(os.listdir(folder))[:LOOKED_AT]:
        path = os.path.join(folder, name)
        if not name.endswith(ENDINGS) or not os.path.isfile(path):
            continue
        try:
            document = load_file(path)
        except ExitgateError:
            continue  # reported when that file is linted
        if kind_of(document) == LEXICON:
            uses = document.root.get("uses")
            names = (os.path.basename(part.text) for part in (uses.items if uses is not None else ()))
            found.append((name, tuple(names)))
    return tuple(found)

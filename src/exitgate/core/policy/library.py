"""Where policies and lexicons are read from, and what was read."""

from __future__ import annotations

import os

from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.spelling import suggestion
from exitgate.core.policy import shipped
from exitgate.core.policy.locked.reference import is_remote
from exitgate.core.policy.reading import FILE_NAME, Unreadable, policies_in, read_bytes
from exitgate.core.policy.remembered import REMEMBERED
from exitgate.core.policy.yaml.document import BYTES_LIMIT, Document, read_document
from exitgate.core.policy.yaml.lines import Lines
from exitgate.core.system.digest import blake2b
from exitgate.core.system.folders import is_within, reach_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.cache import Seen
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.locked.lock_file import Lock
    from exitgate.core.policy.locked.unpacked import Opener, Unpacked
    from exitgate.core.policy.yaml.document import Document
    from exitgate.core.policy.yaml.node import YamlNode


DIGEST_BYTES = 16
#: How the files of shipped lexicons are named, before the lexicon's own name.
SHIPPED_LEXICON = "shipped:lexicons/"
#: Policies of a folder that are named where one must be chosen.
SHOWN = 5


def is_path(reference: str) -> bool:
    """Return whether a reference is a path, and not the name of something shipped or of something fetched."""
    if is_remote(reference):
        return False
    return "/" in reference or os.sep in reference or reference.endswith((".yaml", ".yml"))


class Library:
    """
    Reads policies and lexicons by name or path, each file once, and digests all it read.

    Args:
        findings: Takes what is wrong with the files.
        base: Folder that paths on the command line start from.
        seen: Receives the files that were read, and missing ones.
    """

    def __init__(self, findings: Findings, base: str | None = None, seen: Seen | None = None) -> None:
        self.findings = findings
        self._seen = seen
        self._base = base or os.getcwd()
        self._real: dict[str, str] = {}
        self._reach: tuple[str, ...] = ()
        self._documents: dict[str, Document | None] = {}
        self._lexicons: dict[str, Document] = {}
        self._digest = blake2b(digest_size=DIGEST_BYTES)
        self._opener: Opener | None = None
        #: Files from elsewhere, as places name them -> all files they are among, and their name there.
        self.fetched: dict[str, tuple[Unpacked, str]] = {}
        #: Folders of the project that the policy is for: no extractor is imported from there.
        self.project: tuple[str, ...] = ()
        #: Lexicon -> how the policy changes it, and what came of it: set before lexicons are read.
        self.lexicon_changes: Mapping[str, tuple[YamlNode, ...]] = {}
        self.changed_lexicons: dict[str, JsonObject] = {}

    def policy(self, reference: str, named_in: Location | None = None) -> Document | None:
        """
        Return the document of a policy, or None after an error.

        Args:
            reference: Name of a shipped policy, or a path; relative to the file of `named_in`.
            named_in: Where it is named; None on the command line.
        """
        if is_remote(reference):
            return self._remote(reference, named_in)
        if named_in is not None and named_in.file in self.fetched and is_path(reference):
            return self._beside(reference, named_in, "EP451")
        if is_path(reference) or (named_in is None and self._exists(reference)):
            return self._policy_at(reference, named_in)
        try:
            path = shipped.path(reference)
        except KeyError:
            # An empty name, as an unset variable of a shell gives, is not the folder itself.
            if named_in is None and reference and os.path.lexists(os.path.join(self._base, reference)):
                return self._policy_at(reference, None)
            code = "EP810" if named_in is None else "EP451"
            help = suggestion(reference, shipped.policies(), "shipped policies")
            self.findings.error(code, f"there is no policy `{reference}`", named_in, help)
            return None
        return self._read(path, f"shipped:{reference}", named_in)

    def lexicon(self, reference: str, named_in: Location) -> Document | None:
        """Return the document of a lexicon named in a policy, as `policy` does."""
        if is_path(reference) and named_in.file in self.fetched:
            return self._beside(reference, named_in, "EP472")
        if is_path(reference):
            return self._at_path(reference, named_in, "EP472", "lexicon")
        known = self._lexicons.get(reference)
        if known is not None:
            return known
        try:
            path = shipped.lexicon_path(reference)
        except KeyError:
            help = suggestion(reference, shipped.lexicons(), "shipped lexicons")
            self.findings.error("EP472", f"there is no lexicon `{reference}`", named_in, help)
            return None
        document = self._read(path, f"{SHIPPED_LEXICON}{reference}", named_in)
        if document is not None:
            self._lexicons[reference] = document
        return document

    def _remote(self, reference: str, named_in: Location | None) -> Document | None:
        """Return the policy that a package or repository has, as the lock file pins it."""
        from exitgate.core.policy.locked.unpacked import Opener

        if self._opener is None:
            self._opener = Opener(self.findings, os.environ, self._seen)
        found = self._opener.find(reference, named_in, self._start(named_in))
        return self._unpacked(*found, named_in) if found is not None else None

    def _start(self, named_in: Location | None) -> str | Lock:
        """Return from which folder the lock file is looked for, or the one that pins where it is named."""
        if named_in is None:
            return self.project[0] if self.project else self._base
        if named_in.file in self.fetched:
            return self.fetched[named_in.file][0].lock
        return os.path.dirname(self._real[named_in.file])

    def _beside(self, reference: str, named_in: Location, code: str) -> Document | None:
        """Return a file that another one from elsewhere names, which is beside it."""
        from exitgate.core.policy.locked.reference import Unfit

        unpacked, name = self.fetched[named_in.file]
        try:
            return self._unpacked(unpacked, unpacked.beside(name, reference), named_in)
        except Unfit as unfit:
            self.findings.error(code, str(unfit), named_in, unfit.help)
            return None

    def _unpacked(self, unpacked: Unpacked, name: str, named_in: Location | None) -> Document | None:
        from exitgate.core.policy.locked.limits import check_facts

        file = unpacked.entry.named(name)
        self.fetched[file] = (unpacked, name)
        self.rests_on("", f"{unpacked.entry.source} {unpacked.entry.digest}")
        document = self._read(unpacked.path_of(name), file, named_in, unpacked.files[name])
        if document is None:
            return None
        before = self.findings.errors()
        check_facts(document.root, self.findings)
        return document if self.findings.errors() == before else None

    def stands_in(self, file: str, path: str) -> None:
        """
        Let parts of another file name policies and lexicons: paths in it start from its folder.

        Args:
            file: The file as its places name it.
            path: Where it is; it reaches as far as a policy there would.
        """
        self.names_in(file, path)
        self._reach += reach_of(path, self._base)

    def names_in(self, file: str, path: str) -> None:
        """Let parts of another file name policies of packages: its folder says which lock file counts."""
        self._real[file] = path

    def lexicons_read(self) -> dict[str, Document]:
        """Return name -> document of every lexicon read so far."""
        read = [document for document in self._documents.values() if document is not None]
        named = ((lexicon_name(document), document) for document in read)
        return {name: document for name, document in named if name}

    def path_of(self, file: str) -> str:
        """Return where a file that was read is, by the name that places have for it."""
        return self._real[file]

    def folder_of(self, file: str) -> str:
        """Return the folder of a file that was read, as it is on the disk; the base for any other."""
        return os.path.dirname(self._real[file]) if file in self._real else self._base

    def rests_on(self, path: str, text: str = "") -> None:
        """Take note of a file that the policy rests on beside those read here, and of a text to digest."""
        if path and self._seen is not None:
            self._seen.looked(path)
        if text:
            _feed(self._digest, text.encode("utf-8", "surrogatepass"))

    def digest(self, settings: Iterable[str] = ()) -> str:
        """Return the hex digest of all files read so far and of settings, each as one text."""
        digest = self._digest.copy()
        for text in settings:
            _feed(digest, text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def _exists(self, reference: str) -> bool:
        path = os.path.abspath(os.path.join(self._base, reference))
        found = os.path.isfile(path)
        if self._seen is not None and not found:
            self._seen.missing(path)
        return found

    def _policy_at(self, reference: str, named_in: Location | None) -> Document | None:
        """Return the policy at a path; a folder means the only policy in it."""
        code = "EP810" if named_in is None else "EP451"
        near = os.path.expanduser(reference)
        start = self._base if named_in is None else os.path.dirname(self._real[named_in.file])
        folder = os.path.abspath(os.path.join(start, near))
        if not os.path.isdir(folder) or (named_in is not None and not is_within(folder, self._reach)):
            return self._at_path(reference, named_in, code, "policy")

        found = policies_in(folder)
        if self._seen is not None:
            self._seen.looked(folder)
            self._seen.lasting &= found == [FILE_NAME]
        if len(found) == 1:
            return self._at_path(os.path.join(reference, found[0]), named_in, code, "policy")
        if found:
            names = ", ".join(f"`{name}`" for name in found[:SHOWN])
            more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            message = f"the folder `{reference}` has {len(found)} policies: {names}{more}"
            self.findings.error(code, message, named_in, f"name one: `{os.path.join(reference, found[0])}`")
        else:
            message = f"there is no policy in the folder `{reference}`"
            help = f"name a folder with a `{FILE_NAME}`, or a policy file"
            self.findings.error(code, message, named_in, help)
        return None

    def _at_path(self, reference: str, named_in: Location | None, code: str, noun: str) -> Document | None:
        folder = self._base
        file = reference
        if named_in is not None and not os.path.isabs(reference):
            folder = os.path.dirname(self._real[named_in.file])
            shown = os.path.dirname(named_in.file)
            file = os.path.normpath(os.path.join(shown, reference))
            if named_in.file.startswith("shipped:"):
                file = os.path.join(folder, reference)
        path = os.path.join(folder, os.path.expanduser(reference))
        if named_in is None:
            self._reach += reach_of(path, self._base)
        elif not is_within(path, self._reach):
            message = f"`{reference}` leads out of the repository of the policy, or of its folder"
            help = f"move the {noun} into the repository, or name it on the command line"
            self.findings.error("EP444", message, named_in, help)
            return None
        try:
            return self._read(path, file, named_in)
        except FileNotFoundError:
            help = "check the path: it is relative to the file it is named in"
            if named_in is None:
                help = f"the path is relative to {self._base}"
            self.findings.error(code, f"there is no {noun} file `{reference}`", named_in, help)
            return None

    def _read(
        self, path: str, file: str, named_in: Location | None, known: bytes | None = None
    ) -> Document | None:
        """Return the document of a file; `known` is what one holds that was compared with its digest."""
        path = os.path.abspath(path)
        key = path if known is None else file
        if key in self._documents:
            return self._documents[key]
        try:
            content = read_bytes(path) if known is None else known
        except Unreadable as error:
            self.findings.error(
                "EP811", f"`{file}` cannot be read: {error}", named_in, "name a readable YAML file"
            )
            return None
        _feed(self._digest, content)
        if self._seen is not None:
            self._seen.read(path, content)
        self._real[file] = path
        if file.startswith(SHIPPED_LEXICON):
            document: Document | None = _shipped(content, file, self.findings)
        else:
            document = document_of(content, file, self.findings)
        self._documents[key] = document
        return document


class ShippedLexicon(Document):
    """
    A lexicon that comes with exitgate: its file is parsed when its value is first asked for.

    Args:
        file: Its name as its places tell it.
        content: What the file holds.
    """

    __slots__ = ("content",)

    def __init__(self, file: str, content: bytes) -> None:
        self.file = file
        self.lines = Lines(file, content.decode("utf-8", "replace"))
        self.content = content

    def __getattr__(self, name: str) -> object:
        """Return the value. Raises ExitgateError where the file is not strict YAML: it was changed."""
        if name != "root":
            raise AttributeError(name)
        from exitgate.core.policy.findings import Findings

        findings = Findings()
        document = _document_of(self.content, self.file, findings)
        findings.raise_errors()
        assert document is not None
        self.root = document.root
        return self.root


def lexicon_name(document: Document) -> str:
    """Return the name of a lexicon; empty for a document of another kind."""
    if isinstance(document, ShippedLexicon):
        return document.file.removeprefix(SHIPPED_LEXICON)
    name = document.root.get("lexicon")
    return name.text if name is not None and "policy" not in document.root.fields else ""


def _shipped(content: bytes, file: str, findings: Findings) -> ShippedLexicon:
    known = REMEMBERED.document(file, content)
    if not isinstance(known, ShippedLexicon):
        known = ShippedLexicon(file, content)
        REMEMBERED.keep(content, known)
    findings.know(known.lines)
    return known


def document_of(content: bytes, file: str, findings: Findings) -> Document | None:
    """
    Return the document that bytes hold, or None after an error; see `read_document`.

    The same bytes under the same name give the same document while this process remembers it.
    """
    known = REMEMBERED.document(file, content)
    if known is not None:
        findings.know(known.lines)
        return known
    before = findings.told()
    document = _document_of(content, file, findings)
    if document is not None and findings.told() == before:
        REMEMBERED.keep(content, document)
    return document


def _document_of(content: bytes, file: str, findings: Findings) -> Document | None:
    if len(content) > BYTES_LIMIT:
        help = "move long word lists into lexicons of their own"
        message = f"the file has more than {BYTES_LIMIT} bytes"
        findings.error("EP104", message, Location(file), help)
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        lines = Lines(file, content.decode("utf-8", "replace"))
        findings.know(lines)
        offset = len(content[: error.start].decode("utf-8"))
        message = f"byte {content[error.start]:#04x} is not UTF-8"
        findings.error("EP101", message, lines.place(offset), "save the file as UTF-8")
        return None
    return read_document(text, file, findings)


def load_file(path: str) -> Document:
    """
    Read a file of strict YAML.

    Raises:
        ExitgateError: It cannot be read (66 when it does not exist, else 74), or is not strict YAML (65).
    """
    from exitgate.core.policy.findings import Findings

    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise ExitgateError(
            [Diagnostic("EP811", f"there is no file `{path}`", None, "check the path")], 66
        ) from None
    except Unreadable as error:
        raise ExitgateError([Diagnostic("EP811", f"`{path}` cannot be read: {error}")], 74) from None
    findings = Findings()
    document = document_of(content, path, findings)
    findings.raise_errors()
    assert document is not None
    return document


def _feed(digest: blake2b, content: bytes) -> None:
    digest.update(len(content).to_bytes(8, "big"))
    digest.update(content)

"""
The user's cache of compiled policies: found again as long as everything that was read is as it was.

An entry is a file: a line with the digest of the rest, a line with what was seen on the disk, and the
policy. Its name is the digest of what was asked for and of this exitgate. Anything wrong with an entry or
with the folder makes the policy be compiled; it never fails a check
(`docs/decisions/0301-cache-of-compiled-policies.md`).
"""

from __future__ import annotations

import os
from time import time_ns

from exitgate import __version__
from exitgate.core.model.value import Value
from exitgate.core.policy.serialized import STORED, policy_from, text_of
from exitgate.core.system import folders, portable, safe_files
from exitgate.core.system.digest import SIZE, blake2b, hex_digest
from exitgate.core.system.folders import Refused
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.system.portable import Folder


#: Raised by one whenever the form of an entry changes.
FORMAT = 3
#: Entries that are kept; the ones used longest ago go first.
ENTRIES = 256
#: Bytes of all entries but the newest.
TOTAL = 64 * 1024 * 1024
#: Bytes of one entry; a larger policy is compiled every time.
BYTES = 16 * 1024 * 1024

_HEAD = "exitgate cache "
_ENDING = ".json"
_NAME_LENGTH = 2 * SIZE + len(_ENDING)
#: Head of the entry that was read last -> its policy: processes that decide often read the same one.
_MADE: dict[bytes, CompiledPolicy] = {}
_HEX = frozenset("0123456789abcdef")


class Loaded(Value):
    """
    A policy that can decide.

    Args:
        policy: It.
        recalled: True where it came from the cache and nothing was compiled.
        note: Why it was compiled, or why it could not be kept; for diagnostics, never a warning.
    """

    __slots__ = ("note", "policy", "recalled")

    def __init__(self, policy: CompiledPolicy, recalled: bool, note: str = "") -> None:
        self.policy = policy
        self.recalled = recalled
        self.note = note


def load(asked: Iterable[str], make: Callable[[Seen], CompiledPolicy]) -> Loaded:
    """
    Return the policy that `make` gives, from the cache where it can be.

    Args:
        asked: Every text that the result depends on besides files: names, settings, folders. The
            version and the code of this exitgate are added here.
        make: Compiles it, and says which files it reads and which are missing.

    Raises:
        ExitgateError: What `make` raises; nothing is kept then.
    """
    key = key_of(asked)
    try:
        path = folders.place(os.environ)
        policy, note = _recall(path, key)
    except Refused as refused:
        path, policy, note = "", None, f"the cache is not used: {refused}"
    if policy is not None:
        return Loaded(policy, True)
    began = time_ns()
    seen = Seen()
    policy = make(seen)
    if path:
        _keep_conditions()
        note = f"compiled: {note}"
        if not seen.lasting:
            return Loaded(policy, False, f"{note}; not kept: a file changed or could not be read")
        try:
            _keep(
                path,
                key,
                [[*state, identity_of(state[0], began)] for state in seen.states()],
                text_of(policy),
            )
        except Refused as refused:
            note = f"{note}; not kept: {refused}"
    return Loaded(policy, False, note)


def _keep_conditions() -> None:
    """Keep the conditions that were parsed, for other policies that have them and this one after an edit."""
    from exitgate.core.policy.condition_cache import CONDITIONS

    CONDITIONS.keep()


def recall_part(asked: Iterable[str], made_by: str = "") -> bytes:
    """
    Return what was kept for what is asked; empty if there is nothing.

    Args:
        asked: Every text that it depends on.
        made_by: Folder of the code that makes it, besides that of the compiler.
    """
    key = key_of(asked, _own_code(made_by))
    try:
        raw, _ = _raw(folders.place(os.environ), key)
    except Refused:
        return b""
    head, _, rest = (raw or b"").partition(b"\n")
    return rest if head == _head(key, rest) else b""


def keep_part(asked: Iterable[str], content: bytes, made_by: str = "") -> None:
    """Keep a part of a policy, or what was found out about one, if there is a cache; as for `recall_part`."""
    key = key_of(asked, _own_code(made_by))
    try:
        _write(folders.place(os.environ), key, content)
    except Refused:
        return  # without a cache it is made each time


#: Folder of code, empty for the compiler's -> what tells it from another, as it was at the first time.
_CODE: dict[str, list[str]] = {}


def _own_code(folder: str) -> list[str]:
    for one in ("", folder):
        if one not in _CODE:
            _CODE[one] = _files(one) if one else _code()
    return [*_CODE[""], *_CODE[folder]]


def key_of(asked: Iterable[str], code: Iterable[str] | None = None) -> str:
    """Return the hex digest that names the entry for what is asked, and for the code of this exitgate."""
    digest = blake2b(digest_size=SIZE)
    for text in (f"{FORMAT} {STORED} {__version__}", *(_code() if code is None else code), *asked):
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(raw))
        digest.update(raw)
    return digest.hexdigest()


def _code() -> list[str]:
    """
    Return what distinguishes this exitgate from another of the same version.

    An installed one: where it is and when its compiler was written there. In a checkout anything
    may be edited: every file of the folders that compile, and the schemas.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    package = os.path.dirname(os.path.dirname(here))
    if os.path.isdir(os.path.join(package, "policies")):
        status = os.stat(os.path.join(here, "compile.py"))
        return [package, f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"]
    folders = [
        "model",
        "language",
        *(f"language/{one}" for one in ("checker", "evaluation", "syntax")),
        "facts",
        *(
            f"facts/{one}"
            for one in (
                "errors",
                "extractors",
                "guards",
                "lexicons",
                "plans",
                "status",
                "test_runs",
                "text",
                "turn",
            )
        ),
        "policy",
        *(f"policy/{one}" for one in ("extending", "locked", "schema", "sections", "yaml")),
        "../../../schemas",
    ]
    return [package, *(text for folder in folders for text in _files(os.path.join(package, "core", folder)))]


def _files(folder: str) -> list[str]:
    """Return name, time of writing and size of the code in a folder."""
    with os.scandir(folder) as entries:
        found = [
            (entry.name, entry.stat()) for entry in entries if entry.name.endswith((".py", ".lark", ".json"))
        ]
    return sorted(f"{name} {status.st_mtime_ns} {status.st_size}" for name, status in found)


def _recall(path: str, key: str) -> tuple[CompiledPolicy | None, str]:
    """
    Return the policy of an entry, or None and why there is none.

    Raises:
        Refused: The folder is there and cannot be used.
    """
    raw, note = _raw(path, key)
    return _read(path, raw, key) if raw is not None else (None, note)


def _raw(path: str, key: str) -> tuple[bytes | None, str]:
    """
    Return what an entry holds, or None and why there is none.

    Raises:
        Refused: The folder is there and cannot be used.
    """
    if not os.path.lexists(path):
        return None, "the cache is empty"
    folder = folders.open_folder(path)
    try:
        raw = folders.read(folder, key + _ENDING, BYTES)
        if raw is not None:
            folders.touch(folder, key + _ENDING)
    except Refused as refused:
        return None, str(refused)
    finally:
        portable.close(folder)
    return raw, "the cache has no entry"


def _read(path: str, raw: bytes, key: str) -> tuple[CompiledPolicy | None, str]:
    first = raw.find(b"\n") + 1  # by offset: an entry has megabytes
    head = raw[: first - 1]
    if not first or head != _head(key, memoryview(raw)[first:]):
        return None, "the entry is damaged or belongs to another program"
    second = raw.find(b"\n", first) + 1
    try:
        now, seen = time_ns(), loads(raw[first : second - 1])
        other = changed(seen)
        if other:
            return None, f"`{other}` changed"
        known = identified(seen, now)
        if known is not None:
            _keep(path, key, known, raw[second:])
        if head not in _MADE:
            policy = policy_from(raw, second)
            _MADE.clear()
            _MADE[head] = policy
        return _MADE[head], ""
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError) as error:
        return None, f"the entry is of another form: {type(error).__name__}"


def _head(key: str, rest: bytes | memoryview) -> bytes:
    return f"{_HEAD}{FORMAT} {__version__} {key} {hex_digest(rest)}".encode("ascii")


def _keep(path: str, key: str, states: list[list[object]], plain: bytes) -> None:
    _write(path, key, b"%b\n%b" % (dumps(states).encode("ascii"), plain))


def _write(path: str, key: str, rest: bytes) -> None:
    raw = _head(key, rest) + b"\n" + rest
    if len(raw) > BYTES:
        raise Refused(f"it has {len(raw)} bytes, more than {BYTES}")
    folder = folders.open_folder(path, make=True)
    try:
        folders.write(folder, key + _ENDING, raw)
        _prune(folder, key + _ENDING)
    finally:
        portable.close(folder)


def _prune(folder: Folder, kept: str) -> None:
    """Remove the oldest beyond `ENTRIES` or `TOTAL`, leftovers of killed writers too, and nothing else."""
    entries = []
    with os.scandir(folder) as found:
        for entry in found:
            name = entry.name
            if _is_ours(name) and name != kept:
                try:
                    status = entry.stat(follow_symlinks=False)
                    entries.append((status.st_mtime_ns, name, status.st_size))
                except FileNotFoundError:
                    continue  # another process removed it
    entries.sort(reverse=True)
    total = 0
    for number, (_, name, size) in enumerate(entries, 1):
        total += size
        if number >= ENTRIES or total > TOTAL:
            folders.remove(folder, name)


def _is_ours(name: str) -> bool:
    stem, ending = name[: 2 * SIZE], name[2 * SIZE :]
    whole = ending == _ENDING or (ending.startswith(_ENDING + ".") and ending.endswith(".part"))
    return len(name) >= _NAME_LENGTH and whole and _HEX.issuperset(stem)


# What was looked at on the disk while a policy was made, so that a later check can tell what changed.

#: States of a path; the state of a regular file is the hex digest of what it holds.
ABSENT, FOLDER, OTHER = "absent", "folder", "other"

#: More than any file a policy may be made of; a longer one is never what was seen.
_READ_LIMIT = 8 * 1024 * 1024


def state_of(path: str) -> str:
    """
    Return the state of `path` now: a digest, `ABSENT`, `FOLDER`, or `OTHER` for what cannot be read.

    A FIFO or device is never waited for.
    """
    try:
        content = safe_files.beginning(path, _READ_LIMIT, links=True)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except IsADirectoryError:
        return FOLDER
    except (OSError, ValueError):
        return OTHER
    return hex_digest(content)


def identity_of(path: str, before: int) -> list[int]:
    """Return `exitgate.core.system.portable.identity` of a file, which a link may lead to; empty for none."""
    try:
        return [*portable.identity(os.stat(path), before)]
    except (OSError, ValueError):
        return []


class Seen:
    """
    Collects paths and their states: files that were read, and places where there was nothing.

    `lasting` is False once something was seen that cannot be recognised again: a file that changed
    while it was looked at, or one that could not be read.
    """

    def __init__(self) -> None:
        self._states: dict[str, str] = {}
        self.lasting = True

    def read(self, path: str, content: bytes) -> None:
        """Note that `path` (absolute) was a regular file that held `content`."""
        self._note(path, hex_digest(content))

    def looked(self, path: str) -> None:
        """Note the state of `path` (absolute), no matter what it is."""
        self._note(path, state_of(path))

    def missing(self, path: str) -> None:
        """Note that there was no regular file at `path` (absolute)."""
        state = state_of(path)
        self._note(path, state if state in (ABSENT, FOLDER) else OTHER)

    def leave_out(self, places: Iterable[str]) -> None:
        """Take places out at which there was nothing; one where something was does not last."""
        for path in places:
            if self._states.pop(path, ABSENT) != ABSENT:
                self.lasting = False
        if ABSENT in self._states.values():
            self.lasting = False

    def states(self) -> list[list[str]]:
        """Return ``[path, state]`` in the order of first sight, plain JSON."""
        return [[path, state] for path, state in self._states.items()]

    def _note(self, path: str, state: str) -> None:
        if not os.path.isabs(path) or state == OTHER or self._states.setdefault(path, state) != state:
            self.lasting = False


def changed(states: Iterable[tuple[str, str, list[int]]]) -> str:
    """
    Return the first path that is not in the state it was seen in, the empty text when all are.

    A file that has the identity that it had is not read.
    """
    now = time_ns()
    for path, state, identity in states:
        if identity and identity_of(path, now) == identity:
            continue
        if state_of(path) != state:
            return path
    return ""


def identified(states: Iterable[tuple[str, str, list[int]]], before: int) -> list[list[object]] | None:
    """Return the states with identities that files have got since, as they were left alone; None for none."""
    fresh = {
        path: identity_of(path, before)
        for path, state, identity in states
        if not identity and state not in (ABSENT, FOLDER, OTHER)
    }
    if not any(fresh.values()):
        return None
    return [[path, state, fresh.get(path) or identity] for path, state, identity in states]


# A policy by name or path, from the user's cache where nothing it was made of has changed.

_NOTHING: Mapping[str, str] = {}


def recall_policy(
    reference: str,
    *,
    settings: Mapping[str, str] = _NOTHING,
    base: str | None = None,
    profile: str | None = None,
) -> Loaded:
    """
    Return what `exitgate.core.policy.compile.load_policy` returns for the same arguments, and how it was had.

    Raises:
        ExitgateError: As `load_policy`.
    """

    def make(seen: Seen) -> CompiledPolicy:
        from exitgate.core.policy.compile import load_policy

        return load_policy(reference, settings=settings, base=base, profile=profile, seen=seen)

    pairs = [text for name, value in sorted(settings.items()) for text in (name, value)]
    # HOME: a policy may name files by `~`.
    home = os.environ.get("HOME", "")
    folder = os.path.abspath(base or os.getcwd())
    return load([reference, folder, home, str(profile is not None), profile or "", *pairs], make)

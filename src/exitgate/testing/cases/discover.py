"""From paths, folders and names of shipped policies to the files of tests that are meant."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.state.request import Request
from exitgate.core.system import portable, safe_files

FILE, POLICY = "tests.yaml", "policy.yaml"
#: More than a file of tests may have.
BYTES_LIMIT = 1 << 20
#: Where a project keeps its policies.
FOLDER = "policies"
#: Folders not searched for tests of a policy; nor are hidden ones.
PASSED_OVER = frozenset(("node_modules", "__pycache__", "site-packages", "venv"))


def find(paths: Sequence[str]) -> tuple[str, ...]:
    """
    Return the files of tests that `paths` mean, in order, each once.

    A folder means every tests.yaml in and below it that is beside a policy.yaml or names its policy; a
    policy file the tests.yaml beside it; the name of a shipped policy its tests. Any other file is taken
    for one of tests.

    Raises:
        ExitgateError: 66, with everything that leads to no tests.
    """
    found: dict[str, str] = {}
    problems: list[Diagnostic] = []
    for path in paths:
        try:
            for file in _meant(path):
                found.setdefault(os.path.realpath(file), file)
        except ExitgateError as error:
            problems += error.diagnostics
    if problems:
        raise ExitgateError(problems, NOTHING_TO_DECIDE)
    return tuple(found.values())


def find_here(settings: Mapping[str, str], root: str = ".") -> tuple[str, ...]:
    """
    Return the files of tests of the project in `root`.

    They are its own tests.yaml, those below its folder of policies, and that beside the policy the project
    chose. Raises `ExitgateError` (64) that says what to do where there is none.
    """
    from exitgate.core.gate.settings import policy_of

    found: dict[str, str] = {}
    places = [os.path.join(root, FILE)] if root != os.curdir else [FILE]
    folder = os.path.join(root, FOLDER) if root != os.curdir else FOLDER
    places += _below(folder) if os.path.isdir(folder) else ()
    for file in places:
        if os.path.isfile(file):
            found.setdefault(os.path.realpath(file), file)
    if found:
        return tuple(found.values())
    policy = policy_of(Request(settings=settings, root=root))
    beside = os.path.join(os.path.dirname(policy.path), FILE)
    if not policy.path.startswith("shipped:") and os.path.isfile(beside):
        return (beside,)
    chosen = f"the policy in force here, `{policy.name}`, is in `{policy.path}`"
    problem = Diagnostic(
        "EP501",
        f"there are no tests here: no `{FILE}`, none below `{FOLDER}/`; {chosen}",
        help=f"name a file, a folder or a shipped policy: `exitgate test {policy.name}`; or write `{FILE}`",
    )
    raise ExitgateError([problem], NOTHING_TO_DECIDE)


def _meant(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        files = list(_below(path))
        if not files:
            raise _none(f"no `{FILE}` beside a `{POLICY}` in or below `{path}`", f"write one: {FILE}")
        yield from files
        return
    if os.path.lexists(path):
        yield _beside(path) if is_policy(path) else path
        return
    from exitgate.core.model.spelling import suggestion
    from exitgate.core.policy.library import is_path

    if not is_path(path) and path in shipped.policies():
        yield _beside(_near(shipped.path(path)))
        return
    help = "check the path" if is_path(path) else suggestion(path, shipped.policies(), "shipped policies")
    raise _none(f"there is no file, folder or shipped policy `{path}`", help)


def _near(path: str) -> str:
    """Return a path below the working directory without it."""
    below = portable.relative(path)
    return path if below.startswith(os.pardir) else below


def _beside(policy: str) -> str:
    file = os.path.join(os.path.dirname(policy), FILE)
    if not os.path.isfile(file):
        raise _none(
            f"there is no `{FILE}` beside `{policy}`",
            "write one; `exitgate policies eject bb3` copies an example",
        )
    return file


def _none(message: str, help: str) -> ExitgateError:
    return ExitgateError([Diagnostic("EP501", message, help=help)], NOTHING_TO_DECIDE)


def is_policy(path: str) -> bool:
    """Return whether a file is a policy: by its keys, where they can be read."""
    name = os.path.basename(path)
    if name in (POLICY, FILE):
        return name == POLICY
    keys = _keys(path)
    return "policy" in keys and "tests" not in keys


def _below(folder: str) -> Iterator[str]:
    for where, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in PASSED_OVER)
        if FILE in names:
            file = os.path.normpath(os.path.join(where, FILE))
            if POLICY in names or names_its_policy(file):
                yield file


def names_its_policy(path: str) -> bool:
    """
    Return whether a file looks like tests that name their policy, by the lines that it begins keys in.

    It is not read as YAML: one that is broken is still meant.
    """
    try:
        lines = safe_files.beginning(path, BYTES_LIMIT, links=True).splitlines()
    except OSError:
        return False
    return all(any(line.startswith(key) for line in lines) for key in (b"policy:", b"tests:"))


def _keys(path: str) -> frozenset[str]:
    """Return the first keys of a file; none where it cannot be read, which its reader will tell."""
    from exitgate.core.policy.library import load_file

    try:
        found = load_file(path).data
    except ExitgateError:
        return frozenset()
    return frozenset(found) if isinstance(found, dict) else frozenset()

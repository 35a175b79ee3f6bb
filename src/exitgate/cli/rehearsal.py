"""A command line performed in this process, in a folder of its own: for the examples of reference pages."""

from __future__ import annotations

import contextlib
import io
import os
import shlex

from exitgate.children import python
from exitgate.children.start import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Variables that an example sees; anything else about the machine would show in a page.
_HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
_FROM = ("PATH", "LANG", "SYSTEMROOT", "TMPDIR")
_NOBODY = {
    "GIT_AUTHOR_NAME": "somebody",
    "GIT_AUTHOR_EMAIL": "somebody@example.com",
    "GIT_COMMITTER_NAME": "somebody",
    "GIT_COMMITTER_EMAIL": "somebody@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "NO_COLOR": "1",
}
_HOME = ".home"
#: `exitgate` within a line of the shell is the one that runs.
_SHELL = 'exitgate() { "$PYTHON" -P -m exitgate "$@"; }; '


def rehearse(line: str, folder: str) -> tuple[str, int]:
    """
    Run a command line in `folder` and return what it prints, stderr and stdout as they come, and its code.

    `exitgate` runs here, other commands by `sh`; the home of both is a folder below `folder`. Streams,
    environment and current folder of this process are put back.
    """
    home = os.path.join(folder, _HOME)
    environment = {name: os.environ[name] for name in _FROM if name in os.environ}
    environment |= dict.fromkeys(_HOMES, home) | _NOBODY
    words = shlex.split(line)
    while words and "=" in words[0]:  # set for this command alone
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    if words[:1] != ["exitgate"] or "|" in words:
        environment["PYTHON"] = python.interpreter()
        done = run(["/bin/sh", "-c", _SHELL + line], environment, folder=folder)
        return done.err + done.out, done.code
    from exitgate.cli.main import main

    printed = io.StringIO()
    with _in(folder, environment), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(words[1:])
    return printed.getvalue(), code


@contextlib.contextmanager
def _in(folder: str, environment: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    here = os.getcwd()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(here)

"""What `doctor` finds of the program and the machine: versions, RE2, git, the user's cache, telemetry."""

from __future__ import annotations

import os
import sys

from exitgate import system
from exitgate.children.start import LateError, found, run
from exitgate.report.findings import ABSENT, FAILS, FOUND, WARNING, Finding

OLDEST = (3, 11)
GIT_LIMIT = 5.0


def program_findings() -> tuple[Finding, ...]:
    """Return the findings that do not depend on the project."""
    return (_exitgate(), _python(), _re2(), _git(), _cache(), _telemetry())


def _exitgate() -> Finding:
    from exitgate import __file__ as place
    from exitgate import __version__

    return Finding("exitgate", FOUND, __version__, os.path.dirname(place))


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST:
        return Finding("python", FAILS, version, sys.executable, "install Python 3.11 or newer")
    return Finding("python", FOUND, version, sys.executable)


def _re2() -> Finding:
    from importlib.metadata import PackageNotFoundError, version

    help = "pip install --force-reinstall google-re2"
    try:
        import re2

        works = re2.compile("a+b").search("xaab") is not None
        number = version("google-re2")
    except (ImportError, OSError, PackageNotFoundError) as error:
        return Finding("re2", FAILS, f"cannot be loaded: {error}", "", help)
    place = str(getattr(re2, "__file__", ""))
    return Finding("re2", FOUND if works else FAILS, number, place, "" if works else help)


def _git() -> Finding:
    place = found("git")
    if place is None:
        help = "install git, if a policy of yours uses `git` facts; without git they are unknown"
        return Finding("git", ABSENT, "no git on PATH", "", help)
    try:
        ran = run([place, "--version"], seconds=GIT_LIMIT)
    except (OSError, LateError) as error:
        help = "fix it, or take it off PATH; `git` facts are unknown meanwhile"
        return Finding("git", WARNING, f"does not run: {error}", place, help)
    return Finding("git", FOUND, ran.out.strip().removeprefix("git version "), place)


def _cache() -> Finding:
    from exitgate.policy.private import Refused, open_folder, place

    try:
        path = place(os.environ)
        if not os.path.lexists(path):
            return Finding("cache", ABSENT, "not created yet; the first check creates it", path)
        system.close(open_folder(path))
    except Refused as refused:
        help = "policies are compiled at each check, which is slower; make it private: chmod 700"
        return Finding("cache", WARNING, f"not used: {refused}", "", help)
    entries = sum(name.endswith(".json") for name in os.listdir(path))
    return Finding("cache", FOUND, f"private, {entries} compiled polic{'y' if entries == 1 else 'ies'}", path)


def _telemetry() -> Finding:
    from exitgate.surfaces.telemetry.shown import finding

    return finding(os.environ)

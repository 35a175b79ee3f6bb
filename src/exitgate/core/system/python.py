"""
Python started by exitgate: it imports nothing from the folder that it is started in.

`python -c` and `python -m` look for modules in the working folder first, which may be a repository that
somebody else wrote: a `./re.py` there would run.
"""

from __future__ import annotations

import os
import sys

#: Only the interpreter's own settings: no variables `PYTHON*`, no packages of the user, no working folder.
ISOLATED = ("-I",)
#: The working folder alone is left out: a user's `PYTHONPATH` may be where exitgate is installed.
_SAFE = ("-P",)
#: Switches of this interpreter that its children get, too.
_INHERITED = {
    "isolated": "-I",
    "ignore_environment": "-E",
    "no_user_site": "-s",
    "dont_write_bytecode": "-B",
}

#: What an interpreter is given: how many places of modules follow, the places, then words for the function.
_CODE = (
    "import sys; count = 2 + int(sys.argv[1]); sys.path[:] = dict.fromkeys(sys.argv[2:count] + sys.path); "
    "sys.argv[:count] = ['exitgate']; from {module} import {name}; sys.exit({name}())"
)


def command(module: str, name: str, *words: str) -> list[str]:
    """
    Return the command line of an interpreter that calls a function of exitgate without arguments.

    Modules are looked for where this process finds its own, but never in the working folder.

    Args:
        module: The module of the function, ``exitgate.…``.
        name: The function; what it returns is the exit code.
        words: What follows the program's name in its ``sys.argv``.

    Raises:
        OSError: When this process does not know its interpreter.
    """
    inherited = (switch for flag, switch in _INHERITED.items() if getattr(sys.flags, flag))
    return _words((*_SAFE, *inherited), module, name, places(), words)


def bare(module: str, name: str, paths: list[str]) -> list[str]:
    """Return the same for a shell: no site, no variable `PYTHON*`, modules from `paths` and the library."""
    return _words(("-S", *ISOLATED), module, name, paths, ())


def program(*words: str) -> list[str]:
    """Return the command line of `exitgate` by this process's interpreter. Raises OSError as `command`."""
    return [interpreter(), *_SAFE, "-m", "exitgate", *words]


def is_program(words: list[str]) -> bool:
    """Return whether words begin with what makes an interpreter run exitgate, its switches first."""
    while words[:1] and words[0].startswith("-") and words[0] != "-m":
        words = words[1:]
    return words[:2] == ["-m", "exitgate"]


def is_safe(words: list[str]) -> bool:
    """Return whether words that run exitgate by `-m` keep their interpreter from the working folder."""
    before = words[: words.index("-m")]
    short = "".join(word for word in before if word.startswith("-") and not word.startswith("--"))
    return bool({"P", "I"} & set(short)) or any(
        word.startswith("PYTHONSAFEPATH=") and len(word) > len("PYTHONSAFEPATH=") for word in before
    )


def interpreter() -> str:
    """Return the path of this process's interpreter. Raises OSError when Python does not know it."""
    if not sys.executable:
        raise OSError("the path of the Python interpreter is not known")
    return sys.executable


def environment() -> dict[str, str]:
    """
    Return this process's variables for a Python of ours.

    Its own children leave the working folder out as well, and `PYTHONPATH` names the same folders wherever
    the process is; an empty entry of it, which means the working folder, is left out.
    """
    found = {**os.environ, "PYTHONSAFEPATH": "1"}
    named = found.get("PYTHONPATH")
    if named:
        found["PYTHONPATH"] = os.pathsep.join(os.path.abspath(one) for one in named.split(os.pathsep) if one)
    return found


def places() -> list[str]:
    """Return the places where this process finds modules, without the working folder and relative ones."""
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # the folder is gone
        here = ""
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    kept = [one for one in sys.path if os.path.isabs(one) and os.path.realpath(one) != here]
    return list(dict.fromkeys((*kept, own)))


def _words(
    switches: tuple[str, ...], module: str, name: str, paths: list[str], words: tuple[str, ...]
) -> list[str]:
    code = _CODE.format(module=module, name=name)
    return [interpreter(), *switches, "-c", code, str(len(paths)), *paths, *words]

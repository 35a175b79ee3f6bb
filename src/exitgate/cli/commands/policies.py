"""`exitgate policies`: the policies that come with exitgate, and those of packages and repositories."""

from __future__ import annotations

import hashlib
import os

from exitgate import __version__
from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.policies_lock import LOCK, UPDATE, project_and_lock
from exitgate.cli.parsing.usage import did_you_mean, failure, pairs, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CANNOT_WRITE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.policy import shipped


def run_list(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return name, version and title of every shipped policy; or what the project pins."""
    is_json = given.word("format") == "json"
    if given.flag("pinned"):
        from exitgate.report.formats.output import output_text
        from exitgate.report.policy.sources import pinned_rows, pinned_text

        lock = project_and_lock()[1]
        pinned = pinned_rows(lock.entries.values() if lock is not None else (), os.environ)
        return Answer(output_text(pinned) if is_json else pinned_text(pinned))
    rows = titles()
    from exitgate.report.policy.description import policies_text, shipped_json

    return Answer(shipped_json(rows) if is_json else policies_text(rows, terminal.out))


def titles() -> list[tuple[str, str, str]]:
    """Return name, version and title of every shipped policy, without compiling any."""
    from exitgate.core.policy.yaml.document import load_yaml

    rows = []
    for name in shipped.policies():
        with open(shipped.path(name), encoding="utf-8") as file:
            head = load_yaml(file.read(), shipped.path(name)).data
        assert isinstance(head, dict)
        rows.append((name, str(head.get("version", "")), str(head.get("title", ""))))
    return rows


def run_show(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return one policy with effective parameters, rules and invariants."""
    from exitgate.core.policy.compile import load_policy

    policy = load_policy(given.word("name"), settings=pairs("--set", given.texts("set")))
    from exitgate.report.policy.description import policy_json, policy_text

    is_json = given.word("format") == "json"
    return Answer(policy_json(policy) if is_json else policy_text(policy, terminal.out))


def run_eject(given: ParsedArguments, _: Terminal) -> Answer:
    """Copy a shipped policy into a folder of the user's own."""

    name = given.word("name")
    written = copy_policy(name, given.text("folder") or name)
    return Answer("".join(f"wrote {path}\n" for path in written))


FORMAT = formats("text", "json")
COMMAND = Command(
    "policies",
    "list, show and copy the shipped policies",
    examples=(
        ("exitgate policies list", "all shipped policies"),
        ("exitgate policies eject bb3 policies/ours", "start your own policy from a shipped one"),
    ),
    children=(
        Command(
            "list",
            "list the shipped policies, or those that the project pins",
            about="With `--pinned`: source, version or commit, and digest of what the project pins.",
            options=(Option("--pinned", "list the packages and repositories that the project pins"), FORMAT),
            examples=(
                ("exitgate policies list", "name, version and title of each"),
                ("exitgate policies list --pinned", "what the project takes from elsewhere"),
            ),
            run=run_list,
        ),
        Command(
            "show",
            "show a policy: parameters, rules in order, invariants",
            arguments=(Argument("NAME", "a shipped policy, or the path of a policy file"),),
            options=(Option("--set NAME=VALUE...", "set a parameter"), FORMAT),
            examples=(
                ("exitgate policies show bb3", "the rules of BB3 in order"),
                ("exitgate policies show bb3 --set min_completion=95", "with another threshold"),
            ),
            run=run_show,
        ),
        Command(
            "eject",
            "copy a shipped policy with its tests into a folder of yours",
            about="Copies policy.yaml, tests.yaml and README.md, and notes its origin at the top of "
            "the policy. No existing file is overwritten: if one of the files exists, none is written.",
            arguments=(
                Argument("NAME", "a shipped policy"),
                Argument("[FOLDER]", "target folder; a new folder with the policy's name by default"),
            ),
            examples=(("exitgate policies eject bb3 policies/ours", "copy BB3 to policies/ours"),),
            run=run_eject,
        ),
        LOCK,
        UPDATE,
    ),
)


# Copying a shipped policy into a folder of the user's own.

FILES = ("policy.yaml", "tests.yaml", "README.md")


def copy_policy(name: str, folder: str) -> tuple[str, ...]:
    """
    Copy the files of a shipped policy into `folder` and return the paths written.

    The policy gets a first line that says where it came from, with the digest of the original. Raises
    `ExitgateError`: 64 for an unknown name, 73 when one of the files exists or cannot be written; nothing
    is written when one exists.
    """
    source = os.path.dirname(_path(name))
    found = [file for file in FILES if os.path.isfile(os.path.join(source, file))]
    targets = {file: os.path.join(folder, file) for file in found}
    taken = [path for path in targets.values() if os.path.lexists(path)]
    if taken:
        raise ExitgateError(
            [
                Diagnostic(
                    "EP804", "the file exists; nothing was written", Location(p), "name another folder"
                )
                for p in taken
            ],
            CANNOT_WRITE,
        )
    try:
        os.makedirs(folder, exist_ok=True)
        for file, target in targets.items():
            with open(os.path.join(source, file), "rb") as original:
                content = original.read()
            with open(target, "xb") as copy:
                copy.write(_copied(content, name, file))
    except OSError as error:
        raise failure(
            "EP805", f"cannot write `{folder}`: {error.strerror}", "name another folder", CANNOT_WRITE
        ) from error
    return tuple(targets.values())


def _path(name: str) -> str:
    try:
        return shipped.path(name)
    except KeyError as error:
        advice = did_you_mean(name, shipped.policies(), "see `exitgate policies list`")
        raise usage_error(f"no shipped policy `{name}`", advice) from error


def _copied(content: bytes, name: str, file: str) -> bytes:
    """Return what is written: the policy with its origin, the README without links to missing files."""
    if file == "README.md":
        from exitgate.reference.index import within

        return within(content.decode(), file).encode()
    return _noted(content, name) if file == "policy.yaml" else content


def _noted(content: bytes, name: str) -> bytes:
    """Return the policy with the note behind its modeline, whose relative path would lead nowhere."""
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    note = f"# Copied from the shipped policy {name} of exitgate {__version__}, blake2b {digest}.\n".encode()
    lines = content.splitlines(keepends=True)
    if lines and lines[0].startswith(b"# yaml-language-server:"):
        lines = lines[1:]
    return note + b"".join(lines)

"""
What a shell completes: names of policies, parameters, rules, readers, hosts, runs and ids.

It only reads: files of settings, policies and the ledger. If reading fails, nothing is completed, silently.
A name that a shell could take for more than a word is left out: what is completed is soon run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from click.shell_completion import BashComplete, CompletionItem, split_arg_string

from exitgate.analysis.lint.registry import IDS
from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.policy import shipped
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.locked.reference import is_remote
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.state.request import Request
from exitgate.core.system import portable

Typed = Mapping[str, object]
Named = Iterable[tuple[str, str]]


#: Characters of a name that is offered, beside letters and digits.
PLAIN = frozenset("_-.#@/=%")
#: Names offered at most, and bytes at the end of the ledger that are looked through for runs.
MOST, TAIL = 500, 256_000
FILES, FOLDERS = "file", "dir"
#: Commands whose first argument is the policy.
_POLICY_FIRST = ("policies show", "prove", "prompt", "diff", "compare")
_OF_FILES = ("PATH", "FILE", "FILE|RUN=STOP", "REV|FILE|NAME", "RESPONSE", "PLAN", "POLICY", "NAME|PATH")


def completions_for(
    command: str, key: str, metavar: str, typed: Typed, begun: str, values: tuple[str, ...] = ()
) -> tuple[list[tuple[str, str]], str]:
    """
    Return the names that go on from `begun`, each with what it is, and the kind of paths that go, too.

    Args:
        command: Its name, ``check`` or ``policies show``.
        key: Of the option or argument.
        metavar: As help shows it.
        typed: What was given before; ``""`` are the words that were not yet taken as arguments.
        begun: The word at the cursor, so far.
        values: What the declaration of the option or argument suggests.

    The kind of paths is `FILES`, `FOLDERS` or empty.
    """
    paths = FILES if metavar in _OF_FILES else FOLDERS if metavar == "FOLDER" else ""
    paths = FILES if (command, key) == ("policies show", "name") else paths
    left = typed.get("")
    if command in _POLICY_FIRST and isinstance(left, list) and left:
        typed = {"policy": left[0], **{name: value for name, value in typed.items() if value}}
    try:
        named = [(value, metavar.lower()) for value in values] or list(_named(command, key, typed, begun))
    except Exception:  # no names then; the shell still offers paths
        named = []
    fitting = {name: about for name, about in named if name.startswith(begun) and _is_plain(name)}
    return list(fitting.items())[:MOST], paths


def _is_plain(name: str) -> bool:
    return name[:1] not in ("", "-", "#") and all(one.isalnum() or one in PLAIN for one in name)


def _named(command: str, key: str, typed: Typed, begun: str) -> Named:
    own = _OF_COMMAND.get((command, key))
    if own is not None:
        return own(typed, begun)
    find = _OF_KEY.get(key)
    return find(typed, begun) if find is not None else ()


def _policies(_typed: Typed, begun: str) -> Named:
    return () if ":" in begun else ((one, "shipped policy") for one in shipped.policies())


def _policy(typed: Typed) -> CompiledPolicy:
    """Return the policy that the words before name, or the one in force here."""
    from exitgate.core.gate.settings import recall_settled
    from exitgate.core.state.discover import DEFAULT_POLICY

    named = typed.get("policy") or typed.get("name")
    if isinstance(named, tuple | list):
        named = named[-1]
    name = str(named) if named else None
    if name is not None and not is_remote(name):
        name = name.partition(":")[0]
    return recall_settled(SettingsRequest(DEFAULT_POLICY, name)).policy


def _settings(typed: Typed, begun: str) -> Iterator[tuple[str, str]]:
    name, equals, _ = begun.partition("=")
    for parameter in _policy(typed).parameters.values():
        if not equals:
            yield f"{parameter.name}=", parameter.doc
        elif parameter.name == name:
            kind = parameter.type
            for value in ("true", "false") if kind.kind == "bool" else kind.members or ():
                yield f"{name}={value}", ""


def _given_facts(typed: Typed, _begun: str) -> Named:
    return ((f"{name}=", "fact") for name in _policy(typed).facts)


def _facts(typed: Typed, _begun: str) -> Named:
    return ((name, "fact") for name in _policy(typed).facts)


def _rules(typed: Typed, _begun: str) -> Named:
    return ((rule.id, rule.text) for rule in _policy(typed).rules)


def _sources(typed: Typed, _begun: str) -> Named:
    found = {one.source for one in _policy(typed).extractions if one.source and one.extractor != GIVEN}
    return ((f"{name}=", "source") for name in sorted(found))


def _readers(_typed: Typed, _begun: str) -> Named:
    from exitgate.recordings.registry import names

    return ((name, "reader") for name in names())


def _hosts(_typed: Typed, _begun: str) -> Named:
    from exitgate.hosts.hook.protocol import HOSTS

    return ((name, "host") for name in HOSTS)


def _ids(_typed: Typed, begun: str) -> Named:
    """Yield the ids that `explain` has a page on; letters are matched as they are typed."""
    from exitgate.reference.index import known_ids

    if not begun:
        return ()
    lower = begun.islower()
    known = known_ids().items()
    return (
        (id.lower() if lower and id.isupper() else id, some[0].title) for id, some in known if ":" not in id
    )


def _lints(_typed: Typed, _begun: str) -> Named:
    return ((id, "lint") for id in IDS)


def _schemas(_typed: Typed, _begun: str) -> Named:
    return ((name, "schema") for name in shipped.schema_names())


def _setting_keys(typed: Typed, _begun: str) -> Named:
    from exitgate.core.policy.sections.parameters import RESERVED

    policy = _policy({"policy": typed.get("policy")})
    rules = ((rule.id, "rule") for rule in policy.rules)
    return [
        *((p.name, p.doc) for p in policy.parameters.values()),
        *rules,
        *((key, "key") for key in RESERVED),
    ]


def _runs(typed: Typed, _begun: str) -> Named:
    """Return names and ids of the newest runs in the ledger."""
    from exitgate.core.ledger.file import open_reading, parse
    from exitgate.core.ledger.runs import name_of
    from exitgate.core.state.discover import state_dir

    given = typed.get("state_dir")
    descriptor = open_reading(state_dir(Request(state_dir=str(given) if given else None)))
    if descriptor is None:
        return ()
    try:
        size = os.fstat(descriptor).st_size
        raw = portable.pread(descriptor, TAIL, max(0, size - TAIL))
    finally:
        os.close(descriptor)
    lines = (parse(line) for line in reversed(raw.splitlines()[size > TAIL :]))
    ids = dict.fromkeys(str(line["run"]) for line in lines if line is not None)
    return [*((name, "run") for name in dict.fromkeys(map(name_of, ids))), *((id, "run") for id in ids)]


_OF_KEY: dict[str, Callable[[Typed, str], Named]] = {
    "policy": _policies,
    "set": _settings,
    "parameter": _settings,
    "fact": _given_facts,
    "source": _sources,
    "rule": _rules,
    "reader": _readers,
    "host": _hosts,
    "run": _runs,
}
_OF_COMMAND: dict[tuple[str, str], Callable[[Typed, str], Named]] = {
    ("calibrate", "fact"): _facts,
    ("explain", "response"): _ids,
    ("lint", "select"): _lints,
    ("lint", "ignore"): _lints,
    ("policies show", "name"): _policies,
    ("policies eject", "name"): _policies,
    ("schema", "name"): _schemas,
    ("config", "name"): _setting_keys,
    ("new-run", "name"): _runs,
    ("validate", "path"): _policies,
    ("lint", "path"): _policies,
    ("test", "path"): _policies,
    ("mutate", "path"): _policies,
    ("release-check", "against"): _policies,
}


# Completion in bash, which breaks words at `=`: they are joined, and what was typed is cut off again.


class Bash(BashComplete):
    """Asks for completion of words as they were typed."""

    _joined = False

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor and the one at it."""
        typed = [*split_arg_string(os.environ["COMP_WORDS"]), ""][: int(os.environ["COMP_CWORD"]) + 1]
        words: list[str] = []
        for at, word in enumerate(typed):
            self._joined = len(words) > 1 and (word == "=" or typed[at - 1] == "=")
            if self._joined:
                words[-1] += word
            else:
                words.append(word)
        return words[1:-1], words[-1] if len(words) > 1 else ""

    def format_completion(self, item: CompletionItem) -> str:
        """Return a line of the answer: bash has what is before the last `=` already."""
        value = item.value.partition("=")[2] if self._joined and "=" in item.value else item.value
        return f"{item.type},{value}"

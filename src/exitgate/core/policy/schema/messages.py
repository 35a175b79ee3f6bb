"""What a schema error means to someone who writes a policy."""

from __future__ import annotations

from exitgate.core.model.spelling import nearest_name, suggestion
from exitgate.core.model.value import Value
from exitgate.core.policy.yaml.builder import CONDITION_KEYS
from exitgate.core.policy.yaml.scalars import resolve, surprise
from exitgate.core.system.folders import leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from exitgate.core.policy.yaml.node import YamlNode


_KINDS = {
    "string": "a text", "number": "a number", "integer": "a whole number", "boolean": "`true` or `false`",
    "array": "a list", "object": "a mapping of keys to values", "null": "nothing",
}  # fmt: skip
_TREE = ["all", "any", "not"]
#: What to do about a path that leads out of the project.
PATH_HELP = "write a path below the project, such as `.ralph/exit-state.json`"
#: Keys other formats use for a tree of conditions -> the one that is meant.
_TREE_KEYS = {"and": "all", "or": "any"}
_CONDITION = ["boolean", "object", "string"]
#: Pattern of a duration, of which other forms are allowed beside it.
_DURATION = "^[1-9][0-9]{0,6}[smh]$"
_LOCK = "run `exitgate policies lock`, which writes it anew"
#: Pattern -> what a text that does not match is not, and what to write. The others are of names and paths.
_FORMS = {
    "^[A-Z]{3}$": ("a currency", "write three capital letters: `USD`"),
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}$": ("a date", "write year, month and day: `2027-03-01`"),
    "^[0-9]+ of [0-9]+$": ("a progress value", "write for example `2 of 3`"),
    "^[a-z]{2,8}$": ("a language", "write its code in small letters: `en`"),
    "^[A-Za-z_][A-Za-z0-9_]*$": (
        "the name of a variable",
        "write the name alone, such as `DATABASE_URL`; its value is not written here",
    ),
    "^\\$?[A-Za-z_][A-Za-z0-9_.]*$": (
        "a fact or a parameter", "write a name such as `tasks.done` or `$min_confidence`",
    ),
    "^(/([^/~]|~[01])*)*$": ("a JSON Pointer", "begin it with `/`, as in `/jobs/0/conclusion`"),
    "^[1-9][0-9]{0,4}$": ("the number of an iteration", "write a whole number from 1"),
    "^(open .+|watch|close)$": ("a move of the breaker", "write `open ID`, `watch` or `close`"),
    _DURATION: ("a duration above 0", "write for example `90s`, `10m` or `2h`"),
    r"^(?!pypi:|git\+)|^pypi:[^@/]+@[^/]+(/.+)?$|^git\+(https|ssh|file)://.+@[^@#]+(#.+)?$": (
        "a policy of a package or repository",
        "write `pypi:NAME@VERSIONS/PATH` or `git+https://HOST/PATH@REVISION#FILE`",
    ),
    "^[0-9a-f]{64}$": ("a digest of 64 hex digits", _LOCK),
    "^[0-9a-f]{40}$": ("a commit of 40 hex digits", _LOCK),
    "^sha256:[0-9a-f]{64}$": ("`sha256:` and 64 hex digits", _LOCK),
}  # fmt: skip
#: How patterns of paths that a probe writes begin.
_WRITTEN_PATHS = ("^(-|(?![/~", "^(?![/~")
_BREAKER = frozenset(("open", "watch", "close", "cooldown"))
#: Keys of a breaker that something else keeps.
_ELSEWHERE = ["from", "absent", "unreadable"]


class Misfit(Value):
    """
    One error of the schema: the validation keyword `kind` and its value `wanted`, at `path`.

    `keys` are the properties the schema knows there, `extra` says that it takes ``x-`` keys too.
    """

    __slots__ = ("extra", "instance", "keys", "kind", "path", "told", "wanted")

    def __init__(
        self,
        kind: str,
        wanted: Any,
        keys: list[str],
        extra: bool,
        path: tuple[str | int, ...],
        instance: object,
        told: str,
    ) -> None:
        self.kind = kind
        self.wanted = wanted
        self.keys = keys
        self.extra = extra
        self.path = path
        self.instance = instance
        self.told = told

    @property
    def missing(self) -> str:
        """For `required`: the key that is missing."""
        return next((str(key) for key in self.wanted if self.told.startswith(repr(key))), "")


class Complaint(Value):
    """Code, message and help of one schema error; `key` is the key below it to point at, or None."""

    __slots__ = ("code", "help", "key", "message")

    def __init__(self, code: str, message: str, help: str = "", key: str | None = None) -> None:
        self.code = code
        self.message = message
        self.help = help
        self.key = key


def condition_taken_apart(misfit: Misfit) -> bool:
    """Return whether unknown keys are in a condition: what is left of it has no meaning."""
    return misfit.kind == "additionalProperties" and sorted(misfit.keys) == _TREE


def misspelt(key: str, known: Sequence[str], part: YamlNode) -> tuple[Complaint, str | None]:
    """
    Return what to say about a key that is not known, and the known key it was meant to be, if any.

    A mapping with a key in several words, where a condition is, is a condition YAML took apart.
    """
    if sorted(known) == _TREE and key in _TREE_KEYS:
        return Complaint("EP201", f"unknown key `{key}`", f"write `{_TREE_KEYS[key]}:`"), _TREE_KEYS[key]
    if sorted(known) == _TREE and (" " in key or nearest_name(key, known) is None):
        told = f"YAML reads this condition as a mapping with the key `{key}`"
        return Complaint("EP206", told, f"quote this condition: `'{_mended(key, part)}'`"), None
    if key in _BREAKER and list(known) == _ELSEWHERE:
        told = f"`{key}:` beside `from:`: the breaker is kept either by the policy or by something else"
        return Complaint("EP201", told, "remove one of them"), None
    rest = [other for other in known if other not in part.fields]
    name = nearest_name(key, rest)
    return Complaint("EP201", f"unknown key `{key}`", suggestion(key, rest, "keys allowed here")), name


def cut_by_comma(key: str, known: Sequence[str], part: YamlNode) -> tuple[str, list[str]] | None:
    """
    Return whose value an unknown key is the rest of, and all such rests; None where it is not one.

    Within braces YAML ends a text without quotes at a comma: of ``{when: max(a, 3) > 2}`` it makes the keys
    ``when`` and ``3) > 2``, the second without a value.
    """
    before = ""
    rests: list[str] = []
    for name, value in part.fields.items():
        if name not in known and value.value is None and not value.text and not _has_colon(value):
            rests.append(name)
            continue
        if key in rests:
            break
        before, rests = name, []
    cut = part.fields.get(before)
    if key not in rests or before not in known or cut is None or cut.written is None:
        return None
    plain = cut.written.flow and cut.written.style == "plain"
    return (before, rests) if plain and cut.is_text else None


def _has_colon(value: YamlNode) -> bool:
    """Return whether a value that is empty has a colon before it."""
    return value.written is None or value.written.lines.text[: value.written.start].rstrip().endswith(":")


def ended_early(key: str, before: str, rests: Sequence[str], part: YamlNode) -> Complaint:
    """Return what to say about a value that YAML ended at a comma."""
    whole = ", ".join([part.fields[before].text, *rests]).replace("'", "''")
    kind = "condition" if before in CONDITION_KEYS else "text"
    told = f"YAML ends the {kind} of `{before}` at the comma before `{shortened(key)}`"
    code = "EP114" if before in CONDITION_KEYS else "EP201"
    return Complaint(code, told, f"put the {kind} in quotes: `{before}: '{whole}'`")


def _mended(key: str, part: YamlNode) -> str:
    """Return the condition as it was probably meant, for the help line."""
    value = part.fields[key]
    written = "..." if value.fields or value.items else value.text
    return (f"{key}: {written}" if written else key).replace("'", "''")


def complaint(misfit: Misfit, part: YamlNode) -> Complaint:
    """Return what to say about any error but one of unknown keys."""
    name = misfit.kind
    if name == "type":
        wanted = misfit.wanted if isinstance(misfit.wanted, list) else [misfit.wanted]
        return _type(wanted, part, misfit.path[-1:] == ("command",))
    if name == "required":
        return Complaint("EP202", f"`{misfit.missing}` is missing", f"add `{misfit.missing}: ...`")
    if isinstance(misfit.instance, str) and misfit.instance in part.fields and name != "pattern":
        told = f"`{shortened(misfit.instance)}` cannot be a key here"
        names = [str(value) for value in misfit.wanted] if name == "enum" else []
        help = suggestion(misfit.instance, names, "keys") if names else "write another key"
        return Complaint("EP204", told, help, misfit.instance)
    if name in ("anyOf", "oneOf"):
        return _branches(misfit, part)
    if name in ("enum", "const"):
        return _enum(list(misfit.wanted) if name == "enum" else [misfit.wanted], part)
    if name == "pattern":
        return _pattern(misfit, part)
    if name == "minProperties" and sorted(misfit.keys) == _TREE:
        return Complaint("EP206", "an empty condition", "write one of `all:`, `any:`, `not:`, or a text")
    if name == "maxProperties":
        keys = " and ".join(f"`{key}`" for key in part.fields)
        if sorted(misfit.keys) != _TREE:
            return Complaint(
                "EP205",
                f"{keys} together",
                "keep one of them" if misfit.wanted == 1 else f"keep {misfit.wanted}",
            )
        return Complaint("EP206", f"a condition has {keys} together", "put them in a list under `all:`")
    return _size(name, misfit.wanted, part)


def _type(wanted: list[str], part: YamlNode, is_command: bool = False) -> Complaint:
    if sorted(wanted) == _CONDITION:
        help = "write a sentence such as `tasks.done >= 3`, or a tree of `all:`, `any:` and `not:`"
        return Complaint("EP203", f"expected a condition, got {described(part)}", help)
    told = f"expected {' or '.join(_KINDS[kind] for kind in wanted)}, got {described(part)}"
    for kind, sort in (("boolean", "bool"), ("integer", "number"), ("number", "number")):
        help = surprise(part.text, sort) if kind in wanted and part.is_text else ""
        if help:
            return Complaint("EP210", told, help)
    help = f"write {_KINDS[wanted[0]]}"
    if {"number", "integer"} & set(wanted) and part.is_text and _is_number(part.text):
        told = f"expected {_KINDS[wanted[0]]}, got the text `{shortened(part.text)}`"
        help = f"remove the quotes: `{part.text}`"
    elif part.value is None:
        help = "write a value, or remove the key"
    elif "string" in wanted and isinstance(part.value, bool | int | float):
        help = f"put it in quotes: `'{part.text}'`"
    elif "array" in wanted:
        help = "start each item with `- `" if part.fields else f"write `[{_listed(part.text, is_command)}]`"
    return Complaint("EP203", told, help)


def _listed(text: str, is_command: bool) -> str:
    """Return the items of a list that a text was probably meant to be: one, or the words of a command."""
    words = [text]
    if is_command:
        import shlex

        try:
            words = shlex.split(text) or [text]
        except ValueError:  # a quote without an end
            words = text.split()
    return ", ".join(_item(word) for word in words)


def _item(text: str) -> str:
    """Return a text as an item of a list in brackets, in quotes where YAML would read something else."""
    if not text:
        return ""
    is_plain = isinstance(resolve(text), str) and all(c.isalnum() or c in "_./=+-" for c in text)
    return text if is_plain and text[0] != "-" else "'" + text.replace("'", "''") + "'"


def described(part: YamlNode) -> str:
    """Return the value for a message: a scalar as written, else its kind."""
    if part.is_mapping:
        return "a mapping"
    if part.is_sequence:
        return "a list"
    if part.value is None:
        return "nothing"
    return f"`{shortened(part.text)}`"


def shortened(text: str) -> str:
    """Return the text, or its first 57 characters and three points."""
    return text if len(text) <= 60 else text[:57] + "..."


def _branches(misfit: Misfit, part: YamlNode) -> Complaint:
    """Return what to say where one of several forms is wanted: by the keys or the types they ask for."""
    keys = [str(key) for branch in misfit.wanted for key in branch.get("required", [])]
    if keys:
        listed = ", ".join(f"`{key}`" for key in keys)
        written = [key for key in keys if key in part.fields]
        if len(written) > 1:
            told = f"{' and '.join(f'`{key}`' for key in written)} together"
            return Complaint("EP202", told, f"keep one of {listed}")
        return Complaint("EP202", f"one of {listed} is missing", f"add `{keys[0]}: ...`")
    text = misfit.instance
    places = any(str(branch.get("pattern", "")).startswith("^(?!/)") for branch in misfit.wanted)
    if places and isinstance(text, str) and leads_out(text):
        return _place_below(text, "")
    if any(branch.get("pattern") == _DURATION for branch in misfit.wanted):
        words = [f"`{value}`" for branch in misfit.wanted for value in branch.get("enum", ())]
        told = f"{described(part)} is not a duration above 0"
        help = ", ".join([*words, "a duration such as `90s`, `10m` or `2h`", "or seconds"])
        return Complaint("EP203", told, f"write {help}")
    kinds = [_KINDS[branch["type"]] for branch in misfit.wanted if branch.get("type") in _KINDS]
    kinds += [f"`{branch['const']}`" for branch in misfit.wanted if "const" in branch]
    told = f"{described(part)} is not allowed here"
    return Complaint(
        "EP203", told, f"write {' or '.join(kinds)}" if kinds else "compare with `exitgate schema`"
    )


def _enum(wanted: list[object], part: YamlNode) -> Complaint:
    names = [str(value).lower() if isinstance(value, bool) else str(value) for value in wanted]
    only_true = len(wanted) == 1 and wanted[0] is True
    help = surprise(part.text, "bool") if only_true and part.is_text else ""
    if help:
        return Complaint("EP210", f"expected `true`, got {described(part)}", help)
    if part.is_text and any(
        name == part.text and not isinstance(value, str) for name, value in zip(names, wanted, strict=True)
    ):
        kind = "" if part.text in ("true", "false") else "the number "
        told = f"{kind}`{part.text}` is expected here, not the text"
        return Complaint("EP204", told, "remove the quotes")
    if only_true:
        told = f"only `true` makes sense here, got {described(part)}"
        return Complaint("EP204", told, "write `true`, or remove the key")
    if len(names) == 1:
        told = f"only `{names[0]}` is allowed here, got {described(part)}"
        return Complaint("EP204", told, f"write `{names[0]}`")
    return Complaint(
        "EP204", f"{described(part)} is not allowed here", suggestion(part.text, names, "allowed")
    )


def _pattern(misfit: Misfit, part: YamlNode) -> Complaint:
    text = str(misfit.instance)
    pattern = str(misfit.wanted)
    key = text if text in part.fields else None
    if pattern.startswith("^(0"):
        return Complaint("EP205", f"`{shortened(text)}` is not a version", "write three numbers: `1.0.0`")
    if pattern in _FORMS:
        what, help = _FORMS[pattern]
        return Complaint("EP205", f"`{shortened(text)}` is not {what}", help, key)
    if pattern.startswith(_WRITTEN_PATHS):
        return _written_path(text)
    if pattern.startswith("^(?!/)"):
        return _place_below(text, ".json" if "json" in pattern else "")
    help = "use lower-case letters, digits and `_`, a letter first"
    if "_-" in pattern:
        help = "use lower-case letters and digits, a letter first, with `-` or `_` between words"
    return Complaint("EP205", f"`{shortened(text)}` cannot be a name", help, key)


def _place_below(text: str, ending: str) -> Complaint:
    """Return what to say about a path that is not one below the project, or not of the ending wanted."""
    if leads_out(text):
        return Complaint("EP444", f"`{shortened(text)}` leads out of the project", PATH_HELP)
    if ending and not text.endswith(ending):
        told = f"`{shortened(text)}` is not a `{ending}` file"
        return Complaint("EP205", told, f"write a path such as `.ralph/state{ending}`")
    return Complaint("EP205", f"`{shortened(text)}` contains `..`", "write the path without `..`")


def _written_path(text: str) -> Complaint:
    """Return what to say about a path that no probe may write."""
    if leads_out(text):
        help = "write a path below the project, such as `build/junit.xml`"
        return Complaint("EP444", f"`{shortened(text)}` leads out of the project", help)
    if text.startswith("-"):
        return Complaint("EP205", f"`{shortened(text)}` begins with `-`", f"write `./{shortened(text)}`")
    if ".." in text.replace("\\", "/").split("/"):
        return Complaint("EP205", f"`{shortened(text)}` contains `..`", "write the path without `..`")
    return Complaint("EP205", f"`{shortened(text)}` is not a path", "write it without control characters")


def _size(name: str, wanted: object, part: YamlNode) -> Complaint:
    count = len(part.items)
    words = {
        "minLength": ("an empty text", "write a value, or remove the key"),
        "maxLength": (f"a text of {len(part.text)} characters; at most {wanted} are allowed", "shorten it"),
        "minimum": (f"`{part.text}` is too small", f"write {wanted} or more"),
        "maximum": (f"`{part.text}` is too large", f"write {wanted} or less"),
        "exclusiveMinimum": (f"`{part.text}` is too small", f"write more than {wanted}"),
        "exclusiveMaximum": (f"`{part.text}` is too large", f"write less than {wanted}"),
        "minItems": (f"a list of {count}; at least {wanted} required", "add items, or remove the key"),
        "maxItems": (f"a list of {count}; at most {wanted} allowed", "shorten the list"),
        "minProperties": ("an empty mapping", "write at least one key, or remove it"),
    }
    if name in words:
        message, help = words[name]
        return Complaint("EP205", message, help)
    return Complaint(
        "EP200", f"the format does not allow this value ({name})", "compare with `exitgate schema`"
    )


def _is_number(text: str) -> bool:
    """Return whether a text would be a number without its quotes."""
    try:
        return not isinstance(resolve(text), bool | str | None)
    except OverflowError:
        return False

"""Lexicons named by a policy: found, read strictly, compared with their schema, resolved, joined."""

from __future__ import annotations

from exitgate.core.facts.lexicons.lexicon import entries_of
from exitgate.core.facts.lexicons.resolved import join_languages, parted, resolve, whole, with_entries
from exitgate.core.model.json_object import JsonObject, object_of, one_or_more
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import Value
from exitgate.core.policy import shipped
from exitgate.core.policy.extending.overrides import CHANGES, change_list, is_change
from exitgate.core.policy.lexicon_cache import keep, recall
from exitgate.core.policy.library import ShippedLexicon, is_path, lexicon_name
from exitgate.core.policy.remembered import REMEMBERED
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.policy.sections.required_words import with_required
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.library import Library
    from exitgate.core.policy.yaml.document import Document
    from exitgate.core.policy.yaml.node import YamlNode


#: So many lexicons may use one another.
USED_LIMIT = 60

#: The value of `language:` that lets the text decide.
AUTO = "auto"

#: What is remembered of a lexicon's document: it alone, and with those it uses.
_PLAIN, _RESOLVED = "plain", "resolved"


class _Unusable(Exception):  # noqa: N818 - already reported when it is raised
    """A lexicon is missing or wrong; that is already reported."""


def read_lexicons(part: YamlNode, library: Library, findings: Findings) -> JsonObject | None:
    """
    Return ``{"entries": [...], "guards": {...}}`` of the lexicons an entry names, or None after an error.

    Entries are in the order of the lexicons; guards of the same name are those of the last. Where
    lexicons have a language, ``languages`` is there too. All is packed (`facts.lexicons.resolved`).

    Args:
        part: The value of `lexicon:`: a name or path, or a list of them.
        library: Reads the files.
        findings: Takes EP472 and what is wrong in the files.
    """
    named = part.items or (part,)
    found = [_resolved(name.text, name.place, library, findings) for name in named]
    lexicons = [lexicon for lexicon in found if lexicon is not None]
    if len(lexicons) < len(found):
        return None
    if len(lexicons) == 1:
        return lexicons[0]
    entries: list[object] = []
    guards, languages = JsonObject(), JsonObject()
    for lexicon in map(whole, lexicons):
        entries += lexicon.array("entries")
        guards |= lexicon.object("guards")
        join_languages(languages, lexicon.object("languages"))
    return _joined(entries, guards, languages)


def read_language(lexicon: JsonObject, wanted: object, place: Location, findings: Findings) -> JsonObject:
    """
    Return a lexicon's part in the languages that an entry's `language:` names; all of it for `auto`.

    Args:
        lexicon: What `read_lexicons` returned.
        wanted: The option: `auto`, a language, a list of them.
        place: Where it is written.
        findings: Takes EP471, languages that the lexicon does not have.
    """
    known, named = lexicon.object("languages"), one_or_more(wanted)
    if AUTO in named or not known:
        return lexicon
    for code in named:
        if code not in known:
            help = suggestion(code, known, "languages of the lexicon")
            findings.error("EP471", f"the lexicon has nothing in the language `{code}`", place, help)
    codes = [code for code in known if code in named]
    entries = [e for e in entries_of(lexicon) if e.get("language", AUTO) in (AUTO, *codes)]
    left = with_entries(lexicon, entries)
    kept = {code: left.object("languages")[code] for code in codes}
    return parted(JsonObject({**left, "languages": kept, "language": codes}))


def _joined(entries: list[object], guards: JsonObject, languages: JsonObject) -> JsonObject:
    joined = JsonObject(entries=entries, guards=guards)
    if languages:
        joined["languages"] = languages
    return parted(joined)


def read_guards(
    place: Location, library: Library, findings: Findings, language: str = ""
) -> JsonObject | None:
    """
    Return the guards that hold where no lexicon is named, without entries, or None after an error.

    Args:
        place: What needs them.
        library: Reads the files.
        findings: Takes EP472 and what is wrong in the files.
        language: Code of the language they are wanted in; empty for the default.
    """
    try:
        return _kept(_GUARDS + language, place, library) or _read_guards(place, library, findings, language)
    except _Unusable:
        return None


#: What the guards of a language are kept as, before its code: no lexicon has a blank in its name.
_GUARDS = "guards of "


def _read_guards(place: Location, library: Library, findings: Findings, language: str) -> JsonObject:
    read: list[tuple[str, Document]] = []
    before = findings.told()

    def lexicon(name: str) -> JsonObject:
        document = _document(name, place, library)
        read.append((name, document))
        return _plain(document, library, findings)

    found = resolve(JsonObject(language=language), lexicon)
    plain = _joined([], found.object("guards"), found.object("languages"))
    if findings.told() == before:
        _keep(_GUARDS + language, read, plain, library)
    return plain


class _Resolved(Value):
    """
    A lexicon with those it uses.

    Args:
        used: Names and documents in the order in which they were read, its own first.
        plain: The lexicon, parted and packed.
    """

    __slots__ = ("plain", "used")

    def __init__(self, used: Sequence[tuple[str, Document]], plain: JsonObject) -> None:
        self.used = used
        self.plain = plain


def _resolved(name: str, place: Location, library: Library, findings: Findings) -> JsonObject | None:
    """Return one lexicon with those it uses. Names it uses are looked up from the policy that names it."""
    try:
        return (
            _remembered(name, place, library)
            or _kept(name, place, library)
            or _read_all(name, place, library, findings)
        )
    except _Unusable:
        return None


def _remembered(name: str, place: Location, library: Library) -> JsonObject | None:
    """Return what the same lexicon, with the same others, was resolved to before; None when it was not."""
    known = REMEMBERED.made(_RESOLVED, _document(name, place, library))
    if not isinstance(known, _Resolved):
        return None
    same = all(_document(used, place, library) is document for used, document in known.used[1:])
    touched = any(_changes(document, library) for _, document in known.used)
    return known.plain if same and not touched else None


def _read_all(name: str, place: Location, library: Library, findings: Findings) -> JsonObject:
    read: list[tuple[str, Document]] = []
    before = findings.told()

    def lexicon(wanted: str) -> JsonObject:
        if len(read) > USED_LIMIT:
            message = f"lexicon `{name}` uses more than {USED_LIMIT} others, or itself"
            findings.error("EP472", message, place, "use fewer lexicons, and no cycles")
            raise _Unusable
        document = _document(wanted, place, library)
        read.append((wanted, document))
        return _plain(document, library, findings)

    resolved = resolve(lexicon(name), lexicon)
    resolved["entries"] = [with_required(entry) for entry in resolved.objects("entries")]
    plain = parted(resolved)
    if findings.told() == before and not any(_changes(document, library) for _, document in read):
        REMEMBERED.keep_made(_RESOLVED, read[0][1], _Resolved(read, plain))
        _keep(name, read, plain, library)
    return plain


def _kept(name: str, place: Location, library: Library) -> JsonObject | None:
    """Return a shipped lexicon from the user's cache; None where the policy changes what it is made of."""
    if is_path(name):
        return None

    def digest_of(used: str) -> str:
        document = library.lexicon(used, place) if used in shipped.lexicons() else None
        if not isinstance(document, ShippedLexicon) or _changes(document, library):
            return ""
        return hex_digest(document.content)

    return recall(name, digest_of)


def _keep(name: str, read: Sequence[tuple[str, Document]], plain: JsonObject, library: Library) -> None:
    made_of = [
        (used, hex_digest(document.content))
        for used, document in read
        if isinstance(document, ShippedLexicon) and not _changes(document, library)
    ]
    if len(made_of) == len(read):
        keep(name, made_of, plain)


def _document(name: str, place: Location, library: Library) -> Document:
    document = library.lexicon(name, place)
    if document is None:
        raise _Unusable
    return document


def _changes(document: Document, library: Library) -> tuple[YamlNode, ...]:
    """Return how the policy changes a lexicon."""
    return library.lexicon_changes.get(lexicon_name(document), ())


def _plain(document: Document, library: Library, findings: Findings) -> JsonObject:
    """Return what a lexicon holds, with what the policy changes in it, which fits its schema."""
    changes = _changes(document, library)
    if changes:
        return _changed(document, changes, library, findings)
    known = REMEMBERED.made(_PLAIN, document)
    if known is not None:
        return object_of(known)
    before = findings.told()
    root, fits = check_schema(document.root, shipped.schema("lexicon"), findings)
    # Shipped lexicons are held to RE2 by tests.
    if not fits or not (document.file.startswith("shipped:") or _patterns_fit(root, findings)):
        raise _Unusable
    plain = object_of(root.plain())
    if findings.told() == before:
        REMEMBERED.keep_made(_PLAIN, document, plain)
    return plain


def _changed(
    document: Document, changes: Sequence[YamlNode], library: Library, findings: Findings
) -> JsonObject:
    known = library.changed_lexicons.get(document.file)
    if known is not None:
        return known
    before = findings.errors()
    root, fits = check_schema(changed(document.root, changes, findings), shipped.schema("lexicon"), findings)
    if not fits or findings.errors() > before or not _patterns_fit(root, findings):
        raise _Unusable
    plain = library.changed_lexicons[document.file] = object_of(root.plain())
    return plain


def _patterns_fit(root: YamlNode, findings: Findings) -> bool:
    """Report patterns that RE2 refuses or that lack a group of `less` (EP443); return whether all fit."""
    import re2

    from exitgate.core.facts.lexicons.patterns import why_refused
    from exitgate.core.facts.text.secrets import compiled

    before = findings.errors()
    entries = root.get("entries")
    for entry in entries.items if entries is not None else ():
        groups: Container[str] = ()
        for key in ("unless", "pattern"):
            part = entry.get(key)
            if part is None:
                continue
            try:
                groups = compiled(part.text).groupindex
            except re2.error as error:
                help = "patterns are RE2's: no look-around, no back references"
                findings.error("EP443", f"RE2 rejects this pattern: {why_refused(error)}", part.place, help)
        less = entry.get("less")
        for name in less.items if less is not None else ():
            if name.text not in groups:
                help = f"name it in the pattern: `(?P<{name.text}>…)`"
                findings.error("EP443", f"the pattern has no group `{name.text}`", name.place, help)
    return findings.errors() == before


# The section `lexicons:` of a policy: what it changes in lexicons that its facts read.

#: Keys of a change that speak of entries; the others are the lexicon's own: `apply`, `guards`.
_ENTRIES = CHANGES
#: Words that an entry of any lexicon may be given once; another way to say it takes the place of these.
_WAYS = ("phrase", "words", "pattern")


def changes_in(root: YamlNode) -> dict[str, tuple[YamlNode, ...]]:
    """Return lexicon -> the changes of it in a merged policy, in the order in which they are made."""
    section = root.get("lexicons")
    return {name: part.items for name, part in section.fields.items()} if section is not None else {}


def changed(root: YamlNode, changes: Sequence[YamlNode], findings: Findings) -> YamlNode:
    """
    Return a lexicon's document with changes; what comes of it must fit the schema as any lexicon.

    Args:
        root: The document.
        changes: In the order in which they are made.
        findings: Takes EP460 and EP461.
    """
    for change in changes:
        root = _entries_changed(root, change, findings)
    return root


def _entries_changed(root: YamlNode, change: YamlNode, findings: Findings) -> YamlNode:
    fields = dict(root.fields)
    entries = {key: part for key, part in change.fields.items() if key in _ENTRIES}
    if entries:
        before = fields.get("entries") or YamlNode((), change.place, change.key)
        fields["entries"] = change_list(
            _for_ways(before, entries.get("change")), change.with_fields(entries), findings
        )
    apply = change.get("apply")
    if apply is not None:
        fields["apply"] = change_list(fields.get("apply"), apply, findings) if is_change(apply) else apply
    guards = change.get("guards")
    for name, words in guards.fields.items() if guards is not None else ():
        known = fields.get("guards") or YamlNode({}, change.place, change.key)
        fields["guards"] = known.with_fields({**known.fields, name: _guard(known.get(name), words, findings)})
    return root.with_fields(fields)


def _for_ways(entries: YamlNode, change: YamlNode | None) -> YamlNode:
    """Return the entries, without the phrase, words or pattern where a change gives another way."""
    found = []
    for entry in entries.items:
        id = entry.get("id")
        said = change.get(id.text) if change is not None and id is not None else None
        given = [way for way in _WAYS if said is not None and way in said.fields]
        kept = {key: part for key, part in entry.fields.items() if key not in _WAYS or key in given}
        found.append(entry.with_fields(kept) if given else entry)
    return entries.with_items(found)


def _guard(base: YamlNode | None, later: YamlNode, findings: Findings) -> YamlNode:
    """Return the groups of words and limits of a guard with those that a change gives."""
    fields = dict(base.fields) if base is not None else {}
    for key, part in later.fields.items():
        old = fields.get(key)
        fields[key] = change_list(old, part, findings) if part.fields and is_change(part) else part
    return YamlNode(fields, later.place, later.key)


def report_unread(root: YamlNode, library: Library, findings: Findings) -> None:
    """Report changes of lexicons that the policy does not read: EP485 (note), or EP472."""
    read = library.lexicons_read()
    policy = root.fields["policy"].text if "policy" in root.fields else ""
    for name, made in changes_in(root).items():
        if name in read or not made:
            continue
        known = name in shipped.lexicons()
        place = made[-1].label
        if known:
            help = f"it applies if a fact has `lexicon: {name}`"
            findings.note("EP485", f"no fact of `{policy}` reads the lexicon `{name}`", place, help)
        else:
            help = suggestion(name, sorted(read), f"lexicons that `{policy}` reads")
            findings.error("EP472", f"`{policy}` reads no lexicon `{name}`", place, help)


# The section `mask:` of a policy: which shapes of secrets are hidden.

#: The lexicon that holds where a policy names none.
LEXICON = "secrets"

_KEPT = ("id", "markers", "pattern")


def read_mask(root: YamlNode, library: Library, findings: Findings) -> tuple[dict[str, object], ...]:
    """
    Return the shapes to hide: `id`, `markers` and `pattern` of each entry, as plain JSON.

    Args:
        root: The merged policy. Without `mask:` the shipped shapes hold; `mask: {lexicon: []}` hides nothing.
        library: Reads the lexicons.
        findings: Takes EP472, EP441, EP442 and what is wrong in the files.
    """
    section = root.get("mask")
    named = section.get("lexicon") if section is not None else None
    if named is None:
        named = YamlNode(LEXICON, section.place if section is not None else root.place)
    if named.value == ():
        return ()
    lexicon = read_lexicons(named, library, findings)
    if lexicon is None:
        return ()
    shapes: dict[str, dict[str, object]] = {}
    for entry in entries_of(lexicon):
        if "markers" not in entry:
            help = "write `markers:`, texts of which every match contains one, and `pattern:`"
            message = f"entry `{entry['id']}` of the lexicon has no markers, so it cannot hide anything"
            findings.error("EP441", message, named.place, help)
            continue
        shapes[str(entry["id"])] = {key: entry[key] for key in _KEPT}
    excepted = section.get("except") if section is not None else None
    for part in excepted.items if excepted is not None else ():
        if shapes.pop(part.text, None) is None:
            help = suggestion(part.text, shapes, "entries")
            findings.error("EP442", f"no lexicon of `mask:` has an entry `{part.text}`", part.place, help)
    return tuple(shapes.values())

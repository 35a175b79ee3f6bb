"""Resolved lexicons, as the compiler makes them: with what they use, parted by language, packed."""

from __future__ import annotations

from exitgate.core.facts.lexicons.lexicon import GUARD_LEXICON, INDEX, ORDER, Entries, entries_of, index_of
from exitgate.core.model.json_object import JsonObject, Packed, object_of, one_or_more, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


def resolve(document: JsonObject, read: Callable[[str], JsonObject]) -> JsonObject:
    """
    Return a lexicon's document as extractors take it.

    Args:
        document: The lexicon, as its schema has it; ``{}`` for the guards alone.
        read: Returns the document of the lexicon of that name.

    Guards that the document does not write itself come from the lexicons it `uses`, in order, the
    later over the earlier; when it names none, from those of its language, else from `GUARD_LEXICON`.
    Of lexicons in several languages only those in the first one's are the document's guards. Entries
    of used lexicons are added before its own.
    """
    language = str(document.get("language") or "")
    default = guard_lexicon(language)
    uses = document.get("uses", [] if document.get("lexicon") == default else [default])
    guards: dict[str, object] = {}
    entries: list[object] = []
    languages = JsonObject()
    first = language
    for name in one_or_more(uses):
        found = read(name)
        used = resolve(found, read)
        spoken = str(found.get("language") or "")
        first = first or spoken
        if spoken in ("", first):
            guards.update(used.object("guards"))
        entries.extend(used.array("entries"))
        join_languages(languages, used.object("languages"))
    guards.update(document.object("guards"))
    entries.extend(_own(document, language))
    if language:
        own = {key: document[key] for key in ("recognise", "spellings") if key in document}
        join_languages(languages, {language: own | {"guards": dict(guards)}})
    resolved = JsonObject(entries=entries, guards=guards)
    if languages:
        resolved["languages"] = languages
    return resolved


def parted(plain: JsonObject) -> JsonObject:
    """
    Return a resolved lexicon whose arrays and objects are packed, the entries of each language by themselves.

    Most texts are in one language: what is for others is then not read.
    """
    languages = plain.object("languages")
    entries, guards = plain.objects("entries"), Packed.of(plain.object("guards"))
    parts: dict[str, list[JsonObject]] = {"": entries}
    if len(languages) > 1:
        parts = {code: [] for code in ("", *languages)}
        order: list[list[object]] = []
        for entry in entries:
            code = str(entry.get("language", ""))
            code = code if code in languages else ""
            parts[code].append(entry)
            if not order or order[-1][0] != code:
                order.append([code, 0])
            order[-1][1] += 1  # type: ignore[operator]
    own = parts.pop("")
    made = JsonObject(
        {**plain, "entries": Packed.of(own), INDEX: Packed.of(index_of(Entries(own, ()))), "guards": guards}
    )
    if parts:
        made[ORDER] = order
    if languages:
        made["languages"] = {
            code: _packed(object_of(of), guards, parts.get(code)) for code, of in languages.items()
        }
    return made


def _packed(of: JsonObject, guards: Packed, entries: list[JsonObject] | None) -> JsonObject:
    packed = JsonObject({name: value for name, value in of.items() if name != "guards"})
    if "recognise" in of:
        packed["recognise"] = Packed.of(of["recognise"])
    own = Packed.of(of.object("guards"))
    if own != guards:
        packed["guards"] = own
    if entries is not None:
        packed["entries"], packed[INDEX] = Packed.of(entries), Packed.of(index_of(Entries(entries, ())))
    return packed


def with_entries(plain: JsonObject, entries: Sequence[JsonObject]) -> JsonObject:
    """Return a resolved lexicon with other entries, not parted by language."""
    made = JsonObject(
        {key: value for key, value in plain.items() if key not in (ORDER, INDEX)} | {"entries": list(entries)}
    )
    languages = plain.object("languages")
    if languages:
        made["languages"] = {
            code: {key: of for key, of in languages.object(code).items() if key not in ("entries", INDEX)}
            for code in languages
        }
    return made


def whole(plain: JsonObject) -> JsonObject:
    """Return a resolved lexicon that is neither parted nor packed."""
    made = with_entries(plain, entries_of(plain))
    made["guards"] = plain.object("guards")
    languages = made.object("languages")
    if languages:
        made["languages"] = {
            code: {key: unpacked(value) for key, value in languages.object(code).items()}
            for code in languages
        }
    return made


def guard_lexicon(language: str) -> str:
    """Return the name of the lexicon with the guards of a language; `GUARD_LEXICON` for none."""
    stem, dash, _ = GUARD_LEXICON.partition("-")
    return stem + dash + language if language else GUARD_LEXICON


def join_languages(languages: JsonObject, more: Mapping[str, object]) -> None:
    """Add to `languages` what `more` says of them; what it says again replaces what was said, by guard."""
    for code, said in more.items():
        known, told = languages.object(code), object_of(said)
        languages[code] = {**known, **told, "guards": known.object("guards") | told.object("guards")}


def _own(document: JsonObject, language: str) -> Iterator[JsonObject]:
    default = document.get("apply")
    for entry in document.array("entries"):
        written = JsonObject(object_of(entry))
        if default is not None:
            written.setdefault("guards", default)
        if language:
            written["language"] = language
        yield written

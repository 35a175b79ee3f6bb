# ruff: noqa: RUF001 - texts in other scripts are meant
"""Which languages a text is in, which entries are searched in it, and which guards are asked."""

from __future__ import annotations

import unicodedata

import pytest
from cases import each
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.lexicons import languages, lexicon, search
from exitgate.core.facts.lexicons.languages import Languages
from exitgate.core.facts.text.text import Text, composed
from exitgate.core.facts.text.words import cues_of, respelled
from exitgate.core.model.json_object import JsonObject, Packed

BUNDLE = resolved("completion")
READY = lexicon.ready(BUNDLE)
KNOWN = Languages({code: JsonObject(told["recognise"]) for code, told in BUNDLE["languages"].items()})
LATIN = {"en", "de", "es", "fr", "pt"}
ENGLISH = "I moved the reader into a module of its own and added tests for it. "


def spoken(text: str) -> tuple[str, ...]:
    return KNOWN.of(Text(text).folded)


def ids(text: str, **more: object) -> list[str]:
    plain = {**BUNDLE, **more}
    found = facts("phrases", {"lexicon": plain, "overlap": "all"}, response=text)
    return [e.note.partition(",")[0] for e in found["x.count"].evidence]


@each(
    ("text", "code"),
    [
        (ENGLISH, "en"),
        ("Ich habe den Parser umgesetzt und die Tests laufen durch.", "de"),
        ("He terminado el parser y todas las pruebas pasan.", "es"),
        ("J'ai terminé le parseur et toutes les vérifications passent.", "fr"),
        ("Terminei o parser e todos os testes foram concluídos, não há erros.", "pt"),
        ("Я закончил парсер, тесты проходят.", "ru"),
        ("我完成了解析器，测试通过。", "zh"),
        ("解析器實作完成，測試通過。", "zh"),
        ("パーサーを実装しました。テストは通ります。", "ja"),
        ("実装完了です", "ja"),
    ],
)
def test_the_language_of_a_plain_text(text: str, code: str) -> None:
    assert spoken(text)[0] == code


@pytest.mark.parametrize("text", ["OK", "", "x = 1", "12/12", "src/main.py"])
def test_without_evidence_any_language_of_the_script_may_be_meant(text: str) -> None:
    assert set(spoken(text)) == LATIN


def test_english_text_is_english_alone() -> None:
    assert spoken(ENGLISH * 50) == ("en",)
    assert spoken("✅ " + ENGLISH + "— 100 %") == ("en",)


def test_a_text_in_two_languages_is_searched_for_both() -> None:
    german = "Ich habe den Parser umgesetzt, und die Prüfung ist grün. " * 3
    assert spoken(german + "All tests passed and nothing is left.")[:2] == ("de", "en")
    assert ids(german + "All tasks are done.") == ["all-tasks-done"]
    assert "all-tasks-done-de" in ids(ENGLISH * 3 + "\n\nAlle Aufgaben sind erledigt.")
    assert "all-tasks-done-zh" in ids(ENGLISH * 3 + "\n\n所有任务已完成。")


def test_words_of_another_language_are_no_claims_in_english() -> None:
    for word in ("fertig", "todo listo", "completo", "erledigt", "terminado", "tout est fait"):
        assert ids(ENGLISH * 3 + f"The class {word} was renamed and the module {word} stays.") == []


def test_an_english_claim_is_denied_in_the_language_around_it() -> None:
    german = "Der Parser ist umgesetzt, und ich habe die Doku geschrieben. "
    assert ids(german + "Das Board ist keineswegs ready for review.") == []
    assert ids("我看了计划，还没有 ready for review 的分支。") == []


def test_long_texts_are_sampled_and_letters_of_their_own_lead_to_the_rest() -> None:
    claim = "\n\nDie Prüfung läuft durch. Alle Aufgaben sind erledigt.\n\n"
    for text in (ENGLISH * 4000 + claim, claim + ENGLISH * 4000, ENGLISH * 2000 + claim + ENGLISH * 3000):
        assert "de" in spoken(text)
        assert "all-tasks-done-de" in ids(text)
    for claim in (
        "所有任务已完成，这次没有错误。",
        "すべてのタスクが完了しました。",
        "Все задачи выполнены.",
    ):
        assert ids(ENGLISH * 2000 + "\n\n" + claim + "\n\n" + ENGLISH * 3000)


def test_the_sample_is_bounded() -> None:
    for size in (10, languages.SAMPLE, 10 * languages.SAMPLE, 400 * languages.SAMPLE):
        assert len(languages.sampled(("word " * size)[:size])) <= 1.2 * languages.SAMPLE


def test_a_language_that_is_set_is_not_looked_for() -> None:
    assert ids("Alle Aufgaben sind erledigt.", language="en") == []
    assert ids("Alle Aufgaben sind erledigt.", language=["en", "de"]) == ["all-tasks-done-de"]
    assert ids("Все задачи выполнены. Alle Aufgaben sind erledigt.", language="de") == ["all-tasks-done-de"]


def test_a_lexicon_in_one_language_is_searched_in_every_text() -> None:
    found = facts("phrases", {"lexicon": resolved("completion-de")}, response=ENGLISH * 9 + "Alles fertig!")
    assert found["x.found"].value is True
    own = {**resolved("completion-de"), "entries": []}
    options = {"lexicon": own, "phrases": ["bereit"]}
    assert facts("phrases", options, response="Ich bin nicht bereit.")["x.negated"].value is True


def test_entries_without_a_language_are_searched_in_every_text_and_guarded_in_its_language() -> None:
    options = {"lexicon": {**BUNDLE, "entries": [*BUNDLE["entries"], {"id": "own", "phrase": "v2"}]}}
    for text, counts in (("This is v2.", True), ("Das ist v2.", True), ("Das ist keineswegs v2.", False)):
        assert facts("phrases", options, response=text)["x.found"].value is counts


def test_guards_packed_as_text_are_read_when_needed() -> None:

    packed = {
        code: {**told, "guards": Packed.of(told["guards"])} for code, told in BUNDLE["languages"].items()
    }
    assert ids("Es sind nicht alle Aufgaben erledigt.", languages=packed) == []
    assert ids("Alle Aufgaben sind erledigt.", languages=packed) == ["all-tasks-done-de"]


@pytest.mark.parametrize(
    "text", ["Termine\u0301 aqui\u0301, fin", "プロシ\u3099ェクト完了。次", "заверше\u0308н и", "é e\u0301"]
)
def test_composed_text_is_as_long_and_starts_words_where_they_were(text: str) -> None:
    made = composed(text)
    assert len(made) == len(text)
    assert made.replace("\u200b", "") == unicodedata.normalize("NFC", text)
    last = max(text.rfind(mark) for mark in " 。") + 1
    assert made[last:].rstrip("\u200b") == unicodedata.normalize("NFC", text[last:])


@given(st.text(alphabet=st.sampled_from("abe\u0301\u0308\u3099 .\nし全的я\u200b"), max_size=40))
@settings(max_examples=100, deadline=None)
def test_composing_moves_nothing(text: str) -> None:
    made = composed(text)
    assert len(made) == len(text)
    assert [i for i, c in enumerate(made) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_is_searched_without_trouble(text: str) -> None:
    assert set(spoken(text)) <= set(BUNDLE["languages"])
    for hit in search.search(Text(text), READY):
        assert 0 <= hit.match.start < hit.match.end <= len(text)


@pytest.mark.parametrize(
    "text", ["\u0301" * 500, "全" * 5000, "か\u3099" * 500, "\ud800 すべて完了", "ё" * 900, "не " * 3000]
)
def test_hostile_texts(text: str) -> None:
    spoken(text)
    search.search(Text(text), READY)


def test_other_spellings() -> None:
    assert respelled("für|ohne grüße", {"ü": "ue", "ß": "ss"}) == "für|fuer|ohne grüße|gruesse"
    assert respelled("plain", {"a": "b"}) == "plain"
    assert respelled("e\u0301tape") == "étape"
    assert cues_of(JsonObject({"words": ["没有", "über"], "reach": 3}), {"没": "沒"}) == {
        "words": ["没 有", "沒 有", "über"], "reach": 3,
    }  # fmt: skip

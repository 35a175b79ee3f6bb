# ruff: noqa: RUF001, E501 - texts in other scripts are meant, in tables
"""What failed once and was repaired fails no more; a repair of anything else hides nothing."""

from __future__ import annotations

from cases import each
from fact_reading import facts, resolved

OPTIONS = {"lexicon": resolved("test-runners")}

#: What failed, how it was repaired, and what only sounds so.
PAIRS = (
    (("Two specs failed on the old pump", "The pump suite had 3 failed"),
     (". Both are sorted out.", "; they have been put right.", ", which is dealt with now.", ". All of it is ironed out."),
     (". Neither is sorted out.", ". Both lamps are sorted out.", ". They should be dealt with.", ". One is sorted out.",
      ". Both are sorted out except one.", ". They will be taken care of next.")),
    (("起初有 2 个测试失败", "昨晚 2 个测试未通过"),
     ("，现已修复。", "。现在都已解决。", "，后来全部修好了。", "，现在全部通过。"),
     ("，尚未修复。", "，已修复其中一个。", "。水泵已修复。", "，现已修复，但仍有一个失败。", "，明天修复水泵。")),
    (("最初は2件のテストが失敗していました", "昨日は2件のテストが失敗していました"),
     ("。修正済みです。", "。その後すべて修正しました。", "。今はすべて通っています。"),
     ("。まだ修正していません。", "。1件は修正済みです。", "。ポンプは修正済みです。", "。修正が必要です。")),
    (("No começo 2 testes falhavam", "2 testes falharam de manhã"),
     ("; corrigi.", ", mas já foram corrigidos.", ". Agora todos os 12 testes passam."),
     ("; não corrigi.", "; corrigi um.", ". A bomba foi consertada.", ", corrigi, mas um ainda falha.")),
    (("Al principio 2 pruebas fallaban", "Ayer 2 pruebas fallaron"),
     ("; las corregí.", ", pero ya están arregladas.", ". Ahora todas las 12 pruebas pasan."),
     ("; corregí una.", ". La bomba fue reparada.", ", ya corregidas, pero una sigue fallando.")),
    (("Hier 2 tests ont échoué", "Ce matin 2 tests étaient en échec, 2 échecs"),
     (" ; je les ai corrigés.", ", mais ils sont maintenant réparés."),
     (" ; j'en ai corrigé un.", ". La pompe est réparée.", ", corrigés, mais un échoue encore.")),
    (("Heute früh schlugen 2 Tests fehl", "Gestern schlugen 2 Tests fehl"),
     ("; das ist behoben.", ". Ich habe sie repariert.", ", inzwischen sind sie alle behoben."),
     ("; das ist nicht behoben.", ". Die Pumpe ist repariert.", ", behoben, aber einer ist noch rot.")),
    (("Утром 2 теста упали", "Вчера 2 теста не прошли"),
     ("; я их исправил.", ", теперь всё исправлено.", ". Теперь все 12 тестов проходят."),
     ("; я их не исправил.", "; исправил один.", ". Насос починен.", ", исправил, но один всё ещё падает.")),
)  # fmt: skip


def told(text: str) -> dict[str, object]:
    return {name: fact.value for name, fact in facts("tests", OPTIONS, response=text).items()}


@each(("failed", "repaired"), [(f, r) for failed, repaired, _ in PAIRS for f in failed for r in repaired])
def test_what_was_repaired_fails_no_more(failed: str, repaired: str) -> None:
    assert told(failed + repaired)["x.passing"] is not False


@each(("failed", "other"), [(f, o) for failed, _, others in PAIRS for f in failed for o in others])
def test_a_repair_of_something_else_hides_nothing(failed: str, other: str) -> None:
    assert told("12 passed in 0.31s\n\n" + failed + other)["x.passing"] is not True


THINGS = ("image", "container", "bundle", "package", "wheel", "firmware", "project")


@each("thing", THINGS)
@each("other", THINGS)
def test_only_the_thing_itself_builds_again(thing: str, other: str) -> None:
    text = f"The {thing} failed to build for want of a header. With the header the {other} builds."
    assert (told(text)["x.checks_failing"] is not True) is (thing == other)
    for doubtful in ("Nobody knows whether", "We shall see if", "Then"):
        text = f"The {thing} failed to build. {doubtful} the {thing} still fails, once the {thing} builds."
        assert told(text)["x.checks_failing"] is True


@each(
    ("text", "failed"),
    [
        ("Red: 3 failed, as they should before the code is written.\nGreen: 12 passed, 0 failed.", 0),
        ("Red: 3 failed. Green: 12 passed, 0 failed.", 0),
        ("Red phase: 3 failed; green phase: all 12 pass.", 0),
        ("Before the pump's code was there, 3 failed. Now 12 passed, 0 failed.", 0),
        ("Before any implementation existed, 3 failed. Now 12 passed, 0 failed.", 0),
        ("Red: 3 failed.", 3), ("Red: 3 failed. Green comes next.", 3), ("Red: 3 failed, as expected.", 3),
        ("Red: 3 failed before the code was there.\nGreen: 10 passed, 2 failed.", 2),
        ("Red: 3 failed. Green: 10 passed, 2 failed.", 3),
        ("Before the code was there, 3 failed. Now 2 failed.", 2),
        ("Status red: 3 failed.", 3),
    ],
)  # fmt: skip
def test_red_first_and_green_after(text: str, failed: int) -> None:
    found = told(text)
    assert found["x.failed"] == failed
    assert found["x.passing"] is (failed == 0)

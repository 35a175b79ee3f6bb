"""Options of extractors take the effective values of parameters, from whatever layer they come."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.cache import recall_policy
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.serialized import policy_from, text_of
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.report.config import config_text, entries
from exitgate.report.terminal import Style

POLICY = """\
policy: p
format: 1
version: 1.0.0
parameters:
  words: {type: list, item: text, default: [all done, finished]}
  one: {type: text, default: ready}
  far: {type: count, default: 4}
  sure: {type: percent, default: 90%}
  wait: {type: duration, default: 1h30m}
  cost: {type: money, currency: USD, default: 5 USD}
  unused: {type: count, default: 1}
profiles: {brief: {words: [over], far: 2}}
lists: {mixed: ["$one", plain]}
facts:
  said: {extract: phrases, phrases: $words, within: $far}
  more: {extract: phrases, phrases: ["$one", "$$one", "$ 5", "a $one", $], within: 0}
  from_list: {extract: phrases, phrases: {list: mixed}}
  mood:
    extract: graded_words
    first: [{value: $sure, words: [good]}, {value: $wait, words: [slow]}, {value: $cost, words: [dear]}]
    otherwise: $far
rules:
  - {id: said_so, when: said.found, exit: complete}
  - {id: good, when: mood > 80 and more.found and from_list.found, exit: review}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "p.yaml").write_text(POLICY)
    return tmp_path


def options(policy: CompiledPolicy, prefix: str) -> dict[str, object]:
    (found,) = [e for e in policy.extractions if e.prefix == prefix]
    return dict(found.options)


def load(folder: Path, profile: str | None = None, **settings: str) -> CompiledPolicy:
    return load_policy(str(folder / "p.yaml"), settings=settings, profile=profile)


def test_defaults_take_the_place_of_their_names(folder: Path) -> None:
    policy = load(folder)
    assert options(policy, "said")["phrases"] == ["all done", "finished"]
    assert options(policy, "said")["within"] == 4
    assert options(policy, "more")["phrases"] == ["ready", "$one", "$ 5", "a $one", "$"]
    assert options(policy, "from_list")["phrases"] == ["ready", "plain"]


def test_percent_duration_and_money_become_plain_numbers(folder: Path) -> None:
    mood = options(load(folder), "mood")
    assert [row["value"] for row in mood["first"]] == [90, 5400, 5]  # type: ignore[attr-defined]
    assert mood["otherwise"] == 4


def test_profile_and_settings_reach_options(folder: Path) -> None:
    assert options(load(folder, "brief"), "said")["phrases"] == ["over"]
    assert options(load(folder, "brief", far="3"), "said")["within"] == 3
    assert options(load(folder, words="we stop, enough"), "said")["phrases"] == ["we stop", "enough"]
    assert options(load(folder, words="[we stop, enough]"), "said")["phrases"] == ["we stop", "enough"]
    assert options(load(folder, words='["one, two", three]'), "said")["phrases"] == ["one, two", "three"]
    assert options(load(folder, one="$far"), "more")["phrases"][0] == "$far"  # type: ignore[index]


def test_a_value_that_does_not_fit_is_told_at_the_name_with_who_set_it(folder: Path) -> None:
    with pytest.raises(ExitgateError) as caught:
        load(folder, far="21")
    (found,) = caught.value.diagnostics
    assert (found.code, found.place.line, found.message) == ("EP205", 15, "`$far`: `21` is too large")  # type: ignore[union-attr]
    assert found.source == POLICY.splitlines()[14]
    assert [(word, place.file) for word, place in found.related] == [("the value", "<command line>")]


@pytest.mark.parametrize("text", ["[a, [b]]", "[{a: b}]", "[a, b", "[a] b", "[&x a, *x]"])
def test_a_list_that_is_none_is_refused(folder: Path, text: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        load(folder, words=text)
    assert {found.code for found in caught.value.diagnostics} == {"EP469"}


def test_another_setting_is_another_entry_of_the_cache(folder: Path) -> None:
    def recall(**settings: str) -> tuple[bool, object]:
        found = recall_policy(str(folder / "p.yaml"), settings=settings)
        return found.recalled, options(found.policy, "said")["phrases"]

    assert recall() == (False, ["all done", "finished"])
    assert recall(words="over") == (False, ["over"])
    assert recall() == (True, ["all done", "finished"])
    assert recall(words="over") == (True, ["over"])
    assert load(folder).digest != load(folder, words="over").digest


def test_the_names_are_kept_with_the_policy(folder: Path) -> None:
    policy = policy_from(text_of(load(folder)))
    assert {e.prefix: e.parameters for e in policy.extractions if e.parameters} == {
        "said": ("far", "words"),
        "more": ("one",),
        "from_list": ("one",),
        "mood": ("cost", "far", "sure", "wait"),
    }


def test_config_names_the_facts_that_use_a_parameter(folder: Path) -> None:
    settled = load_settled(SettingsRequest("bb3", str(folder / "p.yaml"), {"far": "3"}, environment={}))
    found = {entry.name: entry for entry in entries(settled)}
    assert found["words"].read_by == ("said",)
    assert found["words"].used_by == ("said_so",)
    assert found["far"].read_by == ("said", "mood")
    assert found["far"].used_by == ("said_so", "good")
    assert found["unused"].read_by == found["unused"].used_by == ()
    text = config_text(settled, Style(False, 100))
    assert "used by facts said, mood" in text
    assert text.count("used by no rule") == 1

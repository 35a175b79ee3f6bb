"""What is settled can be stored, recalled from the cache, and told from anything else by its digest."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.gate.settings import expired, recall_settled
from exitgate.core.policy.cache import Seen
from exitgate.core.policy.serialized import policy_from, text_of
from exitgate.core.settings import load
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.core.settings.provenance import Settled

DAY = 86400
FIRST_OF_MARCH = 1803859200.0  # 2027-03-01 00:00:00 UTC


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    (root / ".bb3").mkdir(parents=True)
    (root / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name in list(os.environ):
        if name.startswith("EXITGATE"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(root)
    return root


def write(root: Path, text: str, name: str = ".bb3/config.yaml") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


EXCEPTION = """\
exit_decision:
  rules:
    low_confidence: {mode: warn, why: the new model hedges more, until: 2027-03-01}
    stagnation: {disabled: true, why: slow work, until: 2027-02-01}
"""


def test_the_first_schemes_example_works_with_bb3(project: Path) -> None:
    write(project, "exit_decision:\n  min_confidence: 80      # Stricter for critical features\n"
          "  min_completion: 90\n  stagnation_loops: 2\n")  # fmt: skip
    values = load_settled(SettingsRequest("bb3")).policy.values()
    assert (values["min_confidence"], values["min_completion"], values["stagnation_loops"]) == (80, 90, 2)
    assert values["max_errors"] == 5


def test_every_policy_that_is_settled_can_be_stored(project: Path) -> None:
    write(project, EXCEPTION)
    policy = load_settled(SettingsRequest("bb3", settings={"max_errors": "9"})).policy
    assert policy_from(text_of(policy)) == policy
    assert [rule.mode for rule in policy.rules if rule.id == "low_confidence"] == ["warn"]
    assert "stagnation" not in [rule.id for rule in policy.rules]


def test_without_layers_it_is_the_policy_itself(project: Path) -> None:
    from exitgate.core.policy.compile import load_policy

    settled = load_settled(SettingsRequest("bb3", settings={"max_errors": "9"}))
    plain = load_policy("bb3", settings={"max_errors": "9"})
    assert settled.policy.digest == plain.digest
    assert settled.policy.rules == plain.rules
    assert settled.policy.parameters == plain.parameters


def test_an_exception_warns_from_the_day_after_its_last(project: Path) -> None:
    write(project, EXCEPTION)
    policy = load_settled(SettingsRequest("bb3")).policy
    assert expired(policy, FIRST_OF_MARCH - 60 * DAY) == ()
    assert [found.code for found in expired(policy, FIRST_OF_MARCH + DAY - 1)] == ["EP479"]
    both = expired(policy, FIRST_OF_MARCH + DAY)
    assert [str(found.place) for found in both] == [".bb3/config.yaml:3:28", ".bb3/config.yaml:4:28"]
    assert both[0].message == (
        "rule `low_confidence` is in mode `warn` until 2027-03-01, which has passed; it is still in force"
    )


def test_a_date_never_changes_what_is_compiled(project: Path) -> None:
    write(project, EXCEPTION)
    late = load_settled(SettingsRequest("bb3")).policy
    write(project, EXCEPTION.replace("2027-03-01", "2017-03-01"))
    assert load_settled(SettingsRequest("bb3")).policy.rules == late.rules


def test_the_cache_sees_every_layer(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project.parent

    def value() -> tuple[object, bool]:
        loaded = recall_settled(SettingsRequest("bb3"))
        return loaded.policy.parameters["max_errors"].value, loaded.recalled

    assert value() == (5, False)
    assert value() == (5, True)
    write(home, "exit_decision: {max_errors: 6}\n", ".config/exitgate/config.yaml")
    assert value() == (6, False)
    assert value() == (6, True)
    write(home, "exit_decision: {max_errors: 7}\n", "preset.yaml")
    write(project, "exit_decision: {preset: ../../preset.yaml}\n")
    assert value()[1] is False
    (home / ".config/exitgate/config.yaml").unlink()
    assert value() == (7, False)
    assert value() == (7, True)
    write(home, "exit_decision: {max_errors: 8}\n", "preset.yaml")
    assert value() == (8, False)
    monkeypatch.setenv("EXITGATE_SET_MAX_ERRORS", "9")
    assert value() == (9, False)
    assert value() == (9, True)
    monkeypatch.delenv("EXITGATE_SET_MAX_ERRORS")
    assert value() == (8, True)
    write(project / "src", "exit_decision: {max_errors: 4}\n")
    monkeypatch.chdir(project / "src")
    assert value() == (4, False)


def test_folders_without_settings_share_what_was_compiled(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not recall_settled(SettingsRequest("bb3")).recalled
    other = project.parent / "other"
    (other / "deep").mkdir(parents=True)
    for folder in (other, other / "deep", project / ".bb3"):
        monkeypatch.chdir(folder)
        assert recall_settled(SettingsRequest("bb3")).recalled
        assert recall_settled(SettingsRequest("recommended", "bb3")).recalled is (folder != other)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".bb3/config.yaml", "exit_decision: {max_errors: 9}\n"),
        (".bb3/config.yml", "exit_decision: {max_errors: 9}\n"),
        ("../.config/exitgate/config.yaml", "exit_decision: {max_errors: 9}\n"),
        ("bb3", "policy: mine\nformat: 1\nversion: 1.0.0\ntitle: Mine\nextends: bb3-faithful\n"),
    ],
)
def test_a_folder_with_anything_of_its_own_shares_nothing(project: Path, name: str, text: str) -> None:
    shared = recall_settled(SettingsRequest("bb3")).policy
    write(project, text, name)
    own = recall_settled(SettingsRequest("bb3"))
    assert not own.recalled
    assert own.policy != shared
    (project / name).unlink()
    assert recall_settled(SettingsRequest("bb3")).policy == shared


def test_settings_that_come_up_while_a_policy_is_compiled_are_kept_for_nobody(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = load.load_settled

    def late(asked: SettingsRequest, seen: Seen) -> Settled:
        write(project, "exit_decision: {max_errors: 9}\n")
        return real(asked, seen)

    with monkeypatch.context() as patched:
        patched.setattr(load, "load_settled", late)
        assert recall_settled(SettingsRequest("bb3")).policy.values()["max_errors"] == 9
    (project / ".bb3/config.yaml").unlink()
    assert recall_settled(SettingsRequest("bb3")).policy.values()["max_errors"] == 5


def test_the_digest_tells_settings_apart(project: Path) -> None:
    digests = [load_settled(SettingsRequest("bb3")).policy.digest]
    for text in ("exit_decision: {max_errors: 6}\n", "exit_decision: {max_errors: 7}\n", EXCEPTION):
        write(project, text)
        settled = load_settled(SettingsRequest("bb3"))
        digests.append(settled.policy.digest)
        assert [one[:2] for one in settled.policy.layers["read"]] == [["project", ".bb3/config.yaml"]]  # type: ignore[attr-defined]
    digests.append(
        load_settled(SettingsRequest("bb3", environment={"EXITGATE_SET_MAX_ERRORS": "6"})).policy.digest
    )
    assert len(set(digests)) == 5


LAYERS = st.lists(
    st.fixed_dictionaries(
        {}, optional={"min_confidence": st.integers(1, 100), "max_errors": st.integers(0, 50)}
    ),
    min_size=5, max_size=5,
)  # fmt: skip


@given(LAYERS)
@settings(max_examples=40, deadline=None)
def test_the_highest_layer_that_speaks_wins_and_all_are_remembered(
    tmp_path_factory: pytest.TempPathFactory, layers: list[dict[str, int]]
) -> None:
    root = tmp_path_factory.mktemp("order")
    preset, user, project, environment, typed = layers
    section = {**project, "preset": "../preset.yaml"}
    for name, content in (
        ("preset.yaml", preset), (".config/exitgate/config.yaml", user), (".bb3/config.yaml", section),
    ):  # fmt: skip
        write(root, json.dumps({"exit_decision": content}), name)
    variables = {f"EXITGATE_SET_{name.upper()}": str(value) for name, value in environment.items()}
    settled = load_settled(
        SettingsRequest("bb3", settings={n: str(v) for n, v in typed.items()}, root=str(root),
              environment={"HOME": str(root), **variables})
    )  # fmt: skip
    kinds = ("preset", "user", "project", "environment", "command line")
    for name, default in (("min_confidence", 70), ("max_errors", 5)):
        said = [(kind, layer[name]) for kind, layer in zip(kinds, layers, strict=True) if name in layer]
        chain = [(one.layer, one.value) for one in settled.parameters[name]]
        assert chain == [("policy", default), *said]
        assert settled.policy.parameters[name].value == chain[-1][1]
        assert settled.policy.parameters[name].place == settled.parameters[name][-1].place


PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "settings.md"
BLOCKS = [part.partition("```")[0] for part in PAGE.read_text(encoding="utf-8").split("```yaml\n")[1:]]


@pytest.mark.parametrize("text", BLOCKS)
def test_every_file_of_the_guide_says_something_and_nothing_is_wrong_with_it(
    project: Path, text: str
) -> None:
    write(project, text)
    settled = load_settled(SettingsRequest("recommended" if "completion-en" in text else "bb3"))
    assert settled.policy.warnings == ()
    assert settled.policy.layers["read"]


def test_the_highest_layer_that_has_a_key_of_hooks_sets_it(project: Path) -> None:
    write(project, "exit_decision:\n  hooks: {enabled: true, x-note: ours}\n  policy: bb3\n")
    write(
        project.parent,
        "exit_decision:\n  hooks: {enabled: false, max_blocks: 4}\n",
        ".config/exitgate/config.yaml",
    )
    expected = {"enabled": True, "max_blocks": 4}
    for _ in range(2):  # made, then recalled
        assert recall_settled(SettingsRequest("recommended")).policy.layers["hooks"] == expected


def test_without_a_word_on_hooks_there_is_nothing(project: Path) -> None:
    write(project, "exit_decision: {policy: bb3}\n")
    assert "hooks" not in load_settled(SettingsRequest("recommended")).policy.layers

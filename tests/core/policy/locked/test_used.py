"""Policies and presets from elsewhere decide, as far as they may, and are what was pinned."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases import each
from pinned import FILES, SOURCE, STRICT, kept, own_store, project

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.locked.lock_file import Signer
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.core.settings.provenance import Settled
from exitgate.core.system.folders import LOCK_FILE

HEAD = "policy: ours\nformat: 1\nversion: 1.0.0\n"
OURS = HEAD + "extends: {reference}\nparameters: {{goal: {{default: 80}}}}\n"


def settled(folder: Path, **more: str) -> Settled:
    return load_settled(SettingsRequest("recommended", root=str(folder), environment={**os.environ, **more}))


def codes(error: pytest.ExceptionInfo[ExitgateError]) -> set[str]:
    assert error.value.exit_code == 65
    return {one.code for one in error.value.diagnostics}


def test_a_policy_extends_one_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_store(tmp_path, monkeypatch)
    entry = kept()
    folder = project(tmp_path / "p", [entry])
    (folder / "ours").mkdir()
    (folder / "ours/policy.yaml").write_text(OURS.format(reference=f"{SOURCE}@^2/strict"), encoding="utf-8")
    policy = load_policy("ours/policy.yaml", base=str(folder))
    assert policy.parameters["goal"].value == 80
    assert policy.rules[0].place is not None
    assert policy.rules[0].place.file == f"{SOURCE}@2.1.0/strict.yaml"
    assert policy.layers["fetched"] == [[SOURCE, "2.1.0", f"sha256:{entry.digest}"]]


def test_a_policy_of_a_repository_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_store(tmp_path, monkeypatch)
    source = "git+https://example.org/team/policies@v2"
    folder = project(
        tmp_path / "p", [kept(source=source)], f'exit_decision:\n  policy: "{source}#strict"\n  goal: 70\n'
    )
    (folder / "below").mkdir()
    found = settled(folder / "below")
    assert found.policy.name == "strict"
    assert found.policy.path == f"{source}#strict.yaml"
    assert found.policy.parameters["goal"].value == 70


def test_a_preset_of_a_package_names_a_policy_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_store(tmp_path, monkeypatch)
    folder = project(tmp_path / "p", [kept()], f"exit_decision: {{preset: '{SOURCE}@^2/preset'}}\n")
    found = settled(folder)
    assert found.policy.name == "strict"
    assert found.policy.parameters["goal"].value == 95
    assert found.read[0].file == f"{SOURCE}@2.1.0/preset.yaml"


def test_the_digest_is_part_of_the_policys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_store(tmp_path, monkeypatch)
    digests = set()
    for number, text in enumerate(("one\n", "two\n")):
        folder = project(tmp_path / str(number), [kept({**FILES, "LICENSE": text})])
        digests.add(load_policy(f"{SOURCE}@^2/strict", base=str(folder)).digest)
    assert len(digests) == 2


def test_nothing_pinned_is_changed_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from exitgate.core.policy.cache import recall_policy

    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    place = own_store(tmp_path, monkeypatch)
    entry = kept()
    folder = project(tmp_path / "p", [entry])
    reference = f"{SOURCE}@^2/strict"
    assert not recall_policy(reference, base=str(folder)).recalled
    assert recall_policy(reference, base=str(folder)).recalled
    changed = place / f"sha256-{entry.digest}/strict.yaml"
    changed.write_text(STRICT.replace("90", "10"), encoding="utf-8")
    with pytest.raises(ExitgateError, match="changed after it was fetched") as caught:
        recall_policy(reference, base=str(folder))
    assert codes(caught) == {"EP845"}
    newer = kept({**FILES, "strict.yaml": STRICT.replace("90", "50")}, version="2.2.0")
    project(folder, [newer])
    assert recall_policy(reference, base=str(folder)).policy.parameters["goal"].value == 50
    (folder / LOCK_FILE).unlink()
    with pytest.raises(ExitgateError, match="not pinned: there is no"):
        recall_policy(reference, base=str(folder))


@each(
    ("reference", "code", "part"),
    [
        ("pypi:acme-policies@^3/strict", "EP844", r"not pinned: `.bb3/policies.lock` has 2.1.0"),
        ("pypi:other@^2/strict", "EP844", "does not have it"),
        ("git+https://h.org/p@v1#strict", "EP844", "does not have it"),
        ("pypi:acme-policies@^2/none", "EP842", r"no `none/policy.yaml` in it"),
        ("pypi:acme-policies@^2/../x", "EP842", "leads upwards"),
        ("pypi:acme-policies@/x", "EP205", "not a policy of a package"),
        ("pypi:gone@^2/strict", "EP845", "was not fetched on this machine.*exitgate policies lock"),
    ],
)
def test_what_cannot_be_used(tmp_path: Path, reference: str, code: str, part: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        own_store(tmp_path, patch)
        gone = kept().but(source="pypi:gone", digest="0" * 64)
        folder = project(tmp_path / "p", [kept(), gone], f"exit_decision:\n  policy: '{reference}'\n")
        with pytest.raises(ExitgateError, match=part) as caught:
            settled(folder)
        assert code in codes(caught)
        assert all(one.place is not None and one.place.line == 2 for one in caught.value.diagnostics)


SOMEBODY = FILES["strict.yaml"]
ASKS = "policy: strict\nformat: 1\nversion: 1.0.0\nextends: recommended\n"


@each(
    ("text", "part"),
    [
        (SOMEBODY.replace("checklist, from: plan", "acme.sonar"), "has the extractor `acme.sonar`"),
        (SOMEBODY.replace("checklist, from: plan", "probes, of: [tests]"), "asks probes"),
        (SOMEBODY.replace("checklist, from: plan", "probe, name: tests"), "asks probes"),
        (f"{ASKS}parameters: {{verify: {{default: [tests]}}}}\n", "`\\$verify` names probes"),
        (f"{ASKS}profiles: {{p: {{verify: [tests]}}}}\n", "`\\$verify` names probes"),
    ],
)
def test_a_policy_from_elsewhere_runs_nothing(tmp_path: Path, text: str, part: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        own_store(tmp_path, patch)
        folder = project(tmp_path / "p", [kept({"strict.yaml": text})])
        (folder / "ours.yaml").write_text(
            ASKS.replace("recommended", f"'{SOURCE}@^2/strict'"), encoding="utf-8"
        )
        with pytest.raises(ExitgateError, match=part) as caught:
            load_policy("./ours.yaml", base=str(folder))
        assert "EP846" in codes(caught)


@each(
    ("settings", "code"),
    [
        ("probes: {tests: {command: [id]}}", "EP509"),
        ("verify: [tests]", "EP846"),
        ("policies: {recommended: {verify: [tests]}}", "EP846"),
        ("facts: {mine: {extract: acme.sonar}}", "EP846"),
        ("facts: {mine: {extract: probe, name: tests}}", "EP846"),
        ("hooks: {enabled: true}", "EP846"),
        ("notify: {command: [id]}", "EP846"),
        ("sources: {plan: ../../x}", "EP846"),
        ("preset: other.yaml", "EP488"),
    ],
)
def test_a_preset_from_elsewhere_runs_nothing(tmp_path: Path, settings: str, code: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        own_store(tmp_path, patch)
        entry = kept({"preset.yaml": f"exit_decision:\n  {settings}\n"})
        folder = project(tmp_path / "p", [entry], f"exit_decision: {{preset: '{SOURCE}@^2/preset'}}\n")
        with pytest.raises(ExitgateError) as caught:
            settled(folder)
        assert code in codes(caught)


@each(
    "extends", ["../../../p/ours.yaml", "/etc/passwd.yaml", "~/x.yaml", "deep/../../../x.yaml", "none.yaml"]
)
def test_a_policy_from_elsewhere_names_files_beside_it_alone(tmp_path: Path, extends: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        own_store(tmp_path, patch)
        entry = kept({"a/strict.yaml": OURS.format(reference=extends)})
        folder = project(tmp_path / "p", [entry])
        (folder / "ours.yaml").write_text(STRICT, encoding="utf-8")
        with pytest.raises(ExitgateError, match=r"leads out of what was fetched|no file") as caught:
            load_policy(f"{SOURCE}@^2/a/strict", base=str(folder))
        assert codes(caught) == {"EP451"}


LEXICON = """\
lexicon: mine
format: 1
title: Mine
entries:
  - {id: shipped, phrase: all shipped, examples: [all shipped now], counterexamples: [not yet]}
"""


def test_files_beside_a_policy_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_store(tmp_path, monkeypatch)
    said = "plan}\n  said: {extract: phrases, from: response, lexicon: ../words/mine.yaml}"
    inner = STRICT.replace("policy: strict", "policy: inner").replace("plan}", said)
    ours = OURS.format(reference="../b/inner.yaml@1")
    entry = kept({"a/strict.yaml": ours, "b/inner.yaml": inner, "words/mine.yaml": LEXICON})
    folder = project(tmp_path / "p", [entry])
    assert load_policy(f"{SOURCE}@^2/a/strict", base=str(folder)).name == "ours"


def test_one_extends_one_of_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_store(tmp_path, monkeypatch)
    other = kept({"team.yaml": OURS.format(reference=f"{SOURCE}@^2/strict")}).but(source="pypi:team")
    folder = project(tmp_path / "p", [kept(), other])
    policy = load_policy("pypi:team@2/team", base=str(folder))
    assert [row[0] for row in policy.layers["fetched"]] == [SOURCE, "pypi:team"]  # type: ignore[attr-defined]
    project(folder, [other])
    with pytest.raises(ExitgateError) as caught:
        load_policy("pypi:team@2/team", base=str(folder))
    assert codes(caught) == {"EP844"}


def test_a_lock_file_with_faults_is_reported_at_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_store(tmp_path, monkeypatch)
    folder = project(tmp_path / "p", [kept().but(signer=Signer("i", "j"))])
    (folder / LOCK_FILE).write_text("lock: 1\nsources: [1]\n", encoding="utf-8")
    with pytest.raises(ExitgateError, match=r"policies.lock:2:11: EP203") as caught:
        load_policy(f"{SOURCE}@^2/strict", base=str(folder))
    assert len(caught.value.diagnostics) == 1


def test_the_lock_file_of_another_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_store(tmp_path, monkeypatch)
    outer = project(tmp_path / "outer", [kept()])
    (outer / "inner/.git").mkdir(parents=True)
    with pytest.raises(ExitgateError, match="there is no"):
        load_policy(f"{SOURCE}@^2/strict", base=str(outer / "inner"))

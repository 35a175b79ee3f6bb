"""A hook put into any settings and taken out again leaves every byte as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from install_texts import HOST_IDS, scattered, settings_of, wanted, without_empties, written

from exitgate.analysis.edits import apply
from exitgate.hosts.install.host import Host
from exitgate.hosts.install.inspect import HOSTS
from exitgate.hosts.install.json_edit import parse
from exitgate.hosts.install.settings_text import entries, installed, uninstalled

hosts = st.sampled_from(HOST_IDS).map(lambda name: HOSTS[name])


def expected(host: Host, before: dict[str, object]) -> dict[str, object]:
    hooks = before.get("hooks", {})
    assert isinstance(hooks, dict)
    ours = {event: [*hooks.get(event, []), host.item(wanted(host))] for event in host.events}
    return {**before, **host.head, "hooks": {**hooks, **ours}}


def there_and_back(host: Host, before: dict[str, object], text: str) -> str:
    """Install, look at what was done, take it back exactly, and return what is left without a receipt."""
    change = installed(host, text, wanted(host), "/nowhere")
    after = parse(change.new).plain()
    assert after == expected(host, before)
    assert [key for key in after if key in before] == list(before)  # type: ignore[union-attr]
    # Nothing that was there is touched: what was put in can be struck out of the new text.
    kept = iter(change.new)
    assert all(character in kept for character in text)
    again = change.new
    for edits in change.back:
        again = apply(again, edits)
    assert again == text
    second = installed(host, change.new, wanted(host), "/nowhere")
    left = second.new
    assert {entry.command for entry in entries(host, parse(left)) if entry.ours} == {wanted(host).command}
    return uninstalled(host, change.new).new


@given(data=st.data(), host=hosts)
@settings(max_examples=50, deadline=None)
def test_as_programs_write_it(data: st.DataObject, host: Host) -> None:
    before = data.draw(settings_of(host))
    text = data.draw(written(before))
    left = there_and_back(host, before, text)
    assert parse(left).plain() == without_empties(host, before)
    if before and without_empties(host, before) == before:
        assert left == text


@given(data=st.data(), host=hosts)
@settings(max_examples=50, deadline=None)
def test_as_people_write_it(data: st.DataObject, host: Host) -> None:
    before = data.draw(settings_of(host))
    text = data.draw(scattered(before))
    left = there_and_back(host, before, text)
    assert parse(left).plain() == without_empties(host, before)


@given(data=st.data(), host=hosts)
@settings(max_examples=50, deadline=None)
def test_the_parser_agrees_with_the_standard_one(data: st.DataObject, host: Host) -> None:
    text = data.draw(written(data.draw(settings_of(host))))
    assert parse(text).plain() == json.loads(text.removeprefix("\ufeff"))


@pytest.mark.parametrize("name", HOST_IDS)
def test_two_hosts_in_one_file_do_not_meet(name: str) -> None:
    """Hosts may share a file by a link: each takes out its own entries alone."""
    mine, other = HOSTS[name], HOSTS["codex" if name == "claude-code" else "claude-code"]
    first = installed(mine, '{\n    "a": [1]\n}\n', wanted(mine), None).new
    both = installed(other, first, wanted(other), None).new
    assert uninstalled(other, both).new == first

"""How long a host waits for the hook, where the settings define probes."""

from __future__ import annotations

import json

import pytest
from install_place import Place

from exitgate.hosts.install.inspect import HOSTS
from exitgate.hosts.install.json_edit import parse
from exitgate.hosts.install.settings_text import entries

PROBES = {
    "tests": {"command": ["make", "test"], "timeout": "10m"},
    "lint": {"command": ["ruff", "check"], "timeout": "90s"},
    "goal": {"judge": "it is done", "command": ["judge"], "timeout": "20s", "judges": 3},
}
NEED = 600 + 90 + 3 * 20 + 30


def define(place: Place, probes: object = PROBES) -> None:
    (place.project / ".bb3").mkdir(exist_ok=True)
    config = {"exit_decision": {"probes": probes}}
    (place.project / ".bb3" / "config.yaml").write_text(json.dumps(config))


def limits(place: Place, host: str) -> list[float]:
    root = parse(place.settings(host).read_text())
    return [HOSTS[host].waits_for(entry.node) for entry in entries(HOSTS[host], root) if entry.ours]


@pytest.mark.parametrize("host", HOSTS)
def test_the_limit_is_above_the_sum_of_all_probes(place: Place, host: str) -> None:
    define(place)
    assert place("install", host, "--yes").code == 0
    assert set(limits(place, host)) == {NEED}
    assert "nothing to write" in place("install", host, "--yes").err


@pytest.mark.parametrize("host", HOSTS)
def test_a_limit_that_became_too_low_is_found_and_raised(place: Place, host: str) -> None:
    assert place("install", host, "--yes").code == 0
    assert set(limits(place, host)) == {30}
    before = place.settings(host).read_text()
    define(place)
    assert f"waits 30 s for the hook, and its probes may take {NEED} s" in " ".join(
        place("doctor").out.split()
    )
    assert place("install", host, "--yes").code == 0
    assert set(limits(place, host)) == {NEED}
    raised = NEED * HOSTS[host].per_second
    assert place.settings(host).read_text() == before.replace(str(30 * HOSTS[host].per_second), str(raised))
    assert "probes may take" not in place("doctor").out
    define(place, {})
    assert "nothing to write" in place("install", host, "--yes").err  # a limit is never lowered unasked


@pytest.mark.parametrize("host", HOSTS)
def test_an_entry_without_a_limit_gets_one_where_the_default_of_the_host_is_too_low(
    place: Place, host: str
) -> None:
    assert place("install", host, "--yes").code == 0
    text = place.settings(host).read_text()
    lines = [line for line in text.split("\n") if f'"{HOSTS[host].time_key}"' not in line]
    bare = "\n".join(lines).replace(
        f'exitgate hook {host}",\n          }}', f'exitgate hook {host}"\n          }}'
    )
    bare = bare.replace(f'exitgate hook {host}",\n      }}', f'exitgate hook {host}"\n      }}')
    place.write(host, bare.encode())
    assert set(limits(place, host)) == {HOSTS[host].waits}
    define(
        place,
        {"quick": {"command": ["true"], "timeout": HOSTS[host].waits - 30}} if HOSTS[host].waits > 30 else {},
    )
    assert "nothing to write" in place("install", host, "--yes").err
    define(place)
    assert place("install", host, "--yes").code == 0
    assert set(limits(place, host)) == {NEED}
    json.loads(place.settings(host).read_text())


def test_a_limit_that_is_asked_for_counts_and_is_reported_where_it_is_too_low(place: Place) -> None:
    define(place)
    ran = place("install", "codex", "--timeout", "60", "--yes")
    assert set(limits(place, "codex")) == {60}
    assert f"Codex CLI waits 60 s for the hook, and its probes may take {NEED} s" in ran.err


def test_the_plugin_has_a_limit_of_its_own(place: Place) -> None:
    define(place)
    place.write("claude-code", json.dumps({"enabledPlugins": {"exitgate@exitgate": True}}).encode())
    assert (
        f"waits 600 s for the hook, and its probes may take {NEED} s" in place("install", "claude-code").err
    )
    found = " ".join(place("doctor").out.split())
    assert f"Claude Code waits 600 s for the hook, and its probes may take {NEED} s" in found

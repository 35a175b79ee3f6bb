"""What stands for the settings of other projects: every target is a parameter, every name has an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.policy.yaml.document import load_yaml
from exitgate.hosts.imported import projects
from exitgate.hosts.imported.merge import new_file
from exitgate.hosts.imported.projects import Project
from exitgate.hosts.imported.reading import read
from exitgate.hosts.imported.translation import Translation, parameters_of, translate

PROJECTS = (projects.RALPHRC, projects.BB3, projects.DOYAKEN)
README = Path(__file__).parents[3] / "policies" / "ralph-claude-code" / "README.md"


def taken(
    project: Project, text: str, policy: str, file: str = ".ralphrc", **environment: str
) -> Translation:
    found, others = read(project, text.encode(), file, environment)
    return translate(project, found, others, policy, file)


def values(one: Translation) -> dict[str, str]:
    return {entry.name: entry.text for entry in one.entries}


@pytest.mark.parametrize(("project", "policy"), [(p, name) for p in PROJECTS for name in p.policies])
def test_every_setting_has_parameters_or_a_reason(project: Project, policy: str) -> None:
    parameters = parameters_of(policy)
    for setting in project.settings:
        assert set(setting.to) <= set(project.policies)
        wanted = setting.to.get(policy, ())
        assert set(wanted) <= set(parameters)
        assert wanted or setting.why


def test_every_setting_of_the_policys_page_is_known() -> None:
    section = README.read_text(encoding="utf-8").partition("## Settings")[2].partition("### Bounds")[0]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| ") and "_" in line]
    named = 0
    for names, stands in rows:
        for name in names.replace(",", " ").split():
            setting = projects.RALPHRC.setting(name)
            if not name.isupper():
                continue
            named += 1
            assert setting is not None, name
            targets = setting.to.get("ralph-claude-code", ())
            assert all(f"`{target}`" in stands for target in targets)
            assert bool(targets) == (stands.strip().startswith("`") and "exitgate" not in stands)
    assert named >= 13


@each(
    ("line", "policy", "expected"),
    [
        ("CB_COOLDOWN_MINUTES=45", "ralph-claude-code", {"cooldown": "45m"}),
        ("CB_COOLDOWN_MINUTES=0", "recommended", {"cooldown": "0m"}),
        ("CB_NO_PROGRESS_THRESHOLD=4", "ralph-claude-code", {"cb_no_progress_threshold": "4"}),
        ("CB_NO_PROGRESS_THRESHOLD=4", "recommended", {"stagnation_loops": "4", "stuck_loops": "4"}),
        ("OPTIONAL_SECTIONS='Later, Not: now'", "recommended", {"optional_sections": "[Later, 'Not: now']"}),
        ("OPTIONAL_SECTIONS=", "ralph-claude-code", {"optional_sections": "[]"}),
        ("OPTIONAL_SECTIONS='Later, ,Ideas,'", "recommended", {"optional_sections": "[Later, Ideas]"}),
        ("ALLOWED_TOOLS='Bash(a \"b\" *)'", "ralph-claude-code", {"allowed_tools": '"Bash(a \\"b\\" *)"'}),
        ("ALLOWED_TOOLS=Read", "recommended", {}),
        ("CB_PERMISSION_DENIAL_THRESHOLD=3", "recommended", {}),
        ("MAX_CONSECUTIVE_TEST_LOOPS=4", "recommended", {"test_loops": "4"}),
    ],
)  # fmt: skip
def test_values_of_ralphrc(line: str, policy: str, expected: dict[str, str]) -> None:
    one = taken(projects.RALPHRC, line, policy)
    assert values(one) == expected
    assert bool(one.left) == (not expected)
    assert one.problems == ()


@each(
    ("line", "code", "words"),
    [
        ("CB_NO_PROGRESS_THRESHOLD=51", "EP594", "above its `max` 50"),
        ("CB_NO_PROGRESS_THRESHOLD=0", "EP594", "below its `min` 1"),
        ("CB_NO_PROGRESS_THRESHOLD=many", "EP594", "`many` is not a count"),
        ("CB_NO_PROGRESS_THRESHOLD=", "EP594", "is not a count"),
        ("CB_COOLDOWN_MINUTES=30m", "EP594", "is not a whole number of minutes"),
        ("CB_COOLDOWN_MINUTES=-1", "EP594", "is not a whole number of minutes"),
        ("CB_COOLDOWN_MINUTES=010", "EP594", "is not a whole number of minutes"),
        ("CB_COOLDOWN_MINUTES=99999999999", "EP594", "is too long"),
        ("CB_COOLDOWN_MINUTES=$(cat minutes)", "EP593", "run"),
        ("ALLOWED_TOOLS=$'Read\\tWrite'", "EP594", "invisible characters"),
        ("ALLOWED_TOOLS='" + "Read," * 300 + "'", "EP594", "1500 characters"),
        ("CB_NO_PROGRES_THRESHOLD=3", "EP595", "no setting `CB_NO_PROGRES_THRESHOLD`"),
        (". ./more.sh", "EP593", "may set more"),
    ],
)
def test_what_is_not_taken_is_told(line: str, code: str, words: str) -> None:
    one = taken(projects.RALPHRC, f"# head\n{line}\n", "ralph-claude-code")
    [problem] = one.problems
    assert (problem.code, problem.severity, str(problem.place)) == (code, "warning", ".ralphrc:2:1")
    assert words in problem.message
    assert values(one) == {}
    if code == "EP594":
        [(_, place)] = problem.related
        assert place.file == "shipped:ralph-claude-code"


def test_variables_of_the_users_own_are_left_to_a_comment() -> None:
    one = taken(projects.RALPHRC, "WEBHOOK_URL=https://example.org\nMY_FLAG=1\n", "recommended")
    assert one.problems == ()
    assert one.left == (
        ("exitgate does not know it", ".ralphrc:1 WEBHOOK_URL"),
        ("exitgate does not know it", ".ralphrc:2 MY_FLAG"),
    )


def test_values_that_may_be_secret_are_shown_nowhere() -> None:
    text = "CLAUDE_API_KEY=hush\nSANDBOX_TOKEN=hush\nMY_TOKEN=hush\nMAX_CALLS_PER_HOUR=80\n"
    text += "KEY=hush CB_NO_PROGRESS_THRESHOLD=99 TOKEN=hush # hush\n"
    one = taken(projects.RALPHRC, text, "ralph-claude-code")
    told = repr((one.left, [(d.message, d.help, d.source) for d in one.problems]))
    assert "hush" not in told
    assert [origin for _, origin in one.left] == [
        ".ralphrc:1 CLAUDE_API_KEY", ".ralphrc:2 SANDBOX_TOKEN", ".ralphrc:3 MY_TOKEN",
        ".ralphrc:4 MAX_CALLS_PER_HOUR=80", ".ralphrc:5 KEY", ".ralphrc:5 CB_NO_PROGRESS_THRESHOLD=99",
        ".ralphrc:5 TOKEN",
    ]  # fmt: skip


def test_the_environment_wins_where_it_is_asked() -> None:
    text = "CB_COOLDOWN_MINUTES=45\nCB_SAME_ERROR_THRESHOLD=${CB_SAME_ERROR_THRESHOLD:-6}\n"
    one = taken(
        projects.RALPHRC,
        text,
        "ralph-claude-code",
        CB_COOLDOWN_MINUTES="5",
        CB_SAME_ERROR_THRESHOLD="7",
        CB_X="1",
    )
    assert values(one) == {"cooldown": "5m", "cb_same_error_threshold": "7"}
    assert one.entries[0].origin == "<environment CB_COOLDOWN_MINUTES> CB_COOLDOWN_MINUTES=5"


def test_values_of_doyaken() -> None:
    manifest = (
        "agent: {name: claude}\ncircuit_breaker:\n  enabled: false\n  no_progress_threshold: 4\n"
        "  same_error_threshold: 6\n  output_decline_percent: 50\n  cooldown_minutes: 10\n  cooldwn: 1\n"
    )
    one = taken(
        projects.DOYAKEN, manifest, "doyaken", "manifest.yaml", ED_CONFIDENCE_THRESHOLD="60", HOME="/"
    )
    assert values(one) == {"stuck_loops": "4", "error_loops": "6", "cooldown": "10m", "confident_score": "60"}
    assert one.entries[2].origin == "manifest.yaml:7 circuit_breaker.cooldown_minutes: 10"
    assert [origin for _, origin in one.left] == [
        "manifest.yaml:3 circuit_breaker.enabled: false",
        "manifest.yaml:6 circuit_breaker.output_decline_percent: 50",
        "manifest.yaml:8 circuit_breaker.cooldwn",
    ]
    faithful = taken(projects.DOYAKEN, manifest, "doyaken-faithful", "manifest.yaml")
    assert (values(faithful), len(faithful.left)) == ({}, 6)
    shell = taken(
        projects.DOYAKEN, "export ED_LOW_CONFIDENCE_WARN=2\nRL_ENABLED=1\n", "recommended", "env.sh"
    )
    assert values(shell) == {"claim_loops": "2"}


@pytest.mark.parametrize("head", ["", "exit_decision:\n"])
def test_values_of_bb3(head: str) -> None:
    indent = "  " if head else ""
    text = (
        head + f"{indent}min_confidence: 80   # stricter\n{indent}max_errors: 9\n{indent}stagnaton_loops: 2\n"
    )
    text += "other_tool: {a: 1}\n"
    one = taken(projects.BB3, text, "bb3", "config.yaml")
    assert values(one) == {"min_confidence": "80", "max_errors": "9"}
    [problem] = one.problems
    assert (problem.code, problem.help) == ("EP595", "did you mean `stagnation_loops`?")


NAMES = ("CB_COOLDOWN_MINUTES", "CB_NO_PROGRESS_THRESHOLD", "OPTIONAL_SECTIONS", "ALLOWED_TOOLS", "X", "CB_X")
BAIT = [
    b"3",
    b"'a, b'",
    b"$(touch ran)",
    b"'\x1b[31m #'",
    b"'# {}: - [x]'",
    b"' - \xe2\x80\xae'",
    b"'\\', \"'",
]
LINE = st.tuples(st.sampled_from(NAMES), st.one_of(st.binary(max_size=30), st.sampled_from(BAIT)))


@given(lines=st.lists(LINE, max_size=6))
@settings(max_examples=10, deadline=None)
def test_any_bytes_make_a_file_that_says_what_was_taken_and_nothing_else(
    lines: list[tuple[str, bytes]],
) -> None:
    content = b"\n".join(name.encode() + b"=" + value for name, value in lines)
    found, others = read(projects.RALPHRC, content, ".ralphrc", {})
    one = translate(projects.RALPHRC, found, others, "ralph-claude-code", ".ralphrc")
    text = new_file(one, "ralphrc", ".ralphrc", None, "")
    assert text.replace("\n", "").isprintable()
    section = load_yaml(text, "config.yaml").root.fields["exit_decision"].fields
    assert list(section) == ["policy", *values(one)]
    by_name = {setting.name: setting for setting in found}
    for name, original in {"allowed_tools": "ALLOWED_TOOLS", "cooldown": "CB_COOLDOWN_MINUTES"}.items():
        if name in section:
            value = by_name[original].value or ""
            assert section[name].text == (value.strip() if name == "allowed_tools" else f"{int(value)}m")

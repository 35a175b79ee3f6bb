"""What each host is answered: going on, stopping, being left alone."""

from __future__ import annotations

import pytest
from hosts_calls import DONE, HOSTS, Hooks

from exitgate.hosts.hook.session import GO_ON

#: Fields that each host reads in a reply, by what its reference says.
READ = {
    "claude-code": {"decision", "reason", "systemMessage"},
    "codex": {"decision", "reason", "systemMessage"},
    "gemini": {"decision", "reason", "systemMessage"},
    "copilot": {"decision", "reason"},
    "cursor": {"followup_message"},
}


@pytest.mark.parametrize("host", HOSTS)
def test_continue_holds_the_agent_back_with_the_advice(hooks: Hooks, host: str) -> None:
    heard = hooks.hook(host)
    first, _, rest = heard.reason.partition("\n\n")
    assert first == "Take the next open task."
    assert rest.startswith("exitgate: CONTINUE (`tasks_open` of plan-only 1.0.0, iteration 1)")
    assert "blocked 1 of" in rest
    assert set(heard.out) <= READ[host]
    assert len(hooks.decisions()) == 1


@pytest.mark.parametrize("host", HOSTS)
def test_exit_lets_it_stop_and_shows_why(hooks: Hooks, host: str) -> None:
    hooks.plan(DONE)
    heard = hooks.hook(host)
    assert heard.reason == ""
    assert "continue" not in heard.out  # the hooks of others are not overruled
    assert "EXIT complete (`plan_done` of plan-only 1.0.0, iteration 1): 2 of 2 tasks are done" in heard.note
    assert set(heard.out) <= READ[host]
    assert len(hooks.decisions()) == 1


@pytest.mark.parametrize("host", HOSTS)
def test_the_session_is_the_name_of_the_run(hooks: Hooks, host: str) -> None:
    hooks.hook(host)
    payload = hooks.payload(host)
    session = next(payload[key] for key in ("session_id", "sessionId", "conversation_id") if key in payload)
    assert hooks.decisions()[0]["run"] == f"{session}#1"


def test_without_advice_the_agent_reads_the_message_and_that_it_is_to_go_on(hooks: Hooks) -> None:
    text = (hooks.project / "policy.yaml").read_text()
    (hooks.project / "policy.yaml").write_text(text.replace('    advice: "Take the next open task."\n', ""))
    assert hooks.hook("codex").reason.startswith(f"1 tasks are open\n{GO_ON}\n\nexitgate: CONTINUE")


def test_a_reason_is_never_blank(hooks: Hooks) -> None:
    """Codex and Claude Code refuse to be held back without one."""
    bare = "policy: bare\nformat: 1\nversion: 1.0.0\ntitle: Says nothing\n"
    rules = "rules:\n  - {id: never, when: run.iterations > 90, exit: exhausted, because: enough}\n"
    (hooks.project / "policy.yaml").write_text(bare + rules)
    assert hooks.hook("codex").reason.startswith(f"{GO_ON}\n\nexitgate: CONTINUE (`otherwise`")


def test_an_agent_that_repeats_what_it_read_claims_nothing(hooks: Hooks) -> None:
    """The words that hold an agent back must not end the run when they come back."""
    (hooks.project / ".bb3" / "config.yaml").write_text("exit_decision: {hooks: {enabled: true}}\n")
    (hooks.project / "fix_plan.md").unlink()
    assert hooks.hook("codex", last_assistant_message="I read the parser.").reason
    assert hooks.hook("codex", last_assistant_message=f"{GO_ON}").reason
    facts = hooks.decisions()[-1]["facts"]
    assert isinstance(facts, dict)
    claims = {
        name: fact["v"] for name, fact in facts.items() if name.startswith("completion") and fact.get("v")
    }
    assert claims == {}


def test_where_the_policy_stands_is_told(hooks: Hooks) -> None:
    rule = (
        "  - {id: stalled, when: tasks.done unchanged for 3 iterations, exit: stuck, because: no task done}\n"
    )
    text = (hooks.project / "policy.yaml").read_text()
    (hooks.project / "policy.yaml").write_text(text.replace("rules:\n", f"rules:\n{rule}"))
    hooks.hook("claude-code")
    heard = hooks.hook("claude-code", "stop_held_back")
    assert "`stalled` at 1 of 3" in heard.reason


def test_wait_says_until_when(hooks: Hooks) -> None:
    policy = (
        "policy: limited\nformat: 1\nversion: 1.0.0\ntitle: Waits for the limit\n"
        "rules:\n  - {id: limit, when: run.iterations >= 1, exit: wait, because: the limit is reached}\n"
    )
    (hooks.project / "policy.yaml").write_text(policy)
    assert "EXIT wait (`limit`" in hooks.hook("gemini").note


def test_an_undetermined_end_is_shown_as_any_other(hooks: Hooks) -> None:
    (hooks.project / "fix_plan.md").unlink()
    with (hooks.project / "policy.yaml").open("a") as file:
        file.write("undetermined: {exit_after: 1}\n")
    heard = hooks.hook("claude-code")
    assert heard.reason == ""
    assert "EXIT undetermined" in heard.note


def test_escape_sequences_of_an_agent_reach_nobody(hooks: Hooks) -> None:
    hooks.plan("- [x] one \x1b[31m\n")
    text = (hooks.project / "policy.yaml").read_text()
    (hooks.project / "policy.yaml").write_text(text.replace("tasks are done", "tasks \\e[31m are done"))
    assert "\x1b" not in hooks.hook("cursor").note


def test_a_hook_is_given_facts_on_its_command_line(hooks: Hooks) -> None:
    text = (hooks.project / "policy.yaml").read_text()
    rule = "rules:\n  - {id: told, when: ready, exit: review, because: ready}\n"
    (hooks.project / "policy.yaml").write_text(
        text.replace("rules:\n", f"given: {{ready: {{type: bool}}}}\n{rule}", 1)
    )
    assert hooks.hook("claude-code").reason
    assert not hooks.hook("claude-code", "", "--fact", "ready=true").reason
    wrong = hooks.hook("claude-code", "", "--fact", "ready=soon")
    assert "fact `ready` is a bool" in wrong.note

"""What a format can tell of an iteration: the words of `GIVES` of readers and of what somebody wants."""

from __future__ import annotations

RESPONSE, OUTPUT, TOOL_RESULTS, RESULT = "response", "output", "tool_results", "result"
PLAN, TASK, GIT, CIRCUIT, FILES = "plan", "task", "git", "circuit", "files"
#: Beyond the sources: instants, the exit status of the process, single calls, changed files, cost, tokens.
TIMES, EXIT_STATUS, TOOL_CALLS, FILES_CHANGED = "times", "exit_status", "tool_calls", "files_changed"
COST, TOKENS, DENIALS, TESTS = "cost", "tokens", "denials", "tests"

#: What a transcript of an agent's own gives, whatever else it tells.
TRANSCRIPT = frozenset((RESPONSE, OUTPUT, TOOL_RESULTS, RESULT, PLAN, FILES, TOOL_CALLS, FILES_CHANGED))
#: The same with what was asked and when, as in chats; and what a model's provider reports.
CHAT = TRANSCRIPT | {TASK, TIMES}
USAGE = frozenset((COST, TOKENS))
#: Everything.
ALL = frozenset(
    (
        RESPONSE, OUTPUT, TOOL_RESULTS, RESULT, PLAN, TASK, GIT, CIRCUIT, FILES, TIMES, EXIT_STATUS,
        TOOL_CALLS, FILES_CHANGED, COST, TOKENS, DENIALS, TESTS,
    )
)  # fmt: skip

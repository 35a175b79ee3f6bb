"""Words of waiting for the agent's own work in the background."""

from __future__ import annotations

import pytest
from fact_reading import resolved

from exitgate.core.facts.extractors import phrases
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject

OPTIONS = {"lexicon": resolved("waiting"), "behind": 40}
WORK = ("release build", "integration suite", "nightly benchmark", "backfill", "data migration", "pipeline")
NOW = (
    "I'll wait for the {} to finish.",
    "I am waiting for the {} to finish.",
    "Waiting for the {} to complete.",
    "The {} is running in the background.",
    "The {} is still running.",
    "The {} hasn't finished yet.",
    "Once the {} finishes, I'll report the figures.",
)
#: The same work, over or never waited for.
OVER = (
    "I waited for the {}, and it is through.",
    "The {} has finished in the background.",
    "The {} was running in the background while I wrote the page.",
    "The {} is no longer running in the background.",
    "I won't wait for the {}.",
    "I did not start the {}.",
)


def found(response: str, options: dict[str, object] = OPTIONS) -> bool:
    sources = {"response": Source("response", response)}
    return phrases.extract("w", "response", JsonObject(options), Iteration(1, "r#1", 0.0, sources))[0].value


@pytest.mark.parametrize("work", WORK)
def test_who_waits_has_not_finished(work):
    assert [said for said in NOW if not found(f"The gate is painted. {said.format(work)}")] == []


@pytest.mark.parametrize("work", WORK)
def test_what_is_over_is_not_waited_for(work):
    assert [said for said in OVER if found(f"The gate is painted. {said.format(work)}")] == []


@pytest.mark.parametrize("frame", ['The prompt says "{}"', "The page shows `{}`.", "```\n{}\n```", "> {}"])
def test_what_is_quoted_is_not_said(frame):
    spoken = [said.format(work) for said in NOW for work in WORK]
    assert [said for said in spoken if found(frame.format(said))] == []


@pytest.mark.parametrize("server", ["dev server", "web server", "database", "watcher", "container"])
def test_a_server_may_stay(server):
    assert not found(f"The {server} is running in the background.")
    assert not found(f"The {server} is still running.")


def test_only_the_last_words_count():
    said = "I'll wait for the benchmark to finish."
    assert found(f"{said} It takes a while.")
    assert found(
        f"{said}\n\n---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n"
    )
    later = f"{said}\n\n" + "The paint is dry and the gate closes. " * 8
    assert not found(later)
    assert found(later, {"lexicon": OPTIONS["lexicon"]})

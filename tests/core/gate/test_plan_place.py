"""Where a check finds the plan, and that a run stays with the one it was read from."""

from __future__ import annotations

import pytest
from cases import some

from exitgate.core.gate.check import check
from exitgate.core.state.discover import DEFAULT_PATHS, OTHER_PLANS
from exitgate.core.state.request import Request

OPEN, DONE = "- [x] dig\n- [ ] sow\n", "- [x] dig\n- [x] sow\n"
#: Own words for a finished garden, in words and as a signal.
CLAIMS = (
    "All tasks are complete.\n\n===== 6 passed in 0.10s =====\n",
    "The garden is ready.\n\n<promise>COMPLETE</promise>\n",
)


#: Where a plan is found is no matter of the policy: one that asks for nothing else.
POLICY = """
policy: garden
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.complete, exit: complete, because: all is done}
  - {id: missed, when: tasks.missing, warn: true, because: the plan is gone}
otherwise: continue
"""


@pytest.fixture
def garden(tmp_path):
    return Garden(tmp_path)


class Garden:
    """A project with checks, one iteration each."""

    def __init__(self, root):
        self.root = root
        self.time = 1_000_000.0

    def write(self, place: str, text: str) -> None:
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self, response: str = "Dug a bed.", **more):
        self.write(".ralph/last-response.md", response)
        self.time += 60
        return check(Request(root=str(self.root), time=self.time, **more))

    def facts(self, response: str = "Dug a bed.", **more) -> dict:
        return {name: fact.value for name, fact in self.check(response, **more).facts.items()}


@pytest.fixture
def small(garden):
    """What tells which policy checks: the small one."""
    garden.write("garden.yaml", POLICY)
    return {"policy": str(garden.root / "garden.yaml")}


@pytest.mark.parametrize("place", DEFAULT_PATHS["plan"])
def test_each_place_is_found(garden, small, place):
    garden.write(place, OPEN)
    found = garden.facts(**small)
    assert (found["tasks.total"], found["tasks.open"]) == (2, 1)


@pytest.mark.parametrize("place", OTHER_PLANS)
@pytest.mark.parametrize(
    "text", ["# Garden\n\nA bed of roses, and a path.\n", "", "# Goals\n\n- roses\n- a path\n"]
)
def test_prose_at_a_later_place_is_no_plan(garden, small, place, text):
    garden.write(place, text)
    assert garden.facts(**small)["tasks.present"] is False


def test_a_list_of_requirements_with_states_is_a_plan_but_not_where_prose_is_usual(garden):
    garden.write("PRD.md", "- roses: planned\n- path: done\n")
    assert garden.facts()["tasks.present"] is False
    garden.write("PLAN.md", "- roses: planned\n- path: done\n")
    assert garden.facts()["tasks.open"] == 1


PLACES = DEFAULT_PATHS["plan"]
#: Each place with one before it and one behind it.
PAIRS = sorted(
    {
        (first, other)
        for at, first in enumerate(PLACES)
        for other in (PLACES[at - 1], PLACES[(at + 1) % len(PLACES)])
        if first.lower() != other.lower()  # one place where case does not count
    }
)


@pytest.mark.parametrize(("first", "other"), PAIRS)
def test_a_plan_that_is_gone_is_lost_whatever_other_one_is_there(garden, small, first, other):
    garden.write(first, OPEN)
    assert garden.facts(**small)["tasks.open"] == 1
    (garden.root / first).unlink()
    garden.write(other, DONE)
    decided = garden.check(CLAIMS[1], **small)
    assert decided.facts["tasks.missing"].value is True
    assert decided.decision.exit_class is None


@pytest.mark.parametrize(("first", "other"), some(PAIRS, 3))
def test_a_plan_that_is_gone_is_lost_whatever_finished_one_lies_elsewhere(garden, first, other):
    garden.write(first, OPEN)
    assert garden.facts()["tasks.open"] == 1
    (garden.root / first).unlink()
    garden.write(other, DONE)
    decided = garden.check(CLAIMS[1])
    assert decided.facts["tasks.missing"].value is True
    assert decided.decision.exit_class != "complete"


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("other", [".ralph/@fix_plan.md", "PLAN.md"])
def test_a_run_stays_with_its_plan_while_it_is_there(garden, other, claim):
    garden.write("IMPLEMENTATION_PLAN.md", OPEN)
    garden.check()
    garden.write(other, DONE)
    decided = garden.check(claim)
    assert decided.facts["tasks.open"].value == 1
    assert decided.decision.exit_class != "complete"


def test_a_plan_that_moved_goes_on_where_it_has_open_tasks(garden):
    garden.write("PLAN.md", OPEN)
    garden.check()
    (garden.root / "PLAN.md").rename(garden.root / "fix_plan.md")
    assert garden.facts()["tasks.open"] == 1
    garden.write("fix_plan.md", DONE)
    assert garden.facts()["tasks.complete"] is True


def test_it_is_remembered_over_iterations_without_it(garden):
    garden.write("PLAN.md", OPEN)
    garden.check()
    (garden.root / "PLAN.md").unlink()
    garden.check("Looked at the roses.")
    garden.write("fix_plan.md", DONE)
    assert garden.facts("Looked at the path.")["tasks.present"] is False
    garden.write("PLAN.md", OPEN)
    assert garden.facts("Looked at the hedge.")["tasks.open"] == 1


def test_the_next_run_looks_anew(garden):
    garden.write("PLAN.md", DONE)
    assert garden.check(CLAIMS[1]).decision.exit_class == "complete"
    (garden.root / "PLAN.md").unlink()
    garden.write("fix_plan.md", OPEN)
    assert garden.facts("A new season.")["tasks.open"] == 1


def test_a_named_plan_is_read_whatever_the_run_stays_with(garden):
    garden.write("PLAN.md", OPEN)
    garden.check()
    garden.write("other.md", DONE)
    assert garden.check(plan=str(garden.root / "other.md")).facts["tasks.open"].value == 0
    assert garden.facts("Weeded.")["tasks.open"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"userStories": [{"title": "sow", "passes": false},',
        "<<<<<<< HEAD\n{}\n=======\n",
        "user stories: none",
    ],
)
@pytest.mark.parametrize("place", ["prd.json", "scripts/ralph/prd.json"])
def test_stories_that_cannot_be_read_speak_against_a_claim_and_are_told(garden, place, text):
    garden.write(place, text)
    decided = garden.check(CLAIMS[0])
    assert decided.facts["stories.broken"].value is True
    assert decided.decision.exit_class != "complete"
    assert any(warned.rule == "stories_unreadable" for warned in decided.decision.warnings)


def test_without_a_file_of_stories_a_claim_that_tests_bear_out_completes(garden):
    decided = garden.check(CLAIMS[0])
    assert decided.facts["stories.broken"].value is False
    assert decided.decision.exit_class == "complete"


def test_a_file_of_another_shape_is_not_broken(garden):
    garden.write("tasks.json", '{"version": "2.0", "tasks": []}')
    decided = garden.check(CLAIMS[0])
    assert decided.facts["stories.broken"].value is False
    assert decided.decision.exit_class == "complete"

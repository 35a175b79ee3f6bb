"""What is written differently in two policies."""

from __future__ import annotations

from pathlib import Path

from cases import each
from compared_policies import TEXT, side, two

from exitgate.analysis.diff.textual import text_changes
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy

#: What is replaced, by what; then section, name, kind and what is different there.
CASES = {
    "title": ("title: Ours", "title: Theirs", "policy policy changed title: Ours -> Theirs"),
    "doc": ("What it is for", "Why it is", "policy policy changed doc: What it is for. -> Why it is."),
    "default": ("default: 80", "default: 90", "parameters goal changed default: 80% -> 90%"),
    "bound": ("max: 9", "max: 8", "parameters loops changed max: 9 -> 8"),
    "type": ("  loops: {type: count", "  pause: {type: duration, default: 1h}\n  loops: {type: count",
             "parameters pause added type: None -> duration; default: None -> 1h"),
    "list": ("[Later, Someday]", "[Later]", 'lists later changed value: ["Later", "Someday"] -> ["Later"]'),
    "profile": ("goal: 100}", "goal: 95}", "profiles careful changed goal: 100 -> 95"),
    "option": ("[done, finished]", "[done]", 'facts sure changed words: ["done", "finished"] -> ["done"]'),
    "source": ("from: response", "from: output", "facts sure changed from: response -> output"),
    "points": ("add: 60", "add: 50", "facts score changed points when tasks.complete: 60 -> 50"),
    "range": ("range: [0, 100]", "range: [0, 90]", "facts score changed max: 100 -> 90"),
    "condition": ("all_done: tasks.complete", "all_done: tasks.total == tasks.done",
                  "conditions all_done changed when: tasks.complete -> tasks.total == tasks.done"),
    "breaker": ("for 5 iter", "for 6 iter",
                "circuit still changed open when: tasks.done unchanged for 5 iterations -> "
                "tasks.done unchanged for 6 iterations"),
    "threshold": (">= $goal", "> $goal", "rules enough changed when: tasks.percent >= $goal -> "
                  "tasks.percent > $goal"),
    "class": ("exit: stuck", "exit: review", "rules stale changed effect: exit: stuck -> exit: review"),
    "mode": ("exit: stuck,", "exit: stuck, mode: shadow,", "rules stale changed mode: None -> shadow"),
    "message": ("nothing moves", "it stands", "rules stale changed because: nothing moves -> it stands"),
    "silence": ("exit_after: 5", "exit_after: 6", "undetermined undetermined changed exit_after: 5 -> 6"),
    "promise": ("always: exit}", "always: halted}", "invariants breaker changed always: exit -> halted"),
    "renamed": ("id: stale", "id: no_progress", "rules no_progress renamed was stale"),
}  # fmt: skip


@each("name", CASES)
def test_one_change_is_told_as_one(tmp_path: Path, name: str) -> None:
    old, new, wanted = CASES[name]
    found = text_changes(*two(tmp_path, (old, new)))
    assert len(found) == 1
    one = found[0]
    told = f"{one.section} {one.name} {one.kind} "
    told += f"was {one.was}" if one.kind == "renamed" else ""
    told += "; ".join(f"{d.property}: {d.before} -> {d.after}" for d in one.details)
    assert told.startswith(wanted)


def test_layout_comments_and_spelling_of_conditions_are_no_change(tmp_path: Path) -> None:
    text = TEXT.replace("when: tasks.percent >= $goal", "when: 'tasks.percent   >=   $goal'").replace(
        "rules:", "# a comment\nrules:"
    )
    assert text_changes(side(tmp_path, TEXT, "a.yaml"), side(tmp_path, text, "b.yaml")) == ()


def test_a_rule_put_first_is_one_move(tmp_path: Path) -> None:
    lines = TEXT.splitlines(keepends=True)
    stale = next(line for line in lines if "id: stale" in line)
    lines.remove(stale)
    lines.insert(lines.index("rules:\n") + 1, stale)
    found = text_changes(side(tmp_path, TEXT, "a.yaml"), side(tmp_path, "".join(lines), "b.yaml"))
    assert [(c.name, c.kind, c.was, c.now) for c in found] == [("stale", "moved", "after `enough`", "first")]


def test_added_and_removed_rules_have_all_their_parts(tmp_path: Path) -> None:
    before, after = two(tmp_path, ("id: stale", "id: fresh"), ("exit: stuck", "exit: review"))
    gone, come = text_changes(before, after)
    assert (gone.kind, gone.name, come.kind, come.name, come.now) == (
        "removed", "stale", "added", "fresh", "after `enough`",
    )  # fmt: skip
    assert {d.property for d in come.details} == {"effect", "when", "because"}
    assert all(d.before is None for d in come.details)
    assert all(d.after is None for d in gone.details)


def test_entries_of_a_lexicon_are_told_by_their_id(tmp_path: Path) -> None:
    lexicon = "lexicon: own\nformat: 1\ntitle: Ours\nentries:\n"
    lexicon += "  - {id: a, words: [ready], examples: [we are ready]}\n"
    lexicon += "  - {id: b, words: [over], examples: [it is over]}\n"
    (tmp_path / "own.yaml").write_text(lexicon, encoding="utf-8")
    text = TEXT.replace("words: [done, finished]", "lexicon: ./own.yaml")
    before = side(tmp_path, text, "a.yaml")
    changed = lexicon.replace("[ready]", "[ready, set]").replace("id: b", "id: c")
    (tmp_path / "own.yaml").write_text(changed, encoding="utf-8")
    (found,) = text_changes(before, side(tmp_path, text, "b.yaml"))
    told = [(d.property, d.before, d.after) for d in found.details]
    assert ("lexicon.entries.a.words", '["ready"]', '["ready", "set"]') in told
    assert [name for name, _, after in told if after is None] == ["lexicon.entries.b"]
    assert [name for name, before_, _ in told if before_ is None] == ["lexicon.entries.c"]


def test_a_long_list_of_a_parameter_is_compared_to_its_end(tmp_path: Path) -> None:
    words = [f"word{n}" for n in range(40)]
    line = "  names: {type: list, item: text, default: [%s]}\n"
    texts = [TEXT.replace("lists:", line % ", ".join(w) + "lists:") for w in (words, [*words[:-1], "other"])]
    (found,) = text_changes(side(tmp_path, texts[0], "a.yaml"), side(tmp_path, texts[1], "b.yaml"))
    assert found.details[0].after is not None
    assert "other" in found.details[0].after


@each("name", shipped.policies())
def test_a_policy_differs_in_nothing_from_itself(name: str) -> None:
    from exitgate.analysis.results.comparison import Side

    policy = load_policy(name)
    assert text_changes(Side("a", policy), Side("b", policy)) == ()

"""Policies of any number of rules, with a test for each: facts of their own, shared facts, some history."""

from __future__ import annotations

from pathlib import Path

#: Facts that rules share, and rules of which one looks back.
SHARED, BACK = 20, 10
CLASSES = ("stuck", "blocked", "review", "failed")


def condition(number: int) -> tuple[str, list[dict[str, object]]]:
    """Return the condition of a rule and the facts of the iterations that make it true, oldest first."""
    own, shared = f"block.own_{number}", f"block.shared_{number % SHARED}"
    limit = 2 + number // SHARED
    if number % BACK == 3:
        return f"{own} unchanged for 2 iterations", [{own: 1}, {own: 1}, {own: 1}]
    if number % BACK == 7:
        return f"({own} >= {limit}) for 2 consecutive iterations", [{own: limit}, {own: limit}]
    if number % 3 == 1:
        return f"{shared} is {limit} and {own} > 3", [{shared: limit, own: 4}]
    if number % 3 == 2:
        return f"{own} > {limit} or {shared} is {limit} and {own} < 1", [{own: limit + 1}]
    return f"{own} >= {limit}", [{own: limit}]


def policy(count: int, facts: int = 0) -> str:
    """Return a policy of `count` rules, with a fact for each and, if that is more, so many `facts` in all."""
    names = [*(f"shared_{n}" for n in range(SHARED)), *(f"own_{n}" for n in range(max(count, facts)))]
    lines = [
        "# yaml-language-server: $schema=https://exitgate.dev/schemas/policy.schema.json",
        "policy: many",
        "format: 1",
        "version: 1.0.0",
        f"title: {count} rules over {len(names)} facts",
        "facts:",
        "  block:",
        "    extract: status_block",
        "    from: response",
        "    name: MANY",
        "    fields:",
        *(f"      {name}: {{key: {name.upper()}, type: count, doc: A count.}}" for name in names),
        "rules:",
    ]
    for number in range(count):
        lines += [
            f"  - id: rule_{number}",
            f"    when: {condition(number)[0]}",
            f"    exit: {CLASSES[number % len(CLASSES)]}",
            f'    because: "rule {number} ends the run"',
        ]
    return "\n".join([*lines, "otherwise: continue", ""])


def tests(count: int) -> str:
    """Return a test for each rule of a policy of `count` rules."""
    lines = ["format: 1", "tests:"]
    for number in range(count):
        run = condition(number)[1]
        lines.append(f"  - name: rule {number}")
        given = f"history: {{{_series(run)}}}" if len(run) > 1 else f"facts: {{{_facts(run[0])}}}"
        lines.append(f"    {given}")
        lines.append(f"    expect: {{verdict: EXIT, rule: rule_{number}}}")
    return "\n".join([*lines, ""])


def response(count: int) -> str:
    """Return a response whose block makes no rule true, with every second fact in it."""
    names = [*(f"shared_{n}" for n in range(SHARED)), *(f"own_{n}" for n in range(0, count, 2))]
    return "\n".join(
        ["Done so far.", "", "---MANY---", *(f"{n.upper()}: 1" for n in names), "---END_MANY---", ""]
    )


def _facts(values: dict[str, object]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in values.items())


def _series(run: list[dict[str, object]]) -> str:
    return ", ".join(f'{name}: "{" ".join(str(one[name]) for one in run)}"' for name in run[0])


def write(folder: Path, count: int, facts: int = 0) -> Path:
    """Write a policy (see `policy`), its tests and a response into a folder; return the policy's path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "policy.yaml"
    path.write_text(policy(count, facts), encoding="utf-8")
    (folder / "tests.yaml").write_text(tests(count), encoding="utf-8")
    (folder / "response.md").write_text(response(max(count, facts)), encoding="utf-8")
    return path

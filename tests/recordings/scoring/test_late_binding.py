"""Policies of a sweep that are bound late are those that compiling them anew gives."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from cases import EVERY, each

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.shipped import policies
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.scoring.grid import text_of
from exitgate.recordings.scoring.late_binding import LateBinding

#: Parameters of one policy that are swept together, values of each, and points that are compared.
SWEPT, VALUES, POINTS = (5, 3, 6) if EVERY else (6, 2, 3)


class Made:
    """Counts how often a policy is compiled."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0

    def __call__(self, settings: Mapping[str, str]) -> CompiledPolicy:
        self.count += 1
        return load_policy(self.name, settings=settings)


def values_of(policy: CompiledPolicy, name: str) -> list[str]:
    """Return the policy's own value of a parameter and others that it takes."""
    parameter = policy.parameters[name]
    own = parameter.value
    if isinstance(own, bool):
        return ["true", "false"]
    if isinstance(own, str):
        members = parameter.type.members or (own, "another", "a third")
        return list(members)[:VALUES]
    if not isinstance(own, int | float):
        return []
    tried = [own, own + 1, own + 7, max(own - 1, 0)]
    fits = [v for v in tried if (parameter.low is None or v >= parameter.low)
            and (parameter.high is None or v <= parameter.high)]  # fmt: skip
    return list(dict.fromkeys(text_of(v, parameter.type) for v in fits))[:VALUES]


def assert_same(bound: CompiledPolicy, anew: CompiledPolicy) -> None:
    for name in anew.__slots__:
        if name != "digest":  # that of the text
            assert getattr(bound, name) == getattr(anew, name), name


@each("name", sorted(policies()))
def test_every_shipped_policy_is_bound_as_it_is_compiled(name: str) -> None:
    make = Made(name)
    draw = random.Random(1)
    plain = make({})
    values = {one: found for one in plain.parameters if (found := values_of(plain, one))}
    names = list(values)
    draw.shuffle(names)
    for start in range(0, len(names), SWEPT):
        swept = names[start : start + SWEPT]
        grid = [dict(zip(swept, one, strict=True)) for one in product(*(values[name] for name in swept))]
        binding = LateBinding(make, {}, swept)
        for settings in draw.sample(grid, min(POINTS, len(grid))):
            try:
                anew = load_policy(name, settings=settings)
            except ExitgateError as refused:
                with pytest.raises(ExitgateError) as caught:
                    binding.at(settings)
                assert caught.value.diagnostics == refused.diagnostics
                continue
            bound = binding.at(settings)
            assert_same(bound, anew)
            ours, theirs = PolicyReplay(name, binding.own).with_policy(bound), PolicyReplay(name, anew)
            assert (ours.digest, ours.failure, ours.forgetful) == (
                theirs.digest,
                theirs.failure,
                theirs.forgetful,
            )


def test_points_are_not_compiled_but_values_are() -> None:
    make = Made("recommended")
    swept = {"max_errors": range(1, 9), "min_confidence": range(30, 38), "stagnation_loops": range(2, 10)}
    binding = LateBinding(make, {}, swept)
    points = [dict(zip(swept, map(str, one), strict=True)) for one in product(*swept.values())]
    for point in points:
        binding.at(point)
    assert len(points) == 512
    assert make.count == 1 + 8 + 8 + 8


POLICY = """\
policy: joined
format: 1
version: 1.0.0
parameters:
  low: {type: count, default: 1, min: 0, doc: One.}
  high: {type: count, default: 5, min: 0, doc: Other.}
  back: {type: count, default: 2, min: 1, max: 9, doc: Window.}
  most: {type: count, default: 2, min: 1, doc: Blind.}
facts:
  block:
    extract: status_block
    from: response
    name: X
    fields: {n: {key: N, type: count, doc: A count.}, m: {key: M, type: count, doc: A count.}}
  sum: {formula: "block.n + $low"}
conditions:
  above: sum > $high
rules:
  - id: both
    when: "@above and block.m > 3"
    exit: stuck
    because: "Over {$high}: {history(block.n, last $back)}"
  - id: window
    when: block.m unchanged for $back iterations
    exit: review
    because: "{$back}"
undetermined: {exit_after: $most}
otherwise: continue
"""


def test_values_that_one_condition_reads_are_one_choice(tmp_path: Path) -> None:
    path = tmp_path / "joined.yaml"
    path.write_text(POLICY, encoding="utf-8")
    make = Made(str(path))
    binding = LateBinding(make, {}, ("low", "high", "back", "most"))
    assert binding.groups == (("low", "high"), ("back",), ("most",))
    for low, high, back, most in product("03", "47", "15", "24"):
        settings = {"low": low, "high": high, "back": back, "most": most}
        bound = binding.at(settings)
        assert_same(bound, load_policy(str(path), settings=settings))
        assert (bound.exit_after_blind, bound.lookback) == (int(most), int(back))
    assert make.count == 1 + 4 + 2 + 2


def test_a_value_that_is_refused_is_refused_at_each_point(tmp_path: Path) -> None:
    path = tmp_path / "joined.yaml"
    path.write_text(POLICY, encoding="utf-8")
    binding = LateBinding(Made(str(path)), {}, ("low", "back"))
    for low in "12":
        with pytest.raises(ExitgateError) as caught:
            binding.at({"low": low, "back": "0"})
        assert {one.code for one in caught.value.diagnostics} == {"EP469"}
        assert binding.at({"low": low, "back": "3"}).lookback == 3

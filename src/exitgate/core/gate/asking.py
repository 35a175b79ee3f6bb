"""The world asked in a check: what is recorded and still counts, else a command, with the ledger unlocked."""

from __future__ import annotations

import os

from exitgate.core.engine.breaker import OPEN
from exitgate.core.facts.extractors.probe import EVERY_ITERATION
from exitgate.core.facts.extractors.probes import standings
from exitgate.core.facts.registry import probes_asked
from exitgate.core.model.decision import COMPLETE, EXIT
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.probes import trust
from exitgate.core.probes.answer import ANSWERED, BROKEN, MARK, REFUSED, Answer
from exitgate.core.settings.files import project_folder
from exitgate.core.state import discover
from exitgate.core.state.history import STRENGTH
from exitgate.core.system.digest import digest_of_plain
from exitgate.core.system.safe_files import trouble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from exitgate.core.gate.decision import Decided
    from exitgate.core.gate.observation import Observation
    from exitgate.core.gate.prior import Prior, ReadLedger
    from exitgate.core.policy.compiled import CompiledPolicy, Extraction
    from exitgate.core.probes.definition import Probe
    from exitgate.core.probes.tree import Tree
    from exitgate.core.probes.turn import Turn
    from exitgate.core.state.request import Request


#: Total of a run: how probes came out.
TOTAL = "probes"
REWRITTEN = "the rules that complete, the probes or `verify` changed since the run began"
#: Lines of the run among which a recorded answer is looked for.
_LINES = 200


class Asker:
    """
    What one check asks of the world.

    Args:
        request: What was asked of the check.
        policy: That decides.

    `answers` has what was asked or found recorded so far, as the ledger keeps it; `said` what changed of what
    guards the run, where that decided.
    """

    def __init__(self, request: Request, policy: CompiledPolicy) -> None:
        self._request = request
        self._policy = policy
        self._entries = [entry for entry in policy.extractions if _of(entry)]
        self.answers: dict[str, JsonObject] = {}
        self._probes: dict[str, Probe] | None = None
        self._consent: trust.Consent | None = None
        self._tree: Tree | None = None
        self._turn: Turn | None = None
        self._before = JsonObject()
        self._strength: object = None
        self.said = ""

    @property
    def probes(self) -> Mapping[str, Probe]:
        """Those that the settings define."""
        if self._probes is None:
            from exitgate.core.probes.definition import definitions

            self._probes = definitions(self._policy)
        return self._probes

    def begin(self, seen: Observation, prior: Prior) -> Observation:
        """Return the observation with what is known of probes; those asked in every iteration are asked."""
        totals = seen.texts.begun.totals
        self._strength = totals.get(STRENGTH)
        if not self._entries:
            return seen
        self._tree = None
        state = totals.object(TOTAL)
        same = state.get("iteration") == seen.iteration.number and not prior.history.standing.new
        self._before = state.object("before" if same else "lists")
        return self.known(seen)

    def every(self, seen: Observation) -> list[str]:
        """Return the probes that are asked in every iteration and were not asked yet."""
        if not seen.ended:
            return []
        names = (
            name
            for entry in self._entries
            if entry.options.get("asked") == EVERY_ITERATION
            for name in _of(entry)
        )
        return [name for name in dict.fromkeys(names) if name not in self.answers]

    def known(self, seen: Observation) -> Observation:
        """Return the observation with what is known of probes by now."""
        record = JsonObject(
            answers=dict(self.answers),
            pending=[name for name in self.probes if name not in self.answers],
            before=self._before,
        )
        sources = {**seen.iteration.sources, "probes": Source("probes", record=record)}
        return seen.but(iteration=seen.iteration.but(sources=sources))

    def next(self, decided: Decided, seen: Observation, prior: Prior) -> str | None:
        """Return the probe to ask next, the cheapest of those that the decision hangs on; None for none."""
        always = self.every(seen)
        if always:
            return always[0]
        breaker = prior.breaker.state
        if not decided.needs or (breaker.by_hand and breaker.state == OPEN):
            return None
        names = needed(decided.needs, self._entries)
        names = {name for name in names if name in self.probes and name not in self.answers}
        took = seen.texts.begun.totals.object(TOTAL).object("seconds")
        order = list(self.probes)

        def cost(name: str) -> tuple[bool, float, int]:
            probe = self.probes[name]
            return bool(probe.judge), took.number(name, probe.timeout), order.index(name)

        return min(names, key=cost, default=None)

    def ask(self, name: str, decided: Decided, seen: Observation, prior: Prior, ledger: ReadLedger) -> bool:
        """
        Ask a probe, or take what is recorded of it; return False where the ledger may have moved meanwhile.

        What it says is among `answers` then. No fault of a command is raised: it is the answer.
        """
        probe = self.probes[name]
        status, reason = REFUSED, self._why_refused()
        if not reason and self._recorded(probe, decided, seen, prior, ledger):
            return True
        if not reason and not self._request.record:
            reason = "a look that records nothing asks nothing; `exitgate probe` does"
        if not reason:
            status, reason = BROKEN, self._take_turn()
        if not reason and self._turn is not None and self._turn.waited:
            self._turn.waited = False
            return False
        answer = Answer(status, None, reason, definition=probe.digest) if reason else self._asked(probe, seen)
        self._put(probe.name, JsonObject(answer.to_json()), decided)
        return True

    def now(self, name: str, seen: Observation) -> None:
        """Ask a probe no matter what is recorded of it; what it says is among `answers` then."""
        probe = self.probes[name]
        reason = self._why_refused()
        status = REFUSED if reason else BROKEN
        if not reason and os.path.isdir(discover.state_dir(self._request)):
            reason = self._take_turn()
        answer = Answer(status, None, reason, definition=probe.digest) if reason else self._asked(probe, seen)
        self.answers[name] = JsonObject(answer.to_json())

    def _take_turn(self) -> str:
        """Take the turn to ask, if it is not taken; return why it cannot be had, as a sentence part."""
        from exitgate.core.probes.turn import HeldError, Turn

        if self._turn is not None:
            return ""
        directory = discover.state_dir(self._request)
        try:
            self._turn = Turn(directory, self._patience(), self._watching(""))
        except HeldError as error:
            return f"another check is {error}"
        except OSError as error:
            return f"`{directory}` cannot be locked: {trouble(error)}"
        return ""

    def _asked(self, probe: Probe, seen: Observation) -> Answer:
        from exitgate.core.probes import tree as trees
        from exitgate.core.probes.answer import CHANGED, LATE

        request, policy = self._request, self._policy
        left = self._left()
        if left is not None and left <= 0:
            return Answer(LATE, None, "the time of this check is up", definition=probe.digest)
        before = self._look(seen)
        limit = probe.timeout * probe.judges if left is None else min(left, probe.timeout * probe.judges)
        watch = self._watching(probe.name)

        def started(child: int) -> None:
            if self._turn is not None:
                self._turn.note(probe.name, limit, child, seen.iteration.run)

        if probe.judge:
            from exitgate.core.probes.evidence import texts_for
            from exitgate.core.probes.judge import judge

            origin = (seen.texts.begun.baseline or JsonObject()).get("origin")
            texts = texts_for(probe.sees, seen.iteration.sources, before, origin, self.answers)
            answer = judge(
                probe, os.environ, texts, mask=policy.mask, watch=watch, seconds=left, started=started
            )
        else:
            from exitgate.core.probes.asking import ask

            folder = project_folder(request.root, os.environ)
            answer = ask(
                probe, folder, os.environ, pointers=self._pointers(probe.name), mask=policy.mask, watch=watch,
                seconds=limit, started=started, guarded=self._read_here(seen),
            )  # fmt: skip
        if answer.status == LATE and left is not None and limit == left:
            answer = answer.but(reason=f"the {limit:.0f} s that this check had for it were up")
        tracked, others = trees.changed(before, self._look_again(seen))
        if tracked:
            reason = f"it changed files that git tracks: {trees.named(tracked)}"
            return Answer(
                CHANGED,
                None,
                reason,
                answer.exit_status,
                seconds=answer.seconds,
                at=answer.at,
                definition=probe.digest,
            )
        notes = answer.notes
        if others:
            notes = (
                *notes,
                f"`{probe.name}` wrote {trees.named(others)}: ignore that in git, or name it under `writes`",
            )
        tree = before.digest if before.whole else ""
        return answer.but(tree=tree, seen=self._shown(probe, seen), notes=notes)

    def _put(self, name: str, plain: JsonObject, decided: Decided, **more: object) -> None:
        why = {"rule": decided.rule, "facts": sorted(decided.needs)} if decided.needs else {"facts": []}
        self.answers[name] = JsonObject({**plain, "why": why, **more})

    def _recorded(
        self, probe: Probe, decided: Decided, seen: Observation, prior: Prior, ledger: ReadLedger
    ) -> bool:
        """Take the newest answer of the run to the same question, if it still counts."""
        where = prior.history.standing
        lines = ledger.tail(where.run, _LINES)
        if ledger.notes:
            return False  # of a ledger that is damaged nothing is taken that lets a run complete
        for line in reversed(lines):
            answer = line.object("probes").object(probe.name)
            if not answer or "reused" in answer:
                continue
            if answer.text("status") != ANSWERED or answer.text("definition") != probe.digest:
                return False
            if not self._counts(probe, answer, line, seen, prior):
                return False
            self._put(probe.name, answer, decided, reused=line.get("sequence"))
            return True
        return False

    def _counts(
        self, probe: Probe, answer: JsonObject, line: JsonObject, seen: Observation, prior: Prior
    ) -> bool:
        from exitgate.core.probes.definition import ITERATION, TREE

        if probe.judge and answer.text("seen", "") != self._shown(probe, seen):
            return False
        if probe.valid_for == TREE:
            tree = self._look(seen)
            return tree.whole and answer.text("tree") == tree.digest
        if probe.valid_for == ITERATION:
            return line.get("iteration") == seen.iteration.number
        return 0 <= prior.now - answer.number("at", 0.0) <= float(probe.valid_for)

    def _read_here(self, seen: Observation) -> tuple[str, ...]:
        """Return the state directory and the files of this check, absolute."""
        paths = (source.path for source in seen.iteration.sources.values() if source.path)
        read = {os.path.abspath(os.path.join(self._request.root, path)) for path in paths}
        # of the working tree the path is its root
        files = sorted(path for path in read if not os.path.isdir(path))
        return (os.path.abspath(discover.state_dir(self._request)), *files)

    def _shown(self, probe: Probe, seen: Observation) -> str:
        """Return the digest of the texts that a judge is shown, the tree and other answers aside."""
        sources = seen.iteration.sources
        texts = [sources[name].text for name in probe.sees if name in sources]
        return digest_of_plain(texts) if probe.judge else ""

    def _look(self, seen: Observation) -> Tree:
        """Return the working tree as it is, or was when this check looked at it for facts of git."""
        from exitgate.core.probes.tree import tree_of

        if self._tree is None:
            git = seen.iteration.sources.get("git")
            self._tree = tree_of(git) if git is not None else self._look_again(seen)
        return self._tree

    def _look_again(self, seen: Observation) -> Tree:
        from exitgate.core.observe.ignored_files import left_out
        from exitgate.core.observe.sources import ignored
        from exitgate.core.probes.tree import look

        begun, request = seen.texts.begun, self._request
        out = (*left_out(request, self._policy, begun), *request.left_out)
        origin = None if self._tree is None else self._tree.origin
        first = origin if isinstance(origin, str) else None
        self._tree = look(request.root, out, ignored(self._policy), begun.baseline, first)
        return self._tree

    def _pointers(self, name: str) -> list[str]:
        entries = (
            entry for entry in self._entries if entry.options.get("name") == name and "at" in entry.options
        )
        return [str(entry.options["at"]) for entry in entries]

    def _why_refused(self) -> str:
        if os.environ.get(MARK):
            return "this check was called by a probe, which asks nothing itself"
        if self._is_rewritten():
            return REWRITTEN
        consent = self.consent()
        return "" if consent.state == trust.ALLOWED else consent.reason

    def _is_rewritten(self) -> bool:
        """Return whether what decides if the run completes is another than when it began."""
        return self._strength is not None and self._strength != trust.strength(self._policy)

    def consent(self) -> trust.Consent:
        """Return whether commands may run here."""
        if self._consent is None:
            self._consent = self._looked()
        return self._consent

    def _looked(self) -> trust.Consent:
        request = self._request
        if not request.layer:
            return trust.look(self._policy, request.root, os.environ)
        # A layer of this run alone: what a person typed for it is allowed, and what files define as ever.
        names = {name for entry in self._entries for name in _of(entry)}.difference(request.typed)
        if not names:
            return trust.Consent(trust.ALLOWED)
        from exitgate.core.gate.settings import policy_of

        files = policy_of(request.but(layer="", program=None))
        return trust.look_at(sorted(names), files, request.root, os.environ)

    def _left(self) -> float | None:
        """Return the seconds that this check may go on asking; None for as long as it takes."""
        until = self._request.until
        if until is None:
            return None
        import time

        return until - time.monotonic()

    def _patience(self) -> float:
        left = self._left()
        return sum(probe.timeout for probe in self.probes.values()) if left is None else max(left, 0.0)

    def _watching(self, name: str) -> Callable[[float, str], None] | None:
        watch = self._request.watch
        return None if watch is None else lambda seconds, line: watch(name, seconds, line)

    def settled(self, decided: Decided, seen: Observation) -> Decided:
        """
        Return the decision that is recorded, with what the run keeps of the answers.

        It is for review where the run would complete, or asked something, although what guards it changed.
        """
        decision = decided.result.decision
        completes = decision.verdict == EXIT and decision.exit_class == COMPLETE
        refused = any(one.text("status") == REFUSED for one in self.answers.values())
        self.said = self._change() if completes or refused else ""
        decision = trust.for_review(decision, self.said, seen.iteration.run)
        notes = [note for one in self.answers.values() if "reused" not in one for note in one.texts("notes")]
        if notes:
            from exitgate.core.views.update import with_warnings

            decision = with_warnings(decision, tuple(notes))
        if decision is not decided.result.decision or self.answers:
            decided = decided.but(result=decided.result.but(decision=decision, probes=self.answers))
        totals = self._totals(decided, seen)
        return decided.but(totals=JsonObject({**decided.totals, **totals})) if totals else decided

    def _change(self) -> str:
        """Return what changed of what guards the run, as a sentence part; empty for nothing."""
        if self._is_rewritten():
            return REWRITTEN
        consent = self.consent()
        return "; ".join(consent.differences) if consent.state == trust.CHANGED else ""

    def _totals(self, decided: Decided, seen: Observation) -> dict[str, object]:
        """Return what the totals of the run keep of it."""
        if not self._entries:
            return {}
        begun = seen.texts.begun.totals
        asked = {name: one for name, one in self.answers.items() if "reused" not in one}
        took = {name: one.get("seconds") for name, one in asked.items() if one.number("seconds", 0.0)}
        state = {
            "iteration": seen.iteration.number,
            "lists": standings(lists_of(self._entries), self._before, self.answers),
            "before": self._before,
            "seconds": {**begun.object(TOTAL).object("seconds"), **took},
        }
        found = {TOTAL: state, STRENGTH: begun.get(STRENGTH) or trust.strength(self._policy)}
        spent = sum(one.number("cost", 0.0) for one in asked.values())
        return {**found, "cost": decided.totals.number("cost", 0.0) + spent} if spent else found

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        """Let the next check ask."""
        if self._turn is not None:
            self._turn.close()
            self._turn = None


def _of(entry: Extraction) -> tuple[str, ...]:
    """Return the names of the probes that an entry asks."""
    return probes_asked(entry.extractor, entry.options)


def needed(facts: Iterable[str], entries: Iterable[Extraction]) -> set[str]:
    """Return the probes that some facts need, by the entries that ask."""
    prefixes = {fact.partition(".")[0] for fact in facts}
    return {name for entry in entries if entry.prefix in prefixes for name in _of(entry)}


def lists_of(entries: Iterable[Extraction]) -> dict[str, tuple[str, ...]]:
    """Return prefix -> the probes of each entry that asks for a list of them."""
    return {one.prefix: tuple(dict.fromkeys(_of(one))) for one in entries if one.extractor == "probes"}


def answers_now(request: Request, policy: CompiledPolicy, names: Sequence[str]) -> dict[str, JsonObject]:
    """
    Return what probes say now, as the ledger would keep it; nothing is recorded.

    Args:
        request: Says where, and what a judge is shown.
        policy: Its settings define the probes.
        names: Those to ask, in this order.
    """
    from exitgate.core.gate.observation import observe, read
    from exitgate.core.gate.prior import Unlocked, look

    name, directory = discover.run_name(request), discover.state_dir(request)
    prior = look(request, policy, Unlocked(directory), name)
    seen = observe(request, policy, prior, read(request, policy, prior, {}))
    with Asker(request, policy) as asker:
        for probe in names:
            asker.now(probe, seen)
    return asker.answers

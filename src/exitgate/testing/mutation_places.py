"""Where in a policy's file is what a compiled policy has no place for."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.mutation.mutant import Mutant
    from exitgate.model.place import Place
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.part import Part


class Places:
    """The places of named conditions, computed facts and parts of the breaker in the file of a policy."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self._root: Part | None = None
        if os.path.isfile(policy.path):
            from exitgate.policy.library import load_file

            self._root = load_file(policy.path).root

    def of(self, mutant: Mutant) -> Place | None:
        """Return where the subject of a mutant is; None for what comes from another policy."""
        if mutant.place is not None or self._root is None:
            return mutant.place
        subject = mutant.subject
        path = ("facts", subject)
        if subject.startswith("@"):
            path = ("conditions", subject[1:])
        elif subject.startswith("circuit."):
            path = ("circuit", subject.partition(".")[2])
        part = self._root
        for key in path:
            found = part.get(key)
            if found is None:
                return None
            part = found
        return part.label

"""
The smallest change of what an iteration showed that gives another decision.

The earlier iterations stay as they were recorded. A *slot* is one fact of the last iteration, or
several that follow from each other, with the choices worth trying: what it is now, the points of
the boundary walk, what it was before. `search` looks for a change of one slot, then of two, then of
three, and passes over no combination: where a condition is in the way, some fact that it rests
on has to change, and every such change is followed.
"""

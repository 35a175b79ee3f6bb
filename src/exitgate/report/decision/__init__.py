"""A decision as people read it: in three lines, in full, as a ladder of rules."""

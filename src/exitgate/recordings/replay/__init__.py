"""Policies replayed over recorded runs, as `check` would have decided; no state is touched."""

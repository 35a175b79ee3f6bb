"""A policy that is changed again and again, decided on recorded runs: only what a change touches is asked."""

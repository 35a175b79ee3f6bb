"""Scores shipped policies on reports of wrong decisions: inputs with the right answer."""

"""An agent's turn: its calls of tools, how it ended, when to try again."""

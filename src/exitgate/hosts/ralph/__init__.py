"""A drop-in for the loop of frankbria/ralph-claude-code: its functions and state files, by exitgate."""

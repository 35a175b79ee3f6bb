"""Drop-ins: functions that take the place of another loop's own, and the state files of ralph-claude-code."""

"""The loop runner: it starts the agent's command, asks the gate and waits, until the policy says EXIT."""

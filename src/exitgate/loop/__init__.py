"""The loop itself: an agent's command started again and again until the policy says EXIT."""

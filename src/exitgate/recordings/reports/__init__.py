"""What replays, scores and sweeps print: text, Markdown, JSON, CSV, JUnit."""

"""What can be known of an iteration: extractors, guards, scanning."""

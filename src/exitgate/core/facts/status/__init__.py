"""Status blocks and promises: what an agent says of itself in a fixed form."""

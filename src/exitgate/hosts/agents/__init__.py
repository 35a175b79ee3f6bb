"""One file for each host: what it sends and reads, and where its settings take a hook."""

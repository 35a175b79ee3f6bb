"""A text and its parts: words, lines, blocks, sentences, secrets."""

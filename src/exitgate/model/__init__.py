"""The nouns of exitgate. Standard library only, nothing that is dear to import."""

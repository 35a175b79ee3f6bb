"""The nouns of exitgate. Standard library only, nothing that is expensive to import."""

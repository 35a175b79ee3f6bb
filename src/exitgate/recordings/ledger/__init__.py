"""Past decisions out of the ledger: recalled, made again."""

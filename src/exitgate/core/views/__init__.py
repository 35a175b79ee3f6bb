"""Files for people and other tools, derived from the ledger; nothing ever decides by them."""

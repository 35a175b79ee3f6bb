"""The live view of a loop, from its ledger and from nothing else."""

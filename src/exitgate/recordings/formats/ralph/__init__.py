"""Folders of ralph loops: their own log, outputs of agents, state files and plans."""

"""
What a check needs: it reads what an agent left behind, and decides. Nothing here imports the rest of
exitgate.
"""

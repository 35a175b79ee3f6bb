"""What a linter finds in policies, lexicons and settings: one file for each lint."""

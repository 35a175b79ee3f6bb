"""The pages of all ids: how they are made, and where they are found again."""

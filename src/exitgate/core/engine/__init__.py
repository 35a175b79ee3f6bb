"""The priority chain over facts and history. Pure: no clock, no files, no environment."""

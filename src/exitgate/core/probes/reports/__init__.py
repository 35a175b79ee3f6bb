"""What the files say that tools write about their own results, a module for each format."""

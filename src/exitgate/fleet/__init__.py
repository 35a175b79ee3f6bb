"""Many loops at once: a cluster that decides on them, the dataset of what came out, and questions to it."""

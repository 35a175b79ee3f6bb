"""From a tree to a typed tree, or every problem in its names and types. Only a cold check reads this."""

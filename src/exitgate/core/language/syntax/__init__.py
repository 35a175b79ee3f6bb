"""From the text of a condition to its tree, or what is wrong with the text. Only a cold check reads this."""

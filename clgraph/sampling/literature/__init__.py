"""The samplers of the literature: races, walks, searches that spread; and weights that undo their bias."""

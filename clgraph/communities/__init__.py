"""Communities: found by label propagation, and how good a partition into them is."""

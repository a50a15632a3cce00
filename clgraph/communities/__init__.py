"""Communities: found by label propagation, Louvain and Leiden, and how good a partition into them is."""

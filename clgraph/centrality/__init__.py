"""How central vertices are, distances between them, and the degrees of their neighbours."""

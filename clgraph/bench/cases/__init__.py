"""What ``clgraph bench`` measures, a module for each suite."""

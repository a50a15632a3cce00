"""Graphs on a device: uploaded, built from arcs, generated, cut into partitions."""

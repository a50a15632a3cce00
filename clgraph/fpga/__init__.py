"""Intel FPGAs: pipelines instead of kernels for ranges, binaries built offline, a model of their speed.

- `clgraph.fpga.pipelines`: which kernel files have a form for FPGAs (``cl/fpga``), and their variants
- `clgraph.fpga.parameters`: what they are cut to (``cl/fpga/parameters.h``)
- `clgraph.fpga.offline`: building a binary (``clgraph fpga compile``)
- `clgraph.fpga.binary`: loading one
- `clgraph.fpga.phases`, `clgraph.fpga.model`: cycles, bytes and seconds by phase, and their tables

Part of the device floor; nothing here queries a driver at import.
"""

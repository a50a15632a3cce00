"""Intel FPGAs: pipelines instead of kernels over ranges, binaries built offline.

- `clgraph.fpga.pipelines`: which kernel files have a form for FPGAs (``cl/fpga``), and their variants
- `clgraph.fpga.parameters`: the parameters that they are built with (``cl/fpga/parameters.h``)
- `clgraph.fpga.programs`: the pipelines of one device, built or loaded
- `clgraph.fpga.binary`: loading a binary
- `clgraph.fpga.offline`: building a binary (``clgraph fpga compile``)

Nothing here queries a driver at import; `clgraph.device` imports it only for devices that use pipelines.
"""

"""Faults on purpose: kills, full disks, device memory that is not there, odd command lines.

``python tests/faults kills``, ``disks``, ``memory`` or ``lines``. A trial is made from a seed and a number.
"""

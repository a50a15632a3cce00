"""Random inputs for whatever comes from outside: ``python tests/fuzz --inputs 1000000 --seed 1``.

An input is a `Case`, made from (seed, number) alone. `kinds.KINDS` has a maker and a runner for each kind:
the readers of files, write/read round trips, calls of the public API, command lines. Cases run in processes
that may die (`workers`); those that ever failed are kept, small, under ``cases/``.
"""

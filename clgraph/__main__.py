"""``python -m clgraph`` is the command ``clgraph``."""

from clgraph.cli import run

if __name__ == "__main__":
    run()

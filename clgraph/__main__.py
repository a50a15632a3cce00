"""``python -m clgraph`` is the command ``clgraph``."""

from clgraph.cli import main

if __name__ == "__main__":
    main()

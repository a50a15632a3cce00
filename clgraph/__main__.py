"""``python -m clgraph`` is the command ``clgraph``."""

from _clgraph_command import main

if __name__ == "__main__":
    main()

"""The distribution: its version, and its name on the package index, where `clgraph` is another project's."""

__version__ = "0.1.0"

DISTRIBUTION = "pyclgraph"


def pip_hint(extra: str = "", options: str = "") -> str:
    """The command that installs clgraph, with an extra or with options of ``pip install``."""
    name = f"'{DISTRIBUTION}[{extra}]'" if extra else DISTRIBUTION
    return " ".join(word for word in ("pip install", options, name) if word)

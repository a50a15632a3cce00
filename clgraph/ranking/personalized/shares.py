"""The one place where personalized PageRank asks for the arcs' shares w(u, v) / W(u)."""

from __future__ import annotations

from clgraph.ranking.auto import shares_of
from clgraph.ranking.rows import upload_shares

__all__ = ["shares_of", "upload_shares"]

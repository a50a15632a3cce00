"""
Tables in, tables out
=====================

For data scientists: tables in, tables out, and existing NetworkX code as it is.

    python examples/data_scientist.py [--device DEVICE]

Needs pandas and NetworkX: pip install 'pyclgraph[pandas,networkx]'.
"""

import sys
from argparse import ArgumentParser

import clgraph

try:
    import networkx as nx
    import pandas as pd
except ImportError as error:
    sys.exit(f"This example needs pandas and NetworkX: {error}")

parser = ArgumentParser()
parser.add_argument("--device")
options = parser.parse_args()
try:
    device = clgraph.get_device(options.device)
except clgraph.ClgraphError as error:
    sys.exit(f"This example needs an OpenCL device.\n{error}")

# Who bought what: string ids, weights, as a table
bought = pd.DataFrame(
    {
        "source": ["Ann", "Ann", "Ann", "Bob", "Bob", "Eve", "Eve", "Dan"],
        "target": ["tea", "jam", "oats", "jam", "milk", "milk", "rice", "oats"],
        "weight": [5, 1, 2, 3, 2, 4, 1, 1],
    }
)
people = sorted(set(bought["source"]))
graph = clgraph.Graph.from_pandas(bought, weight="weight")
found = clgraph.personalized_pagerank(graph, people, top=2, exclude=("neighbours", people), device=device)
print(found.to_pandas().round(3).to_string(index=False))

# NetworkX code needs no change but the backend
les = clgraph.datasets.les_miserables()
theirs = les.to_networkx()
try:
    scores = nx.pagerank(theirs, backend="clgraph")
except ImportError as error:
    sys.exit(f"NetworkX only finds installed backends (pip install '.[networkx]'): {error}")
print(pd.Series(scores, name="pagerank").sort_values(ascending=False).head(3).round(4).to_string())

# ... and every public function takes NetworkX graphs
sample = clgraph.sample(theirs, "drv", size="50%", seed=1, device=device)
print(sample)
print("most triangles at a vertex:", clgraph.triangles(theirs, device).max())

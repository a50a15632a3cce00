"""GEXF files (round trips and NetworkX: test_graphml.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph_files import arcs_of, put

from clgraph import InputError
from clgraph.files import read
from clgraph.files.summary import read_with_summary

BODY = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">
<graph mode="static"{direction}>
<attributes class="node"><attribute id="0" title="url" type="string"/></attributes>
<nodes><node id="0" label="Hello"><attvalues><attvalue for="0" value="x"/></attvalues>
<viz:size value="2"/></node>
<node id="1" label="1"/><node id="2"/></nodes>
<edges><edge id="0" source="0" target="1" weight="2.5"{one}/>
<edge id="1" source="2" target="1"{other}/></edges>
</graph></gexf>
"""


def text(direction: str = "", one: str = "", other: str = "") -> str:
    words = [
        f' {key}="{word}"' if word else ""
        for key, word in (("defaultedgetype", direction), ("type", one), ("type", other))
    ]
    return BODY.format(direction=words[0], one=words[1], other=words[2])


@pytest.mark.smoke
def test_gexf(tmp_path: Path) -> None:
    path = put(tmp_path / "x.gexf", text())
    graph, said = read_with_summary(path)
    assert not graph.directed and arcs_of(graph) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert "with node url, node label; skipped: looks, edge weights)" in said
    graph = read(path, weights=True)
    assert graph.weights is not None and graph.weights.tolist() == [2.5, 2.5, 1, 1]


def test_the_direction_is_what_all_edges_say(tmp_path: Path) -> None:
    path = tmp_path / "x.gexf"
    assert read(put(path, text("directed"))).directed
    assert read(put(path, text("", "directed", "directed"))).directed
    assert not read(put(path, text("directed", "undirected", "undirected"))).directed
    for words in (("", "directed", ""), ("directed", "", "undirected"), ("mutual", "", "")):
        with pytest.raises(InputError, match="edge in a graph that is"):
            read(put(path, text(*words)))
        assert read(path, directed=False).num_edges == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (text("both"), "line 3: edges of the type 'both'"),
        (text("", "odd"), "line 8: edges of the type 'odd'"),
        (text().replace('id="2"', 'id="1"'), "line 7: node '1' is also in line 7"),
        (text().replace('id="2"', 'id="9"'), "line 9: the edge's end '2' is no node"),
        (text().replace(' weight="2.5"', ""), "no edge has a weight"),
        (text().replace("2.5", "1e999"), "line 8: weight '1e999'"),
        (text().replace("<gexf", "<!DOCTYPE x><gexf"), "line 2: a document type"),
        (text()[:300], "not well-formed XML"),
        ("<gexf/>", "holds no <graph>"),
        ("<graphml/>", "<graphml> where <gexf> should be"),
    ],
)
def test_damaged(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(put(tmp_path / "x.gexf", content), weights=True)

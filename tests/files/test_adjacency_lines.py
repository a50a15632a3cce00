"""METIS files read on a device: as the host reads them, or left to the host."""

import pytest
from file_reading import agree, in_every_way
from graph_files import put

from clgraph import InputError, get_device
from clgraph.files import read
from clgraph.files.read_ahead import LaunchConfig
from clgraph.files.summary import read_with_summary

LISTS = {
    "plain": "4 3\n2 3\n1 3\n2 1\n\n",
    "blanks": "% c\n\n4 3 000\n  2\t3 \r\n01 3\r\n2 1\n \n",
    "weights": "4 3 1\n2 9 3 8\n1 9 3 7\n2 7 1 8\n\n",
    "loops": "2 2\n1 2\n1\n",
    "copies": "3 4\n2 2 3\n1 1 3\n1 2\n",
    "more lines": "2 1\n2\n1\n\n \n",
}
LEFT_LISTS = {
    "sizes of vertices": "2 1 10\n5 2\n5 1\n",
    "a comment": "2 1\n2\n% c\n1\n",
    "a plus": "2 1\n+2\n1\n",
    "a word": "2 1\n2\nx\n",
    "an odd blank": "2 1\n2\x0c\n1\n",
    "a carriage return": "2 1\n2\r1\n1\n",
    "outside": "2 1\n3\n1\n",
    "zero": "2 1\n0\n1\n",
    "too large": "2 1\n2\n99999999999999999999999999999999\n",
    "no twin": "3 2\n2 3\n1\n\n",
    "another weight": "2 1 1\n2 5\n1 6\n",
    "no weight": "2 2 1\n2 5 1\n1 5\n",
    "a weight that is missing, and one on the next line": "2 1 1\n2\n5 1 5\n",
    "as many lines": "2 1\n2\n1\n1\n",
    "fewer lines": "4 1\n2\n1\n",
    "another count": "2 2\n2\n1\n",
    "nobody": "2 0\n\n\n",
    "copies with weights": "2 2 1\n2 5 2 6\n1 5 1 6\n",
}


@pytest.mark.parametrize("taken", [True, False])
def test_metis(device, tmp_path, taken):
    for name, text in (LISTS if taken else LEFT_LISTS).items():
        in_every_way(put(tmp_path / "g.graph", text), device, "metis", taken, name, weighted="weight" in name)


def test_lines_longer_than_a_piece(device, tmp_path):
    hub = "9001 9000\n" + " ".join(map(str, range(2, 9002))) + "\n" + "1\n" * 9000
    assert agree(put(tmp_path / "hub.graph", hub), device, "metis", shape=LaunchConfig(300, 2, 1)) == "taken"


def test_the_summary_says_where(device, tmp_path):
    where = get_device("cpu") if device.is_fpga else device
    path = put(tmp_path / "g.graph", LISTS["weights"])
    said = read_with_summary(path, device=device)[1]
    assert said.endswith(f"3 edges (6 entries; read on {where}; skipped: edge weights)")
    put(path, LEFT_LISTS["sizes of vertices"])
    assert "read on the host: weights of vertices" in read_with_summary(path, device=device)[1]
    put(path, LEFT_LISTS["no twin"])
    with pytest.raises(InputError, match="line 2: vertex 1 lists 3, but vertex 3"):
        read(path, device=device)

"""Graphs from other libraries' objects and back, without a Python loop over edges.

`Exchange` gives `clgraph.Graph` its methods; one module for each library does the work on plain `Arrays`.
The module and the library are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from clgraph.graph.residency import ResidentArrays

if TYPE_CHECKING:
    from clgraph.graph.building import Duplicates
    from clgraph.graph.exchange.edge_index import EdgeIndex
    from clgraph.graph.exchange.scipy import Asymmetric


class Exchange(ResidentArrays):
    """The methods of `clgraph.Graph` that take and give other libraries' objects."""

    # --- SciPy --------------------------------------------------------------------------------------

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        *,
        directed: bool,
        weighted: bool = False,
        counts: bool = False,
        asymmetric: Asymmetric = "refuse",
    ) -> Self:
        """A graph from a SciPy sparse array or matrix: entry (i, j) is the arc i -> j.

        Every stored entry is an arc, explicit zeros too (``matrix.eliminate_zeros()`` removes them).
        Vertices are the rows, 0 .. n-1. The graph shares no memory with the matrix.

        Parameters
        ----------
        matrix : sparse array or matrix, shape (n, n)
        directed : bool
            For an undirected graph the matrix is symmetric, or holds each edge once (an upper triangle, say).
        weighted : bool
            Whether the entries are weights.
        counts : bool
            Whether the entries say how many parallel edges each arc stands for (whole numbers from 1).
        asymmetric : {"refuse", "sum"}
            What to do if the graph is undirected but the matrix is neither symmetric nor holds each edge
            once: an error, or A + A^T (weights summed, the diagonal taken once).

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If the matrix is not square, its values are not such numbers, or it is not symmetric; the first
            wrong entry is named.

        Examples
        --------
        >>> import scipy.sparse
        >>> from clgraph import Graph
        >>> ring = scipy.sparse.diags_array([1.0, 1.0], offsets=[1, -9], shape=(10, 10))
        >>> Graph.from_scipy(ring, directed=False)
        <Graph: undirected, 10 vertices, 10 edges>
        """
        from clgraph.graph.exchange import scipy

        return cls._from_arrays(scipy.from_scipy(matrix, directed, weighted, counts, asymmetric))

    def to_scipy(self, *, counts: bool = False) -> Any:
        """A SciPy CSR array of shape (n, n): weights, else multiplicities, else ones.

        It shares its arrays with the graph: copy it before you change it.

        Parameters
        ----------
        counts : bool
            Multiplicities (else ones), even where there are weights.

        Returns
        -------
        scipy.sparse.csr_array

        Examples
        --------
        >>> from clgraph import Graph
        >>> Graph.from_edges([0, 1], [1, 2], weights=[0.5, 2]).to_scipy().toarray()
        array([[0. , 0.5, 0. ],
               [0.5, 0. , 2. ],
               [0. , 2. , 0. ]])
        """
        from clgraph.graph.exchange import scipy

        return scipy.to_scipy(self._arrays, counts=counts)

    # --- data frames and tables ---------------------------------------------------------------------

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        source: Any = "source",
        target: Any = "target",
        weight: Any = None,
        *,
        multiplicity: Any = None,
        directed: bool = False,
        duplicates: Duplicates = "merge",
        vertices: Any = None,
    ) -> Self:
        """A graph from a pandas data frame with a row for each edge.

        Further columns become `Graph.attributes` of edges (of parallel ones the first row's), which samples
        carry and `to_pandas` gives again. They are not copied.

        Parameters
        ----------
        frame : pandas.DataFrame
        source, target : column labels
            Columns of ids: non-negative integers or strings (also nullable, categorical or Arrow-backed
            ones), none missing.
        weight : column label, optional
            Finite numbers.
        multiplicity : column label, optional
            How many parallel edges each row stands for.
        directed : bool
            Whether the rows are arcs, from source to target. Default: edges, as in NetworkX.
        duplicates : {"merge", "keep"}
            As in `Graph.from_edges`.
        vertices : array_like or Series, optional
            Ids that are in the graph even where no edge touches them.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If a column does not exist, or a value in it is missing or of the wrong type: column and row are
            named. If pandas is not installed (extra ``pandas``).

        Examples
        --------
        >>> import pandas
        >>> from clgraph import Graph
        >>> frame = pandas.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "miles": [1.5, 2.0]})
        >>> Graph.from_pandas(frame, "from", "to", "miles")
        <Graph: undirected, 3 vertices, 2 edges, weighted>
        """
        from clgraph.graph.exchange import pandas

        used = source, target, weight, multiplicity
        return cls._from_arrays(*pandas.from_pandas(frame, used, directed, duplicates, vertices))

    def to_pandas(self, source: Any = "source", target: Any = "target") -> Any:
        """A pandas data frame with a row for each edge, as `to_edges` has them.

        Vertices without edges do not appear in it: give ``vertices=graph.ids`` on the way back.

        Parameters
        ----------
        source, target : column labels

        Returns
        -------
        pandas.DataFrame
            Columns of ids, ``weight`` and ``multiplicity`` where the graph has them, and the attributes of
            edges; one of such a name gets an underscore behind it. Those of vertices have no place in it:
            write them to GraphML, GEXF or Pajek's format, or see `to_networkx`.

        Examples
        --------
        >>> from clgraph import Graph
        >>> Graph.from_edges([10, 20], [20, 30]).to_pandas()
           source  target
        0      10      20
        1      20      30
        """
        from clgraph.graph.exchange import pandas

        return pandas.to_pandas(self._arrays, source, target, self.attributes)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        source: str = "source",
        target: str = "target",
        weight: str | None = None,
        *,
        multiplicity: str | None = None,
        directed: bool | None = None,
        duplicates: Duplicates = "merge",
        vertices: Any = None,
    ) -> Self:
        """A graph from an Arrow table with a row for each edge.

        Further columns become `Graph.attributes` of edges (of parallel ones the first row's), which samples
        carry and `to_arrow` gives again.

        Parameters
        ----------
        table : pyarrow.Table, or whatever speaks Arrow's C stream (a Polars data frame, say)
        source, target : str
            Columns of ids: non-negative integers or strings (also dictionary-encoded ones), none missing.
        weight : str, optional
            Column of finite numbers.
        multiplicity : str, optional
            Column that says how many parallel edges each row stands for.
        directed : bool, optional
            Whether the rows are arcs, from source to target. Default: what `to_arrow` noted in the table,
            else edges, as in NetworkX.
        duplicates : {"merge", "keep"}
            As in `Graph.from_edges`.
        vertices : array_like, optional
            Ids that are in the graph even where no edge touches them.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            As `from_pandas`; if pyarrow is not installed (extra ``arrow``).

        Examples
        --------
        >>> import pyarrow
        >>> from clgraph import Graph
        >>> table = pyarrow.table({"source": [1, 2], "target": [2, 3]})
        >>> Graph.from_arrow(table, directed=True)
        <Graph: directed, 3 vertices, 2 edges>
        """
        from clgraph.graph.exchange import arrow

        used = source, target, weight, multiplicity
        return cls._from_arrays(*arrow.from_arrow(table, used, directed, duplicates, vertices))

    def to_arrow(self, source: str = "source", target: str = "target") -> Any:
        """An Arrow table with a row for each edge, as `to_edges` has them.

        The schema's metadata says whether the graph is directed; Parquet and Feather files keep it.

        Parameters
        ----------
        source, target : str
            Names of the columns of ids.

        Returns
        -------
        pyarrow.Table
            Columns of ids, ``weight`` and ``multiplicity`` where the graph has them, and the attributes of
            edges; one of such a name gets an underscore behind it. Those of vertices have no place in it:
            write them to GraphML, GEXF or Pajek's format, or see `to_networkx`.

        Examples
        --------
        >>> from clgraph import Graph
        >>> Graph.from_edges([1, 2], [2, 3], weights=[1, 2]).to_arrow().column_names
        ['source', 'target', 'weight']
        """
        from clgraph.graph.exchange import arrow

        return arrow.to_arrow(self._arrays, source, target, self.attributes)

    # --- edge indices (PyTorch Geometric) ------------------------------------------------------------

    @classmethod
    def from_edge_index(
        cls,
        edge_index: Any,
        weights: Any = None,
        *,
        directed: bool,
        num_vertices: int | None = None,
        duplicates: Duplicates = "merge",
    ) -> Self:
        """A graph from an edge index, as PyTorch Geometric has it: two rows, the tails and the heads of arcs.

        Parameters
        ----------
        edge_index : array_like or tensor of int, shape (2, arcs)
            Numbers of vertices, from 0. Tensors are on the CPU.
        weights : array_like or tensor of float, shape (arcs,), optional
            Finite numbers.
        directed : bool
            For an undirected graph each edge is there in both directions (with equal weights), or each once.
        num_vertices : int, optional
            Default: up to the largest number.
        duplicates : {"merge", "keep"}
            As in `Graph.from_edges`.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If it is not like that; the first wrong entry is named.

        Examples
        --------
        >>> from clgraph import Graph
        >>> Graph.from_edge_index([[0, 1, 1, 2], [1, 0, 2, 1]], directed=False)
        <Graph: undirected, 3 vertices, 2 edges>
        """
        from clgraph.graph.exchange.edge_index import from_edge_index

        return cls._from_arrays(from_edge_index(edge_index, weights, num_vertices, directed, duplicates))

    def to_edge_index(self) -> EdgeIndex:
        """The graph's arcs as an edge index, with their weights and multiplicities.

        Column i is the graph's arc i: ``edge`` of `clgraph.sample_neighbors` has numbers of columns. The
        arrays are new ones, which ``torch.from_dlpack`` takes without a copy. See also `clgraph.to_pyg_data`.

        Returns
        -------
        EdgeIndex
            Named tuple of `edge_index` (int64, shape (2, arcs); both directions of an undirected edge),
            `weights` and `multiplicity` (or None).

        Examples
        --------
        >>> from clgraph import Graph
        >>> Graph.from_edges([10, 20], [20, 30]).to_edge_index().edge_index
        array([[0, 1, 1, 2],
               [1, 0, 2, 1]])
        """
        from clgraph.graph.exchange.edge_index import to_edge_index

        return to_edge_index(self._arrays)

    # --- graph libraries ----------------------------------------------------------------------------

    @classmethod
    def from_igraph(cls, graph: Any, *, weight: bool | str = True, duplicates: Duplicates = "merge") -> Self:
        """A graph from an igraph graph.

        Vertices keep igraph's order; their ids are the vertex attribute ``name`` where there is one (all
        strings, or all non-negative integers, no two alike), else igraph's own numbers.

        Parameters
        ----------
        graph : igraph.Graph
        weight : bool or str
            The edge attribute that is the weight: True takes ``weight`` where there is one, False takes none.
        duplicates : {"merge", "keep"}
            As in `Graph.from_edges`. An edge attribute ``multiplicity`` (see `to_igraph`) counts.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If names or weights are missing, repeated or of the wrong type: the first is named. If igraph is
            not installed (extra ``igraph``).

        Examples
        --------
        >>> import igraph
        >>> from clgraph import Graph
        >>> Graph.from_igraph(igraph.Graph.Ring(10))
        <Graph: undirected, 10 vertices, 10 edges>
        """
        from clgraph.graph.exchange import igraph

        return cls._from_arrays(igraph.from_igraph(graph, weight=weight, duplicates=duplicates))

    def to_igraph(self, attributes: Any = None) -> Any:
        """An igraph graph: ids become the vertex attribute ``name`` unless they are 0 .. n-1.

        Parameters
        ----------
        attributes : igraph.Graph, optional
            A graph from which vertex and edge attributes are taken over, by id and by the ids of the ends:
            the one that this graph came from, say, before it was sampled. Of parallel edges there the last
            one's attributes are taken.

        Returns
        -------
        igraph.Graph
            With the graph's own `Graph.attributes` of vertices and edges (None where there is no value);
            those of `attributes` replace them. Also with edge attributes ``weight`` and ``multiplicity``
            where the graph has them; one of its own of such a name, or called ``name``, gets an underscore
            behind it.

        Examples
        --------
        >>> import igraph
        >>> from clgraph import Graph
        >>> ring = igraph.Graph.Ring(10)
        >>> ring.vs["colour"] = ["red", "green"] * 5
        >>> part = Graph.from_igraph(ring).subgraph([3, 4, 5])
        >>> part.to_igraph(attributes=ring).vs["colour"]
        ['green', 'red', 'green']
        """
        from clgraph.graph.exchange import igraph

        return igraph.to_igraph(self._arrays, attributes, self.attributes)

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: Any = True, duplicates: Duplicates = "merge") -> Self:
        """A graph from a NetworkX graph.

        Vertices keep NetworkX's order; their ids are the nodes where these are all strings or all
        non-negative integers, else (tuples, say) the nodes' positions in that order, from 0.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
            Or a view of one.
        weight : bool or edge attribute
            The attribute that is the weight, 1 where an edge lacks it: True takes ``"weight"`` where any edge
            has it, False takes none.
        duplicates : {"merge", "keep"}
            Whether parallel edges become one (weights summed, the count in `multiplicity`), or stay copies.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If a weight is not a finite number (the edge is named), or no edge has the attribute asked for. If
            NetworkX is not installed (extra ``networkx``).

        Examples
        --------
        >>> import networkx as nx
        >>> from clgraph import Graph
        >>> Graph.from_networkx(nx.karate_club_graph())
        <Graph: undirected, 34 vertices, 78 edges, weighted>
        """
        from clgraph.graph.exchange import networkx

        return cls._from_arrays(networkx.from_networkx(graph, weight=weight, duplicates=duplicates))

    def to_networkx(self, attributes: Any = None) -> Any:
        """A NetworkX graph: a DiGraph if directed, a multigraph if parallel edges were kept as copies.

        Parameters
        ----------
        attributes : networkx.Graph, optional
            The graph that this one came from, before it was sampled, say: nodes, and the attributes of
            graph, nodes and edges, are taken over from it. Of a multigraph all parallel edges come back.

        Returns
        -------
        networkx.Graph
            With the graph's own `Graph.attributes` of vertices and edges; those of `attributes` replace them.
            Without `attributes` also with edge attributes ``weight`` and ``multiplicity`` where the graph has
            them; one of its own of such a name gets an underscore behind it.

        Raises
        ------
        InputError
            If a vertex is not in the graph given as `attributes`; it is named.

        Examples
        --------
        >>> import networkx as nx
        >>> from clgraph import Graph
        >>> club = nx.karate_club_graph()
        >>> part = Graph.from_networkx(club).subgraph([0, 1, 2])
        >>> part.to_networkx(attributes=club).nodes[0]
        {'club': 'Mr. Hi'}
        """
        from clgraph.graph.exchange import networkx

        return networkx.to_networkx(self._arrays, attributes, self.attributes)

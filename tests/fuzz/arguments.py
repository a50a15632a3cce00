"""The functions that are called, and the values that are put in: Python expressions, as text.

Of public functions they are in `clgraph.public`; here are methods, and functions in several ways. A line of
a table is ``FUNCTION: VALUES ; VALUES ; name=VALUES``: good values of the arguments by position, then of
those by name, with ``|`` between them.
"""

import inspect

from clgraph.public import OPTIONS, PUBLIC, load

Values = tuple[str, ...]
Arguments = tuple[tuple[Values, ...], dict[str, Values]]
Table = dict[str, Arguments]


def listed(text):
    """Values with ``|`` between them; a word in capitals stands for a list of that name."""
    values = tuple(" ".join(text.split()).split(" | "))
    return LISTS.get(values[0], values) if len(values) == 1 else values


def table(text):
    """What the lines of a table say."""
    lines = (line.partition(": ") for line in text.strip().replace("\n    ", " ").splitlines())
    return {name: arguments(rest) for name, _, rest in lines}


def arguments(text):
    """Good values by position, and by name."""
    groups = text.split(" ; ")
    places = [group for group in groups if "=" not in group.split(" ")[0].split("(")[0].split("'")[0]]
    named = {key: values for key, _, values in (g.partition("=") for g in groups[len(places) :])}
    return tuple(map(listed, places)), {key: listed(values) for key, values in named.items()}


LISTS = {}
ODD = LISTS["ODD"] = listed(r"""
    None | True | -1 | 0 | 1 | 2**31 - 1 | 2**31 | 2**63 - 1 | 2**63 | 2**64 | -2**63 | 10**30 |
    10**5000 | 0.0 | -0.0 | 0.5 | 1.0 | 1.5 | math.nan | math.inf | -math.inf | 1e308 | 5e-324 |
    np.int8(3) | np.int64(1) | np.uint64(2**64 - 1) | np.float32(0.5) | np.bool_(True) | np.array(1)
    | np.array([1]) | np.array([[0, 1]]) | np.array([]) | np.array(['a']) | np.array([1.5]) |
    np.array([None]) | Decimal('1e99999999') | Decimal('NaN') | Fraction(1, 3) | 1j | '' | 'a' | '0'
    | '1' | '²' | '1e99999999' | '1e-99999999' | 'nan' | '50%' | '1' * 5000 | 'é' | 'a\0b' |
    '\ud800' | b'x' | [] | [0] | [0, 1] | [-1] | [99] | [2**40] | [2**70] | [0.5] | ['0'] | ['a'] |
    [None] | [[0], [1]] | [0, [1]] | [True] | (0,) | {0} | {} | {0: 1} | {0: math.nan} | {99: 1} |
    {0: -1} | {0: 0} | {'a': 1} | {0: 'x'} | range(3) | iter([0]) | object() | int | 'float16' |
    'int8' | 'float64' | 'O' | np.int64 | lambda *_: None | ... | slice(0, 2) | G('path') |
    sp.eye(3)
""")
NO_GRAPHS = LISTS["NO_GRAPHS"] = listed(r"""
    None | 0 | 'g' | np.eye(3) | [[0, 1]] | sp.eye(3) | sp.csr_array((2, 3)) | object()
""")
ARRAYS = LISTS["ARRAYS"] = listed(r"""
    [0, 1, 2] | [1, 2, 0] | ['a', 'b', 'c'] | [] | [0] | ['a'] | [None] | [1.5, 2.0, 3.0] | [True,
    False, True] | np.array([0, 1, 2], np.int8) | np.array([0, 1, 2], np.uint64) | np.array([2**40,
    1, 2]) | np.array([0, 1, 2**63], np.uint64) | [2**64, 1, 2] | [-1, 0, 1] | np.zeros((2, 2), int)
    | np.array(3) | 'abc' | None | [b'a', b'b', b'c'] | np.array(['a', 'b', 'c']) | np.array(['a',
    None, 'c'], object) | np.array(['a', 'b', 'a\0'], object) | ['a', 1, 'b'] | [10**400, 1, 2] |
    range(3) | [math.nan, 0, 1] | np.array([1, 2, 3], object) | np.array([1, 2, 3], 'M8[s]') |
    np.array([0, 1, 2], '>i4') | np.array([0, 1, 2], complex) | np.ma.array([0, 1, 2], mask=[1, 0,
    0]) | {0, 1, 2} | pd.Series([0, 1, 2]) | pd.Series([0, None, 2]) | pa.array([0, 1, 2]) | [1e308,
    1e308, 1e308] | [1, 2, 3] | np.array([1, 2, 3]) | [2**31 - 1, 2**31 - 1, 1] | [0, 0, 0] | [0.5,
    0.5, 0.5] | np.array([0, 2, 2, 4]) | np.array([0, 1, 2, 3], np.int32) | np.array([1, 2, 0],
    np.int32) | np.array([True, False, True]) | [0, 3, 2, 3]
""")
MATRICES = LISTS["MATRICES"] = listed(r"""
    sp.eye(3).tocsr() | sp.csr_array((3, 3)) | sp.csr_array([[0, 1], [1, 0]]) | sp.random(5, 5, 0.5,
    random_state=1) | spoiled('csr', 'indices', -5) | spoiled('csr', 'indices', 2**30) |
    spoiled('csr', 'indptr', 2**30) | spoiled('csr', 'indptr', -1) | spoiled('csc', 'indices',
    2**30) | spoiled('csc', 'indices', -1) | spoiled('csc', 'indptr', 2**20) | spoiled('bsr',
    'indices', 2**30) | spoiled('bsr', 'indptr', 2**20) | spoiled('coo', 'row', -1) | spoiled('coo',
    'col', 2**30) | spoiled('csr', 'indices', 2**40) | spoiled('csc', 'indices', 99) |
    spoiled('bsr', 'indices', 99) | spoiled('csr', 'data', math.nan) | sp.eye(3) * 1j |
    sp.csr_array((2**40, 2**40)) | sp.csr_array((2, 3)) | sp.coo_array(([1], ([0],)), shape=(3,)) |
    np.eye(3) | None | sp.eye(3).tolil() | sp.eye(3).todia() | sp.eye(3).todok() |
    sp.csr_array(np.array([['a']], object)) | sp.csr_array(np.full((3, 3), 2**62))
""")
NAMED = listed("""
    empty | one | isolated | edge | loop | path | ring | star | names | gaps | weighted | copies |
    counts | directed | cycle | zero | huge | blocks
""")
GRAPHS = LISTS["GRAPHS"] = tuple(f"G({name!r})" for name in NAMED)
SHARDS = LISTS["SHARDS"] = ("S('path')", "S('cycle')", "S('isolated')", "S('weighted')", "S('blocks')")
METHODS = LISTS["METHODS"] = tuple(map(repr, ("drv", "dre", "drve", "dhyb", "cre", "crve", "ebfs", "edfs")))
RESULTS = LISTS["RESULTS"] = listed(r"""
    bfs(G('path'), 0) | bfs(G('star'), [0, 3], depth_limit=1) | bfs(G('names'), 'a') |
    bfs(G('directed'), 1, arrays='device') | connected_components(G('path')) |
    connected_components(G('cycle'), connection='strong') | connected_components(G('blocks')) |
    connected_components(G('empty')) | pagerank(G('path')) | pagerank(G('weighted')) |
    pagerank(G('directed'), arrays='device') | personalized_pagerank(G('path'), [0, 1]) |
    personalized_pagerank(G('path'), [0, 1], top=2) | personalized_pagerank(G('ring'), [0], top=2,
    method='monte-carlo', walks=50, seed=1) | sample(G('path'), size=3, seed=1) | sample(G('ring'),
    'cre', size=2, seed=1) | sample(G('star'), 'ebfs', size=5, seed=1) | sample(G('blocks'), 'dre',
    size=2, seed=1)
""")
CHANGES = LISTS["CHANGES"] = listed(r"""
    None | None | None | ['distance', np.arange(5, dtype=np.int32)] | ['distance', np.arange(4)] |
    ['distance', []] | ['predecessor', np.array([-1, 0], np.int32)] | ['source_of',
    np.array([99] * 5, np.int32)] |
    ['sources', np.array([99])] | ['labels', np.array([0, 1, 2, 3, 4], np.int32)] | ['labels',
    np.array([0.5] * 5)] | ['sizes', np.array([])] | ['sizes', np.array([5, 0])] | ['sizes', None] |
    ['ranks', np.zeros(5, np.float32)] | ['ranks', np.full((2, 5), 0.2)] | ['ranks', np.full((1, 5), 0.2)] |
    ['ranks', np.full((2, 4), 0.25)] | ['ranks', None] | ['ids', np.array([[0, 1]])] | ['ids', np.array([[0,
    99], [1, 2]])] | ['scores', np.array([[0.5], [0.5]])] | ['scores', np.array([0.5])] | ['vertices',
    np.array([0, 1, 99])] | ['vertices', np.array([])] | ['vertices', np.array([0, 0, 1])] | ['vertices',
    ['a']] | ['edges', np.array([0, 99])] | ['edges', np.array([1, 0])] | ['edges', np.array([-1])] |
    ['group',
    np.array([0, 0, 99])] | ['group', None] | ['group', np.array([0, -7, 2])] | ['graph', G('star')] |
    ['graph', None]
""")
STREAMS = LISTS["STREAMS"] = (
    *GRAPHS[:6],
    *listed(r"""
    'g.txt' | P('g.txt') | 'none.txt' | open('g.txt', 'rb') | open('g.txt') | np.array([[0, 1], [1, 2],
    [2, 2]]) | np.array([[0, 1, 2], [1, 2, 0.5]]) | ([0, 1, 2], [1, 2, 0]) | [([0, 1], [1, 2]), ([2],
    [0])] | iter([]) | iter([([0, 1], [1, 2], [0.5, 2])]) | pd.DataFrame({'u': [0, 1], 'v': [1, 2]}) |
    pa.table({'source': [0, 1], 'target': [1, 2], 'weight': [1.5, 2]}) | pa.table({'u': ['a'], 'v':
    ['b']}) | iter([([0], [1, 2])]) | iter([([-1], [2**70])]) | [(['a', 'b'], ['b', 'c'])] |
    [(['a', None], ['b', 'c'])] | [(['a'], ['b']), ([1], [2])]
    """),
)
FRAMES = LISTS["FRAMES"] = (
    "pd.DataFrame({'source': %s, 'target': %s, 'w': [1, 2, 3]})",
    "pa.table({'source': %s, 'target': %s, 'w': [1, 2, 3]})",
)
HOST = table(r"""
Graph.from_edges: ARRAYS ; ARRAYS ; weights=ARRAYS ; multiplicity=ARRAYS ; directed=True | False ;
    duplicates='merge' | 'keep' | 'x' ; vertices=ARRAYS
Graph.from_scipy: MATRICES ; directed=True | False ; weighted=True | False ; counts=False ;
    asymmetric='sum' | 'refuse'
Graph.from_edge_index: [[0, 1], [1, 0]] | np.array([[0, 1, 2], [1, 0, 1]]) | [[0.5], [1]] | [[0], [-1]] |
    np.zeros((3, 2), int) ; weights=ARRAYS ; directed=True | False ; duplicates='merge' | 'keep' | 'x'
frame: FRAMES ; ARRAYS ; ARRAYS ; weight='w' | None | 'source' ; multiplicity=ARRAYS ;
    directed=True | False ; duplicates='merge' | 'keep' | 'x' ; vertices=ARRAYS
Graph.from_networkx: nx.path_graph(3) | nx.Graph() | nx.DiGraph([(0, 'a')]) | nx.MultiGraph([(0, 1)] *
    2) | None ; weight=True | False | 'w' ; duplicates='merge' | 'keep'
Graph.from_igraph: ig.Graph.Ring(4) | ig.Graph() | None ; weight=True | False | 'w'
subgraph: GRAPHS ; [0] | [0, 1] | [] | np.array([True]) | np.zeros(3, bool) ; arcs=None
edge_subgraph: GRAPHS ; np.ones(4, bool) | [] | [True]
with_ids: GRAPHS ; ARRAYS
index: GRAPHS ; 0 | [0, 1] | 'a'
neighbors: GRAPHS ; 0 | 1 | 'a'
whole: GRAPHS
""")
DEVICE = table(r"""
drawn: GRAPHS ; 'rn' | 'rdn' | 'rpn' | 're' | 'rne' | 'hyb' | 'ties' | 'rnn' ; size=1 | 0.5 | 2 | '50%' ;
    seed=1 ; seeds=None | 2 ; strata=[0, 0, 1, 1, 1] | 'degree' | {0: 'a'} ; weighted=True | False ;
    edges=2 | 0.5 | 1 ; mix=0.5 | '0.8' ; keep='induced' | 'visited' ; starts=1 | 2
walked: GRAPHS ; 'rw' | 'rwr' | 'rj' | 'rwj' | 'mhrw' | 'gmd' | 'nbrw' | 'mhda' | 'cnarw' | 'cnrw' | 'fs'
    | 'node2vec' ; size=1 | 0.5 | 2 ; seed=1 ; seeds=None | 2 ; start=0 | [0, 1] | 'a' ; walkers=1 | 2 | 3 ;
    patience=5 | 1000 ; keep='induced' | 'visited' | 'tree' ; direction='both' | 'out' | 'in' ; p=0.15 | 1 ;
    q=0.5 | 2 ; alpha=0.5 | 2 ; c=1 | 3 ; weighted=True | False
stepped: GRAPHS ; 'rw' | 'rwr' | 'rj' | 'rwj' | 'mhrw' | 'gmd' | 'nbrw' | 'mhda' | 'cnarw' | 'cnrw' | 'fs'
    | 'node2vec' ; walks_per_vertex=1 | 3 ; p=0.5 | 2 ; q=0.5 | 2 ;
    steps=5 | 100 ; seed=1 ; seeds=None | 2 ; start=0 | [0, 1] ; walkers=1 | 3 ; burn_in=1 | 9 ; thin=1
    | 3 ; keep='induced' | 'visited' | 'tree' ; direction='both' | 'out' | 'in' ; weighted=True | False ;
    walks=True | 'ids' | 'device'
staged: GRAPHS ; 'snowball' | 'ff' | 'rds' | 'spikyball' | 'diffusion' | 'xsn' | 'sp' | 'ust' | 'chordal'
    | 'quasi-chordal' ; size=1 | 0.5 | 2 ; seed=1 ; seeds=None | 2 ; start=0 | [0, 1] | 'a' ; mode='auto'
    | 'ordered' | 'exact' ; keep='induced' | 'visited' | 'tree' ; direction='both' | 'out' | 'in' ; k=1 |
    50 ; stages=1 | 3 ; p=0.5 | 0.7 ; r=0 | 0.5 ; coupons=1 | 3 ; starts=1 | 2 ; share=0.1 | 1 ;
    powers=(0, 0, 0) | '1,0,-1' ; parts=1 | 3 ; weighted=True | False
streamed: STREAMS ; 'pies' | 'gsh' | 'gps' ; size=1 | 2 | 9 ; edges=1 | 2 | 9 ; seed=1 ; seeds=None | 2 ;
    p=0.3 | 1 ; q=0.7 | 1 ; closing=True | False ; triangles=0 | 9 ; block=1 | 3 | 99 ;
    weighted=True | False ; strict=True | False ; ids=None | 'int' | 'str'
sharded_sample: SHARDS ; METHODS ; size=1 | 0.5 | '50%' ; sizes=[1, 2] | ['50%'] ; seed=1 ; seeds=None | 2 ;
    mode='auto' | 'exact' ; strict=True | False ; output=None | 'o.clgs' | 'o.txt' ; outputs=None | ['o.clgs']
    ; forest=None | 'none.forest' ; checkpoint=None | 'work'
sharded_curve: SHARDS ; 'drv' | 'dre' ; seed=1 ; size=1 | 0.5 ; forest=None ; checkpoint=None | 'work'
sharded_components: SHARDS ; connection='weak' | 'strong' ; arrays='host'
sharded_bfs: SHARDS ; 0 | [0, 1] ; depth_limit=None | 2 ; predecessors=True | False
sharded_bfs_many: SHARDS ; [0] | [0, 1, 0] ; depth_limit=None | 1 ; dtype=None | 'int8' ; lanes=32 | 64
sharded_pagerank: SHARDS ; tol=1e-6 | 1e-3 ; max_iter=100 | 3 ; damping=0.85 | 0 ; variant='auto' | 'fixed'
    ; dtype='float32' | 'float64' ; personalization=None | {0: 1} ; dangling='uniform' | {0: 1} ;
    weight=True | False ; on_nonconvergence='warn'
sharded_ppr: SHARDS ; [0] | [0, 1] ; method='monte-carlo' ; walks=50 ; seed=1 ; top=None | 2
graph_quality: GRAPHS ; relation=None ; seed=1 ; hop_sources=1 | 3 ; eigenvalues=True | False ;
    also=() | 'modularity' | ['weighted_distance'] | 'ks_in_degree' | 'x'
sample_quality: GRAPHS ; sample(G('path'), size=3, seed=1) | sample(G('ring'), 'cre', size=2, seed=1) ;
    relation=None | 'none' | 'subset' | 'contraction' ; eigenvalues=False
verify_deletion: GRAPHS ; RESULTS ; CHANGES
verify_contraction: GRAPHS ; RESULTS ; CHANGES
verify_exploration: GRAPHS ; RESULTS ; CHANGES
""")


def public_arguments(each):
    """Values of a public function: those of its entry, and those that its options have everywhere."""
    places, named = arguments(each.values)
    taken = enumerate(inspect.signature(load(each.home, each.name)).parameters.values())
    known = [one.name for place, one in taken if place >= len(places) or one.kind is one.KEYWORD_ONLY]
    return places, {name: listed(OPTIONS[name]) for name in known if name in OPTIONS} | named


PUBLIC_VALUES = {each.name: public_arguments(each) for each in PUBLIC if each.values}
# whatever they are given, they use no device, or none unless one is named
ON_HOST = {"Graph", "read", "write", "powerlaw_graph", "rmat_graph", "top_accuracy"}
ON_HOST |= {name for name in PUBLIC_VALUES if name.startswith("reference_")}
HOST |= {name: values for name, values in PUBLIC_VALUES.items() if name in ON_HOST}
DEVICE |= {name: values for name, values in PUBLIC_VALUES.items() if name not in ON_HOST}
# sizes that would be work for hours if they were granted, and the arguments that they are kept from
LONG = set(
    listed("2**31 - 1 | 2**31 | 2**63 - 1 | 2**63 | 2**64 | np.uint64(2**64 - 1) | 10**30 | 10**5000 | 1e308")
)
COUNTS = set(
    listed(
        "num_vertices | scale | edge_factor | average_degree | iterations | max_iter | walks | hop_sources "
        "| epsilon | steps | walkers | burn_in | thin | patience | seeds | k | stages | coupons | starts"
    )
)

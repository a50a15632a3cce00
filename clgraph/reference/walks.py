"""Random walks, slow and obviously right: one step after the other, on the host."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import target_size
from clgraph.graph import Graph
from clgraph.reference.common import (
    ReferenceSample,
    Rows,
    below,
    came_from_nowhere,
    check_kept,
    clock,
    directed_rows,
    expect,
    given_starts,
    lg,
    start_order,
    words,
)
from clgraph.reference.traversal import first_start

METHODS = ("rw", "rwr", "rj", "rwj", "mhrw", "gmd", "nbrw", "mhda", "cnarw", "cnrw", "node2vec", "fs")
JUMP = -1  # instead of the place of an arc: no arc was walked
STAY = -2


class Walk:
    """The walkers, the rows that they see, and one step of each method.

    Walkers move one after the other; in frontier sampling each goes by its own clock.
    """

    def __init__(self, graph: Graph, method: str, seed: int, options: dict[str, Any]) -> None:
        self.method, self.seed, self.walkers = method, seed, options.get("walkers", 1)
        self.rows = directed_rows(graph, options.get("direction", "both"))
        self.n = len(self.rows)
        mean = Fraction(sum(map(len, self.rows)), self.n)
        self.p = floor(Fraction(str(options.get("p", "0.15"))) * 2**64)
        self.likely = likely(options.get("p", 1), options.get("q", 1)) if method == "node2vec" else None
        alpha = options.get("alpha")
        self.jumps = floor((max(1, ceil(mean)) if alpha is None else Fraction(str(alpha))) * 2**16)
        self.alpha = Fraction(1 if alpha is None else str(alpha))
        self.c = options.get("c") or max(1, ceil(mean))
        self.limits: list[list[int]] | None = None
        if options.get("weighted"):
            self.limits = row_limits(graph, self.rows, options.get("direction", "both"))
        self.sets = [set(row) for row in self.rows]
        self.steps = [0] * self.walkers
        self.entered: dict[int, int] = {}  # cnrw: by which arc each walker came
        self.times: dict[tuple[int, int], int] = {}  # cnrw: how often a walker came by an arc

    def begin(self, starts: list[int]) -> None:
        """Put the walkers at their starts."""
        self.home = [starts[w % len(starts)] for w in range(self.walkers)]
        self.at, self.previous = list(self.home), [-1] * self.walkers
        self.clocks = [self.wait(w) for w in range(self.walkers)] if self.method == "fs" else None

    def wait(self, w: int) -> int:
        """The time until the next move of a walker (fs)."""
        _, b = words(self.seed, w, self.steps[w] + 1, 0, keyed.TAG_STEP)
        return clock(b) // max(self.d(self.at[w]), 1)

    def move(self, made: int) -> tuple[int, int, int, int]:
        """Make the next move: which walker, from, to, and the place of the arc."""
        w = made % self.walkers if self.clocks is None else self.clocks.index(min(self.clocks))
        v = self.at[w]
        self.steps[w] += 1
        u, j = self.step(w, self.steps[w], v, self.previous[w])
        if u != v:
            self.previous[w] = -1 if j == JUMP and self.likely else v
        self.at[w] = u
        if self.clocks is not None:
            self.clocks[w] += self.wait(w)
        return w, v, u, j

    def d(self, v: int) -> int:
        """Number of arcs that leave v."""
        return len(self.rows[v])

    def neighbour(self, v: int, a: int) -> int:
        """The place of the arc that a picks."""
        if self.limits is None:
            return below(a, self.d(v))
        return next(j for j, limit in enumerate(self.limits[v]) if a // 4 < limit)

    def step(self, w: int, t: int, v: int, previous: int) -> tuple[int, int]:
        """Take step t from v; return the next vertex and the arc."""
        a, b = words(self.seed, w, t % 2**32, 16 * (t // 2**32), keyed.TAG_STEP)
        d, method = self.d(v), self.method
        if d == 0:
            self.entered.pop(w, None)
            return (self.home[w] if method == "rwr" else below(a, self.n)), JUMP
        if method == "rwr" and b < self.p:
            return self.home[w], JUMP
        if (method == "rj" and b < self.p) or (
            method == "rwj" and below(b, self.jumps + 2**16 * d) < self.jumps
        ):
            return below(a, self.n), JUMP
        if method == "cnarw":
            j = self.aware(v, a)
        elif method == "cnrw":
            j = self.circulating(w, v, previous < 0)
        elif self.likely and previous >= 0:
            j = self.second_order(w, t, v, previous)
        else:
            j = self.neighbour(v, a)
        if method == "nbrw" and d > 1 and previous in self.rows[v]:
            j = below(a, d - 1)
            if j >= self.rows[v].index(previous):
                j += 1
        u = self.rows[v][j]
        go = True
        if method == "mhda":
            go = below(b, self.d(u)) < d
            # of parallel arcs one leads back, whichever it is: the law is that of edges of their own
            if go and u == previous and d > 1 and j == self.rows[v].index(u):
                j = self.another(w, t, v, u, j)
                u = self.rows[v][j]
        elif method == "mhrw" and self.alpha == 1:
            go = below(b, self.d(u)) < d
        elif method == "mhrw" and self.d(u) > d:
            gap = (lg(self.d(u)) - lg(d)) >> 16
            go = clock(b) >= gap * floor(2**32 * self.alpha) >> 16
        elif method == "gmd":
            go = below(b, max(d, self.c)) < d
        return (u, j) if go else (v, STAY)

    def aware(self, v: int, a: int) -> int:
        """cnarw: a neighbour that shares few neighbours is more likely."""
        shares = []
        for u in self.rows[v]:
            least = max(1, min(self.d(v), self.d(u)))
            shared = min(least, len(self.sets[v] & self.sets[u]))
            shares.append(max(1, floor(2**32 * Fraction(least - shared, least))))
        x = below(a, sum(shares))
        return next(j for j in range(len(shares)) if x < sum(shares[: j + 1]))

    def circulating(self, w: int, v: int, first: bool) -> int:
        """cnrw: of the neighbours in a random order, the next one since the walker came by the same arc."""
        arcs = sum(map(len, self.rows))
        arc = self.entered.get(w, arcs + v)
        if first or arc >= arcs:
            arc = arcs + v
        times = self.times.get((w, arc), 0)
        self.times[w, arc] = times + 1
        cycle, rank = divmod(times, self.d(v))
        tag = (keyed.TAG_STEP + 64 * (w + 1)) % 2**32
        order = sorted(range(self.d(v)), key=lambda j: words(self.seed, arc, cycle, j, tag)[0])
        self.entered[w] = sum(map(len, self.rows[:v])) + order[rank]
        return order[rank]

    def second_order(self, w: int, t: int, v: int, previous: int) -> int:
        """node2vec: a neighbour by weight is taken or not, so many times; then one by weight times alpha."""
        assert self.likely is not None
        back, near, far = self.likely
        coins = [back if u == previous else near if u in self.sets[previous] else far for u in self.rows[v]]
        counter = self.seed, w, t % 2**32, 16 * (t // 2**32)
        attempts = min(max(64, 2 * self.d(v)), 2**20)
        for attempt in range(attempts):
            a, b = words(*counter, keyed.TAG_STEP + 64 * attempt)
            j = self.neighbour(v, a)
            if b < coins[j]:
                return j
        if self.limits is None:
            counts = [ceil(Fraction(coin, 2**31)) for coin in coins]
        else:
            limits = [0, *self.limits[v]]
            counts = [(limits[j + 1] - limits[j]) * (coin - 1) // 2**64 for j, coin in enumerate(coins)]
        x = below(words(*counter, keyed.TAG_STEP + 64 * attempts)[0], sum(counts))
        return next(j for j in range(len(counts)) if x < sum(counts[: j + 1]))

    def another(self, w: int, t: int, v: int, u: int, j: int) -> int:
        """mhda: instead of back to u another neighbour, perhaps."""
        d = self.d(v)
        a, b = words(self.seed, w, t % 2**32, 16 * (t // 2**32) + 1, keyed.TAG_STEP)
        places = [i for i in range(d) if i != self.rows[v].index(u)]
        k = places[below(a, d - 1)]
        gap = max(0, lg(self.d(self.rows[v][k])) - lg(d)) - max(0, lg(self.d(u)) - lg(d))
        return k if gap <= 0 or clock(b) >= (gap >> 16) * 2**33 >> 16 else j


def likely(p: Any, q: Any) -> tuple[int, int, int]:
    """How likely node2vec takes a way back, to a neighbour of the vertex before, and to others, in 2^-64."""
    alphas = [1 / Fraction(str(p)), Fraction(1), 1 / Fraction(str(q))]
    back, near, far = (floor(alpha / max(alphas) * 2**64) for alpha in alphas)
    return back, near, far


def row_limits(graph: Graph, rows: list[list[int]], direction: str) -> list[list[int]]:
    """End of each arc's share of its row, out of 2^62."""
    if direction == "both" or not graph.directed:
        weight = Rows(graph).arc_weights()
    else:
        assert graph.weights is not None
        arcs = list(zip(graph.tails.tolist(), graph.col_idx.tolist(), graph.weights.tolist(), strict=True))
        top = max((w for u, v, w in arcs if u != v), default=1)
        weight = {}
        for u, v, w in arcs:
            whole = 0 if w == 0 else max(1, floor(w / top * 2**40 + 0.5))
            weight.setdefault((v, u) if direction == "in" else (u, v), []).append(whole)
    limits = []
    for v, row in enumerate(rows):
        mine = [weight[v, u][row[:j].count(u)] for j, u in enumerate(row)]
        limits.append([2**62 * sum(mine[: j + 1]) // sum(mine) for j in range(len(mine))])
    return limits


def reference_walk(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Walk by the definition, on the host; arguments as in `clgraph.sample`.

    Moves are made one after the other, by number of steps, or until enough vertices were entered.
    """
    from_all: list[int] = []
    if options.get("walks_per_vertex"):
        from_all = [v for v, row in enumerate(directed_rows(graph, "both")) if row]
        options["walkers"] = options["walks_per_vertex"] * len(from_all)
    walk, frontier = Walk(graph, method, seed, options), method == "fs"
    n, walkers, steps = walk.n, walk.walkers, options.get("steps")
    order = [v for v in start_order(n, seed) if walk.d(v) > 0 or not frontier]
    starts = from_all or given_starts(graph, options)
    if not starts:
        # the sort is stable: only the first start is drawn from the largest component
        first = None if frontier else first_start(graph, seed)
        starts = sorted(order, key=lambda v: v != first)
    target = n + 1 if steps is not None else min(target_size(options["size"], n), len(order))
    patience, thin = options.get("patience", 1000), options.get("thin", 1)
    # the walkers of frontier sampling share one clock, and so the burn-in
    burn_in = options.get("burn_in", 0) * (walkers if frontier else 1)
    came: dict[int, int] = {}
    parent: dict[int, int] = {}
    visits: Counter[int] = Counter()
    walked: set[tuple[int, int, int]] = set()  # from, to, which of the parallel arcs
    paths: list[list[int]] = []
    made, over = 0, False
    while not over:
        walk.begin(starts)
        before, begin, boundary = len(came), made, 64
        paths = paths or [[v] for v in walk.at]
        for w, v in enumerate(walk.at):
            came.setdefault(v, len(came) if frontier else made + w)
            parent.setdefault(v, v)
        over = len(came) >= target
        while not over:
            w, v, u, j = walk.move(made)
            # a jump from a dead end is the walk's end, where jumps are no steps
            over_there = paths[w][-1] < 0 or (j == JUMP and method not in ("rwr", "rj", "rwj"))
            paths[w].append(-1 if over_there else u)
            time = made + 1 if frontier else walk.steps[w]
            if time > burn_in and (time - burn_in) % thin == 0:
                visits[u] += 1
            if j >= 0:
                walked.add((v, u, walk.rows[v][:j].count(u)))
            if u not in came:
                came[u] = len(came) if frontier else made + walkers
                parent[u] = u if j == JUMP else v
            made += 1
            over = len(came) >= target or (steps is not None and made == steps * walkers)
            if steps is None and made - begin == boundary * walkers:
                if made - begin > patience * (len(came) - before):
                    break
                boundary += 64 if frontier else min(boundary, 2**16)
        starts = [v for v in order if v not in came]
    chosen = sorted(came, key=lambda v: (came[v], v))[:target]
    keep = options.get("keep", "induced")
    # of a number of steps only what was visited after the burn-in, in no order
    by_visits = steps is not None and keep == "induced"
    if by_visits:
        chosen = [v for v in chosen if visits[v]]
    drawn = Rows(graph).draw_kept(chosen, keep, target, parent, walked)
    drawn.more["visits"] = [visits[v] for v in sorted(chosen)]
    if options.get("walks"):
        drawn.more["walks"] = np.array(paths).tolist()
    return replace(drawn, order=None) if by_visits else drawn


def verify_walk(graph: Graph, sample: Any) -> None:
    """Check a walk's sample: as many vertices as were asked for, entered one from another.

    A vertex that is neither a start nor entered by a jump has a neighbour that came before it.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    request, rows = sample.selection.request, sample.selection.request.view.rows
    frontier = sample.method == "fs"
    reach = int(np.count_nonzero(request.view.degrees)) if frontier else graph.num_vertices
    check_kept(graph, sample, reach)
    if request.steps is not None:
        # the walkers of frontier sampling share one clock, and so the burn-in and the thinning
        together, each = (request.walkers, 1) if frontier else (1, request.walkers)
        wanted, found = (
            each * (together * (request.steps - request.burn_in) // request.thin),
            int(sample.visits.sum()),
        )
        expect(found == wanted, f"{found} visits instead of {wanted}")
    if sample.order is None or sample.method in ("rj", "rwj"):
        return
    index = graph.indices_of(sample.vertices)
    leads_on = rows.degrees[index] > 0
    lost = np.count_nonzero(came_from_nowhere(rows, sample, index)[1] & leads_on)
    most = request.walkers * int(sample.iterations)
    if request.direction == "both" and np.all(leads_on):
        expect(lost <= most, f"{lost} vertices came from nowhere, and there were {most} starts")

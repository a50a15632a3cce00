"""Mutations: one-line mistakes in copies of the sources, each of which the tests named with it must notice.

``python tests/mutations.py [--only WORD] [--limit SECONDS]`` copies the checkout to a scratch folder, makes
one mistake at a time there and runs the tests on PoCL. One that no test notices is a survivor: the exit
status is 1, and there is a test to write. (`tests/test_house.py` checks that each still fits its file.) All
of them take some 40 minutes on two cores: worth it after work on kernels or on the tests themselves.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePath
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Mutation(NamedTuple):
    """A mistake: the first text of a file, which occurs in it once, becomes the second."""

    path: str
    right: str
    wrong: str
    tests: str


# tests of which file notice a mistake, where these are not tests/FOLDER/test_NAME.py of FOLDER/NAME
TESTS = {
    "clgraph/traversal/paths.py": "traversal/test_weighted.py",
    "clgraph/communities/levels.py": "communities/test_multilevel.py",
    "cl/csr/facts.cl": "csr/test_properties.py",
    "cl/sampling/merge_tree.cl": "sampling/test_exact.py sampling/test_curve.py",
    "clgraph/sampling/threshold_search.py": "sampling/test_exact.py sampling/test_curve.py",
    "clgraph/sampling/merge_tree.py": "sampling/test_exact.py sampling/test_curve.py",
    "cl/sampling/replicates_settle.cl": "sampling/test_replicates.py sampling/test_several.py",
    "cl/sampling/contract.cl": "sampling/test_contract.py sampling/test_replicates.py",
    "cl/sampling/deletion_times.cl": "sampling/test_merge_tree.py",
    "cl/sampling/explore.cl": "sampling/test_contract.py",
    "cl/sampling/literature/race.cl": "sampling/literature/test_methods.py",
    "cl/sampling/literature/walk.cl": "sampling/literature/test_walk.py sampling/literature/test_methods.py",
    "cl/sampling/explore_order.cl": "sampling/test_replicates.py",
    "cl/measures/hops_graphs.cl": "measures/test_hops.py",
    "cl/measures/eigh.cl": "measures/test_spectrum.py",
    "cl/sampling/draw.cl": "sampling/test_draw.py sampling/test_replicates.py",
    "cl/ranking/bins.cl": "ranking/test_solver.py ranking/test_spmv.py",
    "clgraph/system.py": "cli/test_streams.py",
    "cl/ranking/small.cl": "ranking/test_spmv.py ranking/test_solver.py",
    "cl/traversal/search_pull.cl": "traversal/test_search.py",
    "cl/files/parse.cl": "files/test_edge_list.py files/test_table.py",
    "clgraph/formats/text_table.py": "formats/test_names.py formats/test_arrivals.py files/test_table.py",
    "clgraph/formats/adjacency_lines.py": "formats/test_text.py formats/test_refused.py",
    "clgraph/formats/mtx.py": "formats/test_text.py",
    "clgraph/studies/answer.py": "studies/test_summary.py studies/test_study.py",
    "cl/sampling/literature/spikyball.cl": "sampling/literature/test_stage.py",
    "cl/sampling/literature/stage_chain.cl": "sampling/literature/test_stage.py",
    "clgraph/keyed.py": "test_keyed.py test_arguments.py",
    "clgraph/device/launch.py": "device/test_program.py",
    "clgraph/device/transfers.py": "device/test_memory.py",
    "clgraph/cli/shards_plan.py": "cli/test_shards.py",
}

# file -> mistakes: what is right, and what is wrong; behind them the tests, if they are not those of the file
MISTAKES = {
    "cl/traversal/weighted.cl": [
        ("if (from < own && WORD_OF", "if (from <= own && WORD_OF"),
        ("col_idx[e];\n#endif\n                break;", "col_idx[e];\n#endif"),
        (", done = before[v] != UINT_MAX || v == source;", ", done = before[v] != UINT_MAX;"),
        ("if (was == 0 || was == round)", "if (was == 0)"),
        ("        if (word >= low)\n", "        if (word > low)\n"),
        ("            if (ends[middle] > a)", "            if (ends[middle] >= a)"),
        ("    if (part < spans) {\n", "    if (part < spans - 1) {\n"),
    ],
    "clgraph/traversal/weighted.py": [
        ("integers = max(n - 1, 1) * largest < EXACT[dtype]", "integers = largest < EXACT[dtype]"),
        ("2 * self.n * self.lengths.largest < top", "self.lengths.largest < top"),
        ("not self.graph.directed:\n            return self.csr,", "True:\n            return self.csr,"),
    ],
    "clgraph/traversal/paths.py": [
        ("dtype).type(min(last, float(np.finfo(dtype).max))))", "dtype).type(last))"),
        ("float(np.dtype(dtype).type(min(last, float(np.finfo(dtype).max))))", "last"),
        ("if disconnected and reached < (batch.stop - batch.start) * n:", "if False:"),
        ("if last is not None and last < 0:", "if last is not None and last <= 0:"),
    ],
    "cl/communities/propagation.cl": [
        ("(sum[k] == most && mine < best)", "(sum[k] == most && mine > best)"),
        ("moved += now_ != next[v];", "moved += now_ != label[v];"),
        ("#define TIMES(p) ((uint)times[p])", "#define TIMES(p) 1u"),
        ("                least = min(least, keys[s]);", "                least = keys[s];"),
        ("slots, near_keys[s], near_counts[s]);", "slots, near_keys[s], 1u);"),
        ("        keys[base + s] = NONE;\n        counts[base + s] = 0;", "        keys[base + s] = NONE;"),
        ("        most[i] = 0;\n", ""),
        ("at = at + 1 == slots ? 0 : at + 1;", "at = at + 1;"),
    ],
    "clgraph/communities/propagation.py": [
        ("oscillates and (iterations - done) % 2:", "oscillates and (iterations - done) % 2 == 0:"),
        ("rows = given.undirected", "rows = given"),
        ("if (most := int(sums.max())) >= 2**32:", "if (most := int(sums.max())) > 2**32:"),
        ("return changed == 0, changed > 0 and moved == 0", "return changed == 0, moved == 0"),
    ],
    "cl/communities/partitions.cl": [
        ("u == v && loops == 2 ? value[p] + value[p] : value[p]", "value[p]"),
        ("#define TIMES(p) ((ulong)value[p])", "#define TIMES(p) 1UL"),
        ("(ulong)(head == u ? loops : 1)", "1UL"),
    ],
    "cl/communities/multilevel.cl": [
        ("(weight ? weight[e] : 1) << (loops && col_idx[e] == (v))", "(weight ? weight[e] : 1)"),
        ("if (c < 0 || (within && c != own && busy[c] == stamp))", "if (c < 0)"),
        ("if (u == v || (within && u >= 0 && within[u] != within[v]))", "if (u == v)"),
        ("(claim[from] != v || claim[to] != v)", "claim[from] != v"),
        (" << (other == was);", " << 1;"),
        ("[before[begins[r]] + j] = (long)(sum[key[j]] - 1);", "[before[begins[r]] + j] = sum[key[j]];"),
        ("tail[e] != tail[before] || head[e] != head[before];", "tail[e] != tail[before];"),
        ("mul_hi(cost, rest) ? near : cost * rest / whole", "cost * rest / whole"),
        ("label[number[v]] = number[root[v]];", "label[number[v]] = number[v];"),
        ("        if (label[v] == v && members[v] == 1)\n", "        if (label[v] == v)\n"),
    ],
    "clgraph/communities/levels.py": [
        ("(upper << 40) + (mixed << 21) + lower", "(upper << 40) + (mixed << 20) + lower"),
        ("        return after > before\n", "        return False\n"),
        ("            slices *= 4\n", "            slices *= 2\n"),
        ("slices = 1 if awake is None else min(n, SLICES)", "slices = 1"),
    ],
    "clgraph/communities/multilevel.py": [
        ("exponent + 38 - total.bit_length()", "exponent + 37 - total.bit_length()")
    ],
    "cl/csr/facts.cl": [
        (
            "odd = max(odd, isnan(x) ? 2 : (int)(x != floor(x)));",
            "odd |= isnan(x) ? 2 : (int)(x != floor(x));",
        ),
        ("begin += (long)items * RUN)", "begin += (long)count)"),
    ],
    "cl/bench/graph500.cl": [
        ("abs(a.y - b.y) > 1;", "abs(a.y - b.y) > 2;"),
        ("to_u < as_float(a.y) || to_v < as_float(b.y);", "to_u < as_float(a.y);"),
        ("is_tight ? IN_LIST | TIGHT : IN_LIST", "IN_LIST | TIGHT"),
        ("reached && level < 0", "reached && level < -1"),
    ],
    "cl/ranking/bins.cl": [
        ("i < half_ && i + half_ < ends;", "i < half_ && i + half_ < ends - 1;"),
        ("group == 0 && !stopped ?", "group == 0 ?"),
        ("e + i * WIDTH < stop_ ? arc(e + i * WIDTH) : 0;", "arc(e + i * WIDTH);"),
        ("k + i < end_ ? piece_sum[k + i] : none;", "piece_sum[k + i];"),
        ("pieces > JOINED ? 1 : pieces", "pieces"),
        ("k = first + get_local_id(0); k < end_; k += LOCAL", "k = first; k < end_; k += LOCAL"),
    ],
    "clgraph/ranking/solver.py": [
        ("            self._ordered = False\n            rate", "            rate"),
        ("                    parts = none\n", ""),
        (
            'self.start_groups, "counts": False}\n\n        def',
            'self.start_groups, "counts": True}\n\n        def',
        ),
        ("given = parts if", "given = none if"),
        ("        if not self.ends_before:\n            parts", "        if True:\n            parts"),
        ("        self._ends.give_back(self._end)\n", ""),
        ('"state": glance.part(place, STATE)', '"state": glance.part(0, STATE)'),
    ],
    "clgraph/system.py": [
        ("        sys.unraisablehook = not_ignored\n", "        pass\n"),
        ("        if sys.unraisablehook is not_ignored:\n", "        if True:\n"),
    ],
    "cl/sampling/fanout.cl": [
        ("bits = j & 1 ? keyed_b(x) : keyed_a(x);", "bits = keyed_a(x);"),
        ("                if (e < found)\n                    atomic_min(&table[at], e);\n", ""),
        ("            edge[to + j] = forward[arc];\n", ""),
        ("(uint)((t) - seed_begin[b] + 1)", "(uint)((t) - seed_begin[b])"),
        ("#define SAME_TREE(e, t) (tree[e] == (t))", "#define SAME_TREE(e, t) 1"),
    ],
    "clgraph/sampling/fanout.py": [
        ("if first + len(begin) - 2 >= 2**64:", "if first + len(begin) - 2 > 2**64:"),
        ("* graph.num_vertices + vertices\n", "+ vertices\n"),
    ],
    "cl/sampling/merge_tree.cl": [
        ("[part] < smallest[best]))\n        child", "[part] > smallest[best]))\n        child"),
        ("(arcs[node] - fresh[node]) / 2 + 1 : 1;", "1 : 1;"),
    ],
    "clgraph/sampling/threshold_search.py": [
        ("if 2 * high.size <= low.size:", "if 3 * high.size <= low.size:")
    ],
    "clgraph/sampling/merge_tree.py": [
        ("lambda child: (-self.size[child], self.smallest[child])", "lambda child: -self.size[child]")
    ],
    "cl/sampling/replicates_settle.cl": [
        ("(size[part] == size[best] && least < (best < n ? best : smallest[best - n])))", "0)"),
        ("2 * (long)r.big > r.size &&", "3 * (long)r.big > r.size &&"),
        (
            "priority[base + j] < mine || (priority[base + j] == mine && name[base + j] < name[base + i]);",
            "priority[base + j] <= mine;",
        ),
    ],
    "cl/sampling/contract.cl": [
        ("const int taken = useful && box[lane] <= missing;", "const int taken = useful;"),
        ("            end = lane + 1;\n", "            end = lane + 2;\n"),
        ("run * whole + i] = place[i] < 0 ? -1 : run * n", "run * whole + i] = run * n"),
    ],
    "cl/sampling/deletion_times.cl": [
        ("least[v] = a < 0 ? LAST : min(turn[v], turn[a]);", "least[v] = a < 0 ? LAST : turn[a];"),
        ("new_least[v] = min(least[v], least[a]);", "new_least[v] = least[v];"),
    ],
    "cl/sampling/explore.cl": [
        ("int there = d >= 0 && d < level;", "int there = d > 0 && d < level;"),
        ("targets && i < target[k]; ++k)", "targets && i <= target[k]; ++k)", "sampling/test_replicates.py"),
        ("edges += col_idx[p] > v &&", "edges += col_idx[p] >= 0 &&", "sampling/test_replicates.py"),
    ],
    "cl/sampling/explore_order.cl": [("step += 2 * RUN_NUMBER * arcs;", "step += RUN_NUMBER * arcs;")],
    "cl/measures/hops_graphs.cl": [
        ("left |= ~known[k];", "left |= known[k];"),
        ("into[(size_t)v * WORDS + k] = 0;", ";"),
        ("front[(size_t)now[i] * WORDS + k] = 0;", ";"),
    ],
    "cl/measures/eigh.cl": [
        ("(theta < 0 ? -1 : 1)", "1"),
        ("(other == own && j < column)", "(other == own && j <= column)"),
    ],
    "cl/sampling/repair.cl": [
        ("if (at < UNDONE && (at > stood || (at == stood && u > w))) {", "if (at < UNDONE && at > stood) {"),
        ("if (before >= DEEPEST) {", "if (before > 2 * DEEPEST) {"),
    ],
    "cl/sampling/draw.cl": [
        ("const long planned = batch <= 5 ?", "const long planned = batch <= 4 ?"),
        ("while (edges[s] < 0 || left-- > 0)", "while (left-- > 0)"),
        ("if (first[min(drawn_slot[i], drawn_far[i])] == i)", "if (1)"),
    ],
    "cl/sampling/literature/walk.cl": [
        ("                if (other >= 0) j = other;\n", ""),
        ("            if (u != v) previous[l] = v;\n", "            previous[l] = v;\n"),
        ("mul_hi(b, max((ulong)d, p)) >= (ulong)d", "mul_hi(b, (ulong)d) >= (ulong)d"),
        ("u == last && d > 1 && (j == 0 || col_idx[begin + j - 1] != u)", "u == last && d > 1"),
    ],
    "cl/sampling/literature/race.cl": [("mine[p] = once && u < v ? NONE : k;", "mine[p] = k;")],
    "cl/csr/views.cl": [
        ("const int outwards = u == out && (u != in || v <= u);", "const int outwards = u == out;"),
        ("continue;   // a loop is in both rows and counts once\n            found", ";\n            found"),
        ("view_multiplicity[to - 1] = (int)", "view_multiplicity[to - fresh] = (int)"),
    ],
    "cl/csr/build.cl": [
        ("while (p < arcs && col[p] < 0)", "while (p < begin + length && col[p] < 0)"),
        ("if (mirror && t != h)\n                atomic_inc", "if (mirror)\n                atomic_inc"),
    ],
    "cl/ranking/top.cl": [
        ("return a > b || (a == b && name_a < name_b);", "return a > b;"),
        ("return scale[v] == 0 ? x : x * scale[v];", "return x * scale[v];"),
    ],
    "cl/ranking/small.cl": [
        ("drop ? none : acc_add(dangling_mass, from_rest);", "acc_add(dangling_mass, from_rest);"),
        ("stale = residual < ACC_VALUE(least) ? 0 : stale + 1;", "stale = 0;"),
    ],
    "cl/traversal/search_pull.cl": [("best = min(best, owner[u]);", "best = owner[u];")],
    "cl/traversal/many.cl": [("        if (i < old)\n            front[queue[i]] = 0;\n", "")],
    "cl/centrality/betweenness.cl": [
        ("        first &= distance[AT(v, before)] != d;\n", ""),
        ("total[source[l]] += reached[l];", "total[source[l]] = reached[l];"),
        ("distance[tail + l] >= 0 && distance[head + l] ==", "distance[head + l] =="),
    ],
    "clgraph/centrality/betweenness.py": [
        ("own = count / (count - 1) if", "own = 1 if"),
        ("total = (total / np.bincount(pair))[pair]", "total = total[pair]"),
    ],
    "cl/measures/triangle_count.cl": [
        ("if (at_u)\n                add_wide(&count[u], at_u);\n            at_u = 0;", "at_u = 0;"),
        ("has_row ? met : 2 * met", "met"),
        ("atomic_or(&matrix[(long)j * words + i / 32], 1u << i % 32);", ""),
        ("            add_wide(&count[w], 2 * (marks[w] - 1u));\n        marks", "            marks"),
    ],
    "cl/files/parse.cl": [
        ("loops += out.id[0] == out.id[1];", ""),
        ("certain == DOUBTFUL ? begin : -1;", "-1;"),
    ],
    "clgraph/formats/text_table.py": [
        ("if inside is None else inside.replace('\"\"', '\"'))", "if inside is None else inside)"),
        ("(np.isfinite(weights) & (weights >= layout.lightest))", "np.isfinite(weights)"),
    ],
    "clgraph/formats/adjacency_lines.py": [
        ('(int(fields[3]) if len(fields) > 3 else 1) if fmt[1] == "1"', "int(fields[3]) if len(fields) > 3"),
        ("if header.edges != edges and 2 * header.edges != len(head):", "if header.edges != edges:"),
        ("blank[:n] = True", "blank[: n + 1] = True"),
    ],
    "clgraph/formats/pajek.py": [
        ('again = ~rows["arc"] & (tail != head)', 'again = ~rows["arc"]'),
        ("*([] if is_arc else [(v, u)])", "(v, u)"),
    ],
    "clgraph/formats/mtx.py": [("        lower = source >= target\n", "        lower = source > target\n")],
    "clgraph/studies/answer.py": [
        ('or row["defined"] < row["samples"]:', 'or not row["defined"]:'),
        ("if best is None or target < best[0]:", "if best is None:"),
    ],
    "cl/sampling/literature/stage.cl": [("act(n, seed + run,", "act(n, seed,")],
    "cl/sampling/literature/spikyball.cl": [("key_of_arc(seed + run,", "key_of_arc(seed,")],
    "cl/sampling/literature/stage_chain.cl": [
        ("take_in_order(seed + run, v, limits_above", "take_in_order(seed, v, limits_above")
    ],
    "cl/ranking/sell.cl": [("if (pieces > joined) hub", "if (pieces >= joined) hub")],
    "clgraph/ranking/spmv.py": [('(self.graph, ("bins", self.real)', '(self.graph, ("bins",)')],
    "clgraph/device/launch.py": [("if seen is None or classes != seen[0]:", "if seen is None:")],
    "clgraph/device/transfers.py": [
        (
            "                for each in filling:\n                    each.exception()",
            "                if 1:\n                    pass",
        ),
        ("copies[number - SLOTS].wait()", "pass"),
    ],
    "clgraph/device/doctor.py": [("for each in distribution.files or []]", "for each in []]")],
    "clgraph/cli/shards_plan.py": [
        ("reads = 1 if stays else iterations", "reads = iterations"),
        ("return 0 if stays else passes", "return passes"),
        ("self._device.global_memory // 2 - 5 * self._n", "0"),
        ("self.memory = max(self.memory, after, key=lambda each: sum(each.values()))", "pass"),
    ],
    "clgraph/keyed.py": [
        ('if args[place] or options.get("seed") is not None:', 'if options.get("seed") is not None:')
    ],
}


def tests_of(path):
    """The tests of a file, below ``tests/``."""
    file = PurePath(path)
    return TESTS.get(path) or f"{PurePath(*file.parts[1:-1])}/test_{file.stem}.py"


MUTATIONS = [
    Mutation(path, right, wrong, *(tests or [tests_of(path)]))
    for path, edits in MISTAKES.items()
    for right, wrong, *tests in edits
]


def misfits():
    """Mutations whose text is not in their file exactly once, or whose tests are not there."""
    for each in MUTATIONS:
        if (times := (ROOT / each.path).read_text().count(each.right)) != 1:
            yield f"{each.path}: {each.right!r} is there {times} times"
        yield from (f"no tests/{test}" for test in each.tests.split() if not (ROOT / "tests" / test).exists())


def copied(tree):
    """A copy of what the tests need."""
    for name in ("clgraph", "_clgraph_command", "_clgraph_networkx", "cl", "tests"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tree)
    (tree / "docs").symlink_to(ROOT / "docs")


def outcome(tree, tests, limit):
    """What tests say of a tree: "green", the first test that fails, or "no end" after so many seconds.

    (That is no failure by itself: mistakes may make loops endless, and a busy machine makes tests slow.)
    """
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--devices", "pocl"]
    command += [f"tests/{test}" for test in tests.split()]
    env = {**os.environ, "PYTHONPATH": str(tree), "CLGRAPH_CACHE_DIR": str(tree / "cache")}
    try:
        done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode == 0:
        return "green"
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0].split(" - ")[0] if lines else f"status {done.returncode}: {done.stdout[-200:]}"


def main():
    """Make the mistakes, one by one; prints a line for each, and those that nobody noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="those whose path or text has this")
    parser.add_argument("--limit", type=int, default=300, help="seconds for the tests of one")
    options = parser.parse_args()
    if wrong := list(misfits()):
        sys.exit("\n".join(wrong))
    survivors = []
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        copied(tree)
        chosen = [each for each in MUTATIONS if options.only in f"{each.path} {each.right} {each.wrong}"]
        for number, each in enumerate(chosen, 1):
            started, file = perf_counter(), tree / each.path
            text = file.read_text()
            file.write_text(text.replace(each.right, each.wrong))
            found = outcome(tree, each.tests, options.limit)
            file.write_text(text)
            wrong, right = (" ".join(text.split()) for text in (each.wrong, each.right))
            mistake = f"{each.path}: {wrong or f'without {right}'}"
            took = f"{number}/{len(chosen)} {perf_counter() - started:.0f} s"
            print(f"{took}  {mistake}\n    {found}", flush=True)
            survivors += [f"{mistake}  ({found})"] if found in ("green", "no end") else []
    print(f"\n{len(chosen) - len(survivors)} of {len(chosen)} noticed", *survivors, sep="\n  ")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()

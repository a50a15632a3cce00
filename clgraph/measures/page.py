"""The page of a quality report: its text and style; `clgraph.measures.report` fills it in."""

from __future__ import annotations

from clgraph.measures.style import page

STYLE = """\
.lead { color: var(--soft); margin: .2rem 0 1rem; overflow-wrap: anywhere; }
.cards b { overflow-wrap: anywhere; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; }
th, td { vertical-align: top; }
th:first-child { min-width: 11rem; }
tbody th b { font-weight: 600; }
tr.under th b { font-weight: 400; padding-left: 1rem; } tr.under th small { padding-left: 1rem; }
tbody th small { display: block; color: var(--soft); line-height: 1.35; }
tr.group th { padding-top: 1.2rem; font-weight: 700; border-top: 0; font-size: 1.05rem; }
.original { color: var(--original); } .sample { color: var(--sample); }
@media (max-width: 36rem) {
  th:first-child { min-width: 0; }
  /* a row of the large table becomes its name, and below it the figures, each with its column's name */
  .rows thead { display: none; } .rows, .rows tbody { display: block; }
  .rows tr { display: grid; grid-template-columns: repeat(3, 1fr); border-top: 1px solid var(--grid); }
  .rows tr.group { border: 0; }
  .rows th, .rows td { border: 0; padding: .35rem .3rem; }
  .rows th { grid-column: 1 / -1; padding-bottom: 0; }
  .rows td { text-align: left; white-space: normal; font-size: .92rem; }
  .rows td::before { content: attr(data-column); display: block; font-size: .75rem; color: var(--soft); }
  .rows td .share { display: block; }
}
"""
BODY = """\
<header>
<h1>$title</h1>
<p class="lead">$lead</p>
<div class="cards">
$cards
</div>
</header>
<section>
<h2>$how</h2>
<dl>
$facts
</dl>
</section>
<section>
<h2>Figures</h2>
<p class="note">$legend</p>
<div class="figures">
$figures
</div>
$left_out
</section>
<section>
<h2>Numbers</h2>
<div class="scroll">
<table class="rows">
<thead><tr><th scope="col">what is measured</th>$columns</tr></thead>
<tbody>
$table
</tbody>
</table>
</div>
$distances
$missing
</section>
<section>
<h2>How it is measured</h2>
<p>Graphs are measured without directions, self-loops and parallel edges. Exponents are slopes of
least-squares lines through logarithms (M. Faloutsos, P. Faloutsos, C. Faloutsos, SIGCOMM 1999); the
maximum-likelihood fit picks its own tail (Clauset, Shalizi, Newman, SIAM Review 2009). A sample keeps the
shape of a graph where its exponents, correlations and distances come close to the original's; reduction
methods are compared so by Krishnamurthy, Faloutsos and others (Computer Networks 51(15), 2007). $hops</p>
</section>
"""
PAGE = page(
    BODY,
    STYLE,
    light="--original: #0072B2; --sample: #D55E00; --third: #00795a;",
    dark="--original: #56B4E9; --sample: #E69F00; --third: #35c79b;",
)

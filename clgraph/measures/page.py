"""The page of a quality report: its text and style; `clgraph.measures.report` fills it in."""

from __future__ import annotations

from string import Template

PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="clgraph $version">
<title>$title</title>
<style>
:root {
  --paper: #ffffff; --card: #f4f5f7; --ink: #1b1b1b; --soft: #5a5f66; --grid: #d5d8dc; --line: #d5d8dc;
  --original: #0072B2; --sample: #D55E00; --third: #00795a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181c; --card: #1e2329; --ink: #e9ebee; --soft: #a8afb8; --grid: #3a414a; --line: #3a414a;
    --original: #56B4E9; --sample: #E69F00; --third: #35c79b;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.2rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .4rem 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0; }
.lead, .note { color: var(--soft); margin: .2rem 0 1rem; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .7rem; }
.cards div { background: var(--card); border-radius: .5rem; padding: .6rem .8rem; }
.cards b { display: block; font-size: 1.15rem; line-height: 1.4; white-space: nowrap; }
.cards span { color: var(--soft); font-size: .88rem; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .4rem .55rem; border-top: 1px solid var(--line); vertical-align: top;
  white-space: nowrap; font-variant-numeric: tabular-nums; }
th:first-child { text-align: left; white-space: normal; font-weight: 400; min-width: 11rem; }
thead th { border-top: 0; color: var(--soft); font-weight: 600; }
tbody th b { font-weight: 600; }
tr.under th b { font-weight: 400; padding-left: 1rem; } tr.under th small { padding-left: 1rem; }
tbody th small { display: block; color: var(--soft); line-height: 1.35; }
tr.group th { padding-top: 1.2rem; font-weight: 700; border-top: 0; font-size: 1.05rem; }
.original { color: var(--original); } .sample { color: var(--sample); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border-radius: .5rem; padding: .8rem; min-width: 0; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .4rem; }
ul { padding-left: 1.2rem; }
@media (max-width: 36rem) {
  main { padding: .8rem .8rem 2rem; } h1 { font-size: 1.4rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
  th:first-child { min-width: 0; }
  /* a row of the large table becomes its name, and below it the figures, each with its column's name */
  .rows thead { display: none; } .rows, .rows tbody { display: block; }
  .rows tr { display: grid; grid-template-columns: repeat(3, 1fr); border-top: 1px solid var(--line); }
  .rows tr.group { border: 0; }
  .rows th, .rows td { border: 0; padding: .35rem .3rem; }
  .rows th { grid-column: 1 / -1; padding-bottom: 0; }
  .rows td { text-align: left; white-space: normal; font-size: .92rem; }
  .rows td::before { content: attr(data-column); display: block; font-size: .75rem; color: var(--soft); }
  .rows td .share { display: block; }
}
@media print { figure, .cards div { break-inside: avoid; } }
</style>
</head>
<body>
<main>
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
</main>
</body>
</html>
""")

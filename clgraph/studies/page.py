"""The page of a study: its text and style; `clgraph.studies.report` fills it in."""

from __future__ import annotations

from clgraph.measures.style import page

STYLE = """\
.lead { font-size: 1.1rem; margin: .4rem 0 1rem; max-width: 60rem; overflow-wrap: anywhere; }
.note { max-width: 60rem; }
th, td { padding: .35rem .55rem; }
th:first-child { min-width: 9rem; position: sticky; left: 0; background: var(--paper); }
thead th { vertical-align: bottom; }
thead th:first-child { font-weight: 600; }
td.best { color: var(--good); font-weight: 700; } td.none { color: var(--soft); }
td.heat { background: rgba(var(--heat), var(--share)); }
@media (max-width: 36rem) {
  th:first-child { min-width: 7rem; } th, td { padding: .3rem .35rem; font-size: .88rem; }
}
@media print {
  .scroll { overflow: visible; } th:first-child { position: static; }
  th, td { padding: .2rem .3rem; font-size: .8rem; }
  td.heat { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
BODY = """\
<header>
<h1>$title</h1>
$answer
</header>
<section>
<h2>Figures</h2>
<div class="figures">
$figures
</div>
</section>
<section>
<h2>What was studied, and how</h2>
<dl>
$facts
</dl>
</section>
"""
PAGE = page(
    BODY,
    STYLE,
    light="--good: #00795a; --heat: 213, 94, 0; $light",
    dark="--good: #35c79b; --heat: 230, 130, 30; $dark",
)

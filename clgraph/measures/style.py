"""The head of every HTML report: what their styles have in common."""

from __future__ import annotations

from string import Template

_HEAD = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="clgraph $version">
<title>$title</title>
<style>
:root { --paper: #ffffff; --card: #f4f5f7; --ink: #1b1b1b; --soft: #5a5f66; --grid: #d5d8dc; @light }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --card: #1e2329; --ink: #e9ebee; --soft: #a8afb8; --grid: #3a414a; @dark }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1.2rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .4rem 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0; }
.note { color: var(--soft); margin: .2rem 0 1rem; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .7rem; }
.cards div { background: var(--card); border-radius: .5rem; padding: .6rem .8rem; }
.cards b { display: block; font-size: 1.15rem; line-height: 1.4; }
.cards span { color: var(--soft); font-size: .88rem; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .4rem .55rem; border-top: 1px solid var(--grid); white-space: nowrap;
  font-variant-numeric: tabular-nums; }
th:first-child { text-align: left; font-weight: 400; white-space: normal; }
thead th { border-top: 0; color: var(--soft); font-weight: 600; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border-radius: .5rem; padding: .8rem; min-width: 0; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .4rem; }
ul { padding-left: 1.2rem; } li { overflow-wrap: anywhere; }
@media (max-width: 36rem) {
  main { padding: .8rem .8rem 2rem; } h1 { font-size: 1.4rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
}
@media print {
  figure, .cards div, tr { break-inside: avoid; } h2, .note { break-after: avoid; }
  .figures { grid-template-columns: 1fr 1fr; }
}
@style</style>
</head>
<body>
<main>
"""
_END = """\
</main>
</body>
</html>
"""


def page(body: str, style: str, light: str, dark: str) -> Template:
    """A page to fill in; it asks for `version` and `title`, and for what its parts ask for.

    Parameters
    ----------
    body : str
        What stands in its main part.
    style : str
        Rules of its own, after those that all pages have.
    light, dark : str
        Colours of its own.
    """
    head = _HEAD.replace("@light", light).replace("@dark", dark).replace("@style", style)
    return Template(head + body + _END)

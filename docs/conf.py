"""How Sphinx builds the documentation: ``python -m sphinx -W docs OUT`` (extra ``docs``)."""

import re
from pathlib import Path
from typing import Any

from docutils.nodes import Node, Text, literal_block
from sphinx.util.docutils import SphinxDirective

import clgraph
from clgraph.public import PUBLIC

project = "clgraph"
author = "The clgraph developers"
copyright = author
version = release = clgraph.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_nb", "sphinx_click", "sphinx_gallery.gen_gallery"]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
nb_execution_mode = "force"  # the notebook runs each time the documentation is built
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # seconds for a cell: the machine may be busy
nb_merge_streams = True
sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/(plot_\w+|own_kernel|shared_queue|researcher|data_scientist|engineer)\.py$",
    "ignore_pattern": r"__init__\.py",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
}
exclude_patterns = ["_build", "gallery/*.ipynb"]
smartquotes = False  # two hyphens of an option stay two
default_role = "py:obj"  # `Graph.reverse` in a docstring becomes a link where there is such a page
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's sections say it
numpydoc_show_class_members = False
autosummary_generate = False  # numpydoc brings autosummary along
numpydoc_xref_param_type = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = f"clgraph {version}"
html_static_path = ["_static"]
html_css_files = ["names.css"]
html_show_sourcelink = False
# pages that stand alone have no section to navigate
html_sidebars = {page.stem: [] for page in Path(__file__).parent.glob("*.md")}
html_theme_options = {
    "navbar_end": ["theme-switcher"],  # nothing that needs a network
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


class Public(SphinxDirective):
    """``.. public:: PAGE``: the public names of a page of ``api/``, in the order of `clgraph.public`."""

    required_arguments = 1

    def run(self) -> list[Node]:
        """What autodoc makes of each."""
        lines: list[str] = []
        for each in PUBLIC:
            if each.page != self.arguments[0] or each.name == "datasets":
                continue
            # attributes of instances are described in a class's own text
            found = [name for name in each.members.split() if hasattr(getattr(clgraph, each.name), name)]
            kind, options = "class", [f":members: {', '.join(found)}"]
            if each.name == "Graph":  # some of its methods are those of a base class
                options.append(":inherited-members:")
            if each.home == "errors":
                kind, options = "exception", [":members:", ":show-inheritance:"]
            elif each.is_function:
                kind, options = "function", []
            lines += [f".. auto{kind}:: clgraph.{each.name}", *(f"   {option}" for option in options), ""]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Any) -> None:
    """Stars in the commands' help (``part-*``) begin no emphasis; what a terminal drew has a class.

    References in docstrings have their numbers, not the names that numpydoc makes of them.
    """

    def plain(_: Any, __: Any, lines: list[str]) -> None:
        lines[:] = [re.sub(r"(?<!\*)\*(?!\*)", r"\\*", line) for line in lines]

    def drawn(_: Any, doctree: Any) -> None:
        for block in doctree.findall(literal_block):
            if re.search("[\u2500-\u257f]", block.astext()):
                block["classes"].append("drawn")

    def numbered(_: Any, doctree: Any, __: str) -> None:
        for text in list(doctree.findall(Text)):
            if found := re.fullmatch(r"\[?R[0-9a-f]+-([0-9]+)\]?", text.astext()):
                text.parent.replace(text, Text(f"[{found[1]}]"))

    app.add_directive("public", Public)
    app.connect("doctree-read", drawn)
    app.connect("doctree-resolved", numbered)
    for part in ("description", "options", "arguments", "epilog"):
        app.connect(f"sphinx-click-process-{part}", plain)

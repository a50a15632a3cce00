"""How Sphinx builds the documentation: ``python -m sphinx -W docs OUT`` (extra ``docs``)."""

import clgraph

project = "clgraph"
author = "The clgraph developers"
copyright = author
version = release = clgraph.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
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
html_static_path = []
html_show_sourcelink = False
# single pages have no section to navigate
ALONE = ("tutorial", "coming-from", "methods", "devices", "performance", "networkx", "fpga", "bench-json")
html_sidebars = {page: [] for page in ALONE}
html_theme_options = {
    "navbar_end": ["theme-switcher"],  # nothing that needs a network
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

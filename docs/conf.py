"""Sphinx configuration of the documentation site; `tools/build_docs.py` runs it."""

import teahouse

project = "Teahouse"
author = "The Teahouse contributors"
version = release = teahouse.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["_static", "_templates"]
highlight_language = "none"  # blocks say their language

myst_heading_anchors = 4  # as on GitHub
myst_links_external_new_tab = False

default_role = "py:obj"  # `name` in docstrings
add_module_names = False
python_use_unqualified_type_names = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"Teahouse {version}"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["site.css"]
html_js_files = [("../../versions.js", {"defer": "defer"}), ("site.js", {"defer": "defer"})]
html_copy_source = False
html_show_copyright = False
html_show_sourcelink = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
copybutton_exclude = ".linenos, .gp, .go"  # prompts and output of sessions
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

"""How the documentation site is built; `make site` does it."""

from __future__ import annotations

project = "unibody"
author = "the unibody authors"
project_copyright = "2026, the unibody authors; Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "unibody"
html_theme_options = {"navigation_with_keys": True}
myst_heading_anchors = 4  # so that links to a heading of another page are checked
napoleon_numpy_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# Attributes of several classes share a name; where a type has it too, it is no link to one of them.
suppress_warnings = ["ref.python"]

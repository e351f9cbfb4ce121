"""Sphinx's settings for the static site. The sources are laid out by fairfl_book.site, which also names the static folders."""

from pathlib import Path

import fairfl

project = "Fair federated learning"
author = "The fairfl authors"
copyright = "The fairfl authors; text CC BY 4.0, code MIT"
release = version = fairfl.__version__
language = "en"

extensions = [
    "myst_nb",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "fairfl_book.site.sphinx_extension",
]
exclude_patterns = ["_static"]
templates_path = [
    str(Path(__file__).parent / "templates")
]  # autosummary takes a relative path from the laid-out sources

smartquotes = False  # the text reads as in JupyterLab
nb_execution_mode = "off"  # the outputs are those that the tests compare
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "amsmath", "attrs_inline", "attrs_block"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

autosummary_ignore_module_all = False  # a subpackage's public names are those in its __all__
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 90
add_module_names = False

html_math_renderer = "katex"  # fairfl_book.site.formulas

html_theme = "sphinx_book_theme"
html_title = "Fair federated learning"
html_css_files = [
    "book.css",
    "look.css",
    "home.css",
    "passages.css",
    "chinese.css",
]  # and the typefaces: fairfl_book.site.typefaces
html_js_files = ["passages.js", "tooltips.js", "margin_notes.js"]
html_favicon = "static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {
        "image_light": "static/favicon.svg",
        "image_dark": "static/favicon.svg",
        "alt_text": "Home:",
        "text": "Fair federated learning",
    },
    "footer_content_items": ["copyright.html"],
    "use_download_button": True,
    "use_fullscreen_button": False,
    "use_repository_button": False,
    "home_page_in_toc": True,
    "show_toc_level": 2,
    "show_navbar_depth": 1,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

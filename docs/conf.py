"""The documentation site: `make docs` builds it without a network, and every warning is an error."""

from importlib.metadata import version as version_of

project = "thinktime"
html_show_copyright = False
release = version = version_of("thinktime")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "tools.docs.extension",
]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["scenarios/*.toml"]

# The pages are the Markdown that GitHub shows and the tests run: links to headings are GitHub's.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

# A notebook that fails, fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_kernel_rgx_aliases = {".*": "python3"}

# Docstrings are prose; a name in single backticks is a link if it is public (tools/docs/extension.py).
default_role = "said"
nitpicky = True
# Annotations name types of NumPy and of the inside, and how values of tables are read.
nitpick_ignore_regex = [("py:class", ".*"), ("py:exc", ".*"), ("py:obj", r"typing\.Annotated.*")]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
add_module_names = False

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
highlight_language = "text"
smartquotes = False  # --site is no dash

html_theme = "pydata_sphinx_theme"
html_title = "thinktime"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "back_to_top_button": True,
    "footer_start": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "gallery": []}
html_context = {"default_mode": "auto"}

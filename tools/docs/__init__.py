"""The documentation site (`make docs`): what it makes of the code, so that its tables cannot go stale.

* `public`: the public names, and the page of the reference where each is documented
* `catalogues`: policies, orders, metrics, columns, hooks, behaviours and generators as tables; `commands`: the command
  line; `json_keys`: the objects of ``--json``; `gallery`: pictures and the lines that made them
* `glossary`: what docs/glossary.md says of a name, for all of these
* `browser`: a headless Chromium without a driver; `screenshots`: pictures of the explorer
* `extension`: the same as directives of Sphinx; `links`: no link of the built pages is dead
"""

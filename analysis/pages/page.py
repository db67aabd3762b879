"""A page: its own template and style in the common frame."""

from importlib.resources import files
from typing import Any

from markupsafe import Markup

BASE, PAGE = "base.html", "page.html"


def rendered(package: str, filters: dict[str, Any] | None = None, **values: Any) -> str:
    """The page of a package from its page.html and page.css; all values are escaped but those that are markup."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    base, own = files("thinktime.analysis.pages"), files(package)
    texts = {name: place.joinpath(name).read_text(encoding="utf-8") for place, name in ((base, BASE), (own, PAGE))}
    styles = (base.joinpath("base.css"), own.joinpath("page.css"))
    css = "".join(style.read_text(encoding="utf-8") for style in styles)
    environment = Environment(
        loader=DictLoader(texts), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    environment.filters |= filters or {}
    return environment.get_template(PAGE).render(css=Markup(css), **values)

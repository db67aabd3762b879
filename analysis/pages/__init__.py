"""What all pages of results have in common: one HTML file without a network, with colours for light, dark and paper.

* `page`: a page from its template and style, and base.html and base.css
"""

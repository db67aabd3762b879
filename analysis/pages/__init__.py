"""What all pages of results have in common: one HTML file without a network, with colours for light, dark and paper.

* `page`: a page from its template and style, and base.html and base.css
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)

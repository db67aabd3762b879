"""What a result says of jobs whose labels a site does not have: no association, no such QOS, no such partition."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.jobs.columns import Requests
from thinktime.models.jobs.labels import distinct
from thinktime.models.site.site import Site

Test = Callable[[Site, Any, Any, Any, Any], str]
"""Given a job's labels: what the site does not have; empty if it has all."""


def site_notes(site: Site, jobs: Requests, names: dict[str, list[Any]], rows: NDArray[np.int64]) -> list[str]:
    """Sentences on the jobs in these rows whose labels the site does not have."""
    notes = unmodelled(site)
    kinds, place = distinct(jobs, names, rows)
    times = np.bincount(place, minlength=len(kinds)).tolist()
    for what, test in TESTS.items():
        odd = Counter[str]()
        for kind, count in zip(kinds, times, strict=True):
            odd[test(site, *kind.labels)] += count
        del odd[""]
        if odd:
            notes.append(f"{what}: {odd.total():,} of {len(rows):,}, such as {odd.most_common(1)[0][0]}")
    return notes


def unmodelled(site: Site) -> list[str]:
    """A sentence that names the settings of the real site which are not modelled, if there are any."""
    if not site.not_modelled:
        return []
    named = ", ".join(dict.fromkeys(text.partition(": ")[0] for text in site.not_modelled))
    return [f"settings of the site that are not modelled ('thinktime site check' says why): {named}"]


def _no_association(site: Site, user: Any, account: Any, queue: Any, partition: Any) -> str:
    if not site.accounts.users or site.association_of(user, account, site.partition_of(partition, queue).name):
        return ""
    whose = "nobody's" if user is None else f"those of user {user}"
    return whose if account is None else f"{whose} in account {account}"


def _no_queue(site: Site, user: Any, account: Any, queue: Any, partition: Any) -> str:
    known = queue is None or site.qos_of(queue) or _are_partitions(site, queue)
    return "" if known else f"those of {queue}"


def _no_partition(site: Site, user: Any, account: Any, queue: Any, partition: Any) -> str:
    return "" if partition is None or _are_partitions(site, partition) else f"those of {partition}"


def _are_partitions(site: Site, label: Any) -> bool:
    known = {each.name for each in site.partitions}
    return all(word.strip() in known for word in str(label).split(","))


TESTS: dict[str, Test] = {
    "jobs without an association at the site, and so without a fair share": _no_association,
    "jobs whose queue is no QOS of the site, nor a partition": _no_queue,
    "jobs whose partition the site does not have": _no_partition,
}
"""What is told, and when."""

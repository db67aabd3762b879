"""Write the digests of all cases anew: ``python -m tests.frozen.freeze``, five minutes.

Only a change of a rule calls for it, and CHANGES.md says then which schedules are others. It prints what has changed.
"""

import json
import sys

from tests.frozen.cases import POLICIES, digests, pairs
from tests.frozen.kept import FILE, kept


def main() -> None:
    """Compare with what is kept, and keep what is."""
    before = kept() if FILE.exists() else {}
    found: dict[str, dict[str, dict[str, str]]] = {}
    for machine, source in pairs():
        here = {policy: digests(machine, source, policy) for policy in POLICIES}
        found.setdefault(machine, {})[source] = here
        old = before.get(machine, {}).get(source, {})
        changed = [policy for policy, text in here.items() if old.get(policy, text) != text]
        print(f"{machine}, {source}: {', '.join(changed) or 'as before'}", file=sys.stderr)
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

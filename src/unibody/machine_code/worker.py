"""A process that compiles ahead; see ``ahead``, which starts it with this file as its script."""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Compile what the one argument of the command line names."""
    request = json.loads(sys.argv[1])
    here = os.path.dirname(os.path.abspath(__file__))
    own = [entry for entry in sys.path if os.path.abspath(entry) != here]
    # What this package needs comes before what a script has beside it.
    package = [os.path.dirname(os.path.dirname(here))]
    sys.path[:] = list(dict.fromkeys([*package, *own, *request["path"]]))
    from unibody.machine_code import ahead

    ahead.work(request["pieces"], request["urgent"], request["parent"])


if __name__ == "__main__":
    main()

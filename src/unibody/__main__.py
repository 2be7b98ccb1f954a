"""`python -m unibody` is the `unibody` command."""

import sys

from unibody.cli import main

sys.exit(main())

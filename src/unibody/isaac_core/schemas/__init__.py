"""Schemas of OpenUSD that usd-core has not: PhysX's, and the earlier one of semantics."""

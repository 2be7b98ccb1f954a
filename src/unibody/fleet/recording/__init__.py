"""Event logs, snapshots, films, traffic metrics and reports."""

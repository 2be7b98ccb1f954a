"""The rules of drives, contacts and constraints: one table, one file a kind of row."""

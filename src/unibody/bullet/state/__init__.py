"""What a client keeps under numbers: shapes, notes, debug items."""

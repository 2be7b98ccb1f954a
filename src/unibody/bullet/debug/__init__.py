"""What a script tells a window and asks of it: settings, debug items, events."""

"""What every surface stands on: assets (files to descriptions), engine (running worlds), render."""

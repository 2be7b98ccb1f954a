"""The editable description of one world, its edits, and worlds that several APIs share."""

"""Assets: files and built-in shapes, as the engine and the API see them."""

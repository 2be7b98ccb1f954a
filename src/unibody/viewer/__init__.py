"""The browser viewer, on viser: loads nothing until a page is asked for."""

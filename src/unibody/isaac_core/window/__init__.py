"""The page of an app that is not headless. Only functions import it."""

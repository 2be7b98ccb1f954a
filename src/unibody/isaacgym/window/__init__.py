"""The page of a viewer. Only functions import it: who opens no viewer pays for none."""

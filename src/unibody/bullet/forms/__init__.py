"""The functions of the API as scripts get them: sorted by their arguments, short forms first."""

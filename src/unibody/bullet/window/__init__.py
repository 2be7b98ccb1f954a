"""The window of a GUI client. Only functions import it: who opens no window pays for none."""

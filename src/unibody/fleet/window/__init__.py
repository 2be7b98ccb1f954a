"""The page of a fleet. Only functions import it: who opens no page pays for none."""

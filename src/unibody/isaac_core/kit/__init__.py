"""What scripts use of the application around Isaac core: loop, timeline, stage, settings."""

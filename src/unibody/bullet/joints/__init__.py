"""Motors, sensors and states of joints."""

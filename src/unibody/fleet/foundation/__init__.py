"""What all of the fleet builds upon: enumerations, events, loggers, files, threads."""

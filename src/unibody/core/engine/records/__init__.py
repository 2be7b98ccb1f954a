"""What is known of worlds and bodies: options, records, and the numbers of rules."""

"""What is shown in the browser."""

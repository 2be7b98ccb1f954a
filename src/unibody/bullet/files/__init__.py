"""Files that describe rigid or soft bodies."""

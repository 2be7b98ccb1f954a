"""Mass properties of links: from their shapes, and where a file leaves them open."""

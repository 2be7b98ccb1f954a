"""How bodies look: colours and textures."""

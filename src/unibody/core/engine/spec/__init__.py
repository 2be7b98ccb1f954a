"""What MuJoCo is told about a scene: bodies, shapes and options, written into an ``MjSpec``."""

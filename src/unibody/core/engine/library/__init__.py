"""MuJoCo's library in this process: where its fields lie, and what a process has once."""

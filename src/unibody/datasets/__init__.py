"""Recordings of runs as data sets: Parquet in LeRobot's layout, and MCAP.

``frames`` says what is recorded, ``lerobot`` and ``mcap_file`` write and read it, ``looks`` keeps
what things look like, and ``replay`` shows a recording in the viewer.
"""

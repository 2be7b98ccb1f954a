"""Writers of robot and object files: an ``Asset`` as URDF, MJCF, USD or SDF."""

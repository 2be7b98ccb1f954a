"""The world: settings of the physics on the stage, SimulationContext and World."""

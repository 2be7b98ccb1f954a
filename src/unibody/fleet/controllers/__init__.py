"""Controllers above and beside the two kinematic ones."""

from unibody.fleet.controllers import controller
from unibody.fleet.controllers.batch_base import BatchKinematicController
from unibody.fleet.controllers.batch_differential import BatchDifferentialController
from unibody.fleet.controllers.batch_omni import BatchOmniController
from unibody.fleet.controllers.circuit_controller import CircuitController
from unibody.fleet.controllers.patrol_controller import PatrolController
from unibody.fleet.controllers.random_walk_controller import RandomWalkController
from unibody.fleet.controllers.route_controller import RouteController

# The original has these under the name of the module of the kinematic ones, too.
for _kind in (PatrolController, RandomWalkController):
    setattr(controller, _kind.__name__, _kind)

__all__ = [
    "BatchDifferentialController",
    "BatchKinematicController",
    "BatchOmniController",
    "CircuitController",
    "PatrolController",
    "RandomWalkController",
    "RouteController",
]

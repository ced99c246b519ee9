from crypsis.arrays import *  # noqa: F403
from crypsis.arrays import Array as Array

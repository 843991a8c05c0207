"""Depth from Python in Depthloom: `view` and `Viewer` show it, `read` reads it, `filtered` filters it."""

from .filtering import filtered
from .frames import Frame
from .reading import read
from .viewer import Viewer, view

__all__ = ["Frame", "Viewer", "filtered", "read", "view"]

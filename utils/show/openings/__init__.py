"""The drawing that a lesson opens with, one module each: what it is about, at a glance."""

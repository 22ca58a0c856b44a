"""The lessons, a folder each. What a lesson alone has, an experiment for instance, is `lessons.race` to all others."""

from pathlib import Path

__path__ += [str(folder) for folder in sorted(Path(__file__).parent.glob("[0-9]*"))]

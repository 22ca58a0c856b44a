"""The lessons, a folder each. What a lesson alone has, such as an experiment, is imported by its name: `lessons.race`."""

from pathlib import Path

__path__ += [str(folder) for folder in sorted(Path(__file__).parent.glob("[0-9]*"))]

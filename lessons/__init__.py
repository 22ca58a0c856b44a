"""The lessons, a folder each.

`from lessons.race import …` is race.py of whichever folder has it: no two files share a name. A name that begins with
a number, such as 01_why_attention, can't be imported. Editors can't follow either: let yours open a file by its name.
"""

from pathlib import Path

__path__ += [str(folder) for folder in sorted(Path(__file__).parent.glob("[0-9]*"))]

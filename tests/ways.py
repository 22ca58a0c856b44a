"""A way to each task of each control: what a hand turns, from the start or from a preset."""

from __future__ import annotations

from typing import Any

Way = tuple[str, dict[str, Any]]  # the preset to start from, or none, and what is turned then

LOW = [[column <= row for column in range(4)] for row in range(4)]
# lesson -> for each of its controls a way to each task, in their order
WAYS: dict[str, list[list[Way]]] = {
    "01": [
        [
            ("", {"decoder_gets": "whole state, 5 times the training", "letters": 15}),
            ("long, attention", {"letters": 25}),
        ],
        [("not clean", {"task": "service"}), ("no location", {"task": "service"})],
    ],
    "02": [[("", {"merges": 22}), ("Persian, learnt on itself", {"merges": 23})]],
    "02b": [[("x², h = 1", {"x": -0.5}), ("ln", {"x": 0.5}), ("two variables", {"y": 0})]],
    "03": [[("k = 1", {"negatives": 0}), ("", {"window": 2}), ("", {"negatives": 2})]],
    "04": [[("", {"base": 10000}), ("one pair only", {"position": 44})]],
    "05": [
        [
            ("", {"W_K": [[0, 0, 1], [1, 0, -2], [0, 1, 1], [1, 1, 1]]}),
            ("", {"X": [[1, 0, 1, 0], [0, 6, 0, 6], [1, 1, 1, 1]]}),
            ("", {"X": [[0, 0, 0, 0], [0, 2, 0, 2], [1, 1, 1, 1]]}),
        ]
    ],
    "06": [
        [
            ("no scale, d_k = 512", {"d_k": 8}),
            ("a head of 64, ÷ √d_model", {"T": 0.35}),
            ("scaled, d_k = 512", {"T": 8}),
        ]
    ],
    "07": [[("four heads", {"head": 2}), ("eight", {"head": 8}), ("“the” twice", {"head": 2})]],
    "08": [
        [
            ("", {"allowed": [LOW[0], [False, False, True, False], *LOW[2:]]}),
            ("", {"allowed": [[True, False, False, True], *LOW[1:]]}),
            ("−10⁴", {"loud": 5000}),
        ]
    ],
    "09": [
        [
            ("", {"x": [[5.1, 5.2, 5.3], [0.4, 0.2, 0.3]]}),
            ("", {"gamma": [[0, 0, 0]], "beta": [[1, 1, 1]]}),
            ("PyTorch's", {"eps": 0.1}),
        ]
    ],
    "09b": [[("", {"rate": "0.1"}), ("sound", {"left_out": "step"})]],
    "10": [[("", {"stop": 8}), ("the … the", {"positions": False}), ("", {"stop": 12})]],
    "11": [[("", {"step": 2}), ("untrained", {"step": 2})]],
    "12": [[("our rate, but small", {"rate": "0.01"}), ("", {"until": 90})]],
    "12a": [[("", {"written": 4}), ("no subject", {"written": 3})]],
    "13": [
        [("", {"p": 0.3}), ("", {"temperature": 2.0}), ("top-p", {"written": 2})],
        [("no subject either", {"width": 6}), ("", {"alpha": 2.0})],
    ],
    "15": [[("mean of layer 3", {"without": True}), ("too wide", {"layer": 5, "head": 1})]],
    "16": [[("", {"p": 0.05}), ("", {"p": 1.0})]],
    "17": [[("", {"image": 27}), ("a blank sheet", {"head": 2})]],
    "18": [[("", {"k": 80}), ("one main direction", {"k": 2})]],
    "18b": [[("the lesson's scores", {"chunk": 4}), ("a masked row", {"step": 2})]],
    "19": [[("N4's table", {"position": 59, "unit": "degrees"}), ("N4's table", {"position": 10, "base": 10000})]],
    "21": [[("", {"pull": -2.0}), ("the first unit", {"pull": -2.6}), ("", {"cut": "1st residual"})]],
    "22": [
        [
            ("another object", {"place": 1, "donor": "We drink cold water."}),
            ("", {"place": 2}),
            ("all different", {"place": 2}),
        ]
    ],
    "23": [[("", {"strength": 0.75}), ("one part", {"parts": 4}), ("", {"strength": 3.0})]],
    "24": [[("all", {"baseline": False}), ("all", {"turned": 8}), ("", {"turned": 3})]],
}

PLACES = ("14", "20")  # lessons whose tasks are done in places: of the explorer, and of the walk

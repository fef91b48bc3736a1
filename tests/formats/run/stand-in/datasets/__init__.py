# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands for Hugging Face's datasets, which Debian does not have: the lines of a JSON file."""
import json


def load_dataset(kind, data_files, split):
    assert kind == "json" and split == "train"
    with open(data_files) as file:
        return [json.loads(line) for line in file]

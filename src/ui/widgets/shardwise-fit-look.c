/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-fit-look.h"

const ShardwiseFitLook shardwise_fit_looks[SHARDWISE_N_FITS] = {
  [SW_FIT_FITS] = { "object-select-symbolic", "success" },
  [SW_FIT_MAY_NOT] = { "dialog-warning-symbolic", "warning" },
  [SW_FIT_DOES_NOT_FIT] = { "window-close-symbolic", "error" },
};

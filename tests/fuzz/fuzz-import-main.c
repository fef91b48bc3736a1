/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entry point of libFuzzer for one kind of file. */
#include "fuzz-import.h"
#include "fuzz-target.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  fuzz_import (data, size, SHARDWISE_FUZZ_NAME, TRUE);
  return 0;
}

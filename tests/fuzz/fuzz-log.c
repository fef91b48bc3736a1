/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training logs from anywhere: figures that a run can have, or an error of one line. */
#include "fuzz-target.h"

#include <math.h>
#include <string.h>

#include "shardwise-log.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  ShardwiseLog log;
  double step_s;

  if (!shardwise_log_read ((const char *) data, (gssize) size, &log, &error))
    {
      g_assert_nonnull (error);
      g_assert_null (strchr (error->message, '\n'));
      return 0;
    }
  g_assert_no_error (error);
  step_s = shardwise_log_get_step_s (&log, 8, 64, 4096);
  g_assert_true (isfinite (step_s) && step_s >= 0);
  g_assert_true (isfinite (log.memory_gib) && log.memory_gib >= 0);
  g_assert_true ((log.memory_gib > 0) == (log.memory_kind != 0));
  return 0;
}

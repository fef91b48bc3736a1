/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <string.h>

#include "shardwise-measured.h"

G_BEGIN_DECLS

/* The measured run of this name, which must be there. */
static inline const ShardwiseRun *
find_run (GPtrArray *runs, const char *id)
{
  for (guint i = 0; i < runs->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (runs, i);

      if (g_str_equal (run->id, id))
        return run;
    }
  g_assert_not_reached ();
}

G_END_DECLS

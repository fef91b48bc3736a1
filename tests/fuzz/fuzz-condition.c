/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of rules from anywhere: an error of one line, or a condition. */
#include "fuzz-target.h"

#include <string.h>

#include "shardwise-condition.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseCondition) condition = NULL;

  condition = shardwise_condition_parse (text, &error);
  g_assert_true ((condition == NULL) == (error != NULL));
  if (error != NULL)
    g_assert_null (strchr (error->message, '\n'));
  return 0;
}

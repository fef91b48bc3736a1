/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-journal-run.h"

G_DEFINE_BOXED_TYPE (ShardwiseJournalRun, shardwise_journal_run, shardwise_journal_run_copy,
                     shardwise_journal_run_free)

/**
 * shardwise_journal_run_new:
 *
 * Returns: (transfer full): a run of today without figures
 */
ShardwiseJournalRun *
shardwise_journal_run_new (void)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  ShardwiseJournalRun *self = g_new0 (ShardwiseJournalRun, 1);

  self->name = g_strdup ("");
  self->note = g_strdup ("");
  self->scenario = g_strdup ("");
  self->day = g_date_time_format (now, "%Y-%m-%d");
  self->memory_kind = 'p';
  return self;
}

/**
 * shardwise_journal_run_copy:
 *
 * Returns: (transfer full): the same run
 */
ShardwiseJournalRun *
shardwise_journal_run_copy (const ShardwiseJournalRun *self)
{
  ShardwiseJournalRun *copy = g_new0 (ShardwiseJournalRun, 1);

  *copy = *self;
  copy->name = g_strdup (self->name);
  copy->day = g_strdup (self->day);
  copy->scenario = g_strdup (self->scenario);
  copy->note = g_strdup (self->note);
  return copy;
}

/**
 * shardwise_journal_run_free:
 * @self: (transfer full) (nullable)
 */
void
shardwise_journal_run_free (ShardwiseJournalRun *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->day);
  g_free (self->scenario);
  g_free (self->note);
  g_free (self);
}

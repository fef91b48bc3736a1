/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several files as one job: the role of each file, and the order in which they are read: the model,
 * the launcher, the configuration, the script. Later files override earlier ones. References join
 * the files: of two files of the same kind, the one that another file refers to is used. */
#include "shardwise-import-order.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-import-job.h"
#include "shardwise-node-python.h"

/* What a file is to a job, in the order of reading. */
typedef enum {
  ROLE_MACHINE, /* of which there may be several */
  ROLE_MODEL,
  ROLE_LAUNCHER,
  ROLE_LAUNCH_CONFIGURATION, /* Accelerate's */
  ROLE_CONFIGURATION,        /* DeepSpeed's */
  ROLE_SCRIPT,               /* that starts DeepSpeed */
  ROLE_JOB,                  /* that says all of it */
  N_ROLES
} Role;

static Role
role_of (const ShardwiseImportPart *part)
{
  switch (part->kind)
    {
    case SHARDWISE_IMPORT_PROBE: return ROLE_MACHINE;
    case SHARDWISE_IMPORT_CONFIG:
    case SHARDWISE_IMPORT_PARAMS: return ROLE_MODEL;
    case SHARDWISE_IMPORT_ACCELERATE: return ROLE_LAUNCH_CONFIGURATION;
    case SHARDWISE_IMPORT_DEEPSPEED:
      return shardwise_node_member (part->root, SHARDWISE_NODE_CALLS) != NULL ? ROLE_SCRIPT
                                                                              : ROLE_CONFIGURATION;
    case SHARDWISE_IMPORT_SKYPILOT: return ROLE_LAUNCHER;
    case SHARDWISE_IMPORT_AXOLOTL:
    case SHARDWISE_IMPORT_LLAMA_FACTORY:
    case SHARDWISE_IMPORT_TORCHTUNE:
    case SHARDWISE_IMPORT_VERL:
    case SHARDWISE_IMPORT_OPENRLHF:
    case SHARDWISE_IMPORT_TRAINER:
    case SHARDWISE_IMPORT_UNSLOTH:
    case SHARDWISE_IMPORT_SCENARIO:
    case SHARDWISE_IMPORT_ERROR: /* is not part of a job */
    case SHARDWISE_IMPORT_NANOTRON:
    case SHARDWISE_IMPORT_MEGATRON:
    case SHARDWISE_IMPORT_TORCHTITAN:
    case SHARDWISE_IMPORT_TORCHTITAN_MAIN:
    case SHARDWISE_IMPORT_BRIDGE:
    case SHARDWISE_IMPORT_PYTORCH:
    case SHARDWISE_N_IMPORTS:
    default: return part->is_launcher ? ROLE_LAUNCHER : ROLE_JOB;
    }
}

/* Whether another file contains the name of a file. */
static gboolean
is_named (const GPtrArray *parts, guint index)
{
  const ShardwiseImportPart *self = parts->pdata[index];
  g_autofree char *name = g_path_get_basename (self->name);

  for (guint i = 0; i < parts->len; i++)
    if (i != index && strstr (((ShardwiseImportPart *) parts->pdata[i])->text, name) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
is_script (const ShardwiseImportPart *part)
{
  return part->root == NULL;
}

/* Takes scripts that another one sources out of the parts. */
static void
take_sources (ShardwiseImportSet *self)
{
  for (guint i = self->parts->len; i > 0 && self->parts->len > 1; i--)
    {
      const ShardwiseImportPart *part = self->parts->pdata[i - 1];
      g_autofree char *name = g_path_get_basename (part->name);
      g_autofree char *quoted = g_regex_escape_string (name, -1);
      g_autofree char *sources = g_strdup_printf ("^[ \t]*(source|\\.)[ \t][^#\n]*%s", quoted);
      gboolean is_sourced = FALSE;

      for (guint j = 0; is_script (part) && j < self->parts->len && !is_sourced; j++)
        is_sourced = j != i - 1 && is_script (self->parts->pdata[j])
                     && g_regex_match_simple (sources,
                                              ((ShardwiseImportPart *) self->parts->pdata[j])->text,
                                              G_REGEX_MULTILINE, 0);
      if (!is_sourced)
        continue;
      g_hash_table_insert (self->sources, g_strdup (name), g_strdup (part->text));
      g_ptr_array_remove_index (self->parts, i - 1);
    }
}

/* Whether a file that is no script says a job. */
static gboolean
has_document (const ShardwiseImportSet *self)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (!is_script (self->parts->pdata[i]) && role_of (self->parts->pdata[i]) == ROLE_JOB)
      return TRUE;
  return FALSE;
}

/* Scripts without Megatron-LM's arguments start something that another file says; where none does,
 * they are read as what they are not, and refused. */
static void
find_launchers (ShardwiseImportSet *self)
{
  gboolean has_job = FALSE;

  for (guint i = 0; i < self->parts->len; i++)
    {
      ShardwiseImportPart *part = self->parts->pdata[i];

      part->is_launcher = self->parts->len > 1 && is_script (part)
                          && !shardwise_import_is_megatron_script (part->text, self->sources)
                          && (part->kind == SHARDWISE_IMPORT_MEGATRON || has_document (self));
      has_job = has_job || (role_of (part) > ROLE_MODEL && !part->is_launcher);
    }
  for (guint i = 0; i < self->parts->len && !has_job; i++)
    ((ShardwiseImportPart *) self->parts->pdata[i])->is_launcher = FALSE;
}

static int
by_role (gconstpointer a, gconstpointer b)
{
  return (int) role_of (*(ShardwiseImportPart *const *) a)
         - (int) role_of (*(ShardwiseImportPart *const *) b);
}

/* Of several of a role the one that another file names; FALSE, with an error, where that leaves more
 * than one. */
static gboolean
leave_one (ShardwiseImportSet *self, Role role, GError **error)
{
  const ShardwiseImportPart *first = NULL;
  gboolean some_are_named = FALSE;

  for (guint i = 0; i < self->parts->len; i++)
    if (role_of (self->parts->pdata[i]) == role)
      some_are_named = some_are_named || is_named (self->parts, i);
  for (guint i = 0; i < self->parts->len; i++)
    {
      const ShardwiseImportPart *part = self->parts->pdata[i];

      if (role_of (part) != role)
        continue;
      if (first != NULL || (some_are_named && !is_named (self->parts, i)))
        {
          if (some_are_named && !is_named (self->parts, i))
            g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX,
                         /* Translators: the name of a file */
                         _ ("no other file refers to “%s”: it belongs to another job"), part->name);
          else
            g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX,
                         /* Translators: names of two files */
                         _ ("“%s” and “%s” are of the same kind, of which a job has only one"),
                         first->name, part->name);
          return FALSE;
        }
      first = part;
    }
  return TRUE;
}

/**
 * shardwise_import_set_new:
 * @parts: (transfer full) (element-type ShardwiseImportPart): files, in any order, at least one
 *
 * Puts the files of one job in order.
 *
 * Returns: (transfer full): the job; %NULL with @error where they are no job together
 */
ShardwiseImportSet *
shardwise_import_set_new (GPtrArray *parts, GError **error)
{
  g_autoptr (ShardwiseImportSet) self = g_new0 (ShardwiseImportSet, 1);

  self->parts = parts;
  self->sources = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < parts->len; i++)
    {
      const ShardwiseImportPart *part = parts->pdata[i];

      if (part->kind != SHARDWISE_IMPORT_SCENARIO || parts->len == 1)
        continue;
      g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX,
                   /* Translators: the name of a file */
                   _ ("“%s” is a scenario, which is a job of its own: open it separately"),
                   part->name);
      return NULL;
    }
  take_sources (self);
  find_launchers (self);
  for (Role role = ROLE_MODEL; role < N_ROLES; role++)
    if (!leave_one (self, role, error))
      return NULL;
  g_ptr_array_sort (self->parts, by_role);
  self->main = self->parts->len - 1;
  return g_steal_pointer (&self);
}

/**
 * shardwise_import_set_free:
 * @self: (transfer full) (nullable): the files of a job
 */
void
shardwise_import_set_free (ShardwiseImportSet *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->parts);
  g_hash_table_unref (self->sources);
  g_free (self);
}

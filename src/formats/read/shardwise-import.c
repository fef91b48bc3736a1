/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of training jobs and of models as scenarios: detects the kind of a file, reads it, and
 * stores the result as text, so that it outlives the program. Files that the input refers to are
 * not opened, and nothing is executed. */
#include "shardwise-import.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-failure.h"
#include "shardwise-file.h"
#include "shardwise-import-job.h"
#include "shardwise-import-part.h"
#include "shardwise-json.h"
#include "shardwise-node-python.h"
#include "shardwise-resolve.h"

/* ---- several files as one job ----
 *
 * The role of each file, and the order in which they are read: the model, the launcher, the
 * configuration, the script. Later files override earlier ones. References join the files: of two files
 * of the same kind, the one that another file refers to is used. */

typedef struct {
  GPtrArray *parts;    /* ShardwiseImportPart elements, in the order of reading */
  GHashTable *sources; /* file name -> its text: scripts that another one sources */
  guint main;          /* index of the part that determines the kind of the job */
} ImportSet;

static void
import_set_free (ImportSet *self)
{
  g_ptr_array_unref (self->parts);
  g_hash_table_unref (self->sources);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ImportSet, import_set_free)

/* The role of a file in a job, in the order of reading. */
typedef enum {
  ROLE_MACHINE, /* may occur several times */
  ROLE_MODEL,
  ROLE_LAUNCHER,
  ROLE_LAUNCH_CONFIGURATION, /* Accelerate's */
  ROLE_CONFIGURATION,        /* DeepSpeed's */
  ROLE_SCRIPT,               /* the script that starts DeepSpeed */
  ROLE_JOB,                  /* a complete job */
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
    case SHARDWISE_IMPORT_ERROR: /* not part of a job */
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

/* Removes scripts that another one sources from the parts. */
static void
take_sources (ImportSet *self)
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

/* Scripts without Megatron-LM's arguments start a job from another file. If there is none, they are
 * read as unsupported scripts, and refused. */
static void
find_launchers (ImportSet *self)
{
  gboolean has_document = FALSE, has_job = FALSE; /* another file has a job */

  for (guint i = 0; i < self->parts->len; i++)
    has_document = has_document
                   || (!is_script (self->parts->pdata[i])
                       && role_of (self->parts->pdata[i]) == ROLE_JOB);
  for (guint i = 0; i < self->parts->len; i++)
    {
      ShardwiseImportPart *part = self->parts->pdata[i];

      part->is_launcher = self->parts->len > 1 && is_script (part)
                          && !shardwise_import_is_megatron_script (part->text, self->sources)
                          && (part->kind == SHARDWISE_IMPORT_MEGATRON || has_document);
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

/* Of several files with one role, keeps the one that another file refers to; FALSE with an error if
 * more than one remains. */
static gboolean
leave_one (ImportSet *self, Role role, GError **error)
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

/* Sorts the files of one job, at least one; NULL with an error if they do not form a job. */
static ImportSet *
import_set_new (GPtrArray *parts, GError **error)
{
  g_autoptr (ImportSet) self = g_new0 (ImportSet, 1);

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

/* ---- readers ---- */

static const ShardwiseImportReader scenario_reader = { "scenario", N_ ("Shardwise scenario"),
                                                       SHARDWISE_N_FORMATS, NULL };

static const ShardwiseImportReader error_reader = { "error", N_ ("Error message of a run"),
                                                    SHARDWISE_N_FORMATS, NULL };

static const ShardwiseImportReader *const readers[SHARDWISE_N_IMPORTS] = {
  [SHARDWISE_IMPORT_SCENARIO] = &scenario_reader,
  [SHARDWISE_IMPORT_CONFIG] = &shardwise_import_config,
  [SHARDWISE_IMPORT_PARAMS] = &shardwise_import_params,
  [SHARDWISE_IMPORT_ERROR] = &error_reader,
  [SHARDWISE_IMPORT_PROBE] = &shardwise_import_probe,
  [SHARDWISE_IMPORT_DEEPSPEED] = &shardwise_import_deepspeed,
  [SHARDWISE_IMPORT_NANOTRON] = &shardwise_import_nanotron,
  [SHARDWISE_IMPORT_MEGATRON] = &shardwise_import_megatron,
  [SHARDWISE_IMPORT_TORCHTITAN] = &shardwise_import_torchtitan,
  [SHARDWISE_IMPORT_ACCELERATE] = &shardwise_import_accelerate,
  [SHARDWISE_IMPORT_SKYPILOT] = &shardwise_import_skypilot,
  [SHARDWISE_IMPORT_AXOLOTL] = &shardwise_import_axolotl,
  [SHARDWISE_IMPORT_LLAMA_FACTORY] = &shardwise_import_llama_factory,
  [SHARDWISE_IMPORT_TORCHTUNE] = &shardwise_import_torchtune,
  [SHARDWISE_IMPORT_VERL] = &shardwise_import_verl,
  [SHARDWISE_IMPORT_OPENRLHF] = &shardwise_import_openrlhf,
  [SHARDWISE_IMPORT_TRAINER] = &shardwise_import_trainer,
  [SHARDWISE_IMPORT_UNSLOTH] = &shardwise_import_unsloth,
  [SHARDWISE_IMPORT_TORCHTITAN_MAIN] = &shardwise_import_torchtitan_main,
  [SHARDWISE_IMPORT_BRIDGE] = &shardwise_import_bridge,
  [SHARDWISE_IMPORT_PYTORCH] = &shardwise_import_pytorch,
};

/**
 * shardwise_import_name:
 * @kind: the kind of a file
 *
 * Returns: (transfer none): its word in the JSON output
 */
const char *
shardwise_import_name (ShardwiseImportKind kind)
{
  g_return_val_if_fail (kind < SHARDWISE_N_IMPORTS, NULL);

  return readers[kind]->name;
}

/**
 * shardwise_import_title:
 * @kind: the kind of a file
 *
 * Returns: (transfer none): its translated title
 */
const char *
shardwise_import_title (ShardwiseImportKind kind)
{
  return kind < SHARDWISE_N_IMPORTS ? _ (readers[kind]->title) : _ ("Unknown file");
}

/**
 * shardwise_import_detect:
 * @text: any bytes
 * @length: their count
 * @name: the name of the file, "" if it has none
 *
 * Returns: the kind of the text; %SHARDWISE_IMPORT_UNKNOWN if it is unsupported or malformed
 */
ShardwiseImportKind
shardwise_import_detect (const char *text, gsize length, const char *name)
{
  g_autoptr (ShardwiseImportPart) part = NULL;
  ShardwiseFailure failure;

  if (shardwise_failure_read (text, (gssize) length, &failure))
    return SHARDWISE_IMPORT_ERROR;
  part = shardwise_import_part_new (text, length, name, NULL);
  return part != NULL ? part->kind : SHARDWISE_IMPORT_UNKNOWN;
}

/* ---- reading ---- */

/* Reads one file of a job into the result of the previous ones. */
static void
read_part (ShardwiseImportJob *job, const ShardwiseImportPart *part)
{
  const ShardwiseNode *root = part->root;

  job->part = part;
  job->text = part->text;
  job->name = part->name;
  job->root = root;
  if (part->hjson_line > 0)
    shardwise_import_warn (
        job,
        _ ("Line %u is Hjson, not JSON (a comment, a word without quotes, a missing or extra "
           "comma): DeepSpeed reads it, but Hugging Face’s loader does not."),
        part->hjson_line);
  if (root != NULL && root->repeated > 0)
    shardwise_import_find (
        job, SHARDWISE_SEVERITY_WARNING, "repeated-key",
        _ ("Line %u sets a key a second time: the framework silently uses the last value."),
        root->repeated);
  (part->is_launcher ? &shardwise_import_launcher : readers[part->kind])->read (job);
  if (part->kind == SHARDWISE_IMPORT_CONFIG || part->kind == SHARDWISE_IMPORT_PARAMS)
    job->has_model = TRUE;
  if (job->error != NULL && job->parts->len > 1)
    {
      g_autofree char *name = g_path_get_basename (job->part->name); /* the last read one */

      g_prefix_error (&job->error, "%s: ", name);
    }
}

static ShardwiseImport *
read_set (const ImportSet *set, ShardwiseScenario *base, const SwGpu *seen, GError **error)
{
  const ShardwiseImportPart *main = set->parts->pdata[set->main];
  g_autoptr (ShardwiseImport) self = shardwise_import_new (main->kind);
  g_autoptr (ShardwiseScenario) whole = NULL;
  g_autofree char *base_name = *main->name != '\0' ? g_path_get_basename (main->name) : NULL,
                  *title = NULL;
  ShardwiseImportJob job = {
    .out = self, .base = base, .sources = set->sources, .parts = set->parts, .seen = seen
  };

  if (main->kind != SHARDWISE_IMPORT_PROBE)
    self->scenario = g_object_new (SHARDWISE_TYPE_SCENARIO, NULL);
  else /* the rest only sets the speed of the GPUs */
    self->scenario = base != NULL ? shardwise_scenario_copy (base) : shardwise_scenario_new ();
  for (guint i = 0; i < set->parts->len && job.error == NULL; i++)
    read_part (&job, set->parts->pdata[i]);
  if (main->kind != SHARDWISE_IMPORT_PROBE)
    shardwise_import_complete (&job);
  shardwise_import_keep_assumed (self);
  if (base_name == NULL || g_str_equal (base_name, "-"))
    title = g_strdup (shardwise_import_title (main->kind));
  else
    title = g_utf8_make_valid (base_name, -1);
  if (base == NULL || main->kind != SHARDWISE_IMPORT_PROBE)
    shardwise_import_put_word (&job, SHARDWISE_KEY_NAME, title);
  if (job.error != NULL)
    {
      g_debug ("“%s” is refused as %s: %s", job.name, shardwise_import_name (main->kind),
               job.error->message);
      g_propagate_error (error, job.error);
      return NULL;
    }
  g_debug ("Read “%s” and %u others as %s: %u warnings, %u findings", main->name,
           set->parts->len - 1, shardwise_import_name (main->kind), self->warnings->len,
           self->findings->len);
  whole = g_steal_pointer (&self->scenario);
  self->scenario = shardwise_scenario_copy (whole); /* without the undo steps that made it */
  return g_steal_pointer (&self);
}

/* Files without an error message; seen: (nullable): the GPU in such a message. */
static ShardwiseImport *
read_job (const ShardwiseImportText *files, guint n, ShardwiseScenario *base, const SwGpu *seen,
          GError **error)
{
  g_autoptr (GPtrArray) parts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_import_part_free);
  g_autoptr (ImportSet) set = NULL;
  const ShardwiseImportPart *first;

  for (guint i = 0; i < n; i++)
    {
      ShardwiseImportPart *part = shardwise_import_part_new (files[i].text, files[i].length,
                                                             files[i].name, error);

      if (part == NULL && n > 1)
        {
          g_autofree char *name = g_path_get_basename (files[i].name);

          g_prefix_error (error, "%s: ", name);
        }
      if (part == NULL)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  set = import_set_new (g_steal_pointer (&parts), error);
  if (set == NULL)
    return NULL;
  first = set->parts->pdata[0];
  if (first->kind == SHARDWISE_IMPORT_SCENARIO)
    {
      g_autoptr (ShardwiseImport) self = shardwise_import_new (SHARDWISE_IMPORT_SCENARIO);

      self->scenario = shardwise_scenario_from_json (first->text, -1, error);
      return self->scenario != NULL ? g_steal_pointer (&self) : NULL;
    }
  return read_set (set, base, seen, error);
}

/* Whether the text beside an error message is a file; a map in a log is not a scenario. */
static gboolean
is_beside (const ShardwiseImportText *rest)
{
  const ShardwiseImportKind kind = shardwise_import_detect (rest->text, rest->length, "");
  g_autoptr (ShardwiseScenario) scenario = NULL;

  if (rest->length == 0 || kind != SHARDWISE_IMPORT_SCENARIO)
    return rest->length > 0 && kind != SHARDWISE_IMPORT_UNKNOWN;
  scenario = shardwise_scenario_from_json (rest->text, (gssize) rest->length, NULL);
  return scenario != NULL;
}

/* Separates the error message from the other files, and from a command or configuration in the same
 * text, which @held keeps; FALSE if there is no error message. */
static gboolean
take_failure (const ShardwiseImportText *files, guint n, GArray *others, GPtrArray *held,
              ShardwiseFailure *out)
{
  gboolean found = FALSE;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *valid = NULL;
      ShardwiseImportText rest = { .name = files[i].name };
      ShardwiseFailure failure;

      if (!shardwise_failure_read (files[i].text, (gssize) files[i].length, &failure))
        {
          g_array_append_val (others, files[i]);
          continue;
        }
      valid = g_utf8_make_valid (files[i].text, (gssize) files[i].length);
      rest.text = shardwise_failure_beside (valid);
      rest.length = strlen (rest.text);
      g_ptr_array_add (held, (char *) rest.text);
      if (is_beside (&rest))
        g_array_append_val (others, rest);
      *out = failure;
      found = TRUE;
    }
  return found;
}

/* The error that ended the run of a job, and changes to fix it. */
static ShardwiseImport *
read_failure (const ShardwiseFailure *failure, const GArray *others, ShardwiseScenario *base,
              GError **error)
{
  g_autoptr (ShardwiseImport) self = NULL;
  g_autoptr (GPtrArray) findings = NULL;

  if (others->len > 0)
    self = read_job ((const ShardwiseImportText *) (gpointer) others->data, others->len, base,
                     shardwise_failure_gpu (failure), error);
  else
    {
      self = shardwise_import_new (SHARDWISE_IMPORT_ERROR);
      self->scenario = base != NULL ? shardwise_scenario_copy (base) : shardwise_scenario_new ();
    }
  if (self == NULL)
    return NULL;
  findings = shardwise_failure_findings (failure,
                                         others->len > 0 || base != NULL ? self->scenario : NULL);
  for (guint i = findings->len; i > 0; i--)
    g_ptr_array_insert (self->findings, 0, g_ptr_array_steal_index (findings, i - 1));
  return g_steal_pointer (&self);
}

/**
 * shardwise_import_read_job:
 * @files: any bytes with their names; the extension helps if the content is ambiguous things
 * @n: their number, at least one
 * @base: (nullable): the current scenario, for the model, the cluster and other values that the
 *   files do not state; %NULL: defaults
 *
 * Reads the files of one job: its model, its launcher, its configuration, its script, and the error
 * that ended its run; an error alone refers to @base.
 *
 * Returns: (transfer full): a scenario with the strategy of the job pinned; %NULL with @error,
 * which has the file if there are several, the line and the column
 */
ShardwiseImport *
shardwise_import_read_job (const ShardwiseImportText *files, guint n, ShardwiseScenario *base,
                           GError **error)
{
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (ShardwiseImportText));
  ShardwiseFailure failure;

  g_return_val_if_fail (n > 0, NULL);

  return take_failure (files, n, others, held, &failure)
             ? read_failure (&failure, others, base, error)
             : read_job (files, n, base, NULL, error);
}

/**
 * shardwise_import_read:
 * @text: any bytes
 * @length: their count
 * @name: the file's name, "" if it has none
 * @base: (nullable): as for shardwise_import_read_job()
 *
 * Reads a job of one file.
 *
 * Returns: (transfer full): as shardwise_import_read_job()
 */
ShardwiseImport *
shardwise_import_read (const char *text, gsize length, const char *name, ShardwiseScenario *base,
                       GError **error)
{
  const ShardwiseImportText file = { text, length, name };

  return shardwise_import_read_job (&file, 1, base, error);
}

/**
 * shardwise_import_document:
 * @text: a scenario, or the configuration of a job or a model
 * @length: in bytes
 * @name: the name of its file; "": none
 * @base: (nullable): defaults of a configuration
 * @error: also set if a scenario lacks a model or GPUs, as it is then invalid
 *
 * Reads a separate document. A wrong link is accepted, and its row says so; a job without a model
 * is accepted, too, and the user is asked for it.
 *
 * Returns: (transfer full) (nullable): the import
 */
ShardwiseImport *
shardwise_import_document (const char *text, gsize length, const char *name,
                           ShardwiseScenario *base, GError **error)
{
  g_autoptr (ShardwiseImport) import = shardwise_import_read (text, length, name, base, error);
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GError) unresolved = NULL;

  if (import == NULL)
    return NULL;
  if (import->kind == SHARDWISE_IMPORT_SCENARIO
      && !shardwise_scenario_resolve (import->scenario, problem, NULL, &unresolved)
      && g_error_matches (unresolved, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING))
    {
      g_propagate_error (error, g_steal_pointer (&unresolved));
      return NULL;
    }
  return g_steal_pointer (&import);
}

/**
 * shardwise_import_files:
 * @files: (element-type GFile): a scenario, or the files of one job or model
 * @base: (nullable): their defaults
 *
 * Reads files as shardwise_import_document() does a text, and several as shardwise_import_read_job()
 * does; blocks.
 *
 * Returns: (transfer full) (nullable): the import
 */
ShardwiseImport *
shardwise_import_files (GPtrArray *files, ShardwiseScenario *base, GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref),
                        names = g_ptr_array_new_with_free_func (g_free);
  g_autofree ShardwiseImportText *texts = g_new0 (ShardwiseImportText, files->len);

  for (guint i = 0; i < files->len; i++)
    {
      GBytes *bytes = shardwise_read_file (files->pdata[i], cancellable, error);
      g_autofree char *path = g_file_get_basename (files->pdata[i]);
      char *name = g_filename_display_name (path);

      g_ptr_array_add (names, name);
      if (bytes == NULL)
        return NULL;
      g_ptr_array_add (held, bytes);
      texts[i].name = name;
      texts[i].text = g_bytes_get_data (bytes, &texts[i].length);
      if (texts[i].text == NULL)
        texts[i].text = "";
    }
  return files->len == 1 ? shardwise_import_document (texts[0].text, texts[0].length, texts[0].name,
                                                      base, error)
                         : shardwise_import_read_job (texts, files->len, base, error);
}

/**
 * shardwise_import_file:
 * @file: a scenario, or the configuration of a job or a model
 *
 * shardwise_import_files() of one.
 *
 * Returns: (transfer full) (nullable): the import
 */
ShardwiseImport *
shardwise_import_file (GFile *file, ShardwiseScenario *base, GCancellable *cancellable,
                       GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new ();

  g_ptr_array_add (files, file);
  return shardwise_import_files (files, base, cancellable, error);
}

/**
 * shardwise_import_format:
 * @kind: the kind of a file
 * @scenario: its scenario
 *
 * Returns: (transfer none) (nullable): the export format of such a job, with the rules of its
 * framework
 */
const ShardwiseFormatInfo *
shardwise_import_format (ShardwiseImportKind kind, ShardwiseScenario *scenario)
{
  g_autofree char *framework = shardwise_scenario_get_string (scenario,
                                                              SHARDWISE_KEY_TRAINING_FRAMEWORK);

  if (kind >= SHARDWISE_N_IMPORTS || readers[kind]->format == SHARDWISE_N_FORMATS)
    return NULL;
  if (kind == SHARDWISE_IMPORT_PYTORCH && g_strcmp0 (framework, "fsdp") == 0)
    return shardwise_format_info (SHARDWISE_FORMAT_FSDP1);
  return shardwise_format_info (readers[kind]->format);
}

/* ---- kept ---- */

/**
 * shardwise_import_to_json:
 * @self: an import; its scenario is omitted
 *
 * Returns: (transfer full): its kind, warnings and findings
 */
char *
shardwise_import_to_json (const ShardwiseImport *self)
{
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) node = shardwise_json_take_object (object);
  JsonArray *assumed = json_array_new ();

  for (guint i = 0; i < self->assumed->len; i++)
    {
      const ShardwiseImportAssumption *assumption = g_ptr_array_index (self->assumed, i);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "warning", assumption->warning);
      json_object_set_string_member (item, "path", shardwise_key_path (assumption->key));
      json_object_set_string_member (item, "value", assumption->value);
      json_array_add_object_element (assumed, item);
    }

  json_object_set_string_member (object, "kind", shardwise_import_name (self->kind));
  json_object_set_array_member (object, "warnings", shardwise_json_strings (self->warnings));
  json_object_set_array_member (object, "assumed", assumed);
  json_object_set_member (object, "findings", shardwise_findings_to_json (self->findings, NULL));
  return shardwise_json_to_string (node);
}

static JsonArray *
list_of (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

/* The text of a member of an object; NULL if either has another type. */
static const char *
text_of (JsonNode *node, const char *name)
{
  JsonNode *member = node != NULL && JSON_NODE_HOLDS_OBJECT (node)
                         ? json_object_get_member (json_node_get_object (node), name)
                         : NULL;

  return member != NULL && json_node_get_value_type (member) == G_TYPE_STRING
             ? json_node_get_string (member)
             : NULL;
}

/**
 * shardwise_import_from_json:
 * @text: from shardwise_import_to_json(), or anything
 *
 * Returns: (transfer full) (nullable): the import without a scenario; %NULL if the text is invalid
 */
ShardwiseImport *
shardwise_import_from_json (const char *text)
{
  g_autoptr (JsonNode) node = shardwise_json_parse (text, strlen (text), NULL);
  JsonObject *object = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node)
                                                                     : NULL;
  JsonArray *warnings = object != NULL ? list_of (object, "warnings") : NULL,
            *findings = object != NULL ? list_of (object, "findings") : NULL,
            *assumed = object != NULL ? list_of (object, "assumed") : NULL;
  ShardwiseImportKind kind = SHARDWISE_IMPORT_SCENARIO;
  ShardwiseImport *self;

  if (warnings == NULL || findings == NULL)
    return NULL;
  while (kind < SHARDWISE_N_IMPORTS && g_strcmp0 (readers[kind]->name, text_of (node, "kind")) != 0)
    kind++;
  if (kind == SHARDWISE_N_IMPORTS)
    return NULL;
  self = shardwise_import_new (kind);
  for (guint i = 0; i < json_array_get_length (warnings); i++)
    if (json_node_get_value_type (json_array_get_element (warnings, i)) == G_TYPE_STRING)
      g_ptr_array_add (self->warnings, g_strdup (json_array_get_string_element (warnings, i)));
  /* Older versions did not write it. */
  for (guint i = 0; assumed != NULL && i < json_array_get_length (assumed); i++)
    {
      JsonNode *item = json_array_get_element (assumed, i);
      const char *warning = text_of (item, "warning"), *path = text_of (item, "path"),
                 *value = text_of (item, "value");
      const ShardwiseKey *key = path != NULL ? shardwise_key_find (path) : NULL;

      if (warning != NULL && key != NULL && value != NULL)
        shardwise_import_add_assumption (self, warning, key->id, value);
    }
  for (guint i = 0; i < json_array_get_length (findings); i++)
    {
      JsonNode *item = json_array_get_element (findings, i);
      const char *severity = text_of (item, "severity"), *code = text_of (item, "code"),
                 *said = text_of (item, "text"), *effect = text_of (item, "effect");
      int index = severity != NULL ? sw_name_index (shardwise_severity_names, severity) : -1;

      if (index >= 0 && code != NULL && said != NULL)
        g_ptr_array_add (
            self->findings,
            shardwise_finding_new ((ShardwiseSeverity) index, code, g_strdup (said),
                                   effect != NULL && *effect != '\0' ? g_strdup (effect) : NULL));
    }
  return self;
}

/**
 * shardwise_import_all_to_json:
 * @self: an import
 * @findings: (nullable) (element-type ShardwiseFinding): the diagnosis of its scenario
 *
 * Returns: (transfer full): the object of `import --json`
 */
JsonNode *
shardwise_import_all_to_json (const ShardwiseImport *self, GPtrArray *findings)
{
  g_autofree char *scenario = shardwise_scenario_to_json (self->scenario);
  JsonObject *object = json_object_new ();

  if (self->kind != SHARDWISE_IMPORT_ERROR) /* alone it belongs to no known job */
    json_object_set_member (object, "scenario",
                            shardwise_json_parse (scenario, strlen (scenario), NULL));
  json_object_set_string_member (object, "kind", shardwise_import_name (self->kind));
  json_object_set_array_member (object, "warnings", shardwise_json_strings (self->warnings));
  json_object_set_member (object, "diagnosis",
                          shardwise_findings_to_json (self->findings, findings));
  return shardwise_json_take_object (object);
}

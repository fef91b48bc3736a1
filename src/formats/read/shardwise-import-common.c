/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all readers share: values of the file into keys of the scenario, errors with their place. */
#include "shardwise-import-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* What is quoted of a file may be cut within a character; takes @text. */
static char *
valid_text (char *text)
{
  g_autofree char *given = text;

  return g_utf8_make_valid (given, -1);
}

/**
 * shardwise_finding_new:
 * @severity: how bad it is
 * @code: a word, copied: one that a file gave is not interned, which would keep it for ever
 * @text: (transfer full): what is so
 * @effect: (transfer full) (nullable): what it means in figures
 *
 * Returns: (transfer full): a finding without changes
 */
ShardwiseFinding *
shardwise_finding_new (ShardwiseSeverity severity, const char *code, char *text, char *effect)
{
  ShardwiseFinding *finding = g_new0 (ShardwiseFinding, 1);

  finding->severity = severity;
  finding->code = g_strdup (code);
  finding->text = valid_text (text);
  finding->effect = effect;
  return finding;
}

/**
 * shardwise_finding_free:
 * @finding: (transfer full): a ShardwiseFinding
 */
void
shardwise_finding_free (gpointer finding)
{
  ShardwiseFinding *self = finding;

  g_free (self->code);
  g_free (self->text);
  g_free (self->effect);
  g_clear_pointer (&self->changes, g_variant_unref);
  g_free (self);
}

/**
 * shardwise_finding_is_said:
 * @finding: of a diagnosis
 * @first: (nullable): of ShardwiseFinding, of the file itself
 *
 * Returns: whether the file's own findings name this error already, in its own words
 */
gboolean
shardwise_finding_is_said (const ShardwiseFinding *finding, GPtrArray *first)
{
  for (guint i = 0; first != NULL && i < first->len; i++)
    {
      const ShardwiseFinding *other = g_ptr_array_index (first, i);

      if (finding->severity == SHARDWISE_SEVERITY_ERROR
          && other->severity == SHARDWISE_SEVERITY_ERROR
          && g_str_equal (other->code, finding->code))
        return TRUE;
    }
  return FALSE;
}

/* Adds a sentence on what the file does not say; takes @text. One sentence stands once. */
void
shardwise_import_warn (ShardwiseImportJob *job, char *text)
{
  text = valid_text (text);
  for (guint i = 0; i < job->out->warnings->len; i++)
    if (g_str_equal (job->out->warnings->pdata[i], text))
      {
        g_free (text);
        return;
      }
  g_ptr_array_add (job->out->warnings, text);
}

/* Adds something that the framework refuses or ignores; takes @text. */
void
shardwise_import_find (ShardwiseImportJob *job, ShardwiseSeverity severity, const char *code,
                       char *text)
{
  g_ptr_array_add (job->out->findings, shardwise_finding_new (severity, code, text, NULL));
}

/* A key as the file spells it. */
static const char *
spelled (ShardwiseImportJob *job, const char *key)
{
  return job->spell != NULL ? job->spell (key) : key;
}

void
shardwise_import_fail (ShardwiseImportJob *job, const ShardwiseNode *where, const char *key,
                       const char *text)
{
  if (job->error != NULL)
    return;
  key = spelled (job, key);
  if (where != NULL && where->line > 0)
    job->error = shardwise_position_error (where->line, where->column, "%s: %s", key, text);
  else
    job->error = shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL, "%s: %s", key, text);
}

/* What the key accepts, as an error at @where. */
static void
fail_type (ShardwiseImportJob *job, const ShardwiseNode *where, const char *key,
           const char *accepted)
{
  static const char *const types[] = {
    [SHARDWISE_NODE_NULL] = N_ ("null"),           [SHARDWISE_NODE_BOOLEAN] = N_ ("true or false"),
    [SHARDWISE_NODE_INTEGER] = N_ ("a number"),    [SHARDWISE_NODE_FLOAT] = N_ ("a number"),
    [SHARDWISE_NODE_STRING] = N_ ("a text"),       [SHARDWISE_NODE_LIST] = N_ ("a list"),
    [SHARDWISE_NODE_MAP] = N_ ("a group of keys"),
  };
  g_autofree char *text = NULL;

  if (g_strcmp0 (where->text, key) == 0) /* an option of a script, the next one right behind it */
    text = g_strdup_printf (_ ("has no value, accepted: %s"), accepted);
  else if (where->text != NULL)
    /* Translators: a value of a wrong type, then what is accepted */
    text = g_strdup_printf (_ ("“%.60s” is of the wrong type, accepted: %s"), where->text,
                            accepted);
  else
    /* Translators: "a list", then what is accepted */
    text = g_strdup_printf (_ ("%s is of the wrong type, accepted: %s"), _ (types[where->type]),
                            accepted);
  shardwise_import_fail (job, where, key, text);
}

/* ---- reading ---- */

/* A group on the way to a key that is something else: no key in it would be read. A word stands for
 * a group where it comes from outside of a script. */
static void
check_groups (ShardwiseImportJob *job, const char *key)
{
  for (const char *dot = strchr (key, '.'); dot != NULL; dot = strchr (dot + 1, '.'))
    {
      g_autofree char *group = g_strndup (key, (gsize) (dot - key));
      const ShardwiseNode *node = shardwise_node_find (job->root, group);

      if (node == NULL || node->type == SHARDWISE_NODE_NULL)
        return;
      if (node->type != SHARDWISE_NODE_MAP && node->type != SHARDWISE_NODE_STRING)
        fail_type (job, node, group, _ ("a group of keys"));
    }
}

const ShardwiseNode *
shardwise_import_at (ShardwiseImportJob *job, const char *key)
{
  const ShardwiseNode *node = shardwise_node_find (job->root, key);

  if (node == NULL)
    check_groups (job, key);
  return node != NULL && node->type != SHARDWISE_NODE_NULL ? node : NULL;
}

/* A script's value that comes from outside of it, or of a function that is not called. */
static gboolean
is_unknown (ShardwiseImportJob *job, const ShardwiseNode *node, const char *key)
{
  const gboolean is_text = node->type == SHARDWISE_NODE_STRING
                           && strchr (node->text, SHARDWISE_NODE_UNKNOWN) != NULL;

  if (!is_text && shardwise_node_member (node, SHARDWISE_NODE_CALLEE) == NULL)
    return FALSE;
  shardwise_import_warn (
      job,
      /* Translators: an option, a line number */
      g_strdup_printf (_ ("The value of %s in line %u is not known: it comes from outside of the "
                          "script."),
                       spelled (job, key), node->line));
  return TRUE;
}

/**
 * shardwise_import_is_open:
 * @key: a key of the file
 *
 * Returns: whether it stands there with a value that is not known, which a warning then says
 */
gboolean
shardwise_import_is_open (ShardwiseImportJob *job, const char *key)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);

  return node != NULL && is_unknown (job, node, key);
}

/**
 * shardwise_import_count_of:
 * @node: (nullable): a value of the file
 * @key: what it is called there
 * @path: the key of the scenario whose range it has
 * @out: (out): the number; untouched where there is none
 *
 * Returns: whether it is a number within the range; another value is an error
 */
gboolean
shardwise_import_count_of (ShardwiseImportJob *job, const ShardwiseNode *node, const char *key,
                           const char *path, guint *out)
{
  const ShardwiseKey *range = shardwise_key_find (path);
  g_autofree char *accepted = NULL, *text = NULL;

  if (job->error != NULL || node == NULL || is_unknown (job, node, key))
    return FALSE;
  accepted = shardwise_key_describe_range (range);
  if (!shardwise_node_is_number (node) || node->number != floor (node->number))
    fail_type (job, node, key, accepted);
  else if (node->number < range->minimum || node->number > range->maximum)
    {
      text = g_strdup_printf (_ ("%s is out of range, accepted: %s"), node->text, accepted);
      shardwise_import_fail (job, node, key, text);
    }
  else
    {
      *out = (guint) node->number;
      return TRUE;
    }
  return FALSE;
}

/* As shardwise_import_count_of (), of the value at a key of the file. */
gboolean
shardwise_import_count (ShardwiseImportJob *job, const char *key, const char *path, guint *out)
{
  return shardwise_import_count_of (job, shardwise_import_at (job, key), key, path, out);
}

/* The count under @key, put under @path; @fallback where there is none. */
guint
shardwise_import_count_or (ShardwiseImportJob *job, const char *key, const char *path,
                           guint fallback)
{
  shardwise_import_count (job, key, path, &fallback);
  return fallback;
}

/**
 * shardwise_import_truth:
 * @job: what is read
 * @key: of the map at hand
 * @fallback: where the key is missing or its value cannot be known
 *
 * Returns: the value; what is neither true nor false fails the job
 */
gboolean
shardwise_import_truth (ShardwiseImportJob *job, const char *key, gboolean fallback)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);

  if (job->error != NULL || node == NULL || is_unknown (job, node, key))
    return fallback;
  if (node->type == SHARDWISE_NODE_BOOLEAN)
    return node->number != 0;
  fail_type (job, node, key, _ ("true or false"));
  return fallback;
}

const char *
shardwise_import_text (ShardwiseImportJob *job, const char *key)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);

  if (job->error != NULL || node == NULL || is_unknown (job, node, key))
    return NULL;
  if (node->type == SHARDWISE_NODE_STRING)
    return node->text;
  fail_type (job, node, key, _ ("a text"));
  return NULL;
}

/**
 * shardwise_import_word_index:
 * @key: a key of the file
 * @words: NULL-terminated: what it accepts
 * @out: (out): the index of its word
 *
 * Returns: whether the file states one of the words, in any case; another one is an error
 */
gboolean
shardwise_import_word_index (ShardwiseImportJob *job, const char *key, const char *const *words,
                             guint *out)
{
  const char *text = shardwise_import_text (job, key);
  g_autofree char *accepted = NULL, *message = NULL;

  if (text == NULL)
    return FALSE;
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], text) == 0)
      {
        *out = i;
        return TRUE;
      }
  accepted = g_strjoinv (", ", (char **) words);
  /* Translators: a word that is none of the known ones, then these */
  message = g_strdup_printf (_ ("“%.60s” is not known, accepted: %s"), text, accepted);
  shardwise_import_fail (job, shardwise_import_at (job, key), key, message);
  return FALSE;
}

/* ---- into the scenario ---- */

/* Values that the readers made themselves are within range; a mistake is a bug, not an input. */
void
shardwise_import_put (ShardwiseImportJob *job, const char *path, GVariant *value)
{
  g_autoptr (GVariant) held = g_variant_ref_sink (value);
  GError *error = NULL;

  if (job->error == NULL && !shardwise_scenario_set (job->out->scenario, path, held, &error))
    job->error = error;
}

/* Puts a whole number under @path of the scenario. */
void
shardwise_import_put_int (ShardwiseImportJob *job, const char *path, gint64 value)
{
  shardwise_import_put (job, path, g_variant_new_int64 (value));
}

/* Puts a word under @path of the scenario. */
void
shardwise_import_put_word (ShardwiseImportJob *job, const char *path, const char *word)
{
  shardwise_import_put (job, path, g_variant_new_string (word));
}

/* Puts a truth value under @path of the scenario. */
void
shardwise_import_put_bool (ShardwiseImportJob *job, const char *path, gboolean value)
{
  shardwise_import_put (job, path, g_variant_new_boolean (value));
}

gboolean
shardwise_import_copy_count (ShardwiseImportJob *job, const char *key, const char *path)
{
  guint value;

  if (!shardwise_import_count (job, key, path, &value))
    return FALSE;
  shardwise_import_put_int (job, path, value);
  return TRUE;
}

guint64
shardwise_import_product (guint a, guint b, guint c, guint d)
{
  const guint factors[] = { b, c, d };
  const guint64 most = (guint64) 1 << 33;
  guint64 product = a;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    product = MIN (product * factors[i], most);
  return product;
}

/**
 * shardwise_import_put_world:
 * @gpus: of the whole job; 0: not known
 * @per_node: GPUs of a node; 0: not known
 *
 * States the cluster as far as a launcher does.
 */
void
shardwise_import_put_world (ShardwiseImportJob *job, guint gpus, guint per_node)
{
  if (gpus > 0)
    shardwise_import_put_int (job, "cluster.gpus", gpus);
  if (per_node > 0)
    shardwise_import_put_int (job, "cluster.gpus_per_node", per_node);
}

/* ---- keys that nothing reads ---- */

/* @word in place of the %s of a translated sentence: (transfer full). */
char *
shardwise_import_fill (const char *sentence, const char *word)
{
  g_auto (GStrv) parts = g_strsplit (sentence, "%s", 2);

  return g_strjoinv (word, parts);
}

/**
 * shardwise_import_check_keys:
 * @section: (nullable): a group of the file; %NULL: the file itself
 * @keys: what is known there
 * @severity: of a key that is not
 * @code: for it
 * @sentence: with %s for the key
 *
 * Reports every key of the section that the framework does not know, up to ten.
 */
void
shardwise_import_check_keys (ShardwiseImportJob *job, const char *section, const char *const *keys,
                             ShardwiseSeverity severity, const char *code, const char *sentence)
{
  const ShardwiseNode *map = section != NULL ? shardwise_node_find (job->root, section) : job->root;
  guint n = 0;

  if (map == NULL || map->type != SHARDWISE_NODE_MAP)
    return;
  for (guint i = 0; i < map->keys->len && n < 10; i++)
    {
      const char *key = map->keys->pdata[i];
      const ShardwiseNode *item = map->items->pdata[i];
      g_autofree char *path = NULL, *where = NULL;

      if (g_strv_contains (keys, key))
        continue;
      path = section != NULL ? g_strdup_printf ("%s.%.60s", section, key)
                             : g_strdup_printf ("%.60s", key);
      /* Translators: a key of a file and the line it stands in */
      where = g_strdup_printf (_ ("%s (line %u)"), path, item->line);
      shardwise_import_find (job, severity, code, shardwise_import_fill (sentence, where));
      n++;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many parameters a model's file describes, and whether its name says the same. */

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-advice.h"
#include "shardwise-import-job.h"
#include "sw-model.h"

/* Names round, and count embeddings or leave them out. */
#define LEAST_SHARE 0.75
#define MOST_SHARE 1.35

/* "Qwen2-72B" -> 72e9; a part of a product ("8x7b") and active parameters ("a3b") are no size of
 * the model. 0: none. */
static double
size_in_name (const char *name)
{
  g_autoptr (GRegex) regex = g_regex_new ("(?<![a-z0-9.])([0-9]+(?:\\.[0-9]+)?)(b|m)(?![a-z0-9])",
                                          G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *number = NULL, *unit = NULL;

  if (name == NULL || !g_regex_match (regex, name, 0, &match))
    return 0;
  number = g_match_info_fetch (match, 1);
  unit = g_match_info_fetch (match, 2);
  return g_ascii_strtod (number, NULL) * (g_ascii_tolower (*unit) == 'b' ? 1e9 : 1e6);
}

/* The file's own name says nothing where it is "config.json": its folder's does. */
static double
size_in_path (const char *path)
{
  g_autofree char *file = NULL, *folder = NULL, *parent = NULL;
  double size;

  if (path == NULL || *path == '\0')
    return 0;
  file = g_path_get_basename (path);
  folder = g_path_get_dirname (path);
  parent = g_path_get_basename (folder);
  size = size_in_name (file);
  return size > 0 ? size : size_in_name (parent);
}

/**
 * shardwise_import_find_size:
 * @job: whose model was put
 * @path: (nullable): what the file calls itself
 *
 * Says how many parameters the file describes, so that a number read wrongly shows; warns where a
 * name says something else.
 */
void
shardwise_import_find_size (ShardwiseImportJob *job, const char *path)
{
  SwParameterCount count;
  g_autofree char *counted = NULL, *named = NULL, *active = NULL;
  double size;

  if (job->error != NULL || job->model.layers == 0)
    return;
  sw_model_count (&job->model, &count);
  counted = shardwise_format_count (count.total);
  active = shardwise_format_count (count.active);
  shardwise_import_find (
      job, SHARDWISE_SEVERITY_INFO, "parameters",
      job->model.moe.experts > 0
          /* Translators: numbers of parameters */
          ? g_strdup_printf (_ ("Counted from the file: %s parameters, of which a token uses %s."),
                             counted, active)
          /* Translators: a number of parameters */
          : g_strdup_printf (_ ("Counted from the file: %s parameters."), counted));
  size = size_in_name (path);
  if (size == 0)
    size = size_in_path (job->name);
  if (size == 0 || (count.total > LEAST_SHARE * size && count.total < MOST_SHARE * size))
    return;
  named = shardwise_format_count (size);
  shardwise_import_find (
      job, SHARDWISE_SEVERITY_WARNING, "parameters",
      /* Translators: numbers of parameters */
      g_strdup_printf (_ ("The name says %s parameters, and the file describes %s: one of its "
                          "numbers, or a key that is not read, makes the difference."),
                       named, counted));
}

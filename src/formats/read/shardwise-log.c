/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-log.h"

#include <glib/gi18n.h>
#include <string.h>

#include "sw-types.h"

/* The limit of every reader; the last lines of a log suffice. */
#define MAX_BYTES (16u << 20)

/* The first steps compile, allocate and warm up. */
#define WARM_UP 2

typedef enum {
  STEP_S,
  TOKENS_PER_S_PER_GPU,
  SAMPLES_PER_S,
  GLOBAL_BATCH,
  RESERVED_GIB,
  ALLOCATED_GIB,
  N_FIGURES
} Figure;

#define NUMBER "\\s*([0-9][0-9,]*\\.?[0-9]*(?:[eE][+-]?[0-9]+)?)\\s*"

#define SUFFIX "([KMGBT]?)"

/* The words for a figure in the logs of each framework, over its releases, and its unit. A suffix
 * K, M, G is Nanotron's, of thousands each. */
static const struct {
  const char *framework, *pattern;
  Figure figure;
  double unit;
} wordings[] = {
  { "Megatron-LM", "elapsed time per iteration \\(ms\\):" NUMBER, STEP_S, 1e-3 },
  { "Megatron-LM", "global batch size:" NUMBER, GLOBAL_BATCH, 1 },
  { "Megatron-LM", "max reserved:" NUMBER, RESERVED_GIB, 1.0 / 1024 },
  { "Megatron-LM", "max allocated:" NUMBER, ALLOCATED_GIB, 1.0 / 1024 },
  { "Megatron-Bridge", "Step Time\\s*:" NUMBER "s", STEP_S, 1 },
  { "NeMo", "train_step_timing in s:" NUMBER, STEP_S, 1 },
  { "TorchTitan", "\\btps:" NUMBER, TOKENS_PER_S_PER_GPU, 1 },
  { "TorchTitan", "\\bwps:" NUMBER, TOKENS_PER_S_PER_GPU, 1 },
  { "TorchTitan", "\\bmemory:" NUMBER "GiB", RESERVED_GIB, 1 },
  { "DeepSpeed", "\\biter time \\(s\\):" NUMBER, STEP_S, 1 },
  { "DeepSpeed", "\\bCurrSamplesPerSec=" NUMBER, SAMPLES_PER_S, 1 },
  { "DeepSpeed", "\\bSamplesPerSec=" NUMBER, SAMPLES_PER_S, 1 }, /* up to 0.7 */
  { "DeepSpeed", "\\bsamples/sec:" NUMBER, SAMPLES_PER_S, 1 },
  { "DeepSpeed", "\\bMaxMemAllocated=" NUMBER "GB", ALLOCATED_GIB, 1 },
  { "Nanotron", "\\b(?:elapsed_)?time_per_iteration_ms:" NUMBER SUFFIX, STEP_S, 1e-3 },
  { "Nanotron", "\\btokens_per_sec_per_gpu:" NUMBER SUFFIX, TOKENS_PER_S_PER_GPU, 1 },
  /* Releases without "elapsed" mean tokens, rounded. */
  { "Nanotron", "\\belapsed_time_per_iteration_ms:.*\\bglobal_batch_size:" NUMBER SUFFIX,
    GLOBAL_BATCH, 1 },
  { "Nanotron", "\\bcuda_max_memory_reserved:" NUMBER SUFFIX, RESERVED_GIB, 1.0 / (1 << 30) },
  { "Nanotron", "Peak reserved:?" NUMBER "MiB", RESERVED_GIB, 1.0 / 1024 },
  { "Nanotron", "Peak allocated:?" NUMBER "MiB", ALLOCATED_GIB, 1.0 / 1024 },
};

/**
 * shardwise_log_read:
 * @text: lines of a training log of Megatron-LM, Megatron-Bridge, NeMo, DeepSpeed, TorchTitan or
 * Nanotron
 * @length: its bytes, or -1
 * @out: (out): the figures
 *
 * Returns: whether a line has a figure of speed or memory; otherwise @error is set
 */
gboolean
shardwise_log_read (const char *text, gssize length, ShardwiseLog *out, GError **error)
{
  static const char suffixes[] = "KMGBT";
  static const double thousands[] = { 1e3, 1e6, 1e9, 1e9, 1e12 };
  double figures[N_FIGURES] = { 0 };
  g_autofree char *plain = NULL;

  g_return_val_if_fail (text != NULL && out != NULL, FALSE);

  memset (out, 0, sizeof *out);
  length = length < 0 ? (gssize) strlen (text) : length;
  if (length <= (gssize) MAX_BYTES)
    {
      /* The words are separated by terminal colors. */
      g_autoptr (GRegex) regex = g_regex_new ("\\x1b\\[[0-9;]*m", 0, 0, NULL);
      g_autofree char *valid = g_utf8_make_valid (text, length);

      plain = g_regex_replace_literal (regex, valid, -1, 0, "", 0, NULL);
    }
  for (guint i = 0; plain != NULL && i < G_N_ELEMENTS (wordings); i++)
    {
      const Figure figure = wordings[i].figure;
      const gboolean is_memory = figure == RESERVED_GIB || figure == ALLOCATED_GIB;
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
      g_autoptr (GRegex) regex = g_regex_new (wordings[i].pattern, G_REGEX_OPTIMIZE, 0, NULL);
      g_autoptr (GMatchInfo) match = NULL;

      g_assert (regex != NULL);
      for (g_regex_match (regex, plain, 0, &match); g_match_info_matches (match);
           g_match_info_next (match, NULL))
        {
          g_autofree char *number = g_match_info_fetch (match, 1);
          g_autofree char *letter = g_match_info_fetch (match, 2);
          /* "1,234.5" without commas, if the number is plausible for a run. */
          g_auto (GStrv) parts = g_strsplit (number, ",", -1);
          g_autofree char *joined = g_strjoinv ("", parts);
          const char *suffix = letter != NULL && *letter != '\0' ? strchr (suffixes, *letter)
                                                                 : NULL;
          double value = g_ascii_strtod (joined, NULL);

          if (!(value > 0 && value < 1e12))
            continue;
          value *= (suffix != NULL ? thousands[suffix - suffixes] : 1) * wordings[i].unit;
          if (value > 0)
            g_array_append_val (values, value);
        }
      if (values->len == 0 || figures[figure] > 0)
        continue;
      if (out->framework == NULL)
        out->framework = wordings[i].framework;
      if (figure <= SAMPLES_PER_S)
        out->lines = MAX (out->lines, values->len);
      /* The maximum of memory; for other figures the median after the first steps. */
      if (!is_memory && values->len > 2 * WARM_UP)
        g_array_remove_range (values, 0, WARM_UP);
      g_array_sort (values, sw_compare_doubles);
      figures[figure] = g_array_index (values, double,
                                       is_memory ? values->len - 1 : values->len / 2);
    }
  out->step_s = figures[STEP_S];
  out->tokens_per_s_per_gpu = figures[TOKENS_PER_S_PER_GPU];
  out->samples_per_s = figures[SAMPLES_PER_S];
  out->global_batch = (guint) MIN (figures[GLOBAL_BATCH], 1e9);
  out->memory_gib = figures[RESERVED_GIB] > 0 ? figures[RESERVED_GIB] : figures[ALLOCATED_GIB];
  out->memory_kind = figures[RESERVED_GIB] > 0 ? 'r' : out->memory_gib > 0 ? 'a' : 0;
  g_debug ("A log of %" G_GSSIZE_FORMAT " bytes is of %s: %u lines", length,
           out->framework != NULL ? out->framework : "nothing known", out->lines);
  if (out->framework != NULL)
    return TRUE;
  g_set_error (
      error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX,
      /* Translators: the quoted words stand in logs as they are */
      _ ("No line states the speed of the run; allowed: lines of a log of Megatron-LM (“elapsed "
         "time per iteration (ms): …”), DeepSpeed (“CurrSamplesPerSec=…”), TorchTitan (“tps: …”) "
         "or Nanotron (“elapsed_time_per_iteration_ms: …”), up to 16 MiB"));
  return FALSE;
}

/**
 * shardwise_log_get_step_s:
 * @gpus: the GPUs of the job
 * @global_batch: in sequences, if the log does not state it
 * @sequence_length: in tokens
 *
 * Returns: the time of one step in seconds, from the throughput if the log has no time; 0 if
 * unknown
 */
double
shardwise_log_get_step_s (const ShardwiseLog *self, guint gpus, guint global_batch,
                          guint sequence_length)
{
  double sequences;

  g_return_val_if_fail (self != NULL, 0);

  sequences = self->global_batch > 0 ? self->global_batch : global_batch;
  if (self->step_s > 0)
    return self->step_s;
  if (self->samples_per_s > 0)
    return sequences / self->samples_per_s;
  if (self->tokens_per_s_per_gpu > 0 && gpus > 0)
    return sequences * sequence_length / (self->tokens_per_s_per_gpu * gpus);
  return 0;
}

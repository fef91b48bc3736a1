/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The speed of the search on one core: live searches for 8 … 131,072 GPUs, and a complete search
 * without bounds. */
#include "shardwise-cli-bench.h"

#include <glib/gi18n.h>
#include <math.h>
#include <sys/resource.h>
#include <time.h>

#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "shardwise-resolve.h"
#include "shardwise-sizing.h"

/* Searches of one size; the shortest time counts, because the others were disturbed. */
#define REPEATS 3

static const guint bench_gpus[] = { 8, 64, 512, 4096, 16384, 131072 };
static const char *const bench_models[] = { "llama-3-70b", "deepseek-v3" };

typedef struct {
  guint gpus;
  const char *model;
  guint64 tried, timed, evaluated, bounded;
  double seconds, peak_rss_mib;
} BenchRow;

typedef struct {
  double strategies_per_s, timed_per_s; /* of the complete search: memory and time of every point */
  double complete_per_s;                /* the same search with threads, wall-clock time */
  double sweep_s, atlas_s;              /* on all cores, wall-clock time */
  double sweep_cpu_s, atlas_cpu_s;      /* of all cores together */
  guint n_sweep, n_atlas;               /* number of searches in each */
  GArray *rows;                         /* BenchRow elements */
} Bench;

/* Pre-training on H100s with Megatron-Core, which has every dimension, with the batch of the Llama
 * 3 report, 16 M tokens, so that all GPUs get work. NULL with @error if the catalog has no such
 * model or GPU. */
static ShardwiseScenario *
bench_scenario (const char *model, guint gpus, GError **error)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();

  if (!shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, g_variant_new_string (model),
                               error)
      || !shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (gpus),
                                  error)
      || !shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                                  g_variant_new_string ("megatron-core"), error)
      || !shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                                  g_variant_new_int64 (8192), error)
      || !shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                  g_variant_new_int64 (2048), error))
    return NULL;
  return g_steal_pointer (&scenario);
}

static gboolean
bench_problem (const char *model, guint gpus, SwProblem *problem, GError **error)
{
  g_autoptr (ShardwiseScenario) scenario = bench_scenario (model, gpus, error);

  return scenario != NULL && shardwise_scenario_resolve (scenario, problem, NULL, error);
}

/* Processor time in seconds: of one core, or of all threads, independent of the load of the
 * machine. */
static double
cpu_seconds (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

/* The sweep of cluster sizes and the atlas, both on all cores. */
static gboolean
measure_sweeps (Bench *bench, GError **error)
{
  static const guint sizes[] = { 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384 };
  g_autoptr (ShardwiseScenario) scenario = bench_scenario (bench_models[0], sizes[0], error);

  bench->sweep_s = bench->atlas_s = bench->sweep_cpu_s = bench->atlas_cpu_s = INFINITY;
  for (guint i = 0; i < REPEATS && scenario != NULL; i++)
    {
      const gint64 start_us = g_get_monotonic_time ();
      const double start_s = cpu_seconds (CLOCK_PROCESS_CPUTIME_ID);
      g_autoptr (GPtrArray) points =
          shardwise_sizing_compute (scenario, sizes, G_N_ELEMENTS (sizes), NULL, NULL, NULL, error);
      const gint64 middle_us = g_get_monotonic_time ();
      const double middle_s = cpu_seconds (CLOCK_PROCESS_CPUTIME_ID);
      g_autoptr (GPtrArray) cells = points == NULL
                                        ? NULL
                                        : shardwise_atlas_compute (scenario, NULL, 0, NULL, 0, NULL,
                                                                   NULL, NULL, error);

      if (cells == NULL)
        return FALSE;
      bench->sweep_s = MIN (bench->sweep_s, (middle_us - start_us) / 1e6);
      bench->atlas_s = MIN (bench->atlas_s, (g_get_monotonic_time () - middle_us) / 1e6);
      bench->sweep_cpu_s = MIN (bench->sweep_cpu_s, middle_s - start_s);
      bench->atlas_cpu_s = MIN (bench->atlas_cpu_s,
                                cpu_seconds (CLOCK_PROCESS_CPUTIME_ID) - middle_s);
      bench->n_sweep = points->len;
      bench->n_atlas = cells->len;
    }
  return scenario != NULL;
}

static gboolean
bench_run (Bench *bench, GError **error)
{
  const SwSearchOptions live = { .top = 50 };
  SwSearchOptions complete = { .top = 50, .complete = TRUE };
  SwProblem problem;
  SwSearchResult result;
  struct rusage usage;

  for (guint i = 0; i < G_N_ELEMENTS (bench_models); i++)
    for (guint j = 0; j < G_N_ELEMENTS (bench_gpus); j++)
      {
        BenchRow row = { .gpus = bench_gpus[j], .model = bench_models[i], .seconds = INFINITY };

        if (!bench_problem (bench_models[i], bench_gpus[j], &problem, error))
          return FALSE;
        for (guint k = 0; k < REPEATS; k++)
          {
            const double start_s = cpu_seconds (CLOCK_THREAD_CPUTIME_ID);

            sw_search (&problem, &live, &result);
            row.seconds = MIN (row.seconds, cpu_seconds (CLOCK_THREAD_CPUTIME_ID) - start_s);
            row.tried = result.tried;
            row.timed = result.timed;
            row.evaluated = result.evaluated;
            row.bounded = result.bounded;
            sw_search_result_clear (&result);
          }
        getrusage (RUSAGE_SELF, &usage);
        row.peak_rss_mib = usage.ru_maxrss / 1024.0;
        g_array_append_val (bench->rows, row);
      }

  /* Strategies per second of a complete search without bounds, on one core and on all: those whose
   * memory and time were computed, or that were rejected for memory. */
  if (!bench_problem (bench_models[0], 512, &problem, error))
    return FALSE;
  for (guint i = 0; i < REPEATS; i++)
    {
      const double start_s = cpu_seconds (CLOCK_THREAD_CPUTIME_ID);
      double seconds;

      complete.threads = 1;
      sw_search (&problem, &complete, &result);
      seconds = cpu_seconds (CLOCK_THREAD_CPUTIME_ID) - start_s;
      bench->strategies_per_s = MAX (bench->strategies_per_s, result.evaluated / seconds);
      bench->timed_per_s = MAX (bench->timed_per_s, result.timed / seconds);
      sw_search_result_clear (&result);
      complete.threads = g_get_num_processors ();
      sw_search (&problem, &complete, &result);
      bench->complete_per_s = MAX (bench->complete_per_s, result.evaluated / result.seconds);
      sw_search_result_clear (&result);
    }
  return measure_sweeps (bench, error);
}

static void
add_sweep (JsonObject *object, const char *name, guint searches, double seconds, double cpu_s)
{
  JsonObject *sweep = json_object_new ();

  json_object_set_int_member (sweep, "searches", searches);
  json_object_set_int_member (sweep, "threads", g_get_num_processors ());
  json_object_set_double_member (sweep, "seconds", seconds);
  json_object_set_double_member (sweep, "cpu_seconds", cpu_s);
  json_object_set_object_member (object, name, sweep);
}

static JsonNode *
bench_to_json (const Bench *bench)
{
  JsonObject *object = json_object_new ();
  JsonArray *searches = json_array_new ();

  for (guint i = 0; i < bench->rows->len; i++)
    {
      const BenchRow *row = &g_array_index (bench->rows, BenchRow, i);
      JsonObject *search = json_object_new ();

      json_object_set_int_member (search, "gpus", row->gpus);
      json_object_set_string_member (search, "model", row->model);
      json_object_set_int_member (search, "tried", (gint64) row->tried);
      json_object_set_int_member (search, "timed", (gint64) row->timed);
      json_object_set_int_member (search, "evaluated", (gint64) row->evaluated);
      json_object_set_int_member (search, "bounded", (gint64) row->bounded);
      json_object_set_double_member (search, "seconds", row->seconds);
      json_object_set_double_member (search, "peak_rss_mib", row->peak_rss_mib);
      json_array_add_object_element (searches, search);
    }
  json_object_set_double_member (object, "strategies_per_s", bench->strategies_per_s);
  json_object_set_double_member (object, "timed_per_s", bench->timed_per_s);
  json_object_set_double_member (object, "complete_per_s", bench->complete_per_s);
  add_sweep (object, "sweep", bench->n_sweep, bench->sweep_s, bench->sweep_cpu_s);
  add_sweep (object, "atlas", bench->n_atlas, bench->atlas_s, bench->atlas_cpu_s);
  json_object_set_array_member (object, "searches", searches);
  return shardwise_json_take_object (object);
}

static char *
bench_to_text (const Bench *bench)
{
  g_autofree char *rate = shardwise_format_count (bench->strategies_per_s),
                  *timed = shardwise_format_count (bench->timed_per_s),
                  *complete = shardwise_format_count (bench->complete_per_s),
                  *sweep = shardwise_format_seconds (bench->sweep_s),
                  *atlas = shardwise_format_seconds (bench->atlas_s);
  GString *out = g_string_new (NULL);

  g_string_append_printf (
      out,
      /* Translators: two numbers: strategies per second */
      _ ("One core evaluates %s strategies per second, %s of them including step time.\n"), rate,
      timed);
  /* Translators: a number of strategies per second; how many threads */
  g_string_append_printf (
      out, _ ("All cores together evaluate %s strategies per second (%u threads).\n"), complete,
      g_get_num_processors ());
  /* Translators: two durations */
  g_string_append_printf (out, _ ("Sizing 8 to 16,384 GPUs takes %s; the atlas takes %s.\n\n"),
                          sweep, atlas);
  /* Translators: columns of a table, each as wide as here */
  g_string_append (out,
                   _ ("model              GPUs       tried      timed      time     memory\n"));
  for (guint i = 0; i < bench->rows->len; i++)
    {
      const BenchRow *row = &g_array_index (bench->rows, BenchRow, i);
      g_autofree char *seconds = shardwise_format_seconds (row->seconds);

      g_string_append_printf (
          out, "%-14s %8u %11" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT " %9s %6.0f MiB\n",
          row->model, row->gpus, row->tried, row->timed, seconds, row->peak_rss_mib);
    }
  return g_string_free (out, FALSE);
}

int
shardwise_cli_bench (int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (BenchRow));
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) rest = NULL;
  Bench bench = { .rows = rows };
  const int status = shardwise_cli_options (
      argc, argv, entries, "", _ ("Measures the speed of the strategy search."), 0, &rest);

  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (!bench_run (&bench, &error))
    return shardwise_cli_fail ("bench", error);
  if (json)
    return shardwise_cli_print_json (bench_to_json (&bench), SHARDWISE_CLI_DONE);
  return shardwise_cli_print (bench_to_text (&bench), SHARDWISE_CLI_DONE);
}

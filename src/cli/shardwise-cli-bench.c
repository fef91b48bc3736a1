/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast the search is, on one core: live searches for 8 … 131,072 GPUs, and a complete one
 * without any bound. */
#include "shardwise-cli.h"

#include <glib/gi18n.h>
#include <math.h>
#include <sys/resource.h>
#include <time.h>

#include "shardwise-texts.h"

/* Searches of one size; the least time counts, as the others are disturbed. */
#define REPEATS 3

static const guint bench_gpus[] = { 8, 64, 512, 4096, 16384, 131072 };
static const char *const bench_models[] = { "llama-3-70b", "deepseek-v3" };

typedef struct
{
  guint gpus;
  const char *model;
  guint64 tried, timed;
  double seconds, peak_rss_mib;
} BenchRow;

typedef struct
{
  double strategies_per_s, timed_per_s; /* of the complete search: memory and time of every point */
  GArray *rows;                         /* of BenchRow */
} Bench;

/* Pre-training on H100s with Megatron-Core, which has every dimension; the batch of the Llama 3
 * report, 16 M tokens, where all GPUs find work. */
static gboolean
bench_problem (const char *model, guint gpus, SwProblem *problem, GError **error)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();

  return shardwise_scenario_set (scenario, "model.preset", g_variant_new_string (model), error)
         && shardwise_scenario_set (scenario, "cluster.gpus", g_variant_new_int64 (gpus), error)
         && shardwise_scenario_set (scenario, "training.framework",
                                    g_variant_new_string ("megatron-core"), error)
         && shardwise_scenario_set (scenario, "training.sequence_length",
                                    g_variant_new_int64 (8192), error)
         && shardwise_scenario_set (scenario, "training.global_batch_size",
                                    g_variant_new_int64 (2048), error)
         && shardwise_scenario_resolve (scenario, problem, NULL, error);
}

/* Seconds that this thread has run: what a search takes of one core, whatever else the machine
 * does. */
static double
core_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static double
peak_rss_mib (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

static void
measure_live (const SwProblem *problem, const char *model, BenchRow *row)
{
  const SwSearchOptions options = { .top = 50 };

  *row = (BenchRow){ .gpus = problem->cluster.gpus, .model = model, .seconds = INFINITY };
  for (guint i = 0; i < REPEATS; i++)
    {
      const double start_s = core_seconds ();
      SwSearchResult result;

      sw_search (problem, &options, &result);
      row->seconds = MIN (row->seconds, core_seconds () - start_s);
      row->tried = result.tried;
      row->timed = result.timed;
      sw_search_result_clear (&result);
    }
  row->peak_rss_mib = peak_rss_mib ();
}

/* Points whose memory was computed, and those of them whose time was computed too, over the time of
 * a complete search, which has no bounds. */
static void
measure_rate (const SwProblem *problem, Bench *bench)
{
  const SwSearchOptions options = { .top = 50, .complete = TRUE };
  const double start_s = core_seconds ();
  SwSearchResult result;
  guint64 evaluated;
  double seconds;

  sw_search (problem, &options, &result);
  seconds = core_seconds () - start_s;
  evaluated =
      result.fit + result.rejected[SW_RULE_GPU_MEMORY] + result.rejected[SW_RULE_HOST_MEMORY];
  bench->strategies_per_s = evaluated / seconds;
  bench->timed_per_s = result.timed / seconds;
  sw_search_result_clear (&result);
}

static gboolean
bench_run (Bench *bench, GError **error)
{
  SwProblem problem;

  for (guint i = 0; i < G_N_ELEMENTS (bench_models); i++)
    for (guint j = 0; j < G_N_ELEMENTS (bench_gpus); j++)
      {
        BenchRow row;

        if (!bench_problem (bench_models[i], bench_gpus[j], &problem, error))
          return FALSE;
        measure_live (&problem, bench_models[i], &row);
        g_array_append_val (bench->rows, row);
      }
  if (!bench_problem (bench_models[0], 512, &problem, error))
    return FALSE;
  measure_rate (&problem, bench);
  return TRUE;
}

static JsonNode *
row_to_json (const BenchRow *row)
{
  JsonObject *object = json_object_new ();
  JsonNode *node = json_node_init_object (json_node_alloc (), object);

  json_object_set_int_member (object, "gpus", row->gpus);
  json_object_set_string_member (object, "model", row->model);
  json_object_set_int_member (object, "tried", (gint64) row->tried);
  json_object_set_int_member (object, "timed", (gint64) row->timed);
  json_object_set_double_member (object, "seconds", row->seconds);
  json_object_set_double_member (object, "peak_rss_mib", row->peak_rss_mib);
  json_object_unref (object);
  return node;
}

static JsonNode *
bench_to_json (const Bench *bench)
{
  JsonObject *object = json_object_new ();
  JsonArray *searches = json_array_new ();
  JsonNode *root = json_node_init_object (json_node_alloc (), object);

  for (guint i = 0; i < bench->rows->len; i++)
    json_array_add_element (searches, row_to_json (&g_array_index (bench->rows, BenchRow, i)));
  json_object_set_double_member (object, "strategies_per_s", bench->strategies_per_s);
  json_object_set_double_member (object, "timed_per_s", bench->timed_per_s);
  json_object_set_array_member (object, "searches", searches);
  json_object_unref (object);
  return root;
}

static char *
bench_to_text (const Bench *bench)
{
  g_autofree char *rate = shardwise_format_count (bench->strategies_per_s);
  g_autofree char *timed = shardwise_format_count (bench->timed_per_s);
  GString *out = g_string_new (NULL);

  g_string_append_printf (
      out,
      /* Translators: two numbers: strategies per second */
      _ ("One core evaluates %s strategies per second, %s of them with their step time.\n\n"), rate,
      timed);
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

/**
 * shardwise_cli_bench:
 * @argc: number of @argv
 * @argv: the command and its options
 *
 * `bench [--json]`: the contract of `bench --json`; single-threaded.
 *
 * Returns: an exit status
 */
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
  g_autofree char *text = NULL;
  g_auto (GStrv) rest = NULL;
  Bench bench = { .rows = rows };
  const int status = shardwise_cli_options (argc, argv, entries, "",
                                            _ ("Measures how fast strategies are searched."), 0, &rest);

  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (!bench_run (&bench, &error))
    return shardwise_cli_fail ("bench", error);
  if (json)
    return shardwise_cli_print_json (bench_to_json (&bench), SHARDWISE_CLI_DONE);
  text = bench_to_text (&bench);
  return shardwise_cli_print (text, SHARDWISE_CLI_DONE);
}

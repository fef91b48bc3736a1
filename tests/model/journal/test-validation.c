/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runs-fixture.h"
#include "shardwise-csv.h"
#include "shardwise-validation.h"
#include "shardwise-prediction.h"

#include <math.h>
#include <string.h>

#define RUNS_PATH "/io/github/shardwise/Shardwise/catalogue/measured_runs.csv"

/* ---- CSV ---- */

static void
test_csv_fields (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseCsv) csv =
      shardwise_csv_parse ("a,b,c\r\n1,\"x, \"\"y\"\"\nz\",\n\n,,2.5e3\n", -1, &error);
  double value = -1;

  g_assert_no_error (error);
  g_assert_cmpuint (shardwise_csv_n_rows (csv), ==, 2);
  g_assert_cmpstr (shardwise_csv_text (csv, 0, "b"), ==, "x, \"y\"\nz");
  g_assert_cmpstr (shardwise_csv_text (csv, 0, "c"), ==, "");
  g_assert_cmpstr (shardwise_csv_text (csv, 0, "absent"), ==, "");
  g_assert_cmpuint (shardwise_csv_line (csv, 1), ==, 5);
  g_assert_true (shardwise_csv_number (csv, 0, "c", &value, &error));
  g_assert_cmpfloat (value, ==, -1);
  g_assert_true (shardwise_csv_number (csv, 1, "c", &value, &error));
  g_assert_cmpfloat (value, ==, 2500);
  g_assert_false (shardwise_csv_number (csv, 0, "b", &value, &error));
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_TYPE);
}

static void
test_csv_refused (void)
{
  static const struct {
    const char *text, *place;
  } refused[] = {
    { "a,b\n1\n", "line 2" },      { "a,b\n1,2\n1,2,3\n", "line 3" },
    { "a,b\n\"1,2\n", "line 2" },  { "a,b\n\"1\"x,2\n", "line 2" },
    { "a,b\n1\"2,3\n", "line 2" }, { "a,a\n1,2\n", "line 1" },
    { "a,b\n\xff,2\n", "line 1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (shardwise_csv_parse (refused[i].text, -1, &error));
      g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX);
      g_assert_nonnull (strstr (error->message, refused[i].place));
    }
}

/* ---- rows ---- */

/* Three rows read by eye in the table. */
static void
test_mapping (void)
{
  g_autoptr (GPtrArray) runs = shardwise_runs_builtin ();
  const ShardwiseRun *run;

  g_assert_cmpuint (runs->len, ==, 1501);
  run = find_run (runs, "BLM009");
  g_assert_cmpuint (run->problem.model.layers, ==, 84);
  g_assert_cmpuint (run->problem.model.hidden_size, ==, 13824);
  g_assert_cmpuint (run->strategy.tp * 1000 + run->strategy.pp * 10 + run->strategy.micro_batch, ==,
                    8 * 1000 + 12 * 10 + 2);
  g_assert_cmpint (run->strategy.framework, ==, SW_FRAMEWORK_DEEPSPEED);
  g_assert_cmpint (run->problem.training.attention, ==, SW_ATTENTION_UNFUSED);
  g_assert_cmpfloat_with_epsilon (run->problem.cluster.inter.bytes_per_s, 6.25e9, 1);
  g_assert_cmpfloat_with_epsilon (run->measured_step_s, 143.89, 1e-9);
  g_assert_cmpfloat_with_epsilon (run->measured_memory_bytes, 39 * SW_GIB, 1);
  g_assert_cmpint (run->memory_kind, ==, 'p');
  run = find_run (runs, "TT009");
  g_assert_cmpint (run->strategy.framework, ==, SW_FRAMEWORK_FSDP2);
  g_assert_cmpuint (run->strategy.cp, ==, 4);
  g_assert_cmpint (run->strategy.zero_stage, ==, 3);
  g_assert_cmpstr (run->problem.cluster.gpu.id, ==, "h100-96-500w");
  g_assert_cmpfloat_with_epsilon (run->measured_step_s, 2.0 * 131072 / 1071 / 8,
                                  1e-3); /* from tokens/s */
  run = find_run (runs, "MB024");
  g_assert_true (run->recompute_unknown);
  g_assert_cmpuint (run->problem.cluster.nvlink_domain, ==, 72);
  g_assert_cmpuint (run->problem.model.moe.experts, ==, 256);
  g_assert_cmpuint (run->problem.model.mla.kv_lora_rank, ==, 512);
  g_assert_cmpfloat_with_epsilon (run->problem.training.software_year, 2026.5, 1e-9);
}

/* What recipes say of optimizers, and units of memory as they are printed. */
static void
test_recipes (void)
{
  static const struct {
    const char *id;
    double master, moment, step, gradient, memory_bytes;
    char kind;
  } table[] = {
    { "MBS001", 2, 2, 8, 2, 36.62 * SW_GIB, 'a' }, /* Megatron-Bridge, Moonlight */
    { "MBS012", 0, 0, 0, 2, 50.2 * SW_GIB, 'a' },  /* Megatron-Bridge, Llama 3 */
    { "IEV055", 0, 0, 12, 2, 75 * SW_GIB, 'p' },   /* InternEvo */
    { "N07015", 2, 0, 0, 2, 0, 0 },                /* NeMo, July 2024 */
    { "AUT002", 0, 0, 0, 2, 0, 0 },                /* NeMo AutoModel */
    { "SMX003", 0, 0, 0, 0, 39.07 * SW_GIB, 'a' }, /* Megatron-LM */
  };
  g_autoptr (GPtrArray) runs = shardwise_runs_builtin ();

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const ShardwiseRun *run = find_run (runs, table[i].id);
      const SwTraining *training = &run->problem.training;

      g_test_message ("%s", table[i].id);
      g_assert_cmpfloat (training->master_bytes, ==, table[i].master);
      g_assert_cmpfloat (training->moment_bytes, ==, table[i].moment);
      g_assert_cmpfloat (training->step_bytes, ==, table[i].step);
      g_assert_cmpfloat (training->gradient_bytes, ==, table[i].gradient);
      g_assert_cmpfloat_with_epsilon (run->measured_memory_bytes, table[i].memory_bytes, 1e7);
      g_assert_cmpint (run->memory_kind, ==, table[i].kind);
    }
}

/* What programs do, by their name, date and notes. */
static void
test_programs (void)
{
  static const struct {
    const char *id;
    guint modules, zero;
    gboolean fused_loss, repeats, views, unfused;
    char kind;
  } table[] = {
    { "MBS009", SW_MODULE_MLP | SW_MODULE_CORE_ATTN, 1, TRUE, FALSE, FALSE, FALSE, 'a' },
    { "MZO007", SW_MODULE_LAYERNORM | SW_MODULE_MOE, 1, TRUE, FALSE, FALSE, FALSE, 0 },
    { "MSW004", 0, 1, FALSE, FALSE, FALSE, FALSE, 0 }, /* before its scripts fused the loss */
    { "MSW010", 0, 1, TRUE, FALSE, FALSE, FALSE, 0 },  /* a newer one */
    { "LTH004", 0, 0, FALSE, TRUE, TRUE, FALSE, 'a' }, /* Thunder's replicas */
    { "LTH003", 0, 0, FALSE, TRUE, FALSE, FALSE, 'a' },
    { "LGC011", 0, 0, FALSE, TRUE, FALSE, TRUE, 'a' }, /* Gemma 2 caps its scores */
    { "MDL005", 0, 0, FALSE, FALSE, FALSE, TRUE, 0 },
    { "MDL006", 0, 0, FALSE, FALSE, FALSE, FALSE, 0 },
    { "QWN019", 0, 3, FALSE, FALSE, FALSE, FALSE, 'p' }, /* stage 3 over one GPU */
    { "NAN012", 0, 0, FALSE, FALSE, FALSE, FALSE, 'r' },
  };
  g_autoptr (GPtrArray) runs = shardwise_runs_builtin ();

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const ShardwiseRun *run = find_run (runs, table[i].id);
      const SwTraining *training = &run->problem.training;

      g_test_message ("%s", table[i].id);
      if (table[i].modules != 0)
        g_assert_cmpuint (run->strategy.recompute_modules, ==, table[i].modules);
      g_assert_cmpuint (run->strategy.zero_stage, ==, table[i].zero);
      g_assert_cmpint (
          sw_problem_has (&run->problem, training->framework, SW_FEATURE_FUSED_CROSS_ENTROPY), ==,
          table[i].fused_loss);
      g_assert_cmpint (training->repeats_keys, ==, table[i].repeats);
      g_assert_cmpint (training->views_buckets, ==, table[i].views);
      g_assert_cmpint (training->attention == SW_ATTENTION_UNFUSED, ==, table[i].unfused);
      g_assert_cmpint (run->memory_kind, ==, table[i].kind);
    }
}

/* Precision of states, what adapters are beside, and dates, from columns and notes. */
static void
test_states (void)
{
  static const struct {
    const char *id;
    gboolean no_master, autocast, dropout, vocabulary;
    SwBase base;
    SwOffload offload;
  } table[] = {
    { "LTH001", .no_master = TRUE },  /* bf16-true */
    { "FMA172", .no_master = TRUE },  /* one GPU: nothing casts what was loaded in bf16 */
    { "FMA199", .no_master = FALSE }, /* FSDP does */
    { "FMA130", .base = SW_BASE_INT4 },
    { "QWN007", .no_master = TRUE, .dropout = TRUE, .vocabulary = TRUE },
    { "FQL012", .no_master = TRUE, .dropout = TRUE, .offload = SW_OFFLOAD_OPTIMIZER_PARAMS },
    { "ATR001", .autocast = TRUE, .base = SW_BASE_FP32 },
  };
  g_autoptr (GPtrArray) runs = shardwise_runs_builtin ();

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const ShardwiseRun *run = find_run (runs, table[i].id);
      const SwTraining *training = &run->problem.training;

      g_test_message ("%s", table[i].id);
      g_assert_cmpint (training->no_master, ==, table[i].no_master);
      g_assert_cmpint (training->autocast, ==, table[i].autocast);
      g_assert_cmpint (training->lora_dropout, ==, table[i].dropout);
      g_assert_cmpint (training->lora_vocabulary, ==, table[i].vocabulary);
      g_assert_cmpint (training->base, ==, table[i].base);
      g_assert_cmpint (run->strategy.offload, ==, table[i].offload);
    }
  g_assert_true (find_run (runs, "NAN001")->problem.model.tied_embeddings);
  g_assert_false (find_run (runs, "NAN017")->problem.model.tied_embeddings);
  g_assert_cmpfloat (find_run (runs, "TAO008")->problem.training.software_year, >, 2025.6);
}

static JsonNode *
validate (GPtrArray *runs)
{
  g_autoptr (ShardwiseValidation) validation = shardwise_validate (runs);

  return shardwise_validation_to_json (validation);
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (shardwise_runs_parse ("id,layers\nX1,2\n", -1, &error));
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING);
  g_clear_error (&error);
  g_assert_null (shardwise_runs_parse (
      "id,layers,hidden,heads,gpu,gpus,seq_len,global_batch,precision,framework\n"
      "X1,2.5,64,2,H200,8,128,8,bf16,NeMo\n",
      -1, &error));
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_TYPE);
  g_assert_nonnull (strstr (error->message, "layers"));
  g_assert_nonnull (strstr (error->message, "line 2"));
}

/* A row with an unknown GPU is skipped with the reason; the others stay. */
static void
test_skipped (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) runs = shardwise_runs_parse (
      "id,layers,hidden,heads,gpu,gpus,seq_len,global_batch,precision,framework\n"
      "X1,8,1024,8,TPU-v9,8,1024,64,bf16,NeMo\n"
      "X2,8,1024,8,H200,8,1024,64,bf16,NeMo\n",
      -1, &error);
  g_autoptr (JsonNode) validation = NULL;
  JsonObject *root;

  g_assert_no_error (error);
  validation = validate (runs);
  root = json_node_get_object (validation);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (root, "rows")), ==, 1);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (root, "skipped")), ==, 1);
  g_assert_nonnull (strstr (
      json_object_get_string_member (
          json_array_get_object_element (json_object_get_array_member (root, "skipped"), 0), "why"),
      "TPU-v9"));
}

/* ---- nothing measured is read ---- */

static gboolean
is_measured (const char *column)
{
  static const char *const names[] = { "mfu", "mem_gib_per_gpu", "recompute_ratio", "quality",
                                       "id",  "family",          "source" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], column))
      return TRUE;
  return g_str_has_prefix (column, "iter_time") || g_str_has_prefix (column, "tokens")
         || g_str_has_prefix (column, "tflops");
}

static void
append_field (GString *out, const char *text, gboolean last)
{
  g_auto (GStrv) parts = g_strsplit (text, "\"", -1);
  g_autofree char *doubled = g_strjoinv ("\"\"", parts);

  g_string_append_printf (out, "\"%s\"%c", doubled, last ? '\n' : ',');
}

static gboolean
is_changed (const char *column, const char *changed)
{
  return changed != NULL ? g_str_equal (column, changed) : is_measured (column);
}

/* The names of the columns of the compiled-in table. */
static GStrv
columns_of (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", 2);

  return g_strsplit (g_strchomp (lines[0]), ",", -1);
}

/* The compiled-in table again with other text in a measured or derived column, or in all of them
 * (NULL). */
static char *
changed_table (const char *changed, const char *with)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (RUNS_PATH, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                                      NULL);
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);
  g_autoptr (ShardwiseCsv) csv = shardwise_csv_parse (text, (gssize) length, NULL);
  g_auto (GStrv) columns = columns_of (text);
  GString *out = g_string_new (NULL);
  guint n = g_strv_length (columns);

  for (guint c = 0; c < n; c++)
    append_field (out, columns[c], c == n - 1);
  for (guint row = 0; row < shardwise_csv_n_rows (csv); row++)
    for (guint c = 0; c < n; c++)
      append_field (
          out, is_changed (columns[c], changed) ? with : shardwise_csv_text (csv, row, columns[c]),
          c == n - 1);
  return g_string_free (out, FALSE);
}

/* Every row, with a measured column changed, is predicted to the bit as before. The kind of memory
 * that was measured is not among those columns: it says what the prediction is of. */
static void
check_unread (const char *changed, const char *with)
{
  g_autofree char *table = changed_table (changed, with);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) runs = shardwise_runs_builtin (),
                        other = shardwise_runs_parse (table, -1, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (runs->len, ==, other->len);
  for (guint i = 0; i < runs->len; i++)
    {
      const ShardwiseRun *a = g_ptr_array_index (runs, i), *b = g_ptr_array_index (other, i);
      ShardwiseRunPrediction p, q;

      g_assert_cmpstr (a->skip, ==, b->skip);
      if (a->skip != NULL)
        continue;
      shardwise_run_predict (a, &p);
      shardwise_run_predict (b, &q);
      g_assert_true (p.step_s == q.step_s && p.memory_bytes == q.memory_bytes && p.fits == q.fits);
      g_assert_true (sw_strategy_equal (&p.used, &q.used));
      if (changed == NULL)
        g_assert_cmpfloat (b->measured_step_s, ==, 0);
    }
}

/* All of them emptied, then each alone emptied and filled with something else. */
static void
test_blanked (void)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (RUNS_PATH, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                                      NULL);
  g_auto (GStrv) columns = columns_of (g_bytes_get_data (bytes, NULL));
  guint seen = 0;

  check_unread (NULL, "");
  for (guint c = 0; columns[c] != NULL; c++)
    if (is_measured (columns[c]))
      {
        seen++;
        check_unread (columns[c], "");
        check_unread (columns[c], "7");
      }
  g_assert_cmpuint (seen, ==, 14);
}

/* ---- statistics ---- */

static const ShardwiseRun *
nth (GPtrArray *runs, guint i)
{
  return g_ptr_array_index (runs, i);
}

/* Three rows whose measured times are set to what makes the errors known: ln 1, ln 1.1, -ln 1.2. */
static void
test_statistics (void)
{
  static const double factor[] = { 1.0, 1.1, 1 / 1.2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (JsonNode) validation = NULL;
  g_autoptr (GString) table = g_string_new ("id,layers,hidden,heads,gpu,gpus,seq_len,global_batch,"
                                            "precision,framework,tp,iter_time_s,quality\n");
  JsonObject *family, *time;

  for (guint pass = 0; pass < 2; pass++)
    {
      g_autofree char *before = pass > 0 ? g_strdup (table->str) : NULL;

      if (pass > 0)
        g_string_assign (table, "id,layers,hidden,heads,gpu,gpus,seq_len,global_batch,precision,"
                                "framework,tp,iter_time_s,quality\n");
      for (guint i = 0; i < 3; i++)
        {
          char seconds[G_ASCII_DTOSTR_BUF_SIZE] = "1";
          ShardwiseRunPrediction p;

          if (pass > 0)
            {
              shardwise_run_predict (nth (runs, i), &p);
              g_ascii_dtostr (seconds, sizeof seconds, p.step_s / factor[i]);
            }
          g_string_append_printf (table, "X%u,16,1024,8,H200,8,1024,64,bf16,NeMo,%u,%s,A\n", i,
                                  1u << i, seconds);
        }
      g_clear_pointer (&runs, g_ptr_array_unref);
      runs = shardwise_runs_parse (table->str, -1, &error);
      g_assert_no_error (error);
    }
  validation = validate (runs);
  family = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (validation), "families"), 0);
  time = json_object_get_object_member (family, "time");
  g_assert_cmpstr (json_object_get_string_member (family, "family"), ==, "X");
  g_assert_cmpint (json_object_get_int_member (time, "rows"), ==, 3);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (time, "median"), log (1.1), 1e-9);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (time, "p90"),
                                  log (1.1) + 0.8 * (log (1.2) - log (1.1)), 1e-9);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (time, "bias"), 0, 1e-9);
  g_assert_true (
      json_object_get_null_member (json_object_get_object_member (family, "memory"), "median"));
}

/* Strategies of one job whose measured times are made of their predicted ones. `power`: 1 measures
 * what is predicted, -1 the opposite order; `again`: the first is measured twice, the second time
 * at that multiple. */
static void
check_ranks (double power, double again, double tau, double regret)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (ShardwiseValidation) validation = NULL;
  g_autoptr (GString) table = g_string_new (NULL);
  const ShardwiseFamilyErrors *family;
  double step[3];

  for (guint pass = 0; pass < 2; pass++)
    {
      g_string_assign (table, "id,layers,hidden,heads,gpu,gpus,seq_len,global_batch,precision,"
                              "framework,tp,iter_time_s,quality\n");
      for (guint i = 0; i < 4; i++)
        {
          char seconds[G_ASCII_DTOSTR_BUF_SIZE] = "1";
          guint which = i % 3;

          if (pass > 0)
            g_ascii_dtostr (seconds, sizeof seconds,
                            pow (step[which], power) * (i == 3 ? again : 1));
          g_string_append_printf (table, "X%u,16,1024,8,H200,8,1024,256,bf16,NeMo,%u,%s,A\n", i,
                                  1u << which, seconds);
        }
      g_clear_pointer (&runs, g_ptr_array_unref);
      runs = shardwise_runs_parse (table->str, -1, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < 3; i++)
        {
          ShardwiseRunPrediction p;

          shardwise_run_predict (nth (runs, i), &p);
          step[i] = p.step_s;
        }
    }
  g_assert_cmpfloat (step[1] / step[0], >, 1.05);
  g_assert_cmpfloat (step[2] / step[1], >, 1.05);
  validation = shardwise_validate (runs);
  family = &g_array_index (validation->families, ShardwiseFamilyErrors, 0);
  g_assert_cmpuint (family->groups, ==, 1);
  g_assert_cmpuint (family->pairs, ==, 3);
  g_assert_cmpfloat_with_epsilon (family->kendall_tau, tau, 1e-9);
  g_assert_cmpfloat_with_epsilon (family->regret, regret < 0 ? step[2] / step[0] - 1 : regret,
                                  1e-9);
}

/* A strategy that is measured again is no second strategy: of the mean of its times is judged. */
static void
test_ranks (void)
{
  check_ranks (1, 1, 1, 0);
  check_ranks (-1, 1, -1, -1); /* picks the slowest: step[2] / step[0] times the best */
  check_ranks (1, 0.9, 1, 0);
}

/* What differs in more than strategy is not compared. */
static void
test_groups (void)
{
  static const struct {
    const char *second;
    guint groups;
  } cases[] = {
    { "X1,8,1024,8,H200,8,1024,64,bf16,NeMo,2,1,A,2025-01,pretrain", 1 },
    { "X1,8,1024,8,H200,16,1024,64,bf16,NeMo,2,1,A,2025-01,pretrain", 0 },
    { "X1,8,1024,8,H100-80,8,1024,64,bf16,NeMo,2,1,A,2025-01,pretrain", 0 },
    { "X1,9,1024,8,H200,8,1024,64,bf16,NeMo,2,1,A,2025-01,pretrain", 0 },
    { "X1,8,1024,8,H200,8,2048,64,bf16,NeMo,2,1,A,2025-01,pretrain", 0 },
    { "X1,8,1024,8,H200,8,1024,32,bf16,NeMo,2,1,A,2025-01,pretrain", 0 },
    { "X1,8,1024,8,H200,8,1024,64,fp8,NeMo,2,1,A,2025-01,pretrain", 0 },
    { "X1,8,1024,8,H200,8,1024,64,bf16,torchtitan,2,1,A,2025-01,pretrain", 0 },
    { "X1,8,1024,8,H200,8,1024,64,bf16,NeMo,2,1,A,2025-03,pretrain", 0 },
    { "X1,8,1024,8,H200,8,1024,64,bf16,NeMo,2,1,A,2025-01,lora", 0 },
    { "X1,8,1024,8,H200,8,1024,64,bf16,NeMo,2,1,C,2025-01,pretrain", 0 },
    { "Y1,8,1024,8,H200,8,1024,64,bf16,NeMo,2,1,A,2025-01,pretrain", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *table = g_strconcat (
          "id,layers,hidden,heads,gpu,gpus,seq_len,global_batch,precision,framework,tp,iter_time_s,"
          "quality,software_date,task\nX0,8,1024,8,H200,8,1024,64,bf16,NeMo,1,1,A,2025-01,"
          "pretrain\n",
          cases[i].second, "\n", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) runs = shardwise_runs_parse (table, -1, &error);
      g_autoptr (ShardwiseValidation) validation = NULL;

      g_assert_no_error (error);
      validation = shardwise_validate (runs);
      g_test_message ("%s", cases[i].second);
      g_assert_cmpuint (g_array_index (validation->families, ShardwiseFamilyErrors, 0).groups, ==,
                        cases[i].groups);
    }
}

/* A run that ran and is predicted not to fit is a false alarm, one measured not to fit is found. */
static void
test_out_of_memory (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) runs = shardwise_runs_parse (
      "id,layers,hidden,heads,gpu,gpus,seq_len,global_batch,precision,framework,recompute,"
      "iter_time_s,quality\n"
      "X1,80,8192,64,H100-80,8,4096,64,bf16,NeMo,none,9,A\n"
      "X2,80,8192,64,H100-80,8,4096,64,bf16,NeMo,none,,A-oom\n"
      "X3,8,1024,8,H100-80,8,1024,64,bf16,NeMo,none,9,A\n"
      "X4,8,1024,8,H100-80,8,1024,64,bf16,NeMo,none,,A-oom\n",
      -1, &error);
  g_autoptr (ShardwiseValidation) validation = NULL;
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  validation = shardwise_validate (runs);
  g_assert_cmpuint (validation->oom_rows, ==, 2);
  g_assert_cmpuint (validation->oom_found, ==, 1);
  g_assert_cmpuint (validation->false_alarms, ==, 1);
  text = shardwise_validation_to_text (validation, FALSE);
  g_assert_nonnull (strstr (text, "missed: X4"));
  g_assert_nonnull (strstr (text, "unknown): X1\n"));
  g_assert_null (strstr (text, "X3"));
}

/* The compiled-in constants hold on the compiled-in table: medians of sources below 15 % on the
 * mean, none above 45 %; intervals hold about what they claim; at most two runs that ran out of memory
 * are taken to fit, and few that ran are taken not to. */
static void
test_accuracy (void)
{
  g_autoptr (GPtrArray) runs = shardwise_runs_builtin ();
  g_autoptr (ShardwiseValidation) validation = shardwise_validate (runs);
  g_autofree char *text = shardwise_validation_to_text (validation, FALSE);

  g_test_message ("%s", text);
  g_assert_cmpfloat (validation->time.median, <, 0.15);
  for (guint i = 0; i < validation->families->len; i++)
    g_assert_cmpfloat (g_array_index (validation->families, ShardwiseFamilyErrors, i).time.median,
                       <, 0.45);
  g_assert_cmpfloat (validation->time_coverage, >, 0.85);
  g_assert_cmpfloat (validation->memory_coverage, >, 0.8);
  g_assert_cmpuint (validation->oom_rows, ==, 9);
  g_assert_cmpuint (validation->oom_found, >=, 7);
  g_assert_cmpuint (validation->false_alarms, <, 0.02 * validation->predictions->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/validation/csv-fields", test_csv_fields);
  g_test_add_func ("/validation/csv-refused", test_csv_refused);
  g_test_add_func ("/validation/mapping", test_mapping);
  g_test_add_func ("/validation/recipes", test_recipes);
  g_test_add_func ("/validation/programs", test_programs);
  g_test_add_func ("/validation/states", test_states);
  g_test_add_func ("/validation/refused", test_refused);
  g_test_add_func ("/validation/skipped", test_skipped);
  g_test_add_func ("/validation/blanked", test_blanked);
  g_test_add_func ("/validation/statistics", test_statistics);
  g_test_add_func ("/validation/ranks", test_ranks);
  g_test_add_func ("/validation/groups", test_groups);
  g_test_add_func ("/validation/out-of-memory", test_out_of_memory);
  g_test_add_func ("/validation/accuracy", test_accuracy);
  return g_test_run ();
}

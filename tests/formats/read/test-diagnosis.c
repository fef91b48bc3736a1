/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of a job, in which order, and whether the changes do what they promise. */
#include <string.h>

#include "export-fixture.h"
#include "shardwise-estimate.h"
#include "shardwise-diagnosis.h"
#include "shardwise-import.h"
#include "shardwise-format.h"

static GPtrArray *
diagnose (const char *json, ShardwiseImportKind kind)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GError) error = NULL;
  GPtrArray *findings = shardwise_diagnose (scenario, kind, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < findings->len; i++)
    {
      const ShardwiseFinding *finding = findings->pdata[i];

      g_test_message ("%s: %s (%s)", finding->code, finding->text,
                      finding->effect != NULL ? finding->effect : "");
    }
  return findings;
}

static int
index_of (GPtrArray *findings, const char *code)
{
  for (guint i = 0; i < findings->len; i++)
    if (g_str_equal (((ShardwiseFinding *) findings->pdata[i])->code, code))
      return (int) i;
  return -1;
}

#define JOB(gpus, training, strategy)                                                              \
  "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "            \
  "\"gpus\": " gpus                                                                                \
  "}, \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128, " training             \
  "}, \"strategy\": {" strategy "}}"

static const struct {
  const char *json;
  ShardwiseImportKind kind;
  const char *codes[4];
} cases[] = {
  /* fits, but exposed communication is most of what could be gained */
  { JOB ("32", "\"framework\": \"megatron-core\"",
         "\"tp\": 8, \"pp\": 4, \"dp\": 1, \"cp\": 1, \"zero_stage\": 1, \"sequence_parallel\": "
         "true, \"micro_batch_size\": 1, \"recompute\": \"selective\", \"schedule\": \"1f1b\", "
         "\"offload\": \"none\", \"vpp\": 1"),
    SHARDWISE_IMPORT_MEGATRON,
    { "fits", "time", NULL } },
  { JOB ("32", "\"framework\": \"megatron-core\"",
         "\"tp\": 8, \"pp\": 4, \"micro_batch_size\": 8, \"recompute\": \"none\", "
         "\"sequence_parallel\": true"),
    SHARDWISE_IMPORT_MEGATRON,
    { "does-not-fit", "time", "change-micro-batch", NULL } },
  /* 128 sequences do not divide by 3 x 32 */
  { JOB ("32", "\"framework\": \"fsdp2\"",
         "\"tp\": 1, \"pp\": 1, \"dp\": 32, \"zero_stage\": 3, \"micro_batch_size\": 3"),
    SHARDWISE_IMPORT_TORCHTITAN,
    { "batch", "change-micro-batch", NULL } },
  /* nor by 3 replicas: 129 do */
  { JOB ("48", "\"framework\": \"megatron-core\"",
         "\"tp\": 8, \"pp\": 2, \"dp\": 3, \"zero_stage\": 1, \"micro_batch_size\": 1"),
    SHARDWISE_IMPORT_MEGATRON,
    { "batch", "change-batch", NULL } },
  /* Nanotron shards the optimizer only */
  { JOB ("32", "\"framework\": \"nanotron\"",
         "\"tp\": 8, \"pp\": 4, \"dp\": 1, \"zero_stage\": 3, \"micro_batch_size\": 1"),
    SHARDWISE_IMPORT_NANOTRON,
    { "framework-zero", "change-zero", NULL } },
  /* 3 sequences, typed among the inputs */
  { JOB ("32", "\"framework\": \"fsdp2\", \"micro_batch_size\": 3",
         "\"tp\": 1, \"pp\": 1, \"dp\": 32, \"zero_stage\": 3"),
    SHARDWISE_IMPORT_TORCHTITAN,
    { "batch", "change-micro-batch", NULL } },
  /* Accelerate's FSDP 1 has no mesh to shard over a part of the replicas: its FSDP 2 is another job */
  { JOB ("32", "\"framework\": \"fsdp\"",
         "\"tp\": 1, \"pp\": 1, \"dp\": 32, \"zero_stage\": 3, \"shard_group\": 4, "
         "\"micro_batch_size\": 1"),
    SHARDWISE_IMPORT_ACCELERATE,
    { "framework-rule", NULL } },
  /* degrees that need more GPUs than there are: the scenario does not resolve */
  { JOB ("16", "\"framework\": \"megatron-core\"",
         "\"tp\": 8, \"pp\": 4, \"cp\": 1, \"micro_batch_size\": 1"),
    SHARDWISE_IMPORT_MEGATRON,
    { "world-size", "change-gpus", "change-strategy", NULL } },
  /* degrees and GPUs that are no multiple of one another */
  { JOB ("12", "\"framework\": \"megatron-core\"", "\"tp\": 8, \"pp\": 1, \"cp\": 1"),
    SHARDWISE_IMPORT_MEGATRON,
    { "world-size", "change-gpus", NULL } },
  /* ZeRO has nothing to shard over one replica, so no change names it */
  { JOB ("32", "\"framework\": \"megatron-core\"",
         "\"tp\": 8, \"pp\": 4, \"dp\": 1, \"zero_stage\": 1, \"micro_batch_size\": 1, "
         "\"recompute\": \"none\", \"sequence_parallel\": false, \"vpp\": 1, "
         "\"offload\": \"none\""),
    SHARDWISE_IMPORT_MEGATRON,
    { "does-not-fit", "time", "change-recompute", NULL } },
};

static void
test_codes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) findings = diagnose (cases[i].json, cases[i].kind);
      int last = -1;

      for (guint j = 0; cases[i].codes[j] != NULL; j++)
        {
          int index = index_of (findings, cases[i].codes[j]);

          g_test_message ("%s", cases[i].codes[j]);
          g_assert_cmpint (index, >, last);
          last = index;
        }
    }
}

/* Two changes with one effect are one change and something that does nothing. */
static void
test_distinct (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) findings = diagnose (cases[i].json, cases[i].kind);
      g_autoptr (GHashTable) effects = g_hash_table_new (g_str_hash, g_str_equal);

      for (guint j = 0; j < findings->len; j++)
        {
          const ShardwiseFinding *finding = findings->pdata[j];

          if (!g_str_has_prefix (finding->code, "change-") || finding->effect == NULL)
            continue;
          g_assert_true (g_hash_table_add (effects, finding->effect));
          if (strstr (cases[i].json, "\"dp\": 1, \"zero_stage\": 1") != NULL
              && strstr (finding->text, "Data parallel") == NULL)
            g_assert_null (strstr (finding->text, "ZeRO"));
        }
    }
}

/* The first four carry the engine's own figures. */
static void
test_figures (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (cases[0].json);
  g_autoptr (GPtrArray) findings = diagnose (cases[0].json, cases[0].kind);
  const ShardwiseFinding *fits = findings->pdata[index_of (findings, "fits")],
                         *time = findings->pdata[index_of (findings, "time")];
  g_autofree char *memory = NULL, *step = NULL, *rate = NULL;
  SwProblem problem;
  SwEstimate estimate;

  g_assert_true (shardwise_estimate_scenario (scenario, &problem, &estimate, NULL, NULL));
  memory = shardwise_format_bytes (estimate.memory.peak.total);
  step = shardwise_format_seconds (estimate.time.step_s);
  rate = shardwise_format_count (estimate.tokens_per_s);
  g_assert_true (g_str_has_prefix (fits->effect, memory));
  g_assert_nonnull (strstr (time->text, step));
  g_assert_true (g_str_has_prefix (time->effect, rate));
}

/* After Apply the best strategy has the throughput and the memory that the change names, or more.
 */
static void
test_apply (void)
{
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) findings = diagnose (cases[i].json, cases[i].kind);

      for (guint j = 0; j < findings->len; j++)
        {
          const ShardwiseAdviceOptions options = { .top = 1 };
          const ShardwiseFinding *finding = findings->pdata[j];
          g_autoptr (ShardwiseScenario) scenario = scenario_of (cases[i].json);
          g_autoptr (ShardwiseAdvice) advice = NULL;
          g_autofree char *rate = NULL;
          g_autoptr (GError) error = NULL;

          if (finding->changes == NULL || finding->effect == NULL)
            continue;
          g_assert_true (shardwise_scenario_apply (scenario, finding->changes, &error));
          advice = shardwise_advice_compute (scenario, &options, NULL, &error);
          g_assert_no_error (error);
          g_assert_true (shardwise_advice_get_fits (advice));
          rate = shardwise_format_count (shardwise_advice_get_recommended (advice)->tokens_per_s);
          g_test_message ("%s: %s, then %s tokens/s", finding->text, finding->effect, rate);
          g_assert_nonnull (strstr (finding->effect, rate));
          n++;
        }
    }
  g_assert_cmpuint (n, >=, 5);
}

/* A job uses all its GPUs even if it fits on none: fewer replicas are not a way out. */
static void
test_all_gpus (void)
{
  g_autoptr (GPtrArray) findings =
      diagnose (JOB ("8", "\"framework\": \"megatron-core\"",
                     "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"zero_stage\": 1, \"micro_batch_size\": "
                     "16, \"recompute\": \"none\", \"offload\": \"activations\""),
                SHARDWISE_IMPORT_MEGATRON);

  /* Neither the GPUs nor, offloaded, their hosts have the memory. */
  g_assert_cmpint (index_of (findings, "does-not-fit"), >=, 0);
  g_assert_cmpint (index_of (findings, "host-memory"), >=, 0);
  for (guint i = 0; i < findings->len; i++)
    {
      const ShardwiseFinding *finding = findings->pdata[i];

      g_assert_null (strstr (finding->text, "Data parallel 8 instead of"));
      if (g_str_equal (finding->code, "time"))
        g_assert_nonnull (strstr (finding->text, "With enough memory a step would take"));
    }
}

/* Each way out tells its effect as the others do: of the whole job. */
static void
test_effects (void)
{
  g_autoptr (GPtrArray) findings =
      diagnose ("{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, "
                "\"training\": {\"global_batch_size\": 256, \"framework\": \"deepspeed\"}, "
                "\"strategy\": {\"tp\": 1, \"pp\": 1, \"dp\": 8, \"cp\": 1, \"zero_stage\": 2, "
                "\"micro_batch_size\": 8, \"offload\": \"none\"}}",
                SHARDWISE_IMPORT_DEEPSPEED);
  const ShardwiseFinding *overflow;
  guint n = 0;

  g_assert_cmpint (index_of (findings, "change-job"), >=, 0);
  for (guint i = 0; i < findings->len; i++)
    {
      const ShardwiseFinding *finding = findings->pdata[i];

      if (finding->changes == NULL)
        continue;
      g_assert_null (strstr (finding->text, "tokens/s"));
      g_assert_nonnull (strstr (finding->effect, " on the fullest GPU"));
      g_assert_null (strstr (finding->effect, "per GPU"));
      /* The job leaves open what it recomputes. */
      g_assert_null (strstr (finding->text, "Recomputation none instead of"));
      n++;
    }
  g_assert_cmpuint (n, >, 0);
  overflow = findings->pdata[index_of (findings, "does-not-fit")];
  g_assert_nonnull (strstr (overflow->text, "weights, gradients and optimizer states take"));
}

/* All degrees stated: their product is the number of GPUs. */
static void
test_world (void)
{
  g_autoptr (GPtrArray) findings = diagnose (
      JOB ("32", "\"framework\": \"fsdp2\"", "\"tp\": 8, \"pp\": 1, \"cp\": 1, \"dp\": 2"),
      SHARDWISE_IMPORT_TORCHTITAN);
  const int index = index_of (findings, "change-gpus");

  g_assert_nonnull (strstr (((ShardwiseFinding *) findings->pdata[0])->text,
                            "TP × PP × CP × DP = 16 GPUs, but the job has 32: TorchTitan 0.2.2"));
  g_assert_cmpint (index, >, 0);
  g_assert_nonnull (
      strstr (((ShardwiseFinding *) findings->pdata[index])->text, "16 GPUs instead"));
}

/* A job that states its replicas is told what more of them take, and that they fit as told. */
static void
test_more_gpus (void)
{
  static const char job[] =
      JOB ("16", "\"framework\": \"fsdp2\"",
           "\"tp\": 8, \"pp\": 1, \"cp\": 1, \"dp\": 2, \"zero_stage\": 3, "
           "\"micro_batch_size\": 2, \"recompute\": \"none\", \"offload\": \"none\"");
  g_autoptr (GPtrArray) findings = diagnose (job, SHARDWISE_IMPORT_TORCHTITAN);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
  const int index = index_of (findings, "change-gpus");
  const ShardwiseFinding *finding;
  SwEstimate estimate;
  SwProblem problem;
  g_autofree char *memory = NULL;

  g_assert_cmpint (index_of (findings, "does-not-fit"), >=, 0);
  g_assert_cmpint (index, >, 0);
  finding = findings->pdata[index];
  g_assert_true (shardwise_scenario_apply (scenario, finding->changes, NULL));
  g_assert_true (shardwise_estimate_scenario (scenario, &problem, &estimate, NULL, NULL));
  g_assert_true (estimate.fits);
  g_assert_cmpuint (problem.cluster.gpus, >, 16);
  memory = shardwise_format_bytes (estimate.memory.peak.total);
  g_assert_nonnull (strstr (finding->effect, memory));
  for (guint i = 0; i < findings->len; i++)
    g_assert_null (strstr (((ShardwiseFinding *) findings->pdata[i])->text, "Sequences of 128 "));
}

/* Of the fastest strategies many may be none of the framework: what it can run, and as predicted,
 * is looked for on. TorchTitan trains in fp32 where nothing is sharded. */
static void
test_beyond_refused (void)
{
  static const char job[] =
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": "
      "\"h100-80-sxm\", \"gpus\": 16}, \"training\": {\"sequence_length\": 8192, "
      "\"global_batch_size\": 4, \"framework\": \"fsdp2\"}, \"strategy\": {\"tp\": 8, "
      "\"pp\": 1, \"dp\": 2, \"cp\": 1, \"sequence_parallel\": true, \"zero_stage\": 3, "
      "\"micro_batch_size\": 2, \"recompute\": \"none\", \"offload\": \"none\"}}";
  g_autoptr (GPtrArray) findings = diagnose (job, SHARDWISE_IMPORT_TORCHTITAN);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
  const int strategy = index_of (findings, "change-strategy"),
            offload = index_of (findings, "change-offload");

  g_assert_cmpint (strategy, >, 0);
  g_assert_cmpint (offload, >, strategy); /* the faster first */
  g_assert_true (shardwise_scenario_apply (
      scenario, ((ShardwiseFinding *) findings->pdata[strategy])->changes, NULL));
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_DP, 1)
                         * shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_CP, 1),
                     >, 1);
}

/* What the file's own findings say is not said again. */
static void
test_said_once (void)
{
  g_autoptr (GPtrArray) findings =
      diagnose (JOB ("12", "\"framework\": \"megatron-core\"", "\"tp\": 8, \"pp\": 1, \"cp\": 1"),
                SHARDWISE_IMPORT_MEGATRON);
  const int index = index_of (findings, "world-size");

  g_assert_cmpint (index, >=, 0);
  g_assert_true (shardwise_finding_is_said (findings->pdata[index], findings));
  g_assert_false (shardwise_finding_is_said (findings->pdata[index], NULL));
  g_assert_nonnull (strstr (((ShardwiseFinding *) findings->pdata[index])->text,
                            "as Megatron-Core 0.20.0 requires"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/diagnosis/codes", test_codes);
  g_test_add_func ("/diagnosis/distinct", test_distinct);
  g_test_add_func ("/diagnosis/figures", test_figures);
  g_test_add_func ("/diagnosis/apply", test_apply);
  g_test_add_func ("/diagnosis/all-gpus", test_all_gpus);
  g_test_add_func ("/diagnosis/effects", test_effects);
  g_test_add_func ("/diagnosis/more-gpus", test_more_gpus);
  g_test_add_func ("/diagnosis/beyond-refused", test_beyond_refused);
  g_test_add_func ("/diagnosis/world", test_world);
  g_test_add_func ("/diagnosis/said-once", test_said_once);
  return g_test_run ();
}

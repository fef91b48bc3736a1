/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of the playbook against jobs: each is seen in every state that it can have. */
#include "scenario-fixture.h"
#include "shardwise-condition.h"
#include "shardwise-estimate.h"
#include "shardwise-rule-finding.h"
#include "shardwise-format.h"

#include <string.h>

#define JOB(model, cluster, training, strategy)                                                    \
  "{\"model\": {" model "}, \"cluster\": {" cluster "}, \"training\": {" training                  \
  "}, \"strategy\": {" strategy "}}"
#define PRESET(name) "\"preset\": \"" name "\""
#define H100(gpus) "\"gpu\": \"h100-80-sxm\", \"gpus\": " #gpus ", \"gpus_per_node\": 8"
#define BATCH(sequence, batch) "\"sequence_length\": " #sequence ", \"global_batch_size\": " #batch
#define SPLIT(tp, pp, dp, zero, micro)                                                             \
  "\"tp\": " #tp ", \"pp\": " #pp ", \"dp\": " #dp ", \"zero_stage\": " #zero                      \
  ", \"micro_batch_size\": " #micro

/* A job with its whole strategy. */
static void
estimate (const char *json, SwProblem *problem, SwEstimate *out)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GPtrArray) notes = NULL;

  shardwise_estimate_scenario (scenario, problem, out, &notes, &error);
  g_assert_no_error (error);
}

#define LLAMA_8B PRESET ("llama-3-8b")
#define LLAMA_70B PRESET ("llama-3-70b")
#define LLAMA_405B PRESET ("llama-3.1-405b")
#define MIXTRAL PRESET ("mixtral-8x7b")
#define FSDP ", \"framework\": \"fsdp2\""

static const char *const jobs[] = {
  /* TP across nodes, the published golden case, and a larger cluster */
  JOB (LLAMA_70B, H100 (64), BATCH (8192, 128), SPLIT (16, 2, 2, 1, 1)),
  JOB (LLAMA_70B, H100 (32), BATCH (8192, 128), SPLIT (8, 4, 1, 1, 1)),
  JOB (LLAMA_70B, H100 (32), BATCH (8192, 128), SPLIT (2, 4, 4, 1, 1)),
  JOB (LLAMA_70B, H100 (512), BATCH (8192, 2048), SPLIT (8, 4, 16, 1, 1)),
  JOB (LLAMA_70B, H100 (32), BATCH (11264, 128) ", \"memory_target\": 0.99", SPLIT (8, 4, 1, 1, 1)),
  /* one GPU; a small model replicated, on idle GPUs, and cut for nothing */
  JOB (PRESET ("llama-3.2-1b"), H100 (1), BATCH (512, 8), SPLIT (1, 1, 1, 0, 1)),
  JOB ("\"parameters_b\": 0.5", H100 (16), BATCH (2048, 256), SPLIT (1, 1, 8, 0, 4)),
  JOB ("\"parameters_b\": 0.5", H100 (8), BATCH (512, 4096), SPLIT (2, 2, 2, 1, 4)),
  JOB ("\"parameters_b\": 0.5", H100 (16), BATCH (512, 64), SPLIT (1, 1, 16, 1, 4)),
  /* one node: sharded, cut, and out of memory */
  JOB (LLAMA_8B, H100 (8), BATCH (4096, 64) FSDP, SPLIT (1, 1, 8, 2, 1)),
  JOB (LLAMA_8B, H100 (8), BATCH (4096, 64), SPLIT (8, 1, 1, 1, 1)),
  JOB (LLAMA_8B, H100 (8), BATCH (8192, 64), SPLIT (2, 1, 4, 1, 8)),
  JOB (LLAMA_70B, H100 (8), BATCH (8192, 64) FSDP,
       SPLIT (1, 1, 8, 3, 1) ", \"recompute\": \"full\""),
  JOB (LLAMA_70B, H100 (8), BATCH (8192, 64) ", \"type\": \"lora\"", SPLIT (8, 1, 1, 1, 1)),
  JOB (LLAMA_70B, H100 (8), BATCH (8192, 64) ", \"type\": \"lora\"", SPLIT (1, 1, 8, 1, 8)),
  JOB (LLAMA_8B, H100 (8), BATCH (2048, 64),
       SPLIT (8, 1, 1, 1, 1) ", \"recompute\": \"full\", \"sequence_parallel\": false"),
  JOB (PRESET ("llama-33b"), H100 (8), BATCH (2048, 64) FSDP, SPLIT (1, 1, 8, 3, 1)),
  /* ZeRO 3 over nodes: plain, hybrid, with TP inside and outside */
  JOB (LLAMA_8B, H100 (16), BATCH (8192, 64) FSDP, SPLIT (1, 1, 16, 3, 1)),
  JOB (LLAMA_8B, H100 (16), BATCH (8192, 64) FSDP, SPLIT (1, 1, 16, 3, 1) ", \"shard_group\": 8"),
  JOB (LLAMA_70B, H100 (128), BATCH (8192, 2048) FSDP, SPLIT (4, 1, 32, 3, 1)),
  JOB (PRESET ("gpt3-175b"), H100 (128), BATCH (2048, 4096) FSDP, SPLIT (16, 1, 8, 3, 1)),
  /* the largest */
  JOB (LLAMA_405B, H100 (1024), BATCH (8192, 1024) FSDP, SPLIT (8, 4, 32, 2, 1)),
  JOB (LLAMA_405B, H100 (1024), BATCH (8192, 1024) FSDP, SPLIT (8, 4, 32, 3, 1)),
  JOB (LLAMA_405B, H100 (128), BATCH (8192, 1024), SPLIT (8, 16, 1, 1, 1)),
  JOB ("\"parameters_b\": 100", H100 (64), BATCH (4096, 128), SPLIT (8, 4, 2, 1, 1)),
  /* pipelines: uneven, few micro-batches, interleaved */
  JOB (LLAMA_70B, H100 (64), BATCH (4096, 4), SPLIT (8, 8, 1, 1, 1)),
  JOB (LLAMA_70B, H100 (64), BATCH (4096, 8), SPLIT (8, 8, 1, 1, 1) ", \"vpp\": 2"),
  JOB (LLAMA_8B, H100 (24), BATCH (4096, 64), SPLIT (8, 3, 1, 1, 1)),
  /* other hardware and kernels */
  JOB (LLAMA_8B, "\"gpu\": \"a100-80-pcie\", \"gpus\": 8, \"intra_node\": \"pcie\"",
       BATCH (8192, 64), SPLIT (2, 1, 4, 1, 1)),
  JOB (LLAMA_8B, "\"gpu\": \"a100-80-pcie\", \"gpus\": 8, \"intra_node\": \"pcie\"",
       BATCH (8192, 64) FSDP, SPLIT (1, 1, 8, 3, 1)),
  JOB (LLAMA_8B, H100 (32) ", \"inter_node\": \"ethernet\"",
       BATCH (8192, 64) FSDP ", \"overlap\": \"none\"", SPLIT (1, 1, 32, 3, 1)),
  JOB (LLAMA_8B, "\"gpu\": \"v100-32-sxm\", \"gpus\": 8",
       BATCH (2048, 64) ", \"precision\": \"fp16\", \"attention\": \"unfused\"",
       SPLIT (8, 1, 1, 1, 1)),
  JOB (LLAMA_8B, H100 (8), BATCH (4096, 8192) ", \"precision\": \"fp16\"", SPLIT (8, 1, 1, 1, 1)),
  JOB (LLAMA_8B, H100 (8), BATCH (4096, 64) ", \"framework\": \"deepspeed\"",
       SPLIT (1, 1, 8, 3, 1) ", \"offload\": \"optimizer\""),
  JOB (LLAMA_70B, H100 (8), BATCH (8192, 64) ", \"framework\": \"deepspeed\"",
       SPLIT (1, 1, 8, 3, 8) ", \"offload\": \"optimizer\""),
  /* long sequences */
  JOB (LLAMA_8B, H100 (16), BATCH (131072, 8), SPLIT (8, 1, 2, 1, 1)),
  JOB (LLAMA_8B, H100 (32), BATCH (131072, 8), SPLIT (8, 1, 1, 1, 1) ", \"cp\": 4"),
  JOB (LLAMA_8B, H100 (8), BATCH (8192, 8), SPLIT (4, 1, 1, 1, 1) ", \"cp\": 2"),
  /* experts */
  JOB (MIXTRAL, H100 (16), BATCH (4096, 256), SPLIT (2, 1, 8, 1, 1) ", \"ep\": 8, \"etp\": 1"),
  JOB (MIXTRAL, H100 (16), BATCH (4096, 256), SPLIT (4, 1, 4, 1, 1) ", \"ep\": 1"),
  JOB (MIXTRAL, H100 (32), BATCH (4096, 256), SPLIT (4, 1, 8, 1, 1) ", \"ep\": 8, \"etp\": 4"),
  /* no language model */
  JOB (PRESET ("dit-xl-2"), H100 (8), BATCH (256, 256), SPLIT (1, 1, 8, 1, 1)),
};

static const ShardwiseHeuristic *
find (GPtrArray *rules, const char *id)
{
  for (guint i = 0; i < rules->len; i++)
    if (g_str_equal (((ShardwiseHeuristic *) rules->pdata[i])->id, id))
      return rules->pdata[i];
  g_error ("no rule %s", id);
}

/* What a rule can say at all: bits 1 << ShardwiseRuleState. */
static guint
possible (const ShardwiseHeuristic *rule)
{
  guint states = *rule->when != '\0' ? 1u << SHARDWISE_RULE_NOT_RELEVANT : 0;

  return states
         | (*rule->want == '\0' ? 1u << SHARDWISE_RULE_APPLIES
                                : 1u << SHARDWISE_RULE_SATISFIED | 1u << SHARDWISE_RULE_VIOLATED);
}

static void
test_states (void)
{
  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();
  g_autofree guint *seen = g_new0 (guint, rules->len);

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      SwProblem problem;
      SwEstimate result;

      estimate (jobs[i], &problem, &result);
      for (guint j = 0; j < rules->len; j++)
        {
          g_autoptr (ShardwiseRuleFinding) finding = shardwise_rule_finding_new (rules->pdata[j],
                                                                                 &problem, &result);

          g_assert_cmpint (finding->state, !=, SHARDWISE_RULE_UNKNOWN);
          seen[j] |= 1u << finding->state;
        }
    }
  for (guint j = 0; j < rules->len; j++)
    {
      const ShardwiseHeuristic *rule = rules->pdata[j];

      if (seen[j] != possible (rule))
        {
          g_test_message ("%s: states %x of %x", rule->id, seen[j], possible (rule));
          g_test_fail ();
        }
    }
}

typedef struct {
  guint job;
  const char *id;
  ShardwiseRuleState state;
  const char *number;
} Golden;

/* By hand, from the numbers of the job. */
static const Golden golden[] = {
  { 0, "tp-in-node", SHARDWISE_RULE_VIOLATED, "TP 16; expected: at most 8" },
  { 0, "scale-small", SHARDWISE_RULE_VIOLATED, "TP 16; expected: 8" },
  { 0, "scale-medium", SHARDWISE_RULE_NOT_RELEVANT, "GPUs 64; the rule is for 128 to 512" },
  { 0, "kv-heads", SHARDWISE_RULE_VIOLATED, "KV heads not divisible by TP 8; expected: 0" },
  { 0, "batch-usual", SHARDWISE_RULE_VIOLATED, "tokens per batch 1.05 M; expected: 4 M to 60 M" },
  { 0, "headroom", SHARDWISE_RULE_SATISFIED, "memory use 51.0 %; expected: at most 90 %" },
  { 1, "scale-small", SHARDWISE_RULE_SATISFIED, "TP 8; expected: 8 · PP 4; expected: at least 2" },
  { 1, "tp-smallest", SHARDWISE_RULE_SATISFIED, "TP 8; expected: 8" },
  /* states 70.6 GB and activations 1.3 GB at PP 2 are within 72 GB, with a micro-batch of 1 */
  { 1, "pp-smallest", SHARDWISE_RULE_VIOLATED, "PP 4; expected: 2" },
  { 1, "dp-one", SHARDWISE_RULE_VIOLATED, "DP 1; expected: at least 2" },
  { 1, "bubble-formula", SHARDWISE_RULE_APPLIES, "pipeline bubble 2.3 %" }, /* 3 / (128 + 3) */
  { 1, "tp-cost", SHARDWISE_RULE_APPLIES, "tensor-parallel share 20.0 %" },
  { 1, "copying", SHARDWISE_RULE_NOT_RELEVANT, "vision or diffusion model: no" },
};

static void
test_numbers (void)
{
  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();

  for (guint i = 0; i < G_N_ELEMENTS (golden); i++)
    {
      g_autoptr (ShardwiseRuleFinding) finding = NULL;
      SwProblem problem;
      SwEstimate result;

      estimate (jobs[golden[i].job], &problem, &result);
      finding = shardwise_rule_finding_new (find (rules, golden[i].id), &problem, &result);
      g_test_message ("%s", golden[i].id);
      g_assert_cmpint (finding->state, ==, golden[i].state);
      g_assert_cmpstr (finding->number, ==, golden[i].number);
    }
}

/* 16 bytes of 70.6 B over TP 8 and PP 4, optimizer unsharded at DP 1; the model accumulates in
 * 4. */
static void
test_figures (void)
{
  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();
  g_autoptr (ShardwiseRuleFinding) finding = NULL;
  const ShardwiseQuantity *states = shardwise_quantity_find ("rule-states");
  SwProblem problem;
  SwEstimate result;

  estimate (jobs[1], &problem, &result);
  g_assert_cmpfloat_with_epsilon (shardwise_quantity_get (states, &problem, &result),
                                  problem.count.total * 16 / 32 / SW_GIB, 1e-9);
  finding = shardwise_rule_finding_new (find (rules, "sixteen-bytes"), &problem, &result);
  g_assert_nonnull (strstr (finding->comparison, "Model prediction: model states"));
  g_assert_true (finding->disagrees);
}

/* What following a rule would give is the model's own figure, and the model may disagree. */
static void
test_compare (void)
{
  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();
  g_autoptr (ShardwiseRuleFinding) better = NULL, worse = NULL;
  SwProblem problem;
  SwEstimate result;

  estimate (jobs[0], &problem, &result);
  better = shardwise_rule_finding_new (find (rules, "tp-in-node"), &problem, &result);
  g_assert_cmpuint (better->follow.mask, ==, 1u << SW_DIM_TP);
  g_assert_cmpuint (better->follow.value.tp, ==, 8);
  g_assert_null (better->comparison);
  shardwise_rule_finding_compare (better, &problem, &result);
  g_assert_nonnull (strstr (better->comparison, "with TP 8"));
  g_assert_nonnull (strstr (better->comparison, "(+"));
  g_assert_false (better->disagrees);

  worse = shardwise_rule_finding_new (find (rules, "score-medium"), &problem, &result);
  shardwise_rule_finding_compare (worse, &problem, &result);
  g_assert_true (worse->disagrees); /* TP 4 without stages does not fit */
  g_test_message ("%s", worse->comparison);
  g_assert_nonnull (strstr (worse->comparison, "does not fit here: it needs "));
}

/* What the framework of the strategy does not have another one may: its figure is shown then. */
static void
test_other_framework (void)
{
  static const char job[] =
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32}, \"training\": "
      "{\"framework\": \"megatron-core\"}, \"strategy\": {\"tp\": 8, \"pp\": 4, "
      "\"micro_batch_size\": 1}}";
  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();
  g_autoptr (ShardwiseRuleFinding) finding = NULL;
  g_autofree char *tokens = NULL;
  const SwSearchOptions options = { .top = 1 };
  SwProblem problem, there;
  SwSearchResult best;
  SwEstimate result;

  estimate (job, &problem, &result);
  finding = shardwise_rule_finding_new (find (rules, "size-medium"), &problem, &result);
  g_assert_true (sw_pins_has (&finding->follow, SW_DIM_ZERO));
  shardwise_rule_finding_compare (finding, &problem, &result);
  g_assert_nonnull (strstr (finding->comparison, "not possible with Megatron-Core; with PyTorch"));

  there = problem;
  there.training.framework = SW_FRAMEWORK_ANY;
  there.pins.mask |= finding->follow.mask;
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (sw_pins_has (&finding->follow, (SwDimension) i))
      sw_strategy_set (&there.pins.value, (SwDimension) i,
                       sw_strategy_get (&finding->follow.value, (SwDimension) i));
  sw_search_start (&there, &options, &best);
  g_assert_cmpuint (best.n_best, >, 0);
  sw_estimate (&there, &best.best[0].strategy, &result);
  tokens = shardwise_format_count (result.tokens_per_s);
  g_assert_nonnull (strstr (finding->comparison, tokens));
  sw_search_result_clear (&best);
}

static void
made_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GPtrArray **) data = shardwise_rule_findings_make_finish (result, NULL);
}

static void
test_thread (void)
{
  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();
  g_autoptr (GPtrArray) findings = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (jobs[0], -1, &error);
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (scenario, &options, NULL, &error);
  const SwEstimate *recommended;

  g_assert_no_error (error);
  recommended = shardwise_advice_get_recommended (advice);
  shardwise_rule_findings_make_async (rules, advice, recommended, NULL, made_cb, &findings);
  while (findings == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (findings->len, ==, rules->len);
  for (guint i = 0; i < findings->len; i++)
    {
      ShardwiseRuleFinding *finding = findings->pdata[i];

      g_assert_true (finding->follow.mask == 0 || finding->comparison != NULL);
    }
}

static void
test_unknown (void)
{
  g_autoptr (ShardwiseHeuristic) rule = shardwise_heuristic_new ();
  g_autoptr (ShardwiseRuleFinding) none = shardwise_rule_finding_new (rule, NULL, NULL),
                                   wrong = NULL, impossible = NULL;
  SwProblem problem;
  SwEstimate result;

  g_assert_cmpint (none->state, ==, SHARDWISE_RULE_UNKNOWN);
  estimate (jobs[0], &problem, &result);
  result.rule = SW_RULE_TP_HEADS;
  impossible = shardwise_rule_finding_new (rule, &problem, &result);
  g_assert_cmpint (impossible->state, ==, SHARDWISE_RULE_UNKNOWN);
  g_assert_cmpstr (impossible->number, !=, "");
  result.rule = SW_RULE_OK;
  g_free (rule->want);
  rule->want = g_strdup ("tp=eight");
  wrong = shardwise_rule_finding_new (rule, &problem, &result);
  g_assert_cmpint (wrong->state, ==, SHARDWISE_RULE_UNKNOWN);
  g_assert_nonnull (strstr (wrong->number, "eight"));
}

static void
test_condition (void)
{
  static const char *const bad[] = {
    "tp",     "tp=",        "tp=..",    "tq=8", "tp=8 |", "| tp=8",
    "tp=8 x", "tp=1..2..3", "tp=1e999", "=8",   "tp=nan", "tp=8..2"
  };
  static const struct {
    const char *text;
    gboolean holds;
  } good[] = {
    { "", TRUE },
    { "tp=16", TRUE },
    { "tp=2..8", FALSE },
    { "tp=..8 | pp=2", TRUE },
    { "tp=16 pp=3", FALSE },
    { " tp=16, pp=2 ", TRUE },
    { "tp=domain..", TRUE },
    { "params=70..71 memory=..100", TRUE },
  };
  SwProblem problem;
  SwEstimate result;

  estimate (jobs[0], &problem, &result);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (shardwise_condition_parse (bad[i], &error));
      g_assert_true (error != NULL && error->domain == SHARDWISE_ERROR);
    }
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseCondition) condition = shardwise_condition_parse (good[i].text, &error);

      g_assert_no_error (error);
      g_assert_cmpint (shardwise_condition_check (condition, &problem, &result, NULL), ==,
                       good[i].holds);
    }
}

/* A rule's own number has all of its digits, another quantity as many as figures have. */
static void
test_ranges (void)
{
  static const struct {
    const char *text, *says;
  } ranges[] = {
    { "gpus=12345..", "at least 12345" },
    { "gpus=..1.5", "at most 1.5" },
    { "params=12.345..", "at least 12.345 B" },
    { "memory-gib=..12345.5", "at most 12345.5 GiB" },
    { "batch=8..8", "8" },
    { "states-gib=..memory-gib", "at most 54.3 GiB" },
  };
  SwProblem problem;
  SwEstimate result;

  estimate (jobs[0], &problem, &result);
  result.memory.peak.total = 54.321 * SW_GIB;
  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    {
      g_autoptr (ShardwiseCondition) condition = shardwise_condition_parse (ranges[i].text, NULL);
      g_autoptr (GArray) terms = g_array_new (FALSE, FALSE, sizeof (ShardwiseTerm));
      g_autofree char *says = NULL;

      shardwise_condition_check (condition, &problem, &result, terms);
      says = shardwise_term_describe_range (&g_array_index (terms, ShardwiseTerm, 0));
      g_assert_cmpstr (says, ==, ranges[i].says);
    }
}

/* Every rule says something, names only what exists, and no two are the same. */
static void
test_data (void)
{
  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);

  g_assert_cmpuint (rules->len, >=, 70);
  for (guint i = 0; i < rules->len; i++)
    {
      const ShardwiseHeuristic *rule = rules->pdata[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseCondition) when = shardwise_condition_parse (rule->when, &error);
      g_autoptr (ShardwiseCondition) want = NULL;

      g_assert_no_error (error);
      want = shardwise_condition_parse (rule->want, &error);
      g_assert_no_error (error);
      g_assert_true (g_hash_table_add (ids, rule->id));
      g_assert_true (*rule->title != '\0' && *rule->text != '\0' && *rule->source != '\0');
      g_assert_true (*rule->topic != '\0');
      g_assert_true (*rule->rule == '\0' || shardwise_quantity_find (rule->rule) != NULL);
      g_assert_true (*rule->model == '\0' || shardwise_quantity_find (rule->model) != NULL);
    }
}

static void
test_search (void)
{
  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();
  const ShardwiseHeuristic *rule = find (rules, "tp-in-node");

  g_assert_true (shardwise_heuristic_matches (rule, ""));
  g_assert_true (shardwise_heuristic_matches (rule, "NARAYANAN tensor"));
  g_assert_false (shardwise_heuristic_matches (rule, "tensor experts"));
}

/* As many ranks as share the experts evenly: TP ranks count if TP does not split the experts. */
static void
test_largest_ep (void)
{
  const ShardwiseQuantity *largest = shardwise_quantity_find ("rule-ep");
  const struct {
    const char *strategy;
    double ep;
  } cases[] = {
    { SPLIT (4, 1, 16, 1, 1) ", \"etp\": 1, \"ep\": 8", 8 },
    { SPLIT (4, 8, 2, 1, 1) ", \"etp\": 1, \"ep\": 8", 8 },
    { SPLIT (4, 8, 2, 1, 1) ", \"etp\": 4, \"ep\": 2", 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *json = g_strconcat (
          "{\"model\": {" MIXTRAL
          "}, \"cluster\": {" H100 (64) "}, \"training\": {" BATCH (4096, 128) "}, \"strategy\": {",
          cases[i].strategy, "}}", NULL);
      SwProblem problem;
      SwEstimate of;

      estimate (json, &problem, &of);
      g_assert_cmpfloat (shardwise_quantity_get (largest, &problem, &of), ==, cases[i].ep);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/playbook-rules/data", test_data);
  g_test_add_func ("/playbook-rules/states", test_states);
  g_test_add_func ("/playbook-rules/numbers", test_numbers);
  g_test_add_func ("/playbook-rules/figures", test_figures);
  g_test_add_func ("/playbook-rules/compare", test_compare);
  g_test_add_func ("/playbook-rules/other-framework", test_other_framework);
  g_test_add_func ("/playbook-rules/thread", test_thread);
  g_test_add_func ("/playbook-rules/unknown", test_unknown);
  g_test_add_func ("/playbook-rules/condition", test_condition);
  g_test_add_func ("/playbook-rules/ranges", test_ranges);
  g_test_add_func ("/playbook-rules/search", test_search);
  g_test_add_func ("/playbook-rules/largest-ep", test_largest_ep);
  return g_test_run ();
}

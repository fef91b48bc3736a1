/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers: their numbers are those of the engine, and what they offer is what they evaluated. */
#include <math.h>
#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-advice.h"
#include "shardwise-ask-answer.h"

static ShardwiseScenario *
make_scenario (void)
{
  return scenario_of (SCENARIO_70B_32 (", \"framework\": \"megatron-core\", \"tokens\": 1e11"));
}

static ShardwiseAnswer *
answer (ShardwiseScenario *scenario, const char *text)
{
  g_autoptr (ShardwiseQuestion) question = shardwise_question_parse (text, scenario, NULL);
  g_autoptr (GError) error = NULL;
  ShardwiseAnswer *found = shardwise_answer_compute (scenario, question, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (strlen (found->text), >, 0);
  g_assert_cmpuint (found->suggestions->len, >, 0);
  return found;
}

static double
fact (const ShardwiseAnswer *self, const char *name)
{
  for (guint i = 0; i < self->facts->len; i++)
    if (g_str_equal (((ShardwiseAskFact *) g_ptr_array_index (self->facts, i))->name, name))
      return ((ShardwiseAskFact *) g_ptr_array_index (self->facts, i))->value;
  g_test_message ("no fact %s in: %s", name, self->text);
  return NAN;
}

/* The engine's own figure for the scenario with @changes. */
static double
rate_with (ShardwiseScenario *scenario, GVariant *changes)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GError) error = NULL;

  if (changes != NULL)
    g_assert_true (shardwise_scenario_apply (changed, changes, &error));
  g_assert_no_error (error);
  advice = shardwise_advice_compute (changed, &options, NULL, &error);
  g_assert_no_error (error);
  return shardwise_advice_get_recommended (advice)->tokens_per_s;
}

/* What an answer offers gives, applied, the figures that it told. */
static void
check_offer (const char *text)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, text);

  g_assert_nonnull (found->changes);
  g_assert_nonnull (found->change);
  g_assert_cmpfloat_with_epsilon (fact (found, "tokens_per_s"),
                                  rate_with (scenario, found->changes), 1e-6);
  g_assert_cmpfloat (fact (found, "tokens_per_s_low"), <, fact (found, "tokens_per_s"));
  g_assert_cmpfloat (fact (found, "tokens_per_s_high"), >, fact (found, "tokens_per_s"));
}

static void
test_what_if (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "What if I use 64 H200s?");

  check_offer ("What if I use 64 H200s?");
  check_offer ("what if we double the batch and use fp8?");
  check_offer ("Was wäre mit 128 B200?");
  g_assert_cmpfloat_with_epsilon (fact (found, "now_tokens_per_s"), rate_with (scenario, NULL),
                                  1e-6);
  g_assert_cmpfloat (fact (found, "gpus"), ==, 64);
  g_assert_nonnull (strstr (found->text, "H200"));
}

/* Another GPU brings its own memory and price: stated ones do not stay. */
static void
test_gpu_resets (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = NULL;

  g_assert_true (shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB,
                                         g_variant_new_double (64), NULL));
  g_assert_true (shardwise_scenario_set (scenario, SHARDWISE_KEY_COST_PRICE,
                                         g_variant_new_double (2.5), NULL));
  found = answer (scenario, "What if I use H200s?");
  g_assert_true (shardwise_scenario_apply (scenario, found->changes, NULL));
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB));
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_COST_PRICE));
  g_assert_cmpfloat (fact (found, "usable_memory"), >, 120);
}

static void
test_why (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) whole = answer (scenario, "Why this strategy?"),
                              other = answer (scenario, "Why not TP 2?");

  g_assert_cmpfloat_with_epsilon (fact (whole, "tokens_per_s"), rate_with (scenario, NULL), 1e-6);
  g_assert_cmpfloat_with_epsilon (fact (other, "tokens_per_s"),
                                  rate_with (scenario, other->changes), 1e-6);
  g_assert_cmpfloat (fact (other, "tokens_per_s"), <=, fact (other, "now_tokens_per_s"));
  g_assert_cmpstr (whole->page, ==, "advice");
}

/* A hope that cannot come true is contradicted with the sum. */
static void
test_wrong_premise (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "Does Llama 3.1 405B fit on one 4090?");

  g_assert_true (g_str_has_prefix (found->text, "No."));
  g_assert_cmpfloat (fact (found, "fits"), ==, 0);
  g_assert_cmpfloat (fact (found, "states"), >, 100 * fact (found, "memory_of_all_gpus"));
  g_assert_cmpfloat (fact (found, "least_gpus"), >, 1);
}

/* "Why TP 16?" where that is not what is recommended. */
static void
test_contradiction (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "Why TP=32?");

  g_assert_nonnull (strstr (found->text, "TP 32: "));
}

static void
test_fits (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "Does it fit?");

  g_assert_true (g_str_has_prefix (found->text, "Yes."));
  g_assert_null (found->changes);
  check_offer ("Does Llama 3 8B fit on 8 H100?");
}

/* What people bring themselves, a rate or money, is judged and not passed over. */
static void
test_brought (void)
{
  static const char *const cases[][2] = {
    { "step time is 14 sec and should be like 8", "larger than its error" },
    { "my step time is 90 s", "of the expected speed" },
    { "getting 180 TFLOPs per gpu on H100", "Something slows the step down" },
    { "budget is $200k, is that enough", "is enough" },
    { "budget is $2000, is that enough for 1T tokens", "not enough" },
    { "and if gpu price drops to 1.80/h", "at 1.80" },
    { "how do i reduce the pipeline bubble", "What helps" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = make_scenario ();
      g_autoptr (ShardwiseAnswer) found = answer (scenario, cases[i][0]);

      g_test_message ("%s: %s", cases[i][0], found->text);
      g_assert_nonnull (strstr (found->text, cases[i][1]));
    }
}

/* Who names no tokens is told how many the money buys, and who does is not. */
static void
test_budget (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) stated = answer (scenario, "what does $50,000 buy"), open = NULL;

  g_assert_null (strstr (stated->text, " buys "));
  shardwise_scenario_reset (scenario, SHARDWISE_KEY_TRAINING_TOKENS);
  open = answer (scenario, "what does $50,000 buy");
  g_assert_true (g_str_has_prefix (open->text, "The budget named buys "));
}

/* Money and days: the tokens are those of whichever ends first; days alone are asked for tokens,
 * too. */
static void
test_budget_in_days (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) stated = answer (scenario, "1T tokens for $20,000 in 3 weeks"),
                              short_of_days = NULL, short_of_money = NULL, days = NULL;
  double trained;

  g_assert_true (g_str_has_suffix (stated->text, "There are only 21 days."));
  shardwise_scenario_reset (scenario, SHARDWISE_KEY_TRAINING_TOKENS);
  short_of_days = answer (scenario, "what can I train for $2,000,000 in 3 weeks?");
  short_of_money = answer (scenario, "what can I train for $2000 in 3 weeks?");
  days = answer (scenario, "how many tokens can I train in three weeks?");

  g_assert_cmpfloat (fact (short_of_days, "budget_days"), >, 21);
  trained = fact (short_of_days, "tokens_there");
  g_assert_cmpfloat_with_epsilon (
      trained, fact (short_of_days, "budget_tokens") * 21 / fact (short_of_days, "budget_days"),
      1e-6 * trained);
  g_assert_nonnull (strstr (short_of_days->text, "There are only 21 days. In 21 days these GPUs"));
  g_assert_cmpfloat_with_epsilon (fact (days, "tokens_there"), trained, 1e-6 * trained);
  g_assert_true (g_str_has_prefix (days->text, "In 21 days these GPUs train "));
  g_assert_cmpfloat (fact (short_of_money, "budget_days"), <, 21);
  g_assert_nonnull (strstr (short_of_money->text, "That is within the 21 days"));
  g_assert_null (strstr (short_of_money->text, "these GPUs train"));
}

/* What helps is offered on the cluster that was named. */
static void
test_offer_with_named (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "how do I make it faster with 64 GPUs");

  g_assert_cmpuint (g_variant_n_children (found->changes), >, 1);
  g_assert_true (shardwise_scenario_apply (scenario, found->changes, NULL));
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     64);
}

/* Who owns the GPUs pays no rent for them, and nothing lowers a cost that is not known. */
static void
test_prices (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario (),
                                other = scenario_of (
                                    "{\"model\": {\"preset\": \"llama-3-8b\"}, "
                                    "\"cluster\": {\"gpu\": \"mi455x\", \"gpus\": 8}}");
  g_autoptr (ShardwiseAnswer) rented = answer (scenario, "what does it cost"), owned = NULL,
                              unknown = answer (other, "how can I lower the cost");

  g_assert_nonnull (strstr (rented->text, " GPU-hours at "));
  shardwise_scenario_set (scenario, SHARDWISE_KEY_COST_CAPEX_PER_GPU, g_variant_new_double (30000),
                          NULL);
  owned = answer (scenario, "what does it cost");
  g_assert_nonnull (strstr (owned->text, "with your own GPUs"));
  g_assert_cmpfloat (fact (owned, "total"), >, 0);
  g_assert_nonnull (strstr (unknown->text, "What helps"));
}

static void
test_passed_deadline (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = NULL;

  shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_DEADLINE,
                          g_variant_new_string ("2020-01-01"), NULL);
  found = answer (scenario, "how long does it take");
  g_assert_true (g_str_has_suffix (found->text, "The deadline has passed."));
}

/* What is better for the money is told by money, and the cheaper is offered. */
static void
test_money (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario,
                                              "64 H100 vs 128 A100, which is better for the money");
  gint64 gpus = 0;

  g_assert_cmpfloat (fact (found, "cost"), >, 0);
  g_assert_cmpfloat (fact (found, "than_cost"), >, 0);
  g_assert_true (g_variant_lookup (found->changes, "cluster.gpus", "x", &gpus));
  g_assert_cmpint (gpus, ==, fact (found, "cost") <= fact (found, "than_cost") ? 64 : 128);
}

/* A stated price is of the scenario's own GPU: it holds on that side of the question alone. */
static void
test_price_of_own_gpu (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) listed = NULL, stated = NULL;
  static const char question[] = "is H200 cheaper than H100?";

  listed = answer (scenario, question);
  g_assert_true (
      shardwise_scenario_set (scenario, SHARDWISE_KEY_COST_PRICE, g_variant_new_double (9), NULL));
  stated = answer (scenario, question);
  g_assert_cmpfloat_with_epsilon (fact (stated, "cost"), fact (listed, "cost"), 1e-6);
  g_assert_cmpfloat (fact (stated, "than_cost"), >, 2 * fact (listed, "than_cost"));
}

/* What is called the largest fits, and twice as much is not said to. */
static void
test_largest (void)
{
  static const struct {
    const char *question, *fact, *path;
  } cases[] = {
    { "What is the largest model I can train on 8 H100?", "largest_model_b", "model.parameters_b" },
    { "whats the biggest batch that fits without oom", "largest_micro_batch",
      "strategy.micro_batch_size" },
    { "what's the longest context that fits", "largest_sequence", "training.sequence_length" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = make_scenario ();
      g_autoptr (ShardwiseAnswer) found = answer (scenario, cases[i].question);
      double largest = fact (found, cases[i].fact);

      g_assert_cmpfloat (largest, >, 0);
      g_assert_true (shardwise_scenario_apply (scenario, found->changes, NULL));
      g_assert_cmpfloat (
          shardwise_scenario_get_number (scenario, shardwise_key_find (cases[i].path)->id, 0), ==,
          largest);
      g_assert_cmpfloat (rate_with (scenario, NULL), >, 0);
    }
}

/* A value that no bound was found for is written out. */
static void
test_unbounded (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (
      "{\"format\":\"shardwise-scenario\",\"version\":1,\"model\":{\"parameters_b\":0.1},"
      "\"cluster\":{\"gpu\":\"h100-80-sxm\",\"gpus\":512,\"gpus_per_node\":8}}",
      -1, NULL);
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "what's the longest context that fits");

  g_assert_nonnull (strstr (found->text, "even 33554432 fits"));
}

/* What cannot be computed is said; only what was cancelled has no answer. */
static void
test_not_computed (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = NULL;

  g_assert_true (
      shardwise_scenario_set (scenario, SHARDWISE_KEY_STRATEGY_TP, g_variant_new_int32 (3), NULL));
  g_assert_false (shardwise_scenario_get_resolves (scenario));
  found = answer (scenario, "How many GPUs do I need for 1T tokens in 30 days?");
  g_assert_nonnull (strstr (found->text, "cannot be evaluated"));
}

static void
test_gpus (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "How many GPUs do I need?"),
                              timed = answer (scenario, "How many GPUs to finish in 30 days?"),
                              soon = answer (scenario, "How many GPUs to finish in 1 day?");
  gint64 gpus;

  g_assert_cmpfloat (fact (found, "least_gpus"), >, 1);
  g_assert_cmpfloat (fact (found, "sensible_gpus"), >=, fact (found, "least_gpus"));
  g_assert_true (g_variant_lookup (found->changes, "cluster.gpus", "x", &gpus));
  g_assert_cmpint (gpus, ==, (gint64) fact (found, "sensible_gpus"));
  g_assert_cmpfloat (fact (timed, "days"), <=, 30);
  g_assert_cmpfloat (fact (timed, "gpus"), <=, fact (soon, "gpus"));
}

static void
test_memory (void)
{
  static const char *const parts[] = { "parameters", "gradients", "optimizer", "activations",
                                       "logits",     "buffers",   "framework" };
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "How much memory does each GPU use?");
  double sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    sum += fact (found, parts[i]);
  g_assert_cmpfloat_with_epsilon (sum, fact (found, "memory"), 1e-6);
}

static void
test_time_and_cost (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) time = answer (scenario, "How long will it take?"),
                              twice = answer (scenario, "How long for 200B tokens?"),
                              cost = answer (scenario, "What does it cost at $2 an hour?");

  g_assert_cmpfloat_with_epsilon (fact (twice, "days"), 2 * fact (time, "days"),
                                  0.05 * fact (time, "days"));
  g_assert_cmpfloat (fact (time, "days_low"), <, fact (time, "days"));
  g_assert_cmpfloat_with_epsilon (fact (cost, "total"), 2 * fact (cost, "gpu_hours"),
                                  1e-6 * fact (cost, "total"));
}

static void
test_measured (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) bad = answer (scenario,
                                            "I only get 100 tokens/s per GPU, why so slow?"),
                              good = answer (scenario,
                                             "I only get 5000 tokens/s per GPU, why so slow?");

  g_assert_cmpfloat (fact (bad, "measured_of_expected"), <, 0.5);
  g_assert_nonnull (strstr (bad->text, "nccl-tests"));
  g_assert_null (strstr (good->text, "Something slows the step down"));
}

static void
test_limit (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "What limits me?");

  g_assert_cmpfloat (fact (found, "gain_compute"), >, 0);
  g_assert_cmpstr (found->page, ==, "analysis");
}

static void
test_levers (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) speed = answer (scenario, "How can I make it faster?"),
                              memory = answer (scenario, "How can I save memory?");

  g_assert_nonnull (speed->changes);
  g_assert_cmpfloat (rate_with (scenario, speed->changes), >, rate_with (scenario, NULL));
  g_assert_nonnull (strstr (memory->text, "throughput"));
}

/* ---- every question of the tables ---- */

/* No question leaves an answer without words, facts that are no numbers, or an offer that the
 * scenario refuses. */
static void
test_all (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "ask", "questions.txt", NULL),
                  *text = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '#' && *lines[i] != '\0' && (i % 8 == 0 || g_test_thorough ()))
      {
        g_auto (GStrv) columns = g_strsplit (lines[i], "|", 2);
        g_autoptr (ShardwiseScenario) scenario = make_scenario ();
        g_autoptr (ShardwiseAnswer) found = answer (scenario, columns[0]);
        g_autoptr (GError) error = NULL;

        for (guint j = 0; j < found->facts->len; j++)
          g_assert_true (
              isfinite (((ShardwiseAskFact *) g_ptr_array_index (found->facts, j))->value));
        if (found->changes != NULL && strstr (found->text, "cannot") == NULL)
          g_assert_true (shardwise_scenario_apply (scenario, found->changes, &error));
        g_assert_no_error (error);
      }
}

static void
test_unknown (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) found = answer (scenario, "hello"),
                              gpu = answer (scenario, "can it run on 8 K80s?");

  g_assert_cmpfloat (found->confidence, ==, 0);
  g_assert_cmpuint (found->suggestions->len, ==, 3);
  g_assert_null (found->changes);
  g_assert_nonnull (strstr (gpu->text, "K80"));
  g_assert_null (gpu->changes);
}

static void
test_cancelled (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseQuestion) question = shardwise_question_parse ("What limits me?", scenario,
                                                                     NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (shardwise_answer_compute (scenario, question, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
got_answer_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseQuestion) question = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAnswer) found = shardwise_answer_finish (result, &question, &error);

  g_assert_no_error (error);
  g_assert_cmpint (question->intent, ==, SHARDWISE_INTENT_LIMIT);
  g_assert_cmpstr (found->page, ==, "analysis");
  g_main_loop_quit (data);
}

static void
test_async (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  shardwise_answer_async (scenario, shardwise_question_parse ("What limits me?", scenario, NULL),
                          NULL, got_answer_cb, loop);
  g_main_loop_run (loop);
}

static void
test_json (void)
{
  static const char *const members[] = { "intent",     "slots",    "answer",
                                         "facts",      "changes",  "confidence",
                                         "understood", "left_out", "suggestions" };
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseQuestion) question = shardwise_question_parse ("What if I use 64 GPUs?",
                                                                     scenario, NULL);
  g_autoptr (ShardwiseAnswer) found = shardwise_answer_compute (scenario, question, NULL, NULL);
  g_autoptr (JsonNode) node = shardwise_answer_to_json (found, question);
  JsonObject *object = json_node_get_object (node);

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    g_assert_true (json_object_has_member (object, members[i]));
  g_assert_cmpstr (json_object_get_string_member (object, "intent"), ==, "what-if");
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (object, "changes"),
                                               "cluster.gpus"),
                   ==, 64);
}

/* What no framework does is not offered; nor is a comparison without values left open. */
static void
test_no_offer (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) refused = answer (scenario, "Why not ZeRO-3?"),
                              schedule = answer (scenario, "What if I use a zero bubble schedule?"),
                              compared = answer (scenario,
                                                 "What is the difference between "
                                                 "sequence parallel and context parallel?"),
                              batch = answer (scenario, "difference between batch size and "
                                                        "gradient accumulation steps?");

  g_assert_nonnull (strstr (refused->text, "does not support"));
  g_assert_nonnull (strstr (refused->text, "The job as it is: "));
  g_assert_null (refused->changes);
  g_assert_nonnull (strstr (schedule->text, "does not support"));
  g_assert_null (schedule->changes);
  g_assert_nonnull (strstr (compared->text, "Sequence parallelism cuts"));
  g_assert_nonnull (strstr (compared->text, "Context parallelism cuts"));
  g_assert_nonnull (strstr (batch->text, "gradient accumulation × data parallel"));
}

/* A value is named as the window names it, with its unit; and the question that the help of a term
 * suggests has a figure for an answer. */
static void
test_names_of_values (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseAnswer) full = answer (scenario, "What if I use full recomputation?");
  g_autoptr (ShardwiseAnswer) network = answer (scenario,
                                                "What if the network had twice the bandwidth?");

  g_assert_nonnull (strstr (full->change, "Full"));
  g_assert_nonnull (strstr (network->change, "100 GB/s"));
  g_assert_cmpuint (network->facts->len, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/answer/what-if", test_what_if);
  g_test_add_func ("/answer/gpu-resets", test_gpu_resets);
  g_test_add_func ("/answer/why", test_why);
  g_test_add_func ("/answer/wrong-premise", test_wrong_premise);
  g_test_add_func ("/answer/contradiction", test_contradiction);
  g_test_add_func ("/answer/no-offer", test_no_offer);
  g_test_add_func ("/answer/fits", test_fits);
  g_test_add_func ("/answer/brought", test_brought);
  g_test_add_func ("/answer/budget", test_budget);
  g_test_add_func ("/answer/budget-in-days", test_budget_in_days);
  g_test_add_func ("/ask-answer/offer-with-named", test_offer_with_named);
  g_test_add_func ("/ask-answer/prices", test_prices);
  g_test_add_func ("/ask-answer/passed-deadline", test_passed_deadline);
  g_test_add_func ("/answer/money", test_money);
  g_test_add_func ("/answer/price-of-own-gpu", test_price_of_own_gpu);
  g_test_add_func ("/answer/largest", test_largest);
  g_test_add_func ("/answer/unbounded", test_unbounded);
  g_test_add_func ("/answer/gpus", test_gpus);
  g_test_add_func ("/answer/memory", test_memory);
  g_test_add_func ("/answer/time-and-cost", test_time_and_cost);
  g_test_add_func ("/answer/measured", test_measured);
  g_test_add_func ("/answer/limit", test_limit);
  g_test_add_func ("/answer/not-computed", test_not_computed);
  g_test_add_func ("/answer/levers", test_levers);
  g_test_add_func ("/answer/all", test_all);
  g_test_add_func ("/answer/unknown", test_unknown);
  g_test_add_func ("/answer/cancelled", test_cancelled);
  g_test_add_func ("/answer/async", test_async);
  g_test_add_func ("/answer/json", test_json);
  g_test_add_func ("/answer/names-of-values", test_names_of_values);
  return g_test_run ();
}

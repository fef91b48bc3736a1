/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the built shardwise-cli: exit statuses, one-line errors, the objects of --json. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "cli-fixture.h"

typedef struct {
  const char *arguments, *input;
  int status;
  const char *message; /* a part of the line on standard error */
} Case;

static const Case failures[] = {
  { "", NULL, 2, "command" },
  { "frobnicate", NULL, 2, "command" },
  { "cost", NULL, 2, "file is required" },
  { "cost @EXAMPLES@/llama-3-8b-8.shardwise --currency Bitcoin", NULL, 1, "three-letter" },
  { "plan", NULL, 2, "file is required" },
  { "plan t5", NULL, 1, "t5: file not found" },
  { "prices nothing", NULL, 2, "unknown GPU" },
  { "prices t4 -1", NULL, 2, "" },
  { "prices t4 0", NULL, 2, "the price must be a number" },
  { "prices t4 2e6", NULL, 1, "cost.price" },
  { "plan t4 --models llama-9", NULL, 1, "llama-9" },
  { "plan --model llama-3-8b --models llama-3-8b", NULL, 2, "--models requires a GPU" },
  { "probe", NULL, 2, "--to is required" },
  { "probe --to /tmp --launcher mpirun", NULL, 2, "--launcher" },
  { "probe --to /dev/null/x", NULL, 1, "/dev/null/x" },
  { "probe /nowhere/x.shardwise --to /tmp", NULL, 1, "/nowhere/x.shardwise" },
  { "advise --model llama-3-8b --gpus 8 --measured /nowhere/p.json", NULL, 1, "/nowhere/p.json" },
  { "advise --model llama-3-8b --gpus 8 --measured @EXAMPLES@/llama-3-8b-8.shardwise", NULL, 1,
    "not the output of a probe" },
  { "ask", NULL, 2, "a question is required" },
  { "ask why?", NULL, 2, "a file is required" },
  { "ask --model llama-3-8b --gpus 0 why?", NULL, 1, "cluster.gpus: 0 is out of range" },
  { "cost --from tomorrow /nowhere/x.shardwise", NULL, 2, "--from" },
  { "cost --model llama-3-8b --gpus 8", NULL, 1,
    "command line: training.tokens: is required; allowed: 1 to" },
  { "cost @EXAMPLES@/llama-3-8b-8.shardwise --price -1", NULL, 1,
    "cost.price: -1 is out of range" },
  { "scale --gpus 8 --from 1-2-3 /nowhere/x.shardwise", NULL, 2, "--from" },
  { "advise", NULL, 2, "file is required" },
  { "advise a b", NULL, 2, "too many" },
  { "advise --wrong x", NULL, 2, "--wrong" },
  { "advise --method magic @EXAMPLES@/llama-3-8b-8.shardwise", NULL, 2, "--method" },
  { "advise --top many @EXAMPLES@/llama-3-8b-8.shardwise", NULL, 2, "many" },
  { "advise --method magic /nowhere/x.shardwise", NULL, 2, "--method" }, /* usage before the file */
  { "export --to mesh-tensorflow /nowhere/x.shardwise", NULL, 2, "--to must be deepspeed, fsdp1" },
  { "scale --gpus 0 /nowhere/x.shardwise", NULL, 2, "--gpus" },
  { "export @EXAMPLES@/llama-3-8b-8.shardwise", NULL, 2, "--to" },
  { "export @EXAMPLES@/llama-3-8b-8.shardwise --to mesh-tensorflow", NULL, 2,
    "--to must be deepspeed, fsdp1" },
  { "scale @EXAMPLES@/llama-3-8b-8.shardwise --batch half", NULL, 2, "--batch" },
  { "scale @EXAMPLES@/llama-3-8b-8.shardwise --compare-gpu x", NULL, 1, "cluster.gpu" },
  { "scale --atlas --gpu h100-80-sxm --nodes 0", NULL, 2, "--nodes" },
  { "scale --atlas --gpu h100-80-sxm --nodes 131072", NULL, 1, "cluster.gpus" },
  { "scale --atlas --gpu h100-80-sxm --sizes 1,x", NULL, 2, "--sizes" },
  { "scale @EXAMPLES@/llama-3-8b-8.shardwise --gpus 8,0", NULL, 2, "--gpus" },
  { "models x", NULL, 2, "too many" },
  { "validate", NULL, 2, "file" },
  { "advise /nowhere/x.shardwise", NULL, 1, "/nowhere/x.shardwise: file not found" },
  { "advise @EXAMPLES@", NULL, 1, "a folder" },
  { "advise -", "", 1, "-: line 1, column 1" },
  { "advise -", "model: 70b", 1, "line 1, column 1" },
  { "advise -", "{\"model\": {\"parameters_b\": NaN}}", 1, "line 1, column 28" },
  { "advise -", "{\"model\": {\"parameters_b\": 70}, \"cluster\": {\"gpu_count\": 8}}", 1,
    "-: cluster.gpu_count: unknown key" },
  { "advise -", "{\"model\": {\"parameters_b\": 0.05}, \"cluster\": {\"gpus\": 8}}", 1,
    "model.parameters_b: 0.05 is out of range; allowed: 0.1 to 10000" },
  { "advise -", "{\"model\": {\"parameters_b\": 70}, \"cluster\": {\"gpus\": 0}}", 1,
    "cluster.gpus: 0 is out of range; allowed: 1 to 131072 GPUs" },
  { "advise -",
    "{\"model\": {\"parameters_b\": 70}, \"cluster\": {\"gpus\": 8, \"gpu_memory_gb\": 4}}", 1,
    "cluster.gpu_memory_gb: 4 is out of range; allowed: 8 to 320 GB" },
  { "advise --model llama-3-8b", NULL, 1, "command line: cluster.gpus: is required" },
  { "advise --model llama-3-8b --gpus eight", NULL, 1, "cluster.gpus: “eight”" },
  { "advise --model llama-3-8b --gpus 8 --tp 3", NULL, 1, "strategy.tp: 3" },
  { "advise --model llama-3-8b --gpus 8 --flash-attention 4", NULL, 1,
    "training.software.flash_attention: 4 is out of range; allowed: 1 to 3, or false" },
  { "advise --model llama-3-8b --gpus 8 --compile yes", NULL, 1, "training.software.compile" },
  { "estimate --model llama-3-8b --gpus 8", NULL, 1, "strategy.tp: is required" },
  { "advise -",
    "{\"model\": {\"layers\": 4, \"hidden_size\": 100, \"attention_heads\": 3, \"vocab_size\": "
    "1000}, \"cluster\": {\"gpus\": 8}}",
    1, "-: model.attention_heads: 3 does not divide the hidden size 100" },
  { "import", NULL, 2, "one file" },
  { "import /nowhere/config.json", NULL, 1, "/nowhere/config.json: file not found" },
  { "import -", "hello", 1, "-: unsupported file" },
  { "import -", "{\"hidden_size\": \"x\", \"model_type\": \"llama\"}", 1,
    "-: line 1, column 17: hidden_size" },
  { "import -", "parallelism:\n  tp: 0\ntokens: {}\n", 1,
    "-: line 2, column 7: parallelism.tp: 0 is out of range" },
  { "validate /nowhere.csv", NULL, 1, "/nowhere.csv: file not found" },
};

static void
test_failures (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      g_auto (Outcome) outcome = { 0 };

      run (failures[i].arguments, failures[i].input, &outcome);
      g_test_message ("%s: %d %s", failures[i].arguments, outcome.status, outcome.err);
      g_assert_cmpint (outcome.status, ==, failures[i].status);
      g_assert_nonnull (strstr (outcome.err, failures[i].message));
      g_assert_cmpstr (outcome.out, ==, "");
      g_assert_true (strchr (outcome.err, '\n')
                     == outcome.err + strlen (outcome.err) - 1); /* one line */
    }
}

/* 100 MB and a million brackets are refused at once. */
static void
test_hostile_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("shardwise-XXXXXX", NULL),
                  *path = g_build_filename (folder, "x.shardwise", NULL);
  g_autofree char *arguments = g_strconcat ("advise ", path, NULL),
                  *brackets = g_strnfill (1000000, '[');
  g_auto (Outcome) large = { 0 }, deep = { 0 }, piped = { 0 };

  g_assert_true (g_file_set_contents (path, "{", 1, NULL));
  g_assert_cmpint (truncate (path, 100 * 1000 * 1000), ==, 0);
  run (arguments, NULL, &large);
  g_assert_cmpint (large.status, ==, 1);
  g_assert_nonnull (strstr (large.err, "too large"));
  g_assert_true (g_file_set_contents (path, brackets, -1, NULL));
  run (arguments, NULL, &deep);
  g_assert_cmpint (deep.status, ==, 1);
  g_assert_nonnull (strstr (deep.err, "64 levels"));
  run ("advise -", brackets, &piped);
  g_assert_cmpint (piped.status, ==, 1);
  g_remove (path);
  g_rmdir (folder);
}

static void
test_advise (void)
{
  static const char *const methods[] = { "analytical", "playbook", "quick-score" };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      g_autofree char *arguments = g_strdup_printf (
          "advise @EXAMPLES@/llama-3-70b-32.shardwise --json --top 2 --method %s", methods[i]);
      g_autoptr (JsonNode) node = NULL;
      JsonObject *object = run_json (arguments, NULL, 0, &node);

      g_assert_cmpstr (json_object_get_string_member (object, "method"), ==, methods[i]);
      g_assert_true (json_object_get_boolean_member (
          json_object_get_object_member (object, "recommended"), "fits"));
      g_assert_cmpuint (
          json_array_get_length (json_object_get_array_member (object, "alternatives")), ==,
          2); /* the score finds no third */
    }
}

/* Each framework in question has a row, with what writes its configuration; a named one is alone. */
/* The debug trail says what is read and searched, and is no part of the answer. */
static void
test_debug (void)
{
  const char *arguments = "advise --model llama-3-8b --gpu h100-80-sxm --gpus 8 --json";
  g_auto (Outcome) quiet = { 0 }, loud = { 0 };

  run (arguments, NULL, &quiet);
  g_assert_cmpstr (quiet.err, ==, "");
  g_setenv ("G_MESSAGES_DEBUG", "Shardwise-Engine Shardwise-Model", TRUE);
  run (arguments, NULL, &loud);
  g_unsetenv ("G_MESSAGES_DEBUG");
  g_assert_true (g_str_has_prefix (loud.out, "{"));
  g_assert_nonnull (strstr (loud.err, "Shardwise-Engine-DEBUG"));
  g_assert_nonnull (strstr (loud.err, "Shardwise-Model-DEBUG"));
  g_assert_nonnull (strstr (loud.err, "read gpus.json"));
}

static void
test_frameworks (void)
{
  g_autoptr (JsonNode) node = NULL, named = NULL;
  JsonObject *object = run_json ("advise @EXAMPLES@/llama-3-70b-32.shardwise --json", NULL, 0,
                                 &node);
  JsonArray *rows = json_object_get_array_member (object, "frameworks");
  JsonObject *recommended = json_object_get_object_member (object, "recommended");
  g_auto (Outcome) text = { 0 };

  g_assert_cmpuint (json_array_get_length (rows), >=, 2);
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);

      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (row, "exports")), >=,
                        1);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (row, "interval")), ==,
                        2);
      g_assert_cmpstr (json_object_get_string_member (row, "framework"), ==,
                       json_object_get_string_member (
                           json_object_get_object_member (row, "strategy"), "framework"));
    }
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (rows, 0), "tokens_per_s"), ==,
      json_object_get_double_member (recommended, "tokens_per_s"));
  run ("advise @EXAMPLES@/llama-3-70b-32.shardwise", NULL, &text);
  g_assert_nonnull (strstr (text.out, "By framework"));
  g_assert_nonnull (strstr (text.out, "Exports: Megatron-LM"));
  object = run_json ("advise @EXAMPLES@/llama-3-70b-32.shardwise --framework fsdp2 --json", NULL, 0,
                     &named);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "frameworks")), ==,
                    0);
}

/* The two rules of thumb: the exit status, the JSON and the text are one answer, with the method's own
 * figures and reasons. */
static void
test_methods (void)
{
  static const struct {
    const char *method, *gpus;
    int status;
    const char *figures[4];
  } rows[] = {
    { "playbook",
      "32",
      0,
      { "The playbook’s estimate", "17.5 GB", "No smaller PP fits: ", "No GPUs are left for DP" } },
    { "playbook", "8", 3, { "The playbook’s estimate:", " > 72.0 GB", "does not fit", "Weights" } },
    { "quick-score",
      "64",
      0,
      { "Score                             0.491", "DP overhead                       2.0 %",
        "45.3 of 64.0 GB", "FSDP SHARD_GRAD_OP" } },
    { "quick-score",
      "8",
      3,
      { "181 > 64.0 GB", "only 64.0 GB of the GPU’s 80.0 GB", "does not fit", "Score" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *arguments = g_strdup_printf ("advise - --method %s", rows[i].method);
      g_autofree char *job = g_strdup_printf ("{\"model\": {\"parameters_b\": 70}, \"cluster\": "
                                              "{\"gpu\": \"h100-80-sxm\", \"gpus\": %s}}",
                                              rows[i].gpus);
      g_autofree char *json = g_strconcat (arguments, " --json", NULL);
      g_autoptr (JsonNode) node = NULL;
      JsonObject *object = run_json (json, job, rows[i].status, &node);
      g_auto (Outcome) text = { 0 };

      g_assert_true (json_object_get_boolean_member (object, "fits") == (rows[i].status == 0));
      g_assert_true (json_object_has_member (
          object, g_str_equal (rows[i].method, "playbook") ? "playbook" : "quick_score"));
      run (arguments, job, &text);
      g_assert_cmpint (text.status, ==, rows[i].status);
      for (guint j = 0; j < G_N_ELEMENTS (rows[i].figures); j++)
        g_assert_nonnull (strstr (text.out, rows[i].figures[j]));
      g_assert_null (strstr (text.out, "cannot be trained"));
      g_assert_null (strstr (text.out, "raise throughput"));
    }
}

/* The text of a complete search has the counts of its JSON, by reason, and what filters or
 * ranks. */
static void
test_searched (void)
{
  const char *arguments = "advise @EXAMPLES@/llama-3-70b-32.shardwise --complete";
  g_autofree char *json = g_strconcat (arguments, " --json", NULL);
  g_autoptr (JsonNode) node = NULL;
  JsonObject *searched = json_object_get_object_member (run_json (json, NULL, 0, &node),
                                                        "searched");
  JsonArray *rejected = json_object_get_array_member (searched, "rejected");
  g_auto (Outcome) text = { 0 };

  run (arguments, NULL, &text);
  g_assert_nonnull (strstr (text.out, "The search tried every strategy."));
  g_assert_cmpuint (json_array_get_length (rejected), >, 2);
  for (guint i = 0; i < json_array_get_length (rejected); i++)
    {
      JsonObject *row = json_array_get_object_element (rejected, i);
      g_autofree char *count = g_strdup_printf (" %" G_GINT64_FORMAT "  ",
                                                (gint64) json_object_get_int_member (row, "count"));

      g_assert_nonnull (strstr (text.out, count));
    }
  g_assert_nonnull (strstr (text.out, "are excluded: number of GPUs, divisibility"));
  g_assert_nonnull (strstr (text.out, "These only affect the ranking: "));
}

/* Options and a file that say the same have the same answer; options change a file. */
static void
test_options (void)
{
  g_autoptr (JsonNode) by_options = NULL, by_input = NULL, changed = NULL;
  JsonObject *a = run_json ("advise --model llama-3-8b --gpu a100-80-sxm --gpus 16 "
                            "--sequence-length 8192 --zero-stage 1 --sequence-parallel true --json",
                            NULL, 0, &by_options);
  JsonObject *b =
      run_json ("advise - --json",
                "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"a100-80-sxm\", "
                "\"gpus\": 16}, \"training\": {\"sequence_length\": 8192}, \"strategy\": "
                "{\"zero_stage\": 1, \"sequence_parallel\": true}}",
                0, &by_input);
  JsonObject *c = run_json ("advise @EXAMPLES@/llama-3-8b-8.shardwise --gpus 4 --json", NULL, 0,
                            &changed);

  g_assert_cmpfloat (json_object_get_double_member (
                         json_object_get_object_member (a, "recommended"), "tokens_per_s"),
                     ==,
                     json_object_get_double_member (
                         json_object_get_object_member (b, "recommended"), "tokens_per_s"));
  c = json_object_get_object_member (json_object_get_object_member (c, "recommended"), "strategy");
  g_assert_cmpint (json_object_get_int_member (c, "gpus_used")
                       + json_object_get_int_member (c, "gpus_idle"),
                   ==, 4);
}

/* Features of the software are options too: what is slower is predicted so, with less memory for a
 * loss in chunks. */
static void
test_features (void)
{
#define JOB                                                                                        \
  "estimate --model llama-3-8b --gpu a100-80-sxm --gpus 8 --framework fsdp2 --tp 1 --pp 1 --dp 8 " \
  "--zero-stage 3 --micro-batch-size 1 --recompute none --json "
  g_autoptr (JsonNode) unstated = NULL, slow = NULL, small = NULL;
  JsonObject *a = run_json (JOB, NULL, 0, &unstated),
             *b = run_json (JOB "--compile false --flash-attention 1", NULL, 0, &slow),
             *c = run_json (JOB "--chunked-cross-entropy true", NULL, 0, &small);

  g_assert_cmpfloat (json_object_get_double_member (b, "tokens_per_s"), <,
                     json_object_get_double_member (a, "tokens_per_s"));
  g_assert_cmpfloat (
      json_object_get_double_member (json_object_get_object_member (c, "memory"), "total_gib"), <,
      json_object_get_double_member (json_object_get_object_member (a, "memory"), "total_gib"));
#undef JOB
}

static void
test_nothing_fits (void)
{
  g_autoptr (JsonNode) node = NULL, estimated = NULL;
  g_auto (Outcome) text = { 0 };
  JsonObject *object = run_json ("advise --model llama-3.1-405b --gpus 8 --json", NULL, 3, &node);
  JsonArray *least;

  g_assert_false (json_object_get_boolean_member (
      json_object_get_object_member (object, "recommended"), "fits"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "nearest")), >, 0);
  g_assert_cmpint (json_object_get_int_member (object, "least_gpus"), >, 8);
  least = json_object_get_array_member (object, "least_gpus_by");
  g_assert_cmpuint (json_array_get_length (least), >, 1);
  for (guint i = 0; i < json_array_get_length (least); i++)
    {
      JsonObject *by = json_array_get_object_element (least, i);

      if (i == 0)
        g_assert_cmpint (json_object_get_int_member (by, "gpus"), ==,
                         json_object_get_int_member (object, "least_gpus"));
      g_assert_true (g_str_equal (json_object_get_string_member (by, "means"), "none") == (i == 0));
    }
  g_assert_nonnull (
      strstr (json_object_get_string_member (object, "verdict"), "; it needs at least "));
  g_assert_true (json_object_get_null_member (object, "verify"));
  object = run_json (
      "estimate --model llama-3.1-405b --gpus 8 --tp 8 --pp 1 --micro-batch-size 1 --json", NULL, 3,
      &estimated);
  g_assert_false (json_object_get_boolean_member (object, "fits"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "nearest")), >, 0);
  run ("advise --model llama-3.1-405b --gpus 8", NULL, &text);
  g_assert_cmpint (text.status, ==, 3);
  g_assert_cmpstr (text.err, ==, "");
}

/* That the framework has not a schedule is no matter of memory: a stated run fits, and cannot run. */
static void
test_schedule_fits (void)
{
#define JOB                                                                                        \
  "estimate --model llama-3-8b --gpus 16 --framework megatron-core --tp 4 --pp 4 "                 \
  "--micro-batch-size 1 --schedule zero-bubble"
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) text = { 0 };
  JsonObject *object = run_json (JOB " --json", NULL, 0, &node);

  g_assert_true (json_object_get_boolean_member (object, "fits"));
  g_assert_cmpstr (json_object_get_string_member (object, "fit"), ==, "fits");
  g_assert_cmpstr (json_object_get_string_member (object, "rule"), ==, "framework-schedule");
  run (JOB, NULL, &text);
  g_assert_cmpint (text.status, ==, 0);
  g_assert_true (
      g_str_has_prefix (text.out, "Its memory suffices, but this strategy cannot run: "));
#undef JOB
}

/* Where a rule stands against every strategy of the framework, no memory would help, and none is asked
 * for: another framework is. */
static void
test_no_arithmetic (void)
{
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object = run_json ("advise --model llama-3-8b --gpu b200-180-sxm --gpus 16 "
                                 "--framework megatron-core --precision fp8-rowwise --json",
                                 NULL, 3, &node);
  JsonArray *codes = json_object_get_array_member (object, "recommendations");
  JsonArray *nearest = json_object_get_array_member (object, "nearest");

  g_assert_cmpuint (json_array_get_length (nearest), ==, 1);
  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (object, "recommended"), "rule"),
      ==, "precision");
  g_assert_nonnull (
      strstr (json_object_get_string_member (json_array_get_object_element (nearest, 0), "change"),
              "PyTorch FSDP 2 instead of Megatron-Core"));
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (codes, 0), "code"),
                   ==, "does-not-fit");
  for (guint i = 0; i < json_array_get_length (codes); i++)
    {
      const char *code = json_object_get_string_member (json_array_get_object_element (codes, i),
                                                        "code");

      g_assert_cmpstr (code, !=, "raise-tp");
      g_assert_cmpstr (code, !=, "bigger-gpu");
      g_assert_cmpstr (code, !=, "gpus-idle");
    }
}

/* What the framework's users begin with is always there; published recipes where they are about this
 * model and GPU. */
static void
test_usual (void)
{
  g_autoptr (JsonNode) node = NULL, consumer = NULL;
  g_auto (Outcome) text = { 0 };
  JsonObject *object = run_json ("advise @EXAMPLES@/llama-3-70b-32.shardwise --json", NULL, 0,
                                 &node);
  JsonObject *usual = json_object_get_object_member (object, "conventional"), *recipe;
  JsonArray *recipes = json_object_get_array_member (object, "recipes");

  g_assert_true (*json_object_get_string_member (usual, "title") != '\0');
  g_assert_true (json_object_has_member (usual, "fits"));
  g_assert_cmpfloat (json_object_get_double_member (usual, "missing_gib"), >=, 0);
  g_assert_cmpfloat (json_object_get_double_member (usual, "tokens_per_s"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (usual, "change"), >=, -0.031);
  g_assert_true (json_object_has_member (usual, "strategy"));
  g_assert_cmpuint (json_array_get_length (recipes), >=, 1);
  recipe = json_array_get_object_element (recipes, 0);
  g_assert_cmpstr (json_object_get_string_member (recipe, "by"), ==, "NVIDIA");
  g_assert_nonnull (strstr (json_object_get_string_member (recipe, "source"), "Megatron-Bridge"));
  g_assert_cmpint (json_object_get_int_member (recipe, "gpus"), ==, 64);
  object = run_json ("advise --model gpt2-xl --gpu rtx-3090 --gpus 4 --json", NULL, 0, &consumer);
  g_assert_nonnull (json_object_get_object_member (object, "conventional"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "recipes")), ==,
                    0);
  run ("advise @EXAMPLES@/llama-3-70b-32.shardwise", NULL, &text);
  g_assert_cmpint (text.status, ==, 0);
  g_assert_nonnull (strstr (text.out, "\nConventional and published\n"));
  g_assert_nonnull (strstr (text.out, "NVIDIA recipe for 64 "));
}

/* The first of the recommendations tells of a pin that costs, and that of the reasons. */
static void
test_pin_costs (void)
{
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object = run_json ("advise --model llama-3-70b --gpus 32 --framework megatron-core "
                                 "--sequence-length 8192 --global-batch-size 128 "
                                 "--micro-batch-size 4 --json",
                                 NULL, 0, &node);
  JsonArray *all = json_object_get_array_member (object, "recommendations");
  JsonObject *first = json_array_get_object_element (all, 0);

  g_assert_cmpstr (json_object_get_string_member (first, "code"), ==, "pin-costs");
  g_assert_cmpstr (json_object_get_string_member (first, "severity"), ==, "warning");
  g_assert_true (g_str_has_prefix (json_object_get_string_member (first, "text"),
                                   "Pinning Micro-batch 4 costs "));
}

/* What may not fit comes with the smallest change that makes it safe, and what that costs. */
static void
test_may_not_fit (void)
{
#define JOB                                                                                        \
  "advise --model llama-3-70b --gpu b200-180-sxm --gpus 8 --framework megatron-core --offload "    \
  "none "
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) text = { 0 };
  JsonObject *object = run_json (JOB "--json", NULL, 0, &node), *changes = NULL;
  JsonArray *recommendations = json_object_get_array_member (object, "recommendations");

  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (object, "recommended"), "fit"),
      ==, "may-not-fit");
  for (guint i = 0; i < json_array_get_length (recommendations); i++)
    {
      JsonObject *one = json_array_get_object_element (recommendations, i);

      if (g_str_equal (json_object_get_string_member (one, "code"), "may-not-fit"))
        changes = json_object_get_object_member (one, "changes");
    }
  g_assert_nonnull (changes);
  g_assert_cmpuint (json_object_get_size (changes), >, 0);
  run (JOB, NULL, &text);
  g_assert_nonnull (strstr (text.out, "It may not fit: peak memory may reach "));
#undef JOB
}

/* How to hold the advice against the cluster, in JSON and in text. */
static void
test_verify (void)
{
#define JOB "advise @EXAMPLES@/llama-3-8b-8.shardwise "
  g_autoptr (JsonNode) node = NULL;
  g_auto (Outcome) text = { 0 };
  JsonObject *object = run_json (JOB "--json", NULL, 0, &node);
  JsonObject *verify = json_object_get_object_member (object, "verify");
  JsonArray *looks = json_object_get_array_member (verify, "look_at"),
            *rungs = json_object_get_array_member (verify, "if_out_of_memory"),
            *slower = json_object_get_array_member (verify, "if_slower");
  double last = json_object_get_double_member (
      json_object_get_object_member (json_object_get_object_member (object, "recommended"),
                                     "memory"),
      "total_gib");

  g_assert_cmpint (json_object_get_int_member (verify, "steps"), ==, 20);
  g_assert_cmpuint (json_array_get_length (looks), ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      JsonObject *look = json_array_get_object_element (looks, i);
      const double expected = json_object_get_double_member (look, "expected");

      g_assert_cmpfloat (json_object_get_double_member (look, "low"), <=, expected);
      g_assert_cmpfloat (json_object_get_double_member (look, "high"), >=, expected);
    }
  g_assert_cmpuint (json_array_get_length (rungs), >, 1);
  for (guint i = 0; i < json_array_get_length (rungs); i++)
    {
      JsonObject *rung = json_array_get_object_element (rungs, i);

      g_assert_cmpfloat (json_object_get_double_member (rung, "total_gib"), <, last);
      last = json_object_get_double_member (rung, "total_gib");
      g_assert_true (json_object_has_member (rung, "strategy"));
    }
  g_assert_cmpuint (json_array_get_length (slower), >, 0);
  run (JOB, NULL, &text);
  g_assert_nonnull (strstr (text.out, "\nVerify on the cluster\n"));
  g_assert_nonnull (strstr (text.out, "If it runs out of memory, try these in order:"));
#undef JOB
}

static void
assert_nearest_run (JsonObject *estimate)
{
  JsonObject *run = json_object_get_object_member (estimate, "nearest_run");

  g_assert_nonnull (run);
  g_assert_cmpfloat (json_object_get_double_member (run, "measured_step_s"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (run, "predicted_step_s"), >, 0);
}

/* Every estimate has the same keys, wherever it stands. */
static void
test_estimates_alike (void)
{
  g_autoptr (JsonNode) advice = NULL, sizes = NULL, hopeless = NULL;
  JsonObject *object = run_json ("advise @EXAMPLES@/llama-3-8b-8.shardwise --top 2 --json", NULL, 0,
                                 &advice);
  JsonArray *rows = json_object_get_array_member (object, "alternatives");

  assert_nearest_run (json_object_get_object_member (object, "recommended"));
  g_assert_cmpuint (json_array_get_length (rows), ==, 2);
  for (guint i = 0; i < json_array_get_length (rows); i++)
    assert_nearest_run (json_array_get_object_element (rows, i));
  rows = json_object_get_array_member (
      run_json ("scale @EXAMPLES@/llama-3-8b-8.shardwise --gpus 8 --json", NULL, 0, &sizes),
      "points");
  assert_nearest_run (json_array_get_object_element (rows, 0));
  rows = json_object_get_array_member (
      run_json ("advise --model llama-3.1-405b --gpus 8 --json", NULL, 3, &hopeless), "nearest");
  assert_nearest_run (
      json_object_get_object_member (json_array_get_object_element (rows, 0), "result"));
}

/* What is communicated adds up to the exposed communication of the step. */
static void
check_communication (JsonObject *object)
{
  static const char *const terms[] = { "tp_exposed_s", "cp_exposed_s", "ep_exposed_s",
                                       "pp_exposed_s", "dp_exposed_s" };
  JsonArray *rows = json_object_get_array_member (object, "communication");
  JsonObject *time = json_object_get_object_member (object, "time");
  double sum = 0, expected = 0;

  g_assert_cmpuint (json_array_get_length (rows), >, 1);
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);

      sum += json_object_get_double_member (row, "exposed_s");
      g_assert_cmpfloat (json_object_get_double_member (row, "sent_gib"), >, 0);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (row, "links")), >, 0);
    }
  for (guint i = 0; i < G_N_ELEMENTS (terms); i++)
    expected += json_object_get_double_member (time, terms[i]);
  g_assert_cmpfloat_with_epsilon (sum / expected, 1, 1e-6);
}

static void
test_estimate (void)
{
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object = run_json ("estimate @EXAMPLES@/llama-3-8b-8.shardwise --tp 2 --pp 1 "
                                 "--micro-batch-size 1 --recompute full --json",
                                 NULL, 0, &node);
  JsonObject *strategy = json_object_get_object_member (object, "strategy");

  g_assert_cmpint (json_object_get_int_member (strategy, "dp"), ==, 4);
  g_assert_cmpint (json_object_get_int_member (strategy, "gradient_accumulation"), ==,
                   32); /* 128 / 4 */
  g_assert_cmpstr (json_object_get_string_member (strategy, "recompute"), ==, "full");
  g_assert_cmpfloat (json_object_get_double_member (object, "peak_tflops"), ==, 989);
  check_communication (object);
}

static void
test_lists (void)
{
  g_autoptr (JsonNode) models = NULL, gpus = NULL;
  g_auto (Outcome) text = { 0 }, help = { 0 };

  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (
                        run_json ("models --json", NULL, 0, &models), "models")),
                    ==, 191);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (
                        run_json ("gpus --json", NULL, 0, &gpus), "gpus")),
                    ==, 51);
  run ("gpus", NULL, &text);
  g_assert_nonnull (strstr (text.out, "h100-80-sxm"));
  run ("--help", NULL, &help);
  g_assert_cmpint (help.status, ==, 0);
  g_assert_nonnull (strstr (help.out, "advise FILE"));
  cli_outcome_clear (&help);
  run ("bench --help", NULL, &help);
  g_assert_cmpint (help.status, ==, 0);
  g_assert_null (strstr (help.out, "null"));
}

/* The object of import: a scenario that other commands take, and a diagnosis in order. */
/* Several files are one job: the model of one, the strategy of the other. Where none names a model
 * none is assumed, and nothing of it is computed. */
static void
test_import_several (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "import", NULL);
  g_autofree char *both = g_strdup_printf ("import --json %s/job/deepspeed-hf-auto.json "
                                           "%s/model/llama32-3b.json",
                                           folder, folder),
                  *one = g_strdup_printf ("import --json %s/job/deepspeed-hf-auto.json", folder),
                  *twice = g_strdup_printf ("import %s/job/megatron.sh %s/job/nanotron.yaml",
                                            folder, folder);
  g_autoptr (JsonNode) joined = NULL, alone = NULL;
  JsonObject *object = run_json (both, NULL, 0, &joined), *scenario;
  g_auto (Outcome) outcome = { 0 };

  g_assert_cmpstr (json_object_get_string_member (object, "kind"), ==, "deepspeed");
  scenario = json_object_get_object_member (object, "scenario");
  g_assert_cmpstr (
      json_object_get_string_member (json_object_get_object_member (scenario, "model"), "preset"),
      ==, "llama-3.2-3b");
  object = run_json (one, NULL, 0, &alone);
  g_assert_false (
      json_object_has_member (json_object_get_object_member (object, "scenario"), "model"));
  run (twice, NULL, &outcome);
  g_assert_cmpint (outcome.status, ==, 1);
  g_assert_nonnull (strstr (outcome.err, "of the same kind"));
}

static void
test_import (void)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *script = g_test_build_filename (G_TEST_DIST, "data", "import", "job",
                                                   "megatron.sh", NULL);
  g_autofree char *arguments = g_strdup_printf ("import --json %s", script);
  JsonObject *object = run_json (arguments, NULL, 0, &node);
  JsonArray *diagnosis = json_object_get_array_member (object, "diagnosis");
  g_auto (Outcome) plain = { 0 }, estimate = { 0 };

  g_assert_cmpstr (json_object_get_string_member (object, "kind"), ==, "megatron");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "warnings")), ==,
                    1);
  g_assert_cmpuint (json_array_get_length (diagnosis), >=, 3);
  for (guint i = 0; i < json_array_get_length (diagnosis); i++)
    {
      JsonObject *finding = json_array_get_object_element (diagnosis, i);

      g_assert_nonnull (json_object_get_string_member (finding, "severity"));
      g_assert_nonnull (json_object_get_string_member (finding, "code"));
      g_assert_cmpstr (json_object_get_string_member (finding, "text"), !=, "");
      g_assert_nonnull (json_object_get_string_member (finding, "effect"));
    }
  g_assert_cmpstr (
      json_object_get_string_member (json_array_get_object_element (diagnosis, 0), "code"), ==,
      "does-not-fit");
  g_free (arguments);
  arguments = g_strdup_printf ("import %s", script);
  run (arguments, NULL, &plain);
  g_assert_cmpint (plain.status, ==, 0);
  run ("estimate -", plain.out, &estimate);
  g_assert_cmpint (estimate.status, ==, 3);
}

/* The keys of the contract; a question of one word, since words are parted here. */
static void
test_ask (void)
{
  g_autoptr (JsonNode) node = NULL, text = NULL;
  g_auto (Outcome) outcome = { 0 };
  JsonObject *object = run_json ("ask --json @EXAMPLES@/llama-3-8b-8.shardwise what-if-64-H200?",
                                 NULL, 0, &node);

  g_assert_cmpstr (json_object_get_string_member (object, "intent"), ==, "what-if");
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (object, "slots"), "cluster.gpus"),
      ==, 64);
  g_assert_cmpstr (json_object_get_string_member (json_object_get_object_member (object, "changes"),
                                                  "cluster.gpu"),
                   ==, "h200-141-sxm");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "facts")), >, 5);
  g_assert_cmpfloat (json_object_get_double_member (object, "confidence"), >=, 0.5);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "understood")), >=,
                    3);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "left_out")), ==,
                    0);
  run ("ask --model llama-3-8b --gpus 8 why-this-strategy?", NULL, &outcome);
  g_assert_cmpint (outcome.status, ==, 0);
  g_assert_nonnull (strstr (outcome.out, "tokens/s"));
  g_assert_nonnull (strstr (outcome.out, "Interpreted as: "));
}

/* Returns: (nullable): what an estimate assumes of @key */
static JsonObject *
assumption_of (JsonObject *estimate, const char *key)
{
  JsonArray *all = json_object_get_array_member (estimate, "assumptions");

  for (guint i = 0; i < json_array_get_length (all); i++)
    {
      JsonObject *one = json_array_get_object_element (all, i);

      if (g_str_equal (json_object_get_string_member (one, "key"), key))
        {
          g_assert_true (*json_object_get_string_member (one, "text") != '\0');
          return one;
        }
    }
  return NULL;
}

/* What nobody stated is listed with its value as the file would have it. */
static void
test_assumptions (void)
{
#define JOB "--model llama-3-8b --gpu rtx-4090 --gpus 16 --type lora "
  g_autoptr (JsonNode) best = NULL, one = NULL, stated = NULL;
  g_auto (Outcome) text = { 0 }, estimate = { 0 };
  JsonObject *a = json_object_get_object_member (run_json ("advise " JOB "--json", NULL, 0, &best),
                                                 "recommended"),
             *b = run_json (
                 "estimate " JOB
                 "--tp 1 --pp 1 --zero-stage 3 --micro-batch-size 1 --recompute full --json",
                 NULL, 0, &one),
             *c = json_object_get_object_member (
                 run_json ("advise " JOB "--inter-node roce --global-batch-size 64 --json", NULL, 0,
                           &stated),
                 "recommended");

  g_assert_cmpstr (json_object_get_string_member (assumption_of (a, "cluster.inter_node"), "value"),
                   ==, "ethernet-10");
  g_assert_cmpint (
      json_object_get_int_member (assumption_of (b, "training.global_batch_size"), "value"), ==,
      32);
  g_assert_null (assumption_of (a, "training.type"));
  g_assert_null (assumption_of (c, "cluster.inter_node"));
  g_assert_null (assumption_of (c, "training.global_batch_size"));
  run ("advise " JOB, NULL, &text);
  run ("estimate " JOB "--tp 1 --pp 1 --zero-stage 3 --micro-batch-size 1 --recompute full", NULL,
       &estimate);
  g_assert_nonnull (strstr (text.out, "\nAssumed\n"));
  g_assert_nonnull (strstr (text.out, "Ethernet 10 Gb/s"));
  g_assert_nonnull (strstr (estimate.out, "\nAssumed\n"));
#undef JOB
}

static double
hour_of (const char *arguments)
{
  g_autoptr (JsonNode) node = NULL;
  JsonArray *prices = json_object_get_array_member (run_json (arguments, NULL, 0, &node), "prices");

  g_assert_cmpuint (json_array_get_length (prices), ==, 1);
  return json_object_get_double_member (json_array_get_object_element (prices, 0), "low");
}

/* An own price is kept from one run to the next, and taken back. */
static void
test_prices (void)
{
  g_autofree char *folder = g_dir_make_tmp ("prices-XXXXXX", NULL);
  g_autoptr (JsonNode) node = NULL;
  JsonObject *cost;
  double before;

  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  before = hour_of ("prices t4 --json");
  g_assert_cmpfloat (hour_of ("prices t4 0.125 --json"), ==, 0.125);
  g_assert_cmpfloat (hour_of ("prices t4 --json"), ==, 0.125);
  cost = run_json ("cost --model llama-3.2-1b --gpu t4 --gpus 1 --type qlora --sequence-length 512 "
                   "--examples 1000 --epochs 2 --json",
                   NULL, 0, &node);
  g_assert_cmpfloat (json_object_get_double_member (cost, "total"), >, 0);
  g_assert_cmpfloat (hour_of ("prices t4 default --json"), ==, before);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/failures", test_failures);
  g_test_add_func ("/cli/import", test_import);
  g_test_add_func ("/cli/import-several", test_import_several);
  g_test_add_func ("/cli/hostile-files", test_hostile_files);
  g_test_add_func ("/cli/advise", test_advise);
  g_test_add_func ("/cli/debug", test_debug);
  g_test_add_func ("/cli/frameworks", test_frameworks);
  g_test_add_func ("/cli/methods", test_methods);
  g_test_add_func ("/cli/options", test_options);
  g_test_add_func ("/cli/features", test_features);
  g_test_add_func ("/cli/searched", test_searched);
  g_test_add_func ("/cli/nothing-fits", test_nothing_fits);
  g_test_add_func ("/cli/no-arithmetic", test_no_arithmetic);
  g_test_add_func ("/cli/may-not-fit", test_may_not_fit);
  g_test_add_func ("/cli/schedule-fits", test_schedule_fits);
  g_test_add_func ("/cli/verify", test_verify);
  g_test_add_func ("/cli/estimates-alike", test_estimates_alike);
  g_test_add_func ("/cli/usual", test_usual);
  g_test_add_func ("/cli/pin-costs", test_pin_costs);
  g_test_add_func ("/cli/estimate", test_estimate);
  g_test_add_func ("/cli/assumptions", test_assumptions);
  g_test_add_func ("/cli/lists", test_lists);
  g_test_add_func ("/cli/prices", test_prices);
  g_test_add_func ("/cli/ask", test_ask);
  return g_test_run ();
}

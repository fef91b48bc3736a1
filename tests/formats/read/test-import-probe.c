/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What probes of known clusters change: figures, intervals, advice and what is said of the machine;
 * and what they do to the errors on measured runs. */
#include <math.h>
#include <string.h>

#include "import-fixture.h"
#include "shardwise-advice.h"
#include "shardwise-factors.h"
#include "shardwise-machine.h"
#include "shardwise-measured.h"
#include "shardwise-prediction.h"
#include "shardwise-resolve.h"

/* A made-up machine. */
typedef struct {
  const char *gpu;
  double memory_gib;
  guint processes, per_node;
  double gemm_tflops, attention_tflops, memory_gb_s, intra_gb_s, inter_gb_s; /* 0: not measured */
  double last;    /* rate at the end over that at the beginning; 0: the same */
  double slow;    /* of the last GPU over that of the others; 0: the same */
  gboolean fails; /* products of 8 bits do */
} Machine;

static const Machine h100 = { "NVIDIA H100 80GB HBM3", 79.2, 8, 8, 760, 330, 2700, 340, 0 };
static const Machine pair = { "NVIDIA GeForce RTX 4090", 23.6, 2, 2, 150, 140, 900, 18, 0 };

static void
add_gemm (GString *out, const char *precision, double size, double tflops)
{
  g_string_append_printf (
      out,
      ", {\"kind\": \"gemm\", \"precision\": \"%s\", \"m\": %.0f, \"n\": %.0f, \"k\": %.0f, "
      "\"flops\": %g, \"bytes\": 0, \"bytes_held\": 1, \"repeats\": 20, ",
      precision, size, size, size, 2 * pow (size, 3));
  if (tflops > 0)
    g_string_append_printf (out, "\"seconds\": %g, \"spread\": 0.01}",
                            2 * pow (size, 3) / (tflops * 1e12));
  else
    g_string_append (out, "\"failed\": \"RuntimeError: no such kernel\"}");
}

static void
add_all_reduce (GString *out, guint ranks, guint stride, double gb_s)
{
  const double bytes = 1 << 28;

  if (gb_s > 0)
    g_string_append_printf (
        out,
        ", {\"kind\": \"collective\", \"operation\": \"all-reduce\", \"ranks\": %u, \"stride\": "
        "%u, \"bytes\": %.0f, \"seconds\": %g, \"spread\": 0.02, \"repeats\": 9}",
        ranks, stride, bytes, bytes * 2 * (ranks - 1) / ranks / (gb_s * 1e9));
}

/* What the script would write there. */
static char *
report (const Machine *self)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (
      out,
      "{\"format\": \"shardwise-probe\", \"version\": 1, \"complete\": true, \"date\": "
      "\"2026-11-28\", \"quick\": false, \"took_s\": 121.5, \"machine\": {\"kind\": \"cuda\", "
      "\"gpu\": \"%s\", \"memory_gib\": %g, \"processes\": %u, \"per_node\": %u, \"nodes\": %u}, "
      "\"software\": {\"torch\": \"2.8\"}, \"ranks\": [",
      self->gpu, self->memory_gib, self->processes, self->per_node,
      self->processes / self->per_node);
  for (guint i = 0; i < self->processes; i++)
    g_string_append_printf (
        out, "%s{\"rank\": %u, \"node\": %u, \"first_flops_per_s\": 1e14, \"flops_per_s\": %g}",
        i > 0 ? ", " : "", i, i / self->per_node,
        1e14 * (self->last > 0 ? self->last : 1)
            * (self->slow > 0 && i == self->processes - 1 ? self->slow : 1));
  g_string_append_printf (out,
                          "], \"measurements\": [{\"kind\": \"memory\", \"kernel\": \"copy\", "
                          "\"bytes\": 1e9, \"seconds\": %g, \"spread\": 0.01}",
                          1 / self->memory_gb_s);
  add_gemm (out, "bf16", 8192, self->gemm_tflops);
  add_gemm (out, "bf16", 4096, self->gemm_tflops * 0.97);
  if (self->fails)
    add_gemm (out, "fp8", 8192, 0);
  if (self->attention_tflops > 0)
    g_string_append_printf (
        out,
        ", {\"kind\": \"attention\", \"pass\": \"backward\", \"sequences\": 1, \"heads\": 32, "
        "\"tokens\": 8192, \"head_size\": 128, \"seconds\": %g, \"spread\": 0.02}",
        2.5 * 2 * 32 * 8192.0 * 8192 * 128 / (self->attention_tflops * 1e12));
  add_all_reduce (out, self->per_node, 1, self->intra_gb_s);
  add_all_reduce (out, self->processes, 1, self->inter_gb_s);
  g_string_append (out, "]}");
  return g_string_free (out, FALSE);
}

static ShardwiseImport *
import_on (const Machine *machine, ShardwiseScenario *base)
{
  g_autofree char *text = report (machine);
  g_autoptr (GError) error = NULL;
  ShardwiseImport *import = shardwise_import_read (text, strlen (text), "probe.json", base, &error);

  g_assert_no_error (error);
  return import;
}

static ShardwiseScenario *
scenario_of (const char *json)
{
  g_autoptr (GError) error = NULL;
  ShardwiseScenario *scenario = shardwise_scenario_from_json (json, -1, &error);

  g_assert_no_error (error);
  return scenario;
}

static SwEstimate
best_of (ShardwiseScenario *scenario)
{
  const ShardwiseAdviceOptions options = { .top = 1, .bare = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (scenario, &options, NULL, &error);

  g_assert_no_error (error);
  return *shardwise_advice_get_recommended (advice);
}

static double
width (const SwEstimate *estimate)
{
  return estimate->step_high_s / estimate->step_low_s;
}

#define NODE "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 8, \"intra_node\": \"nvlink4\"}"

/* A node as it should be: the figures stay, surer; and the rest of the scenario, too. */
static void
test_node (void)
{
  g_autoptr (ShardwiseScenario) base = scenario_of (
      "{\"name\": \"mine\", \"model\": {\"preset\": \"llama-3-8b\"}, " NODE
      ", \"training\": {\"sequence_length\": 8192}}");
  g_autoptr (ShardwiseImport) import = import_on (&h100, base);
  g_autoptr (GPtrArray) notes = NULL;
  SwEstimate before = best_of (base), after = best_of (import->scenario);
  SwProblem problem;

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_PROBE);
  g_assert_cmpuint (import->findings->len, ==, 0);
  fixture_assert_set (import, (const char *const[]){ "name=mine", "model.preset=llama-3-8b",
                                                     "training.sequence_length=8192",
                                                     "cluster.gpus=8", "cluster.gpus_per_node=8",
                                                     "cluster.intra_node=", NULL });
  g_assert_cmpfloat_with_epsilon (after.time.step_s / before.time.step_s, 1, 0.05);
  g_assert_cmpfloat (width (&after), <, width (&before));
  g_assert_true (shardwise_scenario_resolve (import->scenario, &problem, &notes, NULL));
  g_assert_true (fixture_says (notes, "Measured on this cluster (2026-11-28)"));
  g_assert_true (
      fixture_says (notes, "Not measured, taken from the catalog: 8-bit matrix products"));
  g_assert_true (strstr (problem.cluster.gpu.name, "measured 2026-11-28") != NULL);
}

/* Consumer cards that no source measured: no longer a guess, and what PCIe gives is what counts. */
static void
test_pair (void)
{
  g_autoptr (ShardwiseScenario) base = scenario_of (
      "{\"model\": {\"preset\": \"llama-3.2-1b\"}, \"cluster\": {\"gpu\": \"rtx-4090\", \"gpus\": "
      "2, \"gpus_per_node\": 2}, \"training\": {\"framework\": \"fsdp2\", \"sequence_length\": "
      "2048}, \"strategy\": {\"zero_stage\": 3, \"dp\": 2}}");
  Machine slow = pair;
  g_autoptr (ShardwiseImport) import = import_on (&pair, base), slower = NULL;
  SwEstimate before = best_of (base), after = best_of (import->scenario), worse;

  g_assert_cmpuint (import->findings->len, ==, 0);
  g_assert_true ((before.unmeasured & SW_UNMEASURED_PCIE) != 0);
  g_assert_true ((after.unmeasured & (SW_UNMEASURED_PCIE | SW_UNMEASURED_GPU)) == 0);
  g_assert_cmpfloat (width (&after), <, width (&before));
  slow.intra_gb_s = 4;
  slower = import_on (&slow, base);
  worse = best_of (slower->scenario);
  g_assert_true (fixture_finds (slower, "slow-pcie", "ACS"));
  g_assert_cmpfloat (worse.time.step_s, >, 1.2 * after.time.step_s);
}

/* One GPU of a node says nothing of how many the node has, and several files are as large as the
 * largest of them, in any order. */
static void
test_one_gpu (void)
{
  g_autoptr (ShardwiseScenario) base =
      scenario_of ("{\"model\": {\"preset\": \"llama-3-8b\"}, " NODE "}");
  Machine one = h100, nodes = h100;
  g_autoptr (ShardwiseImport) import = NULL;
  SwProblem problem;

  one.processes = one.per_node = 1;
  one.intra_gb_s = 0;
  import = import_on (&one, base);
  g_assert_true (shardwise_scenario_resolve (import->scenario, &problem, NULL, NULL));
  g_assert_cmpuint (problem.cluster.gpus, ==, 8);
  g_assert_cmpuint (problem.cluster.gpus_per_node, ==, 8);
  nodes.processes = 16;
  nodes.per_node = 4;
  nodes.inter_gb_s = 40;
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *a = report (i == 0 ? &one : &nodes), *b = report (i == 0 ? &nodes : &one);
      const ShardwiseImportText files[] = { { a, strlen (a), "a.json" },
                                            { b, strlen (b), "b.json" } };
      g_autoptr (ShardwiseImport) both = shardwise_import_read_job (files, 2, NULL, NULL);

      g_assert_true (shardwise_scenario_resolve (both->scenario, &problem, NULL, NULL));
      g_assert_cmpuint (problem.cluster.gpus, ==, 16);
      g_assert_cmpuint (problem.cluster.gpus_per_node, ==, 4);
    }
}

/* The rate of a long training is that at the end. */
static void
test_throttling (void)
{
  g_autoptr (ShardwiseScenario) base =
      scenario_of ("{\"model\": {\"preset\": \"llama-3-8b\"}, " NODE "}");
  Machine hot = h100;
  g_autoptr (ShardwiseImport) import = NULL;
  SwEstimate before = best_of (base), after;

  hot.last = 0.7;
  import = import_on (&hot, base);
  after = best_of (import->scenario);
  g_assert_true (fixture_finds (import, "throttling", "70"));
  g_assert_cmpfloat (after.time.step_s, >, 1.2 * before.time.step_s);
}

/* A wrong NVLink rate, a slow GPU, and a failed measurement: the advice drops tensor parallelism
 * where it was best. */
static void
test_broken (void)
{
  g_autoptr (ShardwiseScenario) base = scenario_of (
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
      "\"gpus\": "
      "32}, \"training\": {\"framework\": \"megatron-core\", \"sequence_length\": 8192}}");
  Machine broken = h100;
  g_autoptr (ShardwiseImport) import = NULL;
  SwEstimate before = best_of (base), after;

  broken.intra_gb_s = 25;
  broken.slow = 0.8;
  broken.fails = TRUE;
  import = import_on (&broken, base);
  after = best_of (import->scenario);
  g_assert_true (fixture_finds (import, "nvlink-missing", "topo -m"));
  g_assert_true (fixture_finds (import, "slow-gpu", "GPU 7"));
  g_assert_true (fixture_says (import->warnings, "1 measurement failed"));
  g_assert_cmpuint (before.strategy.tp, >, 1);
  g_assert_cmpuint (after.strategy.tp, <, before.strategy.tp);
  g_assert_cmpfloat (after.time.step_s, >, 1.2 * before.time.step_s);
}

/* Two nodes whose network goes through the host, and of which one is slow; with another file of one
 * node they are one cluster. */
static void
test_nodes (void)
{
  const Machine nodes = { "NVIDIA H100 80GB HBM3", 79.2, 16, 8, 760, 330, 2700, 340, 9, .slow = 0 };
  g_autofree char *one = report (&h100), *two = report (&nodes), *other = report (&pair),
                  *slow = NULL;
  const ShardwiseImportText files[] = { { two, strlen (two), "b.json" },
                                        { one, strlen (one), "a.json" } },
                            mixed[] = { { one, strlen (one), "a.json" },
                                        { other, strlen (other), "c.json" } };
  g_autoptr (ShardwiseImport) import = shardwise_import_read_job (files, 2, NULL, NULL),
                              wrong = NULL, straggler = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) parts = g_strsplit (two, "1e+14", -1);
  GString *text = g_string_new (NULL);

  g_assert_nonnull (import);
  g_assert_true (fixture_finds (import, "network-slow", "GPUDirect"));
  fixture_assert_set (import, (const char *const[]){ "cluster.gpus_per_node=8", NULL });
  wrong = shardwise_import_read_job (mixed, 2, NULL, &error);
  g_assert_null (wrong);
  g_assert_nonnull (strstr (error->message, "different GPUs"));
  g_assert_true (g_str_has_prefix (error->message, "c.json: ")); /* it stands in that one */

  for (guint i = 0; parts[i] != NULL; i++) /* the second node's eight GPUs */
    g_string_append_printf (text, "%s%s", parts[i],
                            parts[i + 1] == NULL ? ""
                            : i >= 8             ? "0.8e+14"
                                                 : "1e+14");
  slow = g_string_free (text, FALSE);
  straggler = fixture_import (slow, "probe.json");
  g_assert_true (fixture_finds (straggler, "straggler-node", "Node 1"));
}

/* A change of a report, and what is said of it. */
typedef struct {
  const char *old, *new, *says;
} Wrong;

static void
assert_refused (const char *text, const Wrong *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) parts = g_strsplit (text, cases[i].old, 2);
      g_autofree char *wrong = g_strjoinv (cases[i].new, parts);
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) import = shardwise_import_read (wrong, strlen (wrong), "", NULL,
                                                                  &error);

      g_assert_null (import);
      if (strstr (error->message, cases[i].says) == NULL)
        g_error ("“%s” is said of “%s”", error->message, cases[i].says);
    }
}

/* What is not a probe's is refused, with its place. */
static void
test_refused (void)
{
  static const Wrong cases[] = {
    { "\"version\": 1", "\"version\": 2", "version: written by a newer version" },
    { "\"version\": 1", "\"version\": \"1\"", "version: must be a number" },
    { "\"complete\"", "\"whole\"", "whole: unknown key" },
    { "2026-11-28", "yesterday", "date: not a date" },
    { "\"kind\": \"memory\"", "\"kind\": \"magic\"", "measurements: unknown measurement" },
    { "\"kernel\"", "\"core\"", "core: unknown key" },
    { "\"bytes\": 1e9", "\"bytes\": -1", "bytes: must be a number from 1 to" },
    { "\"m\": 8192", "\"m\": \"many\"", "m: must be a number" },
    { "\"spread\": 0.01", "\"spread\": null", "spread: must be a number" },
    { "all-reduce", "all-hands", "operation: unknown" },
    { "\"processes\": 8", "\"processes\": 0", "processes: must be a number" },
    { "\"machine\": {", "\"machine\": 1, \"x\": {", "machine: must be an object" },
    { "\"node\": 0", "\"node\": -1", "node: must be a number" },
  };
  g_autofree char *text = report (&h100);

  assert_refused (text, cases, G_N_ELEMENTS (cases));
}

/* A scenario refuses a section that no probe gives. */
static void
test_section (void)
{
  static const char *const wrong[] = {
    "{\"date\": \"2026-11-28\", \"magic\": 1}",
    "{\"date\": 3}",
    "{\"gemm_tflops\": {\"value\": 700, \"spread\": 0.1}}",
    "{\"date\": \"2026-11-28\", \"gemm_tflops\": 700}",
    "{\"date\": \"2026-11-28\", \"gemm_tflops\": {\"value\": 0, \"spread\": 0.1}}",
    "{\"date\": \"2026-11-28\", \"gemm_tflops\": {\"value\": 700}}",
    "{\"date\": \"2026-11-28\", \"memory_gb_s\": {\"value\": 700, \"spread\": -1}}",
    "{\"date\": \"2026-11-28\", \"step\": 1}",
    "{\"date\": \"2026-11-28\", \"step\": {\"gpu\": \"CPU\", \"framework\": \"fsdp2\"}}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *json = g_strdup_printf ("{\"model\": {\"preset\": \"llama-3-8b\"}, "
                                               "\"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
                                               "\"h100-80-sxm\", \"measured\": %s}}}",
                                               wrong[i]);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      g_autoptr (GError) error = NULL;
      SwProblem problem;

      g_assert_false (shardwise_scenario_resolve (scenario, &problem, NULL, &error));
      g_assert_nonnull (strstr (error->message, "cluster.gpu.measured"));
    }
}

/* Drivers' names for the catalogue's GPUs; a CPU is none. */
static void
test_names (void)
{
  static const struct {
    const char *name;
    double memory_gib;
    const char *id; /* (nullable): none */
  } gpus[] = {
    { "NVIDIA A100-SXM4-80GB", 79.3, "a100-80-sxm" },
    { "NVIDIA A100-SXM4-40GB", 39.4, "a100-40-sxm" },
    { "NVIDIA A100 80GB PCIe", 79.2, "a100-80-pcie" },
    { "NVIDIA A100-PCIE-40GB", 39.4, "a100-40-pcie" },
    { "NVIDIA H100 80GB HBM3", 79.2, "h100-80-sxm" },
    { "NVIDIA H100 PCIe", 79.2, "h100-80-pcie" },
    { "NVIDIA H100 NVL", 93.1, "h100-94-nvl" },
    { "NVIDIA H200", 139.8, "h200-141-sxm" },
    { "NVIDIA B200", 178.4, "b200-180-sxm" },
    { "NVIDIA GB200", 184, "gb200-nvl72" },
    { "NVIDIA GH200 480GB", 94.5, "gh200-96" },
    { "NVIDIA GeForce RTX 4090", 23.6, "rtx-4090" },
    { "NVIDIA GeForce RTX 3090", 23.6, "rtx-3090" },
    { "NVIDIA GeForce RTX 3090 Ti", 23.6, "rtx-3090-ti" },
    { "NVIDIA RTX A6000", 47.4, "rtx-a6000" },
    { "NVIDIA RTX 6000 Ada Generation", 47.5, "rtx-6000-ada" },
    { "NVIDIA L40S", 44.4, "l40s" },
    { "NVIDIA L4", 22, "l4" },
    { "NVIDIA A10G", 22, "a10g" },
    { "Tesla V100-SXM2-32GB", 31.7, "v100-32-sxm" },
    { "Tesla T4", 14.6, "t4" },
    { "AMD Instinct MI300X", 191.7, "mi300x" },
    { "NVIDIA Z9000", 80, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (gpus); i++)
    {
      const Machine machine = { gpus[i].name, gpus[i].memory_gib, 1, 1, 100, 0, 1000, 0, 0 };
      g_autoptr (ShardwiseImport) import = import_on (&machine, NULL);
      SwProblem problem;

      if (gpus[i].id == NULL)
        {
          g_assert_true (fixture_finds (import, "gpu-unknown", gpus[i].name));
          continue;
        }
      g_assert_true (shardwise_scenario_resolve (import->scenario, &problem, NULL, NULL));
      g_assert_cmpstr (problem.cluster.gpu.id, ==, gpus[i].id);
    }
}

/* ---- one layer ---- */

/* What the script of a layer would write on such a GPU: one of Llama 3 8B, cut by two. */
static char *
layer_report (const char *gpu)
{
  static const guint layer[] = { 4096, 14336, 32, 8, 128, 1,    1, 1, 0, 0, 0, 0,
                                 0,    0,     0,  0, 128, 8192, 1, 2, 1, 2, 1, 0,
                                 0,    1,     0,  0, 0,   0,    0, 0, 0, 0, 0 };
  GString *out = g_string_new (NULL);

  G_STATIC_ASSERT (G_N_ELEMENTS (layer) == SHARDWISE_N_LAYER_FIELDS);
  g_string_append_printf (
      out,
      "{\"format\": \"shardwise-step-probe\", \"version\": 1, \"complete\": true, \"date\": "
      "\"2026-11-28\", \"took_s\": 60, \"machine\": {\"kind\": \"%s\", \"gpu\": \"%s\", "
      "\"memory_gib\": 79.2, \"processes\": 2, \"per_node\": 2}, \"software\": {}, "
      "\"framework\": \"megatron-core\", \"layer\": {",
      g_str_equal (gpu, "CPU") ? "cpu" : "cuda", gpu);
  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    g_string_append_printf (out, "%s\"%s\": %u", i > 0 ? ", " : "",
                            shardwise_step_layer_name ((ShardwiseLayerField) i), layer[i]);
  g_string_append (
      out, "}, \"measurements\": ["
           "{\"kind\": \"layer\", \"pass\": \"forward\", \"seconds\": 0.004, \"spread\": 0.02, "
           "\"repeats\": 9}, "
           "{\"kind\": \"attention\", \"pass\": \"backward\", \"seconds\": 0.001, \"spread\": "
           "0.01}, "
           "{\"kind\": \"recomputation\", \"pass\": \"backward\", \"failed\": \"no\"}, "
           "{\"kind\": \"kept\", \"bytes\": 4e8}]}");
  return g_string_free (out, FALSE);
}

static guint
rows_of (ShardwiseScenario *scenario, ShardwiseStepRow rows[SHARDWISE_N_STEP_ROWS])
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  ShardwiseMachine machine;

  shardwise_scenario_get_machine (scenario, &machine, problem);
  return shardwise_step_rows (&machine.step, problem, rows);
}

#define JOB "{\"model\": {\"preset\": \"llama-3-8b\"}, " NODE "}"

/* A measured layer is compared with its prediction and changes no answer. It stays if the machine
 * is measured before or after it. */
static void
test_layer (void)
{
  g_autoptr (ShardwiseScenario) base = scenario_of (JOB);
  g_autofree char *text = layer_report ("NVIDIA H100 80GB HBM3"), *probe = report (&h100);
  const ShardwiseImportText together[] = { { text, strlen (text), "b.json" },
                                           { probe, strlen (probe), "a.json" } };
  g_autoptr (ShardwiseImport) import = shardwise_import_read (text, strlen (text), "", base, NULL),
                              both = import_on (&h100, import->scenario),
                              at_once = shardwise_import_read_job (together, 2, base, NULL),
                              again = NULL, bare = NULL;
  ShardwiseStepRow rows[SHARDWISE_N_STEP_ROWS];
  SwEstimate before = best_of (base), after = best_of (import->scenario);

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_PROBE);
  g_assert_cmpuint (import->findings->len, ==, 0);
  g_assert_true (fixture_says (import->warnings, "1 measurement failed"));
  g_assert_cmpuint (rows_of (import->scenario, rows), ==, 3);
  g_assert_cmpint (rows[0].id, ==, SHARDWISE_STEP_ATTENTION + 1);
  g_assert_cmpfloat (rows[0].measured, ==, 0.001);
  g_assert_cmpint (rows[2].id, ==, SHARDWISE_STEP_KEPT);
  /* 8B over 8,192 tokens and two GPUs: a few milliseconds and hundreds of megabytes. */
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (fabs (log (rows[i].measured / rows[i].predicted)), <, log (2));
  g_assert_cmpfloat (before.time.step_s, ==, after.time.step_s);
  g_assert_cmpuint (rows_of (both->scenario, rows), ==, 3);
  g_assert_cmpuint (rows_of (at_once->scenario, rows), ==, 3);
  again = shardwise_import_read (text, strlen (text), "", both->scenario, NULL);
  g_assert_cmpuint (rows_of (again->scenario, rows), ==, 3);
  after = best_of (again->scenario); /* the figures are still there */
  g_assert_cmpfloat (width (&after), <, width (&before));
  bare = shardwise_import_read (text, strlen (text), "", NULL, NULL);
  fixture_assert_set (bare, (const char *const[]){ "cluster.gpus=2", NULL });
}

/* Elsewhere it is compared all the same, and said. */
static void
test_layer_elsewhere (void)
{
  g_autoptr (ShardwiseScenario) base = scenario_of (JOB);
  g_autofree char *text = layer_report ("CPU");
  g_autoptr (ShardwiseImport) import = shardwise_import_read (text, strlen (text), "", base, NULL),
                              bare = shardwise_import_read (text, strlen (text), "", NULL, NULL);
  ShardwiseStepRow rows[SHARDWISE_N_STEP_ROWS];

  g_assert_true (fixture_finds (import, "step-elsewhere", "CPU"));
  g_assert_cmpuint (rows_of (import->scenario, rows), ==, 3);
  g_assert_true (fixture_finds (bare, "gpu-unknown", "CPU"));
}

static void
test_layer_refused (void)
{
  static const Wrong cases[] = {
    { "\"version\": 1", "\"version\": 2", "version: written by a newer version" },
    { "\"took_s\"", "\"took\"", "took: unknown key" },
    { "megatron-core", "any", "framework: unknown framework" },
    { "\"layer\": {", "\"layer\": {\"magic\": 1, ", "magic: unknown key" },
    { "\"hidden_size\": 4096", "\"hidden_size\": -1", "hidden_size: must be a number" },
    { "\"hidden_size\": 4096", "\"hidden_size\": 0", "layer: no layer" },
    { "\"intermediate_size\": 14336", "\"intermediate_size\": 0", "layer: no layer" },
    { "\"experts\": 0", "\"experts\": 8", "layer: no layer" },
    { "\"kv_lora_rank\": 0", "\"kv_lora_rank\": 8", "layer: no layer" },
    { "\"pass\": \"forward\"", "\"pass\": \"sideward\"", "measurements: unknown measurement" },
    { "\"kind\": \"kept\"", "\"kind\": \"lost\"", "measurements: unknown measurement" },
    { "\"seconds\": 0.004", "\"seconds\": 0", "seconds: must be a number" },
    { "\"repeats\": 9", "\"repeat\": 9", "repeat: unknown key" },
    { "NVIDIA H100 80GB HBM3", "", "gpu: no name" },
  };
  g_autofree char *text = layer_report ("NVIDIA H100 80GB HBM3");

  assert_refused (text, cases, G_N_ELEMENTS (cases));
}

/* ---- measured runs ---- */

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* Mean over families of the median error of the step time of runs on a GPU, in logarithms. */
static double
error_on (GPtrArray *runs, const char *gpu, const ShardwiseMachine *machine)
{
  g_autoptr (GHashTable) families = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                                           (GDestroyNotify) g_array_unref);
  GHashTableIter iter;
  gpointer errors;
  double sum = 0;

  for (guint i = 0; i < runs->len; i++)
    {
      ShardwiseRun run = *(const ShardwiseRun *) runs->pdata[i];
      g_autofree SwCalibration *made = g_new0 (SwCalibration, 1);
      ShardwiseRunPrediction prediction;
      ShardwiseMachine here;
      double error;

      if (run.skip != NULL || run.measured_step_s <= 0 || !run.judged
          || !g_str_equal (run.problem.cluster.gpu.id, gpu))
        continue;
      if (machine != NULL)
        {
          here = *machine;
          /* A link that the run states otherwise is not the one that was measured. */
          if (fabs (run.problem.cluster.intra.bytes_per_s
                        / MAX (run.problem.cluster.gpu.scale_up_bytes_per_s, 1)
                    - 1)
              > 0.02)
            here.figure[SHARDWISE_FIGURE_INTRA].value = 0;
          shardwise_machine_apply (&here, &run.problem, made);
          run.problem.calibration = made;
        }
      shardwise_run_predict (&run, &prediction);
      error = fabs (log (prediction.step_s / run.measured_step_s));
      errors = g_hash_table_lookup (families, run.family);
      if (errors == NULL)
        {
          errors = g_array_new (FALSE, FALSE, sizeof (double));
          g_hash_table_insert (families, run.family, errors);
        }
      g_array_append_val ((GArray *) errors, error);
    }
  g_hash_table_iter_init (&iter, families);
  while (g_hash_table_iter_next (&iter, NULL, &errors))
    {
      g_array_sort (errors, compare);
      sum += g_array_index ((GArray *) errors, double, ((GArray *) errors)->len / 2);
    }
  return sum / MAX (g_hash_table_size (families), 1);
}

/* Published kernel rates as if a probe's: no run is predicted worse for it, but for chance. */
static void
test_runs (void)
{
  static const char *const gpus[] = { "a100-80-sxm", "h100-80-sxm", "b200-180-sxm", "mi300x" };
  g_autoptr (GPtrArray) runs = shardwise_runs_builtin ();

  for (guint i = 0; i < G_N_ELEMENTS (gpus); i++)
    {
      g_autofree char *name = g_strconcat (gpus[i], ".json", NULL);
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "probe", name, NULL),
                      *text = NULL, *object = NULL;
      g_autoptr (ShardwiseImport) import = NULL;
      g_autoptr (JsonNode) node = NULL;
      ShardwiseMachine machine;
      double before, after;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      import = fixture_import (text, name);
      object = shardwise_scenario_get_string (import->scenario, SHARDWISE_KEY_CLUSTER_GPU);
      node = json_from_string (object, NULL);
      g_assert_true (shardwise_machine_read (
          json_object_get_object_member (json_node_get_object (node), "measured"), &machine, NULL));
      before = error_on (runs, gpus[i], NULL);
      after = error_on (runs, gpus[i], &machine);
      g_test_message ("%s: median error of the mean source %.2f %% before, %.2f %% after", gpus[i],
                      100 * before, 100 * after);
      g_assert_cmpfloat (after, <=, before + 0.002);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import-probe/node", test_node);
  g_test_add_func ("/import-probe/pair", test_pair);
  g_test_add_func ("/import-probe/one-gpu", test_one_gpu);
  g_test_add_func ("/import-probe/throttling", test_throttling);
  g_test_add_func ("/import-probe/broken", test_broken);
  g_test_add_func ("/import-probe/nodes", test_nodes);
  g_test_add_func ("/import-probe/refused", test_refused);
  g_test_add_func ("/import-probe/section", test_section);
  g_test_add_func ("/import-probe/names", test_names);
  g_test_add_func ("/import-probe/layer", test_layer);
  g_test_add_func ("/import-probe/layer-elsewhere", test_layer_elsewhere);
  g_test_add_func ("/import-probe/layer-refused", test_layer_refused);
  g_test_add_func ("/import-probe/runs", test_runs);
  return g_test_run ();
}

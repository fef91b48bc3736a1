/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of hardware and of jobs, from the catalogue to the estimate. */
#include "scenario-fixture.h"
#include "shardwise-estimate.h"
#include "shardwise-json.h"
#include "shardwise-text-estimate.h"
#include "shardwise-advice-json.h"

#include <string.h>

typedef struct {
  SwProblem problem;
  SwEstimate estimate;
  GPtrArray *notes;
} Answer;

static void
answer_clear (Answer *answer)
{
  g_clear_pointer (&answer->notes, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Answer, answer_clear)

/* @cluster, @training and @strategy: members of those objects. */
static void
ask (const char *model, const char *cluster, const char *training, const char *strategy,
     Answer *out)
{
  g_autofree char *json = g_strdup_printf ("{\"model\": {\"preset\": \"%s\"}, \"cluster\": {%s}, "
                                           "\"training\": {%s}, \"strategy\": {%s}}",
                                           model, cluster, training, strategy);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);

  g_assert_true (
      shardwise_estimate_scenario (scenario, &out->problem, &out->estimate, &out->notes, &error));
  g_assert_no_error (error);
}

static double
step_on (const char *cluster, const char *strategy)
{
  g_auto (Answer) answer = { 0 };

  ask ("llama-3-8b", cluster,
       "\"framework\": \"megatron-core\", \"global_batch_size\": 64, \"micro_batch_size\": 1",
       strategy, &answer);
  return answer.estimate.time.step_s;
}

/* The same job over the same GPUs: NVLink is faster than PCIe, PCIe than one GPU a node on
 * Ethernet, InfiniBand between nodes than Ethernet. */
static void
test_links (void)
{
  static const char *const strategies[] = {
    "\"tp\": 8, \"pp\": 1, \"dp\": 1",
    "\"tp\": 2, \"pp\": 1, \"dp\": 4",
    "\"tp\": 1, \"pp\": 2, \"dp\": 4",
  };

  for (guint i = 0; i < G_N_ELEMENTS (strategies); i++)
    {
      double nvlink = step_on ("\"gpu\": \"h100-80-sxm\", \"gpus\": 8", strategies[i]);
      double pcie = step_on ("\"gpu\": \"h100-80-sxm\", \"gpus\": 8, \"intra_node\": \"pcie\"",
                             strategies[i]);
      double ethernet = step_on ("\"gpu\": \"h100-80-sxm\", \"gpus\": 8, \"gpus_per_node\": 1, "
                                 "\"inter_node\": \"ethernet\"",
                                 strategies[i]);

      g_assert_cmpfloat (nvlink, <, pcie);
      g_assert_cmpfloat (pcie, <, ethernet);
    }
  g_assert_cmpfloat (
      step_on ("\"gpu\": \"h100-80-sxm\", \"gpus\": 64", "\"tp\": 8, \"dp\": 8, \"pp\": 1"), <,
      step_on ("\"gpu\": \"h100-80-sxm\", \"gpus\": 64, \"inter_node\": \"ethernet\"",
               "\"tp\": 8, \"dp\": 8, \"pp\": 1"));
}

/* Ethernet's card is the node's: twice the GPUs a node have half of it each. Each rank of 8 TP
 * groups of one node sends 1/8 of a node's traffic. */
static void
test_shared_card (void)
{
  g_auto (Answer) answer = { 0 };

  ask ("llama-3-8b", "\"gpu\": \"h100-80-sxm\", \"gpus\": 64, \"inter_node\": \"ethernet\"",
       "\"global_batch_size\": 64, \"micro_batch_size\": 1", "\"tp\": 8, \"dp\": 8, \"pp\": 1",
       &answer);
  g_assert_true (answer.problem.cluster.inter.shared_by_node);
  g_assert_cmpfloat (step_on ("\"gpu\": \"h100-80-sxm\", \"gpus\": 64, \"inter_node\": "
                              "\"ethernet\"",
                              "\"tp\": 1, \"dp\": 64, \"pp\": 1"),
                     >,
                     step_on ("\"gpu\": \"h100-80-sxm\", \"gpus\": 64, \"gpus_per_node\": 8, "
                              "\"inter_node\": \"infiniband\"",
                              "\"tp\": 1, \"dp\": 64, \"pp\": 1"));
}

static double
tensor_s (const char *cluster, guint tp, guint gpus)
{
  g_auto (Answer) answer = { 0 };
  g_autofree char *strategy = g_strdup_printf ("\"tp\": %u, \"pp\": 1, \"dp\": %u", tp, gpus / tp);

  ask ("llama-3.1-405b", cluster, "\"global_batch_size\": 144, \"micro_batch_size\": 1", strategy,
       &answer);
  g_assert_cmpuint (answer.problem.cluster.gpus_per_node, ==, 4);
  return answer.estimate.time.tp_exposed_s + answer.estimate.time.tp_hidden_s;
}

/* Trays of 4 in a rack of 72: TP 16 does not divide 72 and reaches over four trays, and still uses
 * NVLink, whatever the network is; in a domain of 4 it waits for the network. A rack that is filled
 * in part is one domain too. */
static void
test_racks (void)
{
  static const char slow[] = "\"gpu\": \"gb200-nvl72\", \"gpus\": 144, \"inter_node_gb_s\": 1";
  static const char fast[] = "\"gpu\": \"gb200-nvl72\", \"gpus\": 144, \"inter_node_gb_s\": 100";
  static const char part[] = "\"gpu\": \"gb300-nvl72\", \"gpus\": 48, \"inter_node_gb_s\": 1";
  static const char trays[] =
      "\"gpu\": \"gb200-nvl72\", \"gpus\": 144, \"inter_node_gb_s\": 100, \"nvlink_domain\": 4";
  static const guint degrees[] = { 4, 8, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      g_assert_cmpfloat (tensor_s (slow, degrees[i], 144), ==, tensor_s (fast, degrees[i], 144));
      if (degrees[i] > 4)
        g_assert_cmpfloat (tensor_s (trays, degrees[i], 144), >,
                           1.3 * tensor_s (fast, degrees[i], 144));
    }
  g_assert_cmpfloat (tensor_s (part, 16, 48), >, 0);
  g_assert_cmpfloat (tensor_s (part, 16, 48), <, 3.1 * tensor_s (fast, 16, 144));
}

static double
expert_s (const char *network)
{
  g_autofree char *cluster =
      g_strdup_printf ("\"gpu\": \"gb200-nvl72\", \"gpus\": 128, \"inter_node_gb_s\": %s", network);
  g_auto (Answer) answer = { 0 };

  ask ("deepseek-v3", cluster, "\"global_batch_size\": 128, \"micro_batch_size\": 1",
       "\"tp\": 1, \"pp\": 2, \"dp\": 64, \"ep\": 64", &answer);
  return answer.estimate.time.ep_exposed_s + answer.estimate.time.ep_hidden_s;
}

/* 64 experts' ranks are within one rack. */
static void
test_experts_in_rack (void)
{
  g_assert_cmpfloat (expert_s ("1"), >, 0);
  g_assert_cmpfloat (expert_s ("1"), ==, expert_s ("100"));
}

static void
ask_offload (const char *gpu, const char *host_ram, const char *offload, Answer *out)
{
  g_autofree char *cluster = g_strdup_printf ("\"gpu\": \"%s\", \"gpus\": 8%s", gpu, host_ram);
  g_autofree char *strategy = g_strdup_printf (
      "\"tp\": 1, \"pp\": 1, \"dp\": 8, \"zero_stage\": 3, \"offload\": \"%s\"", offload);

  ask ("llama-3-8b", cluster,
       "\"framework\": \"deepspeed\", \"global_batch_size\": 64, \"micro_batch_size\": 1, "
       "\"sequence_length\": 4096",
       strategy, out);
}

/* Offload frees the GPU, fills the host, and costs time on the link and the host's CPUs; a
 * superchip's link costs less; a host without room for it is a reason of its own. */
static void
test_offload (void)
{
  g_auto (Answer) none = { 0 };
  g_auto (Answer) states = { 0 };
  g_auto (Answer) all = { 0 };
  g_auto (Answer) superchip = { 0 };
  g_auto (Answer) small = { 0 };

  ask_offload ("h100-80-sxm", "", "none", &none);
  ask_offload ("h100-80-sxm", "", "optimizer", &states);
  ask_offload ("h100-80-sxm", "", "optimizer+params", &all);
  ask_offload ("gb200-nvl72", "", "optimizer", &superchip);
  ask_offload ("h100-80-sxm", ", \"host_ram_gb\": 32", "optimizer", &small);
  g_assert_cmpfloat (none.estimate.time.offload_exposed_s, ==, 0);
  g_assert_cmpfloat (none.estimate.memory.host_bytes, ==, 0);
  /* 16 bytes of gradients, master weights and moments in fp32 for each of 8.03 G parameters. */
  g_assert_cmpfloat_with_epsilon (states.estimate.memory.host_bytes, 16 * 8030261248.0, 0.35e9);
  g_assert_cmpfloat (states.estimate.time.offload_hidden_s, >, 0);
  g_assert_cmpfloat (states.estimate.memory.peak.optimizer, ==, 0);
  g_assert_cmpfloat (states.estimate.time.step_s, >, none.estimate.time.step_s);
  g_assert_cmpfloat (all.estimate.memory.host_bytes, >, states.estimate.memory.host_bytes);
  g_assert_cmpfloat (all.estimate.time.step_s, >, states.estimate.time.step_s);
  g_assert_cmpfloat (superchip.estimate.time.offload_exposed_s, <,
                     0.3 * states.estimate.time.offload_exposed_s);
  g_assert_cmpint (small.estimate.rule, ==, SW_RULE_HOST_MEMORY);
  g_assert_cmpfloat (small.estimate.missing_bytes, >, 0);
}

static void
ask_drives (const char *cluster, const char *device, const char *offload, const char *framework,
            guint zero, Answer *out)
{
  g_autofree char *training =
      g_strdup_printf ("\"framework\": \"%s\", \"global_batch_size\": 64, \"micro_batch_size\": 1, "
                       "\"sequence_length\": 4096, \"offload_device\": \"%s\"",
                       framework, device);
  g_autofree char *strategy = g_strdup_printf (
      "\"tp\": 1, \"pp\": 1, \"dp\": 8, \"zero_stage\": %u, \"recompute\": \"full\", \"offload\": "
      "\"%s\"",
      zero, offload);

  ask ("llama-3-8b", cluster, training, strategy, out);
}

/* Drives take longer than the host's memory, by the bytes of a step over the node's rate: 28 of
 * each of 8.03 G parameters that the step reads and writes, at 25.6 GB/s. They leave that memory
 * empty, so that what it lacks room for fits. DeepSpeed has them with ZeRO 3 alone, no other
 * framework. */
static void
test_drives (void)
{
  static const char node[] = "\"gpu\": \"h100-80-sxm\", \"gpus\": 8",
                    small[] = "\"gpu\": \"h100-80-sxm\", \"gpus\": 8, \"host_ram_gb\": 32",
                    fast[] = "\"gpu\": \"h100-80-sxm\", \"gpus\": 8, \"nvme_gb_s\": 100";
  static const char *const offloads[] = { "optimizer", "optimizer+params" };

  for (guint i = 0; i < G_N_ELEMENTS (offloads); i++)
    {
      g_auto (Answer) host = { 0 };
      g_auto (Answer) drives = { 0 };
      g_auto (Answer) faster = { 0 };
      g_auto (Answer) without_room = { 0 };
      g_auto (Answer) with_room = { 0 };
      g_auto (Answer) other = { 0 };
      g_auto (Answer) stage = { 0 };

      ask_drives (node, "host", offloads[i], "deepspeed", 3, &host);
      ask_drives (node, "nvme", offloads[i], "deepspeed", 3, &drives);
      ask_drives (fast, "nvme", offloads[i], "deepspeed", 3, &faster);
      ask_drives (small, "host", offloads[i], "deepspeed", 3, &without_room);
      ask_drives (small, "nvme", offloads[i], "deepspeed", 3, &with_room);
      g_assert_cmpfloat (drives.estimate.time.step_s - host.estimate.time.step_s, >,
                         28 * 8.03e9 / 25.6e9);
      g_assert_cmpfloat (faster.estimate.time.step_s, >, host.estimate.time.step_s);
      g_assert_cmpfloat (faster.estimate.time.step_s, <, drives.estimate.time.step_s);
      g_assert_cmpfloat (drives.estimate.memory.peak.total, ==, host.estimate.memory.peak.total);
      g_assert_cmpfloat (drives.estimate.memory.host_bytes, ==, 0);
      g_assert_cmpint (without_room.estimate.rule, ==, SW_RULE_HOST_MEMORY);
      g_assert_cmpint (with_room.estimate.rule, ==, SW_RULE_OK);
      ask_drives (node, "nvme", offloads[i], "fsdp2", 3, &other);
      g_assert_cmpint (other.estimate.rule, ==, SW_RULE_FRAMEWORK_OFFLOAD);
      ask_drives (node, "nvme", offloads[i], "deepspeed", 2, &stage);
      g_assert_cmpint (stage.estimate.rule, ==, SW_RULE_FRAMEWORK_OFFLOAD);
    }
}

/* Activations go down beside forward passes and come back beside backward ones: on one stage the
 * slower PCIe exposes more than it hides of what a superchip's link hides whole. */
static void
test_offloaded_activations (void)
{
  static const char job[] = "\"framework\": \"megatron-core\", \"global_batch_size\": 64, "
                            "\"micro_batch_size\": 1, \"sequence_length\": 8192";
  static const char split[] = "\"tp\": 1, \"pp\": 1, \"dp\": 8, \"recompute\": \"none\", "
                              "\"offload\": \"activations\"";
  g_auto (Answer) pcie = { 0 };
  g_auto (Answer) superchip = { 0 };
  g_auto (Answer) none = { 0 };

  ask ("llama-3-8b", "\"gpu\": \"h100-80-sxm\", \"gpus\": 8", job, split, &pcie);
  ask ("llama-3-8b", "\"gpu\": \"gb200-nvl72\", \"gpus\": 8", job, split, &superchip);
  ask ("llama-3-8b", "\"gpu\": \"h100-80-sxm\", \"gpus\": 8", job,
       "\"tp\": 1, \"pp\": 1, \"dp\": 8, \"recompute\": \"none\", \"offload\": \"none\"", &none);
  g_assert_cmpfloat (pcie.estimate.time.offload_exposed_s, >, 0);
  g_assert_cmpfloat (pcie.estimate.time.offload_hidden_s, >, 0);
  g_assert_cmpfloat (pcie.estimate.time.step_s, >, none.estimate.time.step_s);
  g_assert_cmpfloat (superchip.estimate.time.offload_exposed_s, <,
                     0.5 * pcie.estimate.time.offload_exposed_s);
  g_assert_cmpfloat (pcie.estimate.memory.peak.activations, <,
                     0.5 * none.estimate.memory.peak.activations);
  g_assert_cmpfloat (pcie.estimate.memory.host_bytes, >, 0);
}

static gboolean
says (GPtrArray *notes, const char *words)
{
  for (guint i = 0; i < notes->len; i++)
    if (strstr (g_ptr_array_index (notes, i), words) != NULL)
      return TRUE;
  return FALSE;
}

/* Which GPUs have measured runs: README of the data. On all others the figures are not validated,
 * and the interval is wider than that of any kind that was. */
static void
test_unmeasured_gpus (void)
{
  static const char *const measured[] = {
    "a100-40-sxm", "a100-80-sxm", "a10g",        "a800-80-sxm",  "b200-180-sxm", "b300-288-sxm",
    "gb200-nvl72", "gb300-nvl72", "h100-80-sxm", "h100-96-500w", "h20-96-sxm",   "h200-141-sxm",
    "l40s",        "mi300x",      "rtx-3090",    "rtx-4090",     "rtx-6000-ada", "rtx-a5000",
    "v100-16-sxm", "v100-32-sxm", NULL,
  };
  g_autoptr (GListModel) gpus = shardwise_catalogue_gpus (shardwise_catalogue_get ());
  const SwCalibration *c = shardwise_catalogue_calibration (shardwise_catalogue_get ());
  guint n_measured = 0;
  SwResidual widest;

  sw_calibration_widest (c, FALSE, &widest);
  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++)
    {
      g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (gpus, i);
      g_autofree char *id = NULL, *cluster = NULL, *why = NULL;
      g_auto (Answer) answer = { 0 };
      gboolean was;

      g_object_get (entry, "id", &id, NULL);
      cluster = g_strdup_printf ("\"gpu\": \"%s\", \"gpus\": 1", id);
      ask ("llama-3-8b", cluster, "\"micro_batch_size\": 1", "\"tp\": 1, \"pp\": 1, \"dp\": 1",
           &answer);
      was = g_strv_contains (measured, id);
      why = shardwise_text_unmeasured (&answer.problem, &answer.estimate);
      n_measured += was;
      g_assert_true (sw_estimate_is_validated (&answer.estimate) == was);
      g_assert_true ((why == NULL) == was);
      g_assert_true (says (answer.notes, "not validated") == !was);
      if (!was)
        g_assert_cmpfloat (answer.estimate.step_high_s / answer.estimate.time.step_s, >,
                           1 + widest.time_p90);
    }
  g_assert_cmpuint (n_measured, ==, G_N_ELEMENTS (measured) - 1);
}

/* Kinds of jobs of which none was measured say so, with their name. */
static void
test_unmeasured_jobs (void)
{
  static const struct {
    const char *training, *words;
  } jobs[] = {
    { "\"type\": \"rlhf\", \"micro_batch_size\": 1", "reinforcement" },
    { "\"type\": \"qlora\", \"micro_batch_size\": 1", NULL },
    { "\"type\": \"lora\", \"micro_batch_size\": 1", NULL },
    { "\"type\": \"finetune\", \"micro_batch_size\": 1", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_auto (Answer) answer = { 0 };

      ask ("llama-3-8b", "\"gpu\": \"h100-80-sxm\", \"gpus\": 8", jobs[i].training,
           "\"tp\": 4, \"pp\": 1, \"dp\": 2", &answer);
      g_assert_true (sw_estimate_is_validated (&answer.estimate) == (jobs[i].words == NULL));
      if (jobs[i].words != NULL)
        g_assert_true (says (answer.notes, jobs[i].words));
    }
}

static double
number (JsonObject *object, const char *name)
{
  return json_object_get_double_member (object, name);
}

/* The phases in JSON add up to the step and to its parts; every convention of arithmetic is there
 * and named. */
static void
test_json (void)
{
  static const char *const terms[] = { "step_s", "compute_s", "tp_exposed_s", "bubble_s",
                                       "other_s" };
  static const char *const conventions[] = { "mfu", "mfu_full_attention", "hfu",
                                             "hfu_full_attention" };
  g_auto (Answer) answer = { 0 };
  g_autoptr (JsonNode) node = NULL;
  JsonObject *root, *time, *all;
  JsonArray *phases;

  ask ("llama-3-8b", "\"gpu\": \"h100-80-sxm\", \"gpus\": 16",
       "\"type\": \"rlhf\", \"micro_batch_size\": 1, \"global_batch_size\": 64",
       "\"tp\": 4, \"pp\": 2, \"dp\": 2, \"recompute\": \"full\"", &answer);
  node = shardwise_estimate_to_json (&answer.problem, &answer.estimate, answer.notes);
  root = json_node_get_object (node);
  time = json_object_get_object_member (root, "time");
  phases = json_object_get_array_member (root, "phases");
  g_assert_cmpuint (json_array_get_length (phases), ==, 4);
  g_assert_false (json_object_get_boolean_member (root, "validated"));
  for (guint t = 0; t < G_N_ELEMENTS (terms); t++)
    {
      double sum = 0;

      for (guint i = 0; i < 4; i++)
        sum += number (json_array_get_object_element (phases, i), terms[t]);
      g_assert_cmpfloat_with_epsilon (sum, number (time, terms[t]), 1e-9 * number (time, "step_s"));
    }
  all = json_object_get_object_member (root, "utilisation");
  for (guint i = 0; i < G_N_ELEMENTS (conventions); i++)
    {
      JsonObject *one = json_object_get_object_member (all, conventions[i]);

      g_assert_cmpfloat (number (one, "value"), ==, number (root, conventions[i]));
      g_assert_cmpint (strlen (json_object_get_string_member (one, "convention")), >, 10);
    }
  g_assert_cmpfloat (number (root, "mfu"), <, number (root, "mfu_full_attention"));
  g_assert_cmpfloat (number (root, "hfu"), <, number (root, "hfu_full_attention"));
  g_assert_cmpfloat (number (root, "mfu"), <, number (root, "hfu"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hardware/links", test_links);
  g_test_add_func ("/hardware/shared-card", test_shared_card);
  g_test_add_func ("/hardware/racks", test_racks);
  g_test_add_func ("/hardware/experts-in-rack", test_experts_in_rack);
  g_test_add_func ("/hardware/offload", test_offload);
  g_test_add_func ("/hardware/drives", test_drives);
  g_test_add_func ("/hardware/offloaded-activations", test_offloaded_activations);
  g_test_add_func ("/hardware/unmeasured-gpus", test_unmeasured_gpus);
  g_test_add_func ("/hardware/unmeasured-jobs", test_unmeasured_jobs);
  g_test_add_func ("/hardware/json", test_json);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-catalogue.h"
#include "shardwise-error.h"

#include <math.h>
#include <string.h>

static char *
entry_id (GListModel *model, guint index)
{
  g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (model, index);
  char *id;

  g_object_get (entry, "id", &id, NULL);
  return id;
}

/* Our count of each of the 191 models against the catalogue's own. */
static void
test_parameters (void)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autoptr (GListModel) models = shardwise_catalogue_models (catalogue);
  guint compared = 0;

  g_assert_cmpuint (g_list_model_get_n_items (models), ==, 191);
  for (guint i = 0; i < g_list_model_get_n_items (models); i++)
    {
      g_autofree char *id = entry_id (models, i);
      const SwModelSpec *spec = shardwise_catalogue_find_model (catalogue, id);
      double expected = shardwise_catalogue_model_computed_parameters (catalogue, id);
      SwParameterCount count;

      g_assert_cmpfloat (expected, >, 0);
      sw_model_count (spec, &count);
      if (fabs (count.total / expected - 1) > 0.005)
        g_test_message ("%s: %.4f B, catalogue %.4f B", id, count.total / 1e9, expected / 1e9);
      g_assert_cmpfloat (fabs (count.total / expected - 1), <=, 0.005);
      compared++;
    }
  g_assert_cmpuint (compared, ==, 191);
}

static void
test_approximations (void)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autofree char *none = shardwise_catalogue_model_approximation (catalogue, "llama-3-8b");
  g_autofree char *vision = shardwise_catalogue_model_approximation (catalogue, "vit-b-16");
  g_autoptr (GListModel) models = shardwise_catalogue_models (catalogue);

  g_assert_null (none);
  g_assert_nonnull (strstr (vision, "causal mask"));
  for (guint i = 0; i < g_list_model_get_n_items (models); i++)
    {
      g_autofree char *id = entry_id (models, i),
                      *note = shardwise_catalogue_model_approximation (catalogue, id);

      g_assert_true (shardwise_catalogue_find_model (catalogue, id)->approximated
                     == (note != NULL));
    }
}

/* Groups of experts are known of the model with these dimensions, not of any with as many experts:
 * GLM-5's router chooses freely among 256. */
static void
test_routing (void)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  SwModelSpec spec = *shardwise_catalogue_find_model (catalogue, "deepseek-v2");

  spec.moe.groups = spec.moe.chosen_groups = 0;
  shardwise_catalogue_complete_routing (catalogue, &spec);
  g_assert_cmpuint (spec.moe.groups, ==, 8);
  g_assert_cmpuint (spec.moe.chosen_groups, ==, 3);
  spec = *shardwise_catalogue_find_model (catalogue, "glm-5-744b-a40b");
  g_assert_cmpuint (spec.moe.experts, ==, 256);
  shardwise_catalogue_complete_routing (catalogue, &spec);
  g_assert_cmpuint (spec.moe.groups, ==, 0);
}

static void
test_record (void)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const SwModelSpec *spec = shardwise_catalogue_find_model (catalogue, "deepseek-v3");
  const SwGpu *gpu = shardwise_catalogue_find_gpu (catalogue, "h100-80-sxm");

  g_assert_cmpuint (spec->moe.experts, ==, 256);
  g_assert_cmpuint (spec->moe.shared_intermediate_size, ==, 2048);
  g_assert_cmpuint (spec->moe.first_dense_layers, ==, 3);
  g_assert_true (spec->moe.router_bias);
  g_assert_cmpuint (spec->moe.groups, ==, 8);
  g_assert_cmpuint (spec->moe.chosen_groups, ==, 4);
  g_assert_cmpfloat (spec->moe.scaling, ==, 2.5);
  g_assert_cmpuint (spec->mla.kv_lora_rank, ==, 512);
  g_assert_cmpuint (spec->mtp_layers, ==, 1);
  g_assert_cmpfloat (shardwise_catalogue_model_reported_parameters (catalogue, "deepseek-v3"), ==,
                     671e9);
  g_assert_cmpfloat_with_epsilon (gpu->usable_bytes / SW_GIB, 79.19, 1e-9);
  g_assert_cmpfloat (gpu->peak_bf16_flops_per_s, ==, 989e12);
  g_assert_cmpfloat_with_epsilon (gpu->measured_bf16_flops_per_s, 821.2e12, 1e6);
  g_assert_cmpint (gpu->generation, ==, SW_GENERATION_HOPPER);
  g_assert_cmpuint (gpu->sm_count, ==, 132);
  g_assert_null (shardwise_catalogue_find_model (catalogue, "llama-9"));
  g_assert_null (shardwise_catalogue_find_gpu (catalogue, "h900"));
}

/* Every GPU has a memory, a rate and a link of its own; every plain word is a link or a
 * sentence. */
static void
test_links (void)
{
  static const char *const words[] = { "nvlink", "pcie",     "scale_up", "infiniband",
                                       "roce",   "ethernet", "efa" };
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autoptr (GListModel) gpus = shardwise_catalogue_gpus (catalogue);

  g_assert_cmpuint (g_list_model_get_n_items (gpus), ==, 51);
  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++)
    {
      g_autofree char *id = entry_id (gpus, i);
      const SwGpu *gpu = shardwise_catalogue_find_gpu (catalogue, id);
      SwLink link;

      g_assert_cmpfloat (gpu->usable_bytes, >, 0.9 * gpu->memory_gb * SW_GIB);
      g_assert_cmpfloat (gpu->usable_bytes, <=, gpu->memory_gb * SW_GIB);
      g_assert_cmpfloat (MAX (gpu->peak_bf16_flops_per_s, gpu->peak_fp16_flops_per_s), >, 0);
      g_assert_true (shardwise_catalogue_find_link (catalogue, NULL, gpu, FALSE, &link, NULL));
      g_assert_cmpfloat (link.bytes_per_s, >, 0);
      g_assert_cmpuint (shardwise_catalogue_link_domain (catalogue, &link, gpu), >=, 1);
      for (guint j = 0; j < G_N_ELEMENTS (words); j++)
        {
          g_autoptr (GError) error = NULL;

          if (shardwise_catalogue_find_link (catalogue, words[j], gpu, j >= 3, &link, &error))
            g_assert_cmpfloat (link.bytes_per_s, >, 0);
          else
            {
              g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_INCONSISTENT);
              g_assert_nonnull (strstr (error->message, gpu->name));
            }
        }
    }
}

typedef struct {
  const char *gpu, *word, *id;
  gboolean inter_node;
  double gb_s;
} LinkCase;

static const LinkCase link_cases[] = {
  { "h100-80-sxm", NULL, "nvlink4", FALSE, 450 },
  { "h100-80-sxm", "nvlink", "nvlink4", FALSE, 450 },
  { "h100-80-sxm", "pcie", "pcie5", FALSE, 63 },
  { "h100-80-sxm", "infiniband", "ib-ndr", TRUE, 50 },
  { "h100-80-sxm", NULL, "ib-ndr", TRUE, 50 },
  { "h100-80-sxm", "aws-efa-v1-p4d", "aws-efa-v1-p4d", TRUE, 6.25 },
  { "h800-80-sxm", "nvlink", "nvlink4-h800", FALSE, 200 },
  { "gb200-nvl72", NULL, "nvlink5-nvl72", FALSE, 900 },
  { "h100-80-pcie", NULL, "pcie5", FALSE, 63 },
  { "mi300x", NULL, "xgmi-mi300x", FALSE, 448 },
  { "mi455x", NULL, "scale_up", FALSE, 1800 },
  { "gaudi3", NULL, "gaudi3-scaleout", TRUE, 75 },
  { "h100-80-sxm", "ethernet", "ethernet-100", TRUE, 12.5 },
  { "t4", NULL, "pcie3", FALSE, 16 },
  { "a30", "nvlink", "nvlink3-bridge-a30", FALSE, 100 },
  { "a800-40-pcie", "nvlink", "nvlink3-bridge-a800", FALSE, 200 },
  { "rtx-a5000", "nvlink", "nvlink3-bridge-ga102", FALSE, 56.25 },
  { "rtx-pro-6000", NULL, "pcie5", FALSE, 63 },
  { "h20-141-sxm", NULL, "nvlink4", FALSE, 450 },
  { "mi210", NULL, "pcie4", FALSE, 31 },
  /* What joins the nodes follows what they are. */
  { "b300-288-sxm", NULL, "ib-xdr", TRUE, 100 },
  { "gb200-nvl72", NULL, "gb200-cx7", TRUE, 50 },
  { "mi300x", NULL, "roce-400", TRUE, 50 },
  { "mi250x", NULL, "roce-200", TRUE, 25 },
  { "l40s", NULL, "ethernet-100", TRUE, 12.5 },
  { "a100-80-pcie", NULL, "ethernet-100", TRUE, 12.5 },
  { "rtx-4090", NULL, "ethernet-10", TRUE, 1.25 },
  { "rtx-pro-6000", NULL, "ethernet-10", TRUE, 1.25 },
  { "rtx-4090", "ethernet", "ethernet-10", TRUE, 1.25 },
  { "a40", "ethernet", "ethernet-100", TRUE, 12.5 },
};

static void
test_link_cases (void)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  SwLink link;

  for (guint i = 0; i < G_N_ELEMENTS (link_cases); i++)
    {
      const LinkCase *c = &link_cases[i];

      g_assert_true (shardwise_catalogue_find_link (
          catalogue, c->word, shardwise_catalogue_find_gpu (catalogue, c->gpu), c->inter_node,
          &link, NULL));
      g_assert_cmpstr (link.id, ==, c->id);
      g_assert_cmpfloat (link.bytes_per_s, ==, c->gb_s * 1e9);
      g_assert_true (link.shared_by_node == g_str_has_prefix (c->id, "ethernet"));
      g_assert_true (link.is_pcie == g_str_has_prefix (c->id, "pcie"));
    }
}

/* Every GPU stands in nodes of a known kind. */
static void
test_nodes (void)
{
  static const struct {
    const char *gpu;
    guint gpus;
    double host_gb;
  } expected[] = { { "h100-80-sxm", 8, 256 }, { "gb200-nvl72", 4, 225 }, { "gh200-96", 1, 464 },
                   { "mi250x", 4, 128 },      { "l40s", 8, 96 },         { "rtx-4090", 8, 64 } };
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autoptr (GListModel) gpus = shardwise_catalogue_gpus (catalogue);
  ShardwiseNodeClass nodes;

  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++)
    {
      g_autofree char *id = entry_id (gpus, i);

      shardwise_catalogue_node_class (catalogue, id, &nodes);
      g_assert_nonnull (nodes.network);
      g_assert_cmpuint (nodes.gpus_per_node, >=, 1);
      g_assert_cmpfloat (nodes.host_bytes_per_gpu, >=, 60e9);
    }
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      shardwise_catalogue_node_class (catalogue, expected[i].gpu, &nodes);
      g_assert_cmpuint (nodes.gpus_per_node, ==, expected[i].gpus);
      g_assert_cmpfloat (nodes.host_bytes_per_gpu, ==, expected[i].host_gb * 1e9);
    }
}

static void
test_unknown_links (void)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const SwGpu *h100 = shardwise_catalogue_find_gpu (catalogue, "h100-80-sxm"),
              *rubin = shardwise_catalogue_find_gpu (catalogue, "rubin-288");
  g_autoptr (GError) word = NULL, wrong_place = NULL, none = NULL;
  SwLink link;

  g_assert_false (
      shardwise_catalogue_find_link (catalogue, "carrier-pigeon", h100, TRUE, &link, &word));
  g_assert_cmpstr (shardwise_error_path (word), ==, "cluster.inter_node");
  g_assert_false (
      shardwise_catalogue_find_link (catalogue, "ib-ndr", h100, FALSE, &link, &wrong_place));
  g_assert_cmpstr (shardwise_error_path (wrong_place), ==, "cluster.intra_node");
  g_assert_false (shardwise_catalogue_find_link (catalogue, NULL, rubin, TRUE, &link, &none));
  g_assert_error (none, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING);
}

static void
test_memory (void)
{
  static const struct {
    double gb;
    const char *id;
  } expected[] = {
    { 16, "v100-16-sxm" }, { 24, "rtx-4090" },      { 40, "a100-40-sxm" },
    { 80, "h100-80-sxm" }, { 141, "h200-141-sxm" }, { 180, "b200-180-sxm" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpstr (
        shardwise_catalogue_gpu_for_memory (shardwise_catalogue_get (), expected[i].gb)->id, ==,
        expected[i].id);
}

/* The file names only constants that the engine has, and gives all that a usual job reads. */
static void
test_calibration (void)
{
  const SwCalibration *calibration = shardwise_catalogue_calibration (shardwise_catalogue_get ());

  g_assert_cmpfloat (calibration->generation[SW_GENERATION_HOPPER].gemm_bf16, >, 0.3);
  g_assert_cmpfloat (calibration->generation[SW_GENERATION_HOPPER].gemm_bf16, <=, 1);
  g_assert_cmpfloat (calibration->network_efficiency, >, 0.3);
  g_assert_cmpfloat (calibration->profile[SW_FRAMEWORK_MEGATRON_CORE].allocator_factor, >=, 1);
  g_assert_true (calibration == shardwise_catalogue_calibration (shardwise_catalogue_get ()));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/catalogue/parameters", test_parameters);
  g_test_add_func ("/catalogue/approximations", test_approximations);
  g_test_add_func ("/catalogue/record", test_record);
  g_test_add_func ("/catalogue/routing", test_routing);
  g_test_add_func ("/catalogue/links", test_links);
  g_test_add_func ("/catalogue/link-cases", test_link_cases);
  g_test_add_func ("/catalogue/nodes", test_nodes);
  g_test_add_func ("/catalogue/unknown-links", test_unknown_links);
  g_test_add_func ("/catalogue/memory", test_memory);
  g_test_add_func ("/catalogue/calibration", test_calibration);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cluster-map.h"
#include "shardwise-cluster-picture.h"
#include "shardwise-palette.h"
#include "ui-fixture.h"

static SwStrategy
strategy_of (guint tp, guint cp, guint ep, guint dp, guint pp)
{
  SwStrategy strategy;

  sw_strategy_init_default (&strategy);
  strategy.tp = strategy.etp = tp;
  strategy.cp = cp;
  strategy.ep = ep;
  strategy.dp = strategy.shard_group = dp;
  strategy.pp = pp;
  return strategy;
}

/* Rank order tp, cp, ep, dp, pp: worked out by hand. */
static void
test_ranks (void)
{
  static const struct {
    guint tp, cp, ep, dp, pp, gpu, want_tp, want_cp, want_dp, want_pp, want_ep;
    gboolean idle;
  } cases[] = {
    { 8, 1, 1, 1, 4, 0, 0, 0, 0, 0, 0, FALSE },  { 8, 1, 1, 1, 4, 13, 5, 0, 0, 1, 0, FALSE },
    { 8, 1, 1, 1, 4, 31, 7, 0, 0, 3, 0, FALSE }, { 8, 1, 1, 1, 4, 32, 0, 0, 0, 0, 0, TRUE },
    { 2, 2, 1, 2, 2, 7, 1, 1, 1, 0, 0, FALSE },  { 2, 2, 1, 2, 2, 12, 0, 0, 1, 1, 0, FALSE },
    { 2, 1, 4, 8, 1, 11, 1, 0, 5, 0, 1, FALSE }, /* expert layout: 11 / 2 % 4 = 1 */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwStrategy strategy = strategy_of (cases[i].tp, cases[i].cp, cases[i].ep, cases[i].dp,
                                         cases[i].pp);
      ShardwiseRank rank;

      shardwise_rank_of_gpu (&strategy, cases[i].gpu, &rank);
      g_assert_cmpint (rank.idle, ==, cases[i].idle);
      g_assert_cmpuint (rank.tp, ==, cases[i].want_tp);
      g_assert_cmpuint (rank.cp, ==, cases[i].want_cp);
      g_assert_cmpuint (rank.dp, ==, cases[i].want_dp);
      g_assert_cmpuint (rank.pp, ==, cases[i].want_pp);
      g_assert_cmpuint (rank.ep, ==, cases[i].want_ep);
    }
}

static void
test_groups (void)
{
  SwStrategy s = strategy_of (4, 1, 1, 2, 2), experts = strategy_of (2, 1, 2, 4, 1);

  g_assert_cmpuint (shardwise_rank_common_groups (&s, 0, 3), ==, SHARDWISE_GROUP_TENSOR);
  g_assert_cmpuint (shardwise_rank_common_groups (&s, 0, 4), ==, SHARDWISE_GROUP_DATA);
  g_assert_cmpuint (shardwise_rank_common_groups (&s, 0, 8), ==, SHARDWISE_GROUP_PIPELINE);
  g_assert_cmpuint (shardwise_rank_common_groups (&s, 0, 5), ==, SHARDWISE_GROUP_NONE);
  g_assert_cmpuint (shardwise_rank_common_groups (&s, 0, 99), ==, SHARDWISE_GROUP_NONE);
  g_assert_cmpuint (shardwise_rank_common_groups (&experts, 0, 2), ==,
                    SHARDWISE_GROUP_DATA | SHARDWISE_GROUP_EXPERT);
  g_assert_cmpuint (shardwise_rank_common_groups (&experts, 0, 4), ==, SHARDWISE_GROUP_DATA);
}

/* Every pair of GPUs: the relation is symmetric, and a GPU's tensor group has TP members. */
static void
test_groups_are_consistent (void)
{
  SwStrategy s = strategy_of (2, 2, 2, 4, 2);
  guint gpus = sw_strategy_gpus (&s);

  for (guint a = 0; a < gpus; a++)
    {
      guint tensor = 0, context = 0, data = 0, pipeline = 0, expert = 0;

      for (guint b = 0; b < gpus; b++)
        {
          ShardwiseGroups groups = shardwise_rank_common_groups (&s, a, b);

          g_assert_cmpuint (groups, ==, shardwise_rank_common_groups (&s, b, a));
          tensor += !!(groups & SHARDWISE_GROUP_TENSOR);
          context += !!(groups & SHARDWISE_GROUP_CONTEXT);
          data += !!(groups & SHARDWISE_GROUP_DATA);
          pipeline += !!(groups & SHARDWISE_GROUP_PIPELINE);
          expert += !!(groups & SHARDWISE_GROUP_EXPERT);
        }
      g_assert_cmpuint (tensor, ==, s.tp);
      g_assert_cmpuint (context, ==, s.cp);
      g_assert_cmpuint (data, ==, s.dp);
      g_assert_cmpuint (pipeline, ==, s.pp);
      g_assert_cmpuint (expert, ==, s.ep);
    }
}

static void
test_words (void)
{
  SwStrategy s = strategy_of (8, 1, 1, 1, 4), across = strategy_of (16, 1, 1, 2, 1);
  g_autofree char *stage = shardwise_cluster_map_node_content (&s, 40, 8, FALSE, 1);
  g_autofree char *idle = shardwise_cluster_map_node_content (&s, 40, 8, FALSE, 4);
  g_autofree char *place = shardwise_cluster_map_describe (&s, 8, FALSE, 13);
  g_autofree char *out = shardwise_cluster_map_describe (&s, 8, FALSE, 33);
  g_autofree char *spans = shardwise_cluster_map_describe (&across, 8, FALSE, 3);
  g_autofree char *summary = shardwise_cluster_map_summary (&s, 40, 8, FALSE);
  SwStrategy experts = strategy_of (1, 1, 4, 8, 1), single = strategy_of (1, 1, 1, 1, 1);
  g_autofree char *moe = shardwise_cluster_map_summary (&experts, 8, 8, FALSE);
  g_autofree char *alone = shardwise_cluster_map_summary (&single, 1, 1, FALSE);

  g_assert_cmpstr (moe, ==, "8 GPUs on one node: 8 replicas × expert groups of 4.");
  g_assert_cmpstr (alone, ==, "1 GPU on one node: the whole model on one GPU.");
  g_assert_cmpstr (stage, ==, "stage 1");
  g_assert_cmpstr (idle, ==, "idle");
  g_assert_cmpstr (place, ==,
                   "GPU 13 (node 1, slot 5), stage 1 of 4, tensor rank 5 of 8. Its tensor group, "
                   "GPUs 8–15, stays within the node.");
  g_assert_cmpstr (out, ==, "GPU 33 (node 4, slot 1): idle, the strategy does not use it.");
  g_assert_nonnull (strstr (spans, "GPUs 0–15, spans nodes"));
  g_assert_cmpstr (summary, ==,
                   "32 GPUs on 4 nodes: 4 pipeline stages × tensor groups of 8; 8 GPUs are idle.");
}

/* What training leaves over is not idle where it generates the answers. */
static void
test_generation (void)
{
  SwStrategy s = strategy_of (8, 1, 1, 1, 4);
  SwTraining training = { .type = SW_TRAINING_RLHF };
  g_autofree char *node = shardwise_cluster_map_node_content (&s, 40, 8, TRUE, 4);
  g_autofree char *trains = shardwise_cluster_map_node_content (&s, 40, 8, TRUE, 3);
  g_autofree char *gpu = shardwise_cluster_map_describe (&s, 8, TRUE, 33);
  g_autofree char *summary = shardwise_cluster_map_summary (&s, 40, 8, TRUE);

  g_assert_cmpstr (node, ==, "generation");
  g_assert_cmpstr (trains, ==, "stage 3");
  g_assert_cmpstr (gpu, ==, "GPU 33 (node 4, slot 1): generates answers, does not train.");
  g_assert_cmpstr (summary, ==,
                   "32 GPUs on 4 nodes: 4 pipeline stages × tensor groups of 8; 8 GPUs generate "
                   "answers.");
  g_assert_true (shardwise_cluster_map_generates (&training));
  training.rlhf_colocated = TRUE;
  g_assert_false (shardwise_cluster_map_generates (&training));
  training = (SwTraining){ .type = SW_TRAINING_PRETRAIN };
  g_assert_false (shardwise_cluster_map_generates (&training));
}

/* What is drawn of large clusters stands for every node exactly once. */
static void
test_summary_of_large_clusters (void)
{
  static const struct {
    guint tp, dp, pp, gpus;
    guint tiles;
  } cases[] = {
    { 8, 1, 4, 32, 4 },         { 8, 16, 1, 128, 16 },
    { 8, 2048, 1, 16384, 8 },                            /* 7 nodes and how many more are alike */
    { 8, 128, 16, 16384, 16 },                           /* one node for each stage */
    { 8, 16384, 1, 131072, 8 }, { 8, 1, 128, 1024, 16 }, /* 128 stages, a node each */
    { 16, 64, 16, 16384, 16 }, /* groups over two nodes: still one drawing for each stage */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwStrategy s = strategy_of (cases[i].tp, 1, 1, cases[i].dp, cases[i].pp);
      ShardwiseClusterLayout layout = { 0 };
      guint nodes = 0;

      shardwise_cluster_layout_set (&layout, &s, cases[i].gpus, 8, SW_N_COMMUNICATION_GROUPS);
      g_assert_cmpuint (layout.tiles->len, ==, cases[i].tiles);
      for (guint t = 0; t < layout.tiles->len; t++)
        {
          const ShardwiseTile *tile = &g_array_index (layout.tiles, ShardwiseTile, t);

          g_assert_cmpuint (tile->node, ==, nodes);
          nodes += tile->count;
        }
      g_assert_cmpuint (nodes, ==, cases[i].gpus / 8);
      shardwise_cluster_layout_clear (&layout);
    }
}

/* The nodes of a large pipeline do not push what follows off the screen; few nodes stay large. */
static void
test_low (void)
{
  static const struct {
    guint dp, pp, gpus;
    int width, most;
  } cases[] = { { 128, 16, 16384, 613, 300 },
                { 128, 16, 16384, 316, 600 },
                { 16, 1, 128, 613, 300 } };
  SwStrategy few = strategy_of (8, 1, 1, 1, 4);
  ShardwiseClusterLayout layout = { .width = 613 };
  graphene_rect_t place;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SwStrategy s = strategy_of (8, 1, 1, cases[i].dp, cases[i].pp);

      shardwise_cluster_layout_set (&layout, &s, cases[i].gpus, 8, SW_N_COMMUNICATION_GROUPS);
      g_assert_cmpint (shardwise_cluster_layout_height (&layout, cases[i].width), <=,
                       cases[i].most);
    }
  shardwise_cluster_layout_set (&layout, &few, 32, 8, SW_N_COMMUNICATION_GROUPS);
  g_assert_true (shardwise_cluster_layout_place (&layout, 31, &place));
  g_assert_cmpfloat (place.size.width, >=, SHARDWISE_CLUSTER_SQUARE);
  shardwise_cluster_layout_clear (&layout);
}

static void
test_hit (void)
{
  SwStrategy s = strategy_of (8, 1, 1, 1, 4);
  ShardwiseClusterLayout layout = { .width = 600 };

  shardwise_cluster_layout_set (&layout, &s, 32, 8, SW_N_COMMUNICATION_GROUPS);
  for (gboolean mirrored = FALSE; mirrored <= TRUE; mirrored++)
    {
      layout.mirrored = mirrored;
      for (guint gpu = 0; gpu < 32; gpu++)
        {
          graphene_rect_t square;

          g_assert_true (shardwise_cluster_layout_place (&layout, gpu, &square));
          g_assert_cmpfloat (square.origin.x, >=, 0);
          g_assert_cmpfloat (square.origin.x + square.size.width, <=, layout.width);
          g_assert_cmpint (
              shardwise_cluster_layout_gpu_at (&layout, square.origin.x + 12, square.origin.y + 12),
              ==, gpu);
        }
    }
  g_assert_cmpint (shardwise_cluster_layout_gpu_at (&layout, 1, 1), ==, -1);
  shardwise_cluster_layout_clear (&layout);
}

/* ---- the drawing ---- */

/* Without a window: nothing waits for frames, and nothing has the focus. */
typedef struct {
  GtkWidget *picture;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  SwStrategy s = strategy_of (8, 1, 1, 1, 2);
  int height;

  fixture->picture = g_object_ref_sink (shardwise_cluster_picture_new ());
  shardwise_cluster_picture_set_strategy (SHARDWISE_CLUSTER_PICTURE (fixture->picture), &s, 24, 8,
                                          FALSE);
  gtk_widget_measure (fixture->picture, GTK_ORIENTATION_VERTICAL, 600, &height, NULL, NULL, NULL);
  gtk_widget_size_allocate (fixture->picture, &(GtkAllocation){ 0, 0, 600, height }, -1);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_assert_finalize_object (fixture->picture);
}

static GskRenderNode *
node_of (GtkWidget *widget)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();

  GTK_WIDGET_GET_CLASS (widget)->snapshot (widget, snapshot);
  return gtk_snapshot_free_to_node (snapshot);
}

static cairo_surface_t *
draw (Fixture *fixture)
{
  int width = gtk_widget_get_width (fixture->picture),
      height = gtk_widget_get_height (fixture->picture);
  g_autoptr (GskRenderNode) node = node_of (fixture->picture);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "cluster-picture.png", NULL);

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  g_assert_cmpint (cairo_surface_write_to_png (surface, path), ==, CAIRO_STATUS_SUCCESS);
  return surface;
}

static void
assert_pixel (cairo_surface_t *surface, int x, int y, const GdkRGBA *want, double tolerance)
{
  guint32 pixel = *(guint32 *) (cairo_image_surface_get_data (surface)
                                + y * cairo_image_surface_get_stride (surface) + 4 * x);

  g_assert_cmpfloat_with_epsilon (((pixel >> 16) & 0xff) / 255.0, want->red, tolerance);
  g_assert_cmpfloat_with_epsilon (((pixel >> 8) & 0xff) / 255.0, want->green, tolerance);
  g_assert_cmpfloat_with_epsilon ((pixel & 0xff) / 255.0, want->blue, tolerance);
}

/* The corner of a square that no number covers. */
static void
corner_of (Fixture *fixture, guint gpu, int *x, int *y)
{
  graphene_rect_t square;

  g_assert_true (shardwise_cluster_picture_get_place (SHARDWISE_CLUSTER_PICTURE (fixture->picture),
                                                      gpu, &square));
  *x = square.origin.x + 4;
  *y = square.origin.y + 6;
}

static const ShardwiseClusterShade stage_1 = { SHARDWISE_COLOR_PIPELINE, 1, 2 };

static void
test_drawing (Fixture *fixture, gconstpointer data)
{
  GdkRGBA pipeline, second, tensor, ground = { 0.96f, 0.96f, 0.96f, 1 };
  cairo_surface_t *surface = draw (fixture);
  graphene_rect_t square;
  int x, y;

  shardwise_palette_get (SHARDWISE_COLOR_PIPELINE, FALSE, &pipeline);
  shardwise_palette_get (SHARDWISE_COLOR_TENSOR, FALSE, &tensor);
  corner_of (fixture, 0, &x, &y);
  assert_pixel (surface, x, y, &pipeline, 0.02);
  shardwise_cluster_shade_color (&stage_1, FALSE, &second);
  g_assert_false (gdk_rgba_equal (&pipeline, &second));
  corner_of (fixture, 8, &x, &y);
  assert_pixel (surface, x, y, &second, 0.02);
  corner_of (fixture, 16, &x, &y); /* idle: hollow */
  assert_pixel (surface, x + 8, y + 6, &ground, 0.03);
  shardwise_cluster_picture_get_place (SHARDWISE_CLUSTER_PICTURE (fixture->picture), 0, &square);
  assert_pixel (surface, square.origin.x + 12, square.origin.y + square.size.height + 3, &tensor,
                0.02);
  cairo_surface_destroy (surface);
}

/* Moves the pointer onto a GPU, or away from all of them: -1. */
static void
point_at (Fixture *fixture, int gpu)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (fixture->picture);
  graphene_rect_t square = GRAPHENE_RECT_INIT (-9, -9, 0, 0);

  if (gpu >= 0)
    shardwise_cluster_picture_get_place (SHARDWISE_CLUSTER_PICTURE (fixture->picture), (guint) gpu,
                                         &square);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_MOTION (controller))
        g_signal_emit_by_name (controller, "motion", square.origin.x + square.size.width / 2.0,
                               square.origin.y + square.size.height / 2.0);
    }
}

static void
assert_says (Fixture *fixture, const char *part)
{
  g_autofree char *readout = NULL;

  g_object_get (fixture->picture, "readout", &readout, NULL);
  g_assert_nonnull (strstr (readout, part));
}

/* One GPU that holds the whole model needs no legend, nor the room of one. */
static void
test_legend (Fixture *fixture, gconstpointer data)
{
  ShardwiseClusterPicture *picture = SHARDWISE_CLUSTER_PICTURE (fixture->picture);
  SwStrategy alone = strategy_of (1, 1, 1, 1, 1);
  ShardwiseClusterLayout layout = { 0 };
  int height;

  shardwise_cluster_layout_set (&layout, &alone, 1, 8, SW_N_COMMUNICATION_GROUPS);
  g_assert_false (shardwise_cluster_has_legend (&layout));
  shardwise_cluster_picture_set_strategy (picture, &alone, 1, 8, FALSE);
  gtk_widget_measure (fixture->picture, GTK_ORIENTATION_VERTICAL, 600, &height, NULL, NULL, NULL);
  g_assert_cmpint (height, ==, shardwise_cluster_layout_height (&layout, 600));
  alone = strategy_of (2, 1, 1, 1, 1);
  shardwise_cluster_layout_set (&layout, &alone, 2, 8, SW_N_COMMUNICATION_GROUPS);
  g_assert_true (shardwise_cluster_has_legend (&layout));
  shardwise_cluster_layout_clear (&layout);
}

static void
test_light (Fixture *fixture, gconstpointer data)
{
  GdkRGBA pipeline, second;
  cairo_surface_t *surface;
  int x, y;

  assert_says (fixture, "16 GPUs on 2 nodes");
  point_at (fixture, 0);
  assert_says (fixture, "GPU 0 (node 0, slot 0), stage 0 of 2");
  surface = draw (fixture);
  shardwise_palette_get (SHARDWISE_COLOR_PIPELINE, FALSE, &pipeline);
  corner_of (fixture, 7, &x, &y); /* same tensor group: lit */
  assert_pixel (surface, x, y, &pipeline, 0.02);
  shardwise_cluster_shade_color (&stage_1, FALSE, &second);
  corner_of (fixture, 9, &x, &y); /* no group in common: faded to 35 % */
  assert_pixel (surface, x, y,
                &(GdkRGBA){ second.red * 0.35f + 0.65f, second.green * 0.35f + 0.65f,
                            second.blue * 0.35f + 0.65f, 1 },
                0.06);
  cairo_surface_destroy (surface);
  point_at (fixture, -1);
  assert_says (fixture, "16 GPUs on 2 nodes");
}

static void
test_accessible (Fixture *fixture, gconstpointer data)
{
  gtk_test_accessible_assert_role (fixture->picture, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (
      fixture->picture, GTK_ACCESSIBLE_PROPERTY_LABEL,
      "16 GPUs on 2 nodes: 2 pipeline stages × tensor groups of 8; 8 GPUs are idle.");
  g_assert_true (gtk_widget_get_focusable (fixture->picture));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                      ADW_COLOR_SCHEME_FORCE_LIGHT);
  g_test_add_func ("/cluster-map/ranks", test_ranks);
  g_test_add_func ("/cluster-map/groups", test_groups);
  g_test_add_func ("/cluster-map/groups-are-consistent", test_groups_are_consistent);
  g_test_add_func ("/cluster-map/words", test_words);
  g_test_add_func ("/cluster-map/generation", test_generation);
  g_test_add_func ("/cluster-layout/summary", test_summary_of_large_clusters);
  g_test_add_func ("/cluster-layout/low", test_low);
  g_test_add_func ("/cluster-layout/hit", test_hit);
  g_test_add ("/cluster-picture/drawing", Fixture, NULL, set_up, test_drawing, tear_down);
  g_test_add ("/cluster-picture/legend", Fixture, NULL, set_up, test_legend, tear_down);
  g_test_add ("/cluster-picture/light", Fixture, NULL, set_up, test_light, tear_down);
  g_test_add ("/cluster-picture/accessible", Fixture, NULL, set_up, test_accessible, tear_down);
  return g_test_run ();
}

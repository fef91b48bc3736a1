/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The level-1 points of a question, best bound first. Points that share sw_layer_base() form a
 * group, whose bound ignores experts and context. A group is opened, and its points are created,
 * when its bound is next. A search that ends early never creates most points. */
#include "sw-search-nodes.h"

#include <math.h>
#include <string.h>

#define RULE(name) (1u << SW_RULE_##name)

/* An open end of the heap. */
typedef struct {
  double bound_s;
  guint32 index;
  gboolean is_group;
} Entry;

/* With equal bounds, points come before groups, then lower numbers: deterministic, and no group is
 * opened early. */
static gboolean
comes_before (const Entry *a, const Entry *b)
{
  if (a->bound_s != b->bound_s)
    return a->bound_s < b->bound_s;
  if (a->is_group != b->is_group)
    return b->is_group;
  return a->index < b->index;
}

static void
push (GArray *heap, double bound_s, guint index, gboolean is_group)
{
  const Entry entry = { bound_s, index, is_group };
  guint at = heap->len;
  Entry *entries;

  g_array_append_val (heap, entry);
  entries = (Entry *) (gpointer) heap->data;
  for (; at > 0 && comes_before (&entry, &entries[(at - 1) / 2]); at = (at - 1) / 2)
    entries[at] = entries[(at - 1) / 2];
  entries[at] = entry;
}

static Entry
pop (GArray *heap)
{
  Entry *entries = (Entry *) (gpointer) heap->data;
  const Entry first = entries[0], last = entries[heap->len - 1];
  const guint n = heap->len - 1;
  guint at = 0;

  g_array_set_size (heap, n);
  for (guint child = 1; child < n; child = 2 * at + 1)
    {
      if (child + 1 < n && comes_before (&entries[child + 1], &entries[child]))
        child++;
      if (!comes_before (&entries[child], &last))
        break;
      entries[at] = entries[child];
      at = child;
    }
  if (n > 0)
    entries[at] = last;
  return first;
}

static gboolean
is_cancelled (const SwNodes *nodes)
{
  return (nodes->cancelled != NULL && g_atomic_int_get (nodes->cancelled) != 0)
         || sw_problem_is_cancelled (&nodes->problem);
}

/* Whether `strategy` breaks none of `rules`; counts it as rejected if it does. Rules that depend on
 * further dimensions do not reject here. */
static gboolean
admits (SwNodes *nodes, const SwStrategy *strategy, guint32 rules)
{
  const SwRule rule = sw_rules_check (&nodes->free, strategy);

  if (rule == SW_RULE_OK || (rules & (1u << rule)) == 0)
    return TRUE;
  nodes->rejected[rule]++;
  return FALSE;
}

/* One micro-batch through all layers and both ends on a single stage, in seconds. */
double
sw_layers_s (const SwProblem *problem, const SwLayerTime *time)
{
  const guint moe = sw_model_moe_layers (&problem->model);
  const guint dense = problem->model.layers - moe;

  return (dense > 0 ? dense * sw_layer_part_s (&time->part[SW_LAYER_DENSE]) : 0.0)
         + (moe > 0 ? moe * sw_layer_part_s (&time->part[SW_LAYER_MOE]) : 0.0) + time->embedding_s
         + time->head_s + time->head_tp_exposed_s + time->mtp_s;
}

/* No schedule or data parallelism makes a step shorter than one pipeline's work divided ideally
 * among all GPUs that it can use. Fewer GPUs have fewer stragglers, but lose more than that. */
double
sw_nodes_bound_s (SwSpaces *spaces, const SwStrategy *strategy, double micro_batch_s)
{
  const SwUses *uses = sw_spaces_uses (spaces, strategy);

  if (uses->uses->len == 0)
    return INFINITY;
  return micro_batch_s * g_array_index (uses->uses, SwUse, 0).weight;
}

/* Adds the points of a group with the same experts, with every method of context parallelism. */
static void
open_contexts (SwNodes *nodes, SwNode *node, guint methods)
{
  const guint32 rules = RULE (CP_HEADS) | RULE (FRAMEWORK_CP);
  const guint mask = sw_pins_mask (&nodes->problem.pins, SW_DIM_RECOMPUTE, G_MAXUINT);
  const SwLayerBase *base = &g_array_index (nodes->groups, SwGroupNode, node->group).base;
  SwLayerExperts experts;
  SwLayerTime time;

  if (nodes->is_timed)
    sw_layer_experts (base, &node->strategy, &experts);
  for (guint method = SW_CP_RING; method <= SW_CP_ULYSSES; method++)
    {
      if ((methods & (1u << method)) == 0)
        continue;
      node->strategy.cp_method = (guint8) method;
      if (admits (nodes, &node->strategy, rules))
        {
          if (nodes->is_timed)
            {
              /* A point's bound is that of its cheapest recomputation: none, unless another is
               * pinned. */
              SwStrategy strategy = node->strategy;

              strategy.recompute = mask == 1u << SW_RECOMPUTE_FULL ? SW_RECOMPUTE_FULL
                                                                   : SW_RECOMPUTE_NONE;
              sw_layer_compose (base, &experts, &strategy, &time);
              node->bound_s = sw_nodes_bound_s (nodes->spaces, &strategy,
                                                sw_layers_s (&nodes->problem, &time));
            }
          g_array_append_val (nodes->nodes, *node);
          node->row++;
          push (nodes->heap, node->bound_s, nodes->nodes->len - 1, FALSE);
        }
      if (node->strategy.cp == 1)
        return; /* one rank: the method has no effect */
    }
}

/* With one rank the method has no effect, so even a pinned method that the framework does not
 * support is valid. */
static guint
context_methods (const SwNodes *nodes, const SwSpace *space, guint cp)
{
  const guint none = 1u << SW_CP_RING, all = space->rules->cp_method_mask;

  return sw_pins_mask (&nodes->problem.pins, SW_DIM_CP_METHOD,
                       cp == 1    ? G_MAXUINT
                       : all != 0 ? all
                                  : none);
}

static void
open_group (SwNodes *nodes, guint index)
{
  const guint32 rules = RULE (ETP) | RULE (EP_EXPERTS) | RULE (FRAMEWORK_EP) | RULE (FRAMEWORK_SP);
  const SwStrategy strategy = g_array_index (nodes->groups, SwGroupNode, index).strategy;
  const SwSpace *space = &nodes->spaces->by_framework[strategy.framework];
  SwNode node = { 0.0, strategy, index, 0 };
  SwGroupNode *family;
  SwValues etp;

  family = &g_array_index (nodes->groups, SwGroupNode, index);
  family = &g_array_index (nodes->groups, SwGroupNode, family->family);
  if (family->first_row == G_MAXUINT)
    family->first_row = nodes->n_rows;
  node.row = family->first_row;
  if (!sw_pins_take (&nodes->problem.pins, SW_DIM_ETP, &etp))
    {
      sw_values_single (&etp, strategy.tp);
      if (nodes->problem.model.moe.experts > 0 && strategy.tp > 1 && space->rules->etp)
        etp.values[etp.n++] = 1;
    }
  for (guint i = 0; i < space->ep.n; i++)
    for (guint j = 0; j < etp.n; j++)
      {
        node.strategy.ep = space->ep.values[i];
        node.strategy.etp = etp.values[j];
        if ((guint64) node.strategy.ep * node.strategy.etp > nodes->problem.cluster.gpus)
          nodes->rejected[SW_RULE_EP_WORLD]++;
        else if (admits (nodes, &node.strategy, rules))
          open_contexts (nodes, &node, context_methods (nodes, space, strategy.cp));
      }
  nodes->n_rows = MAX (nodes->n_rows, node.row);
}

/* The smallest micro-batch never takes more memory than any other (one divides them all). */
static void
add_micro_batches (SwNodes *nodes, const SwSpace *space, SwStrategy *strategy)
{
  const gboolean all = nodes->is_timed || !sw_space_is_ordered (&nodes->problem, space->framework);
  const guint n = all ? space->micro_batch.n : MIN (1, space->micro_batch.n);
  const guint family = nodes->groups->len;

  for (guint i = 0; i < n && !is_cancelled (nodes); i++)
    {
      SwGroupNode group;

      strategy->micro_batch = space->micro_batch.values[i];
      memset (&group, 0, sizeof group);
      group.strategy = *strategy;
      group.family = family;
      group.first_row = G_MAXUINT;
      if (nodes->is_timed)
        {
          /* Lower bound of its points: every expert alone on its GPU, without routing and context
           * exchange. */
          const SwLayerExperts none = { 0 };
          SwStrategy least = *strategy;
          SwLayerTime time;

          sw_layer_base (&nodes->problem, strategy, &group.base);
          group.base.scene.problem = &nodes->problem;
          least.cp = 1;
          least.ep = MAX (1, nodes->problem.model.moe.experts);
          least.recompute = SW_RECOMPUTE_NONE;
          sw_layer_compose (&group.base, &none, &least, &time);
          group.bound_s = sw_nodes_bound_s (nodes->spaces, strategy,
                                            sw_layers_s (&nodes->problem, &time));
        }
      g_array_append_val (nodes->groups, group);
      push (nodes->heap, group.bound_s, nodes->groups->len - 1, TRUE);
    }
}

static void
add_contexts (SwNodes *nodes, const SwSpace *space, SwStrategy *strategy)
{
  const guint32 rules = RULE (TP_HEADS) | RULE (TP_KV_HEADS) | RULE (TP_WIDTH) | RULE (FRAMEWORK_TP)
                        | RULE (SEQUENCE_PARALLEL) | RULE (FRAMEWORK_SP) | RULE (PRECISION)
                        | RULE (WORLD_SIZE) | RULE (CP_SEQUENCE) | RULE (ETP);
  for (guint i = 0; i < space->cp.n && !is_cancelled (nodes); i++)
    {
      const guint methods = context_methods (nodes, space, space->cp.values[i]);

      strategy->cp = space->cp.values[i];
      strategy->cp_method = (guint8) (methods != 0 ? g_bit_nth_lsf (methods, -1) : SW_CP_RING);
      strategy->micro_batch = 1;
      if (admits (nodes, strategy, rules))
        add_micro_batches (nodes, space, strategy);
    }
}

/* A pinned value that the framework never supports rejects its whole space at once. */
static gboolean
has_pinned_choices (SwNodes *nodes, const SwFrameworkRules *rules)
{
  const struct {
    SwDimension dimension;
    guint allowed;
    SwRule rule;
  } choices[] = {
    { SW_DIM_ZERO, rules->zero_mask | rules->zero_mask_pp, SW_RULE_FRAMEWORK_ZERO },
    { SW_DIM_SCHEDULE, rules->schedule_mask, SW_RULE_FRAMEWORK_SCHEDULE },
    { SW_DIM_RECOMPUTE, rules->recompute_mask | 1u << SW_RECOMPUTE_NONE,
      SW_RULE_FRAMEWORK_RECOMPUTE },
    { SW_DIM_OFFLOAD, rules->offload_mask | 1u << SW_OFFLOAD_NONE, SW_RULE_FRAMEWORK_OFFLOAD },
  };

  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    if (sw_pins_mask (&nodes->problem.pins, choices[i].dimension, choices[i].allowed) == 0)
      {
        nodes->rejected[choices[i].rule]++;
        return FALSE;
      }
  return TRUE;
}

static void
add_groups (SwNodes *nodes, const SwSpace *space)
{
  const guint sp_off = 1, sp_on = 2;
  SwStrategy strategy;
  guint stages; /* of ZeRO, whatever the experts */

  if (space->rules == NULL || !has_pinned_choices (nodes, space->rules))
    return;
  stages = space->rules->zero_mask & ~space->rules->zero_lacks_ep;
  sw_strategy_init_default (&strategy);
  strategy.framework = (guint8) space->framework;
  strategy.zero_stage = (guint8) (stages != 0 ? g_bit_nth_lsf (stages, -1) : 0);
  strategy.recompute_modules = nodes->problem.pins.value.recompute_modules;
  for (guint i = 0; i < space->tp.n && !is_cancelled (nodes); i++)
    {
      guint sp;

      strategy.tp = space->tp.values[i];
      strategy.etp = space->rules->etp ? 1 : strategy.tp;
      /* Without tensor parallelism, sequence parallelism has nothing to split. */
      sp = sw_pins_has (&nodes->problem.pins, SW_DIM_SP)
               ? sw_pins_mask (&nodes->problem.pins, SW_DIM_SP, sp_off | sp_on)
           : strategy.tp > 1 && space->rules->sp ? sp_off | sp_on
                                                 : sp_off;
      for (guint on = 0; on <= 1; on++)
        if ((sp & (1u << on)) != 0)
          {
            strategy.sequence_parallel = (guint8) on;
            add_contexts (nodes, space, &strategy);
          }
    }
}

/* `is_timed`: with bounds, for searches by time; otherwise for searches by memory only, with only
 * the smallest micro-batch, in the order of enumeration. */
SwNodes *
sw_nodes_new (const SwProblem *problem, gboolean is_timed, const int *cancelled)
{
  SwNodes *nodes = g_new0 (SwNodes, 1);

  nodes->problem = nodes->free = *problem;
  nodes->free.pins.mask = 0;
  nodes->free.training.micro_batch = 0;
  nodes->is_timed = is_timed;
  nodes->cancelled = cancelled;
  nodes->spaces = sw_spaces_new (&nodes->problem);
  nodes->groups = g_array_new (FALSE, FALSE, sizeof (SwGroupNode));
  nodes->nodes = g_array_new (FALSE, FALSE, sizeof (SwNode));
  nodes->heap = g_array_new (FALSE, FALSE, sizeof (Entry));
  nodes->ordered = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    add_groups (nodes, &nodes->spaces->by_framework[i]);
  return nodes;
}

/* Frees the level-1 points and their spaces. */
void
sw_nodes_free (SwNodes *nodes)
{
  sw_spaces_free (nodes->spaces);
  g_array_unref (nodes->groups);
  g_array_unref (nodes->nodes);
  g_array_unref (nodes->heap);
  g_array_unref (nodes->ordered);
  g_free (nodes);
}

/* Returns: (nullable): the point at @index in the order of bounds; NULL after the last. Valid until
 * the next call. */
const SwNode *
sw_nodes_get (SwNodes *nodes, guint index)
{
  while (nodes->ordered->len <= index)
    {
      Entry entry;

      if (nodes->heap->len == 0 || is_cancelled (nodes))
        return NULL;
      entry = pop (nodes->heap);
      if (entry.is_group)
        open_group (nodes, entry.index);
      else
        g_array_append_val (nodes->ordered, entry.index);
    }
  return &g_array_index (nodes->nodes, SwNode, g_array_index (nodes->ordered, guint, index));
}

/* Creates all points. Returns: their number. */
guint
sw_nodes_count (SwNodes *nodes)
{
  guint n = nodes->ordered->len;

  while (sw_nodes_get (nodes, n) != NULL)
    n++;
  return n;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What belongs together: nodes and GPUs; numbers without a name; what is held against what. */
#include "shardwise-ask-private.h"

#include <math.h>

enum {
  GPUS_OF_A_NODE = 16, /* most that "2 nodes with 8 GPUs" may mean by the latter */
  NEAR = 5,            /* atoms over which "not" reaches */
  FAR = 20
};

static ShardwiseAskSlot *
slot_at (const ShardwiseAskReader *self, guint index)
{
  return g_ptr_array_index (self->question->slots, index);
}

static double
number_of (const ShardwiseAskSlot *slot)
{
  if (slot->value == NULL)
    return NAN;
  if (g_variant_is_of_type (slot->value, G_VARIANT_TYPE_INT64))
    return (double) g_variant_get_int64 (slot->value);
  if (g_variant_is_of_type (slot->value, G_VARIANT_TYPE_DOUBLE))
    return g_variant_get_double (slot->value);
  return NAN;
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const ShardwiseAskSlot *x = *(ShardwiseAskSlot *const *) a, *y = *(ShardwiseAskSlot *const *) b;

  return x->at < y->at ? -1 : x->at > y->at;
}

/* ---- numbers without a name ---- */

static gboolean
is_numeric (const char *path)
{
  const ShardwiseKey *key = shardwise_key_find (path);

  return key != NULL && (key->kind == SHARDWISE_KEY_INTEGER || key->kind == SHARDWISE_KEY_NUMBER);
}

/* "TP 4 rather than 8": what the last slot with a number is about. */
static const char *
path_for_numbers (const ShardwiseAskReader *self)
{
  const char *path = NULL;

  for (guint i = 0; i < self->question->slots->len; i++)
    if (is_numeric (slot_at (self, i)->path)
        && !g_str_has_prefix (slot_at (self, i)->path, "model."))
      path = slot_at (self, i)->path;
  return path;
}

/* ---- nodes ---- */

static ShardwiseAskSlot *
find_slot (const ShardwiseAskReader *self, const char *path, guint side)
{
  for (guint i = 0; i < self->question->slots->len; i++)
    if (g_str_equal (slot_at (self, i)->path, path) && slot_at (self, i)->value != NULL
        && slot_at (self, i)->side == side)
      return slot_at (self, i);
  return NULL;
}

static void
set_number (ShardwiseAskReader *self, ShardwiseAskSlot *slot, const char *path, double value)
{
  guint side = slot->side, at = slot->at;
  ShardwiseAskSlot *made;

  g_ptr_array_remove (self->question->slots, slot);
  made = shardwise_ask_add_number (self, path, value, NAN, at);
  if (made != NULL)
    made->side = side;
}

/* "2 nodes" are as many GPUs as two nodes have; "2 nodes of 8" are 16; "64 GPUs on 8 nodes" are 64.
 */
static void
settle_nodes (ShardwiseAskReader *self, guint side)
{
  ShardwiseAskSlot *nodes = find_slot (self, "nodes", side),
                   *gpus = find_slot (self, "cluster.gpus", side);
  ShardwiseAskSlot *per_node = find_slot (self, "cluster.gpus_per_node", side);
  double n, each, all;

  if (nodes == NULL)
    return;
  n = number_of (nodes);
  all = gpus != NULL ? number_of (gpus) : 0;
  each = per_node != NULL ? number_of (per_node)
         : self->scenario != NULL
             ? shardwise_scenario_get_number (self->scenario, "cluster.gpus_per_node", 8)
             : 8;
  if (gpus == NULL)
    set_number (self, nodes, "cluster.gpus", n * each);
  else if (nodes->at < gpus->at && all <= GPUS_OF_A_NODE)
    {
      set_number (self, nodes, "cluster.gpus_per_node", all);
      set_number (self, gpus, "cluster.gpus", n * all);
    }
  else if (n >= 1 && fmod (all, n) == 0)
    set_number (self, nodes, "cluster.gpus_per_node", all / n);
  else
    g_ptr_array_remove (self->question->slots, nodes);
}

/* ---- sides ---- */

/* Where the mark last stands among the @reach atoms before a place: the place after it, or 0. */
static guint
last_mark (const ShardwiseAskReader *self, const char *mark, guint to, guint reach)
{
  for (guint i = to; i > 0 && to - i < reach; i--)
    if (shardwise_ask_is_mark (self, i - 1, mark))
      return i;
  return 0;
}

/* Whether the mark stands between two places, at most @reach atoms before the second. */
static gboolean
is_marked (const ShardwiseAskReader *self, const char *mark, guint from, guint to, guint reach)
{
  return last_mark (self, mark, to, reach) > from;
}

static gboolean
is_named_before (const ShardwiseAskReader *self, guint index)
{
  for (guint i = 0; i < index; i++)
    if (slot_at (self, i)->side == 0
        && g_str_equal (slot_at (self, i)->path, slot_at (self, index)->path))
      return TRUE;
  return FALSE;
}

static gboolean
is_dimension (const ShardwiseAskSlot *slot)
{
  return g_str_has_prefix (slot->path, "strategy.");
}

/* "instead of" and "not" concern what follows at once, "over" only a dimension ("TP 8 over TP 4",
 * but "split over 64 GPUs"); "versus" and "or" all that follows, "or" only where it repeats a key,
 * or names another dimension. */
static void
settle_sides (ShardwiseAskReader *self)
{
  gboolean second = FALSE;
  guint from = 0;

  for (guint i = 0; i < self->question->slots->len; i++)
    {
      ShardwiseAskSlot *slot = slot_at (self, i);

      if (i > 0 && is_marked (self, "versus", from, slot->at, FAR))
        second = TRUE;
      if (i > 0 && is_marked (self, "or", from, slot->at, FAR)
          && (is_named_before (self, i)
              || (is_dimension (slot) && is_dimension (slot_at (self, i - 1)))))
        second = TRUE;
      slot->side = second || is_marked (self, "instead", from, slot->at, NEAR)
                           || (is_dimension (slot)
                               && is_marked (self, "over", from, slot->at, NEAR))
                       ? 1
                       : 0;
      from = slot->at;
    }
}

/* The first slot that "from" stands before; as many as there are if none. */
static guint
first_left (const ShardwiseAskReader *self)
{
  guint i = 0;

  while (i < self->question->slots->len
         && last_mark (self, "from", slot_at (self, i)->at, NEAR) == 0)
    i++;
  return i;
}

/* Whether a value is left before this slot, for another of the same key that "to" leads to. */
static gboolean
is_taken (const ShardwiseAskReader *self, guint first, guint index)
{
  const ShardwiseAskSlot *taken = slot_at (self, index);
  const guint to = taken->value != NULL ? last_mark (self, "to", taken->at, NEAR) : 0;

  for (guint i = first; i < index && slot_at (self, i)->at < to; i++)
    if (slot_at (self, i)->value != NULL && g_str_equal (slot_at (self, i)->path, taken->path))
      return TRUE;
  return FALSE;
}

/* "From 400G InfiniBand to 100G Ethernet": what is left is what the rest is held against. */
static void
settle_from (ShardwiseAskReader *self)
{
  const guint first = first_left (self);

  for (guint j = first + 1; j < self->question->slots->len; j++)
    if (is_taken (self, first, j))
      {
        for (guint i = first; i < j; i++)
          slot_at (self, i)->side = 1;
        slot_at (self, j)->side = 0;
      }
}

/* A mention that says nothing beside what is asked: "how many GPUs", "which model". */
static gboolean
is_mere_mention (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot)
{
  static const char *const mere[] = { "cluster.gpus", "cluster.gpu_memory_gb", "measured.mfu",
                                      "measured.step_s", NULL };

  if (slot->value != NULL || slot->factor > 0)
    return FALSE;
  return g_strv_contains (mere, slot->path)
         || (g_str_equal (slot->path, "cluster.inter_node")
             && find_slot (self, "cluster.inter_node_gb_s", slot->side) != NULL);
}

/* A key that is named and then given: only the value counts. What is said twice counts once. */
static gboolean
is_idle (const ShardwiseAskReader *self, guint index)
{
  const ShardwiseAskSlot *slot = slot_at (self, index);

  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *other = slot_at (self, i);

      if (i == index || !g_str_equal (slot->path, other->path))
        continue;
      if (slot->value == NULL && slot->factor == 0
          && (other->value != NULL || other->factor > 0 || i < index))
        return TRUE;
      if (i < index && slot->side == other->side && slot->value != NULL && other->value != NULL)
        return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_ask_settle_slots:
 * @self: a reader whose slots are read; they get their sides and order
 * @path: (nullable): what numbers without a name are of where no slot says it: "and with 64?"
 */
void
shardwise_ask_settle_slots (ShardwiseAskReader *self, const char *path)
{
  GPtrArray *slots = self->question->slots;
  const char *own;
  g_autofree char *copy = NULL;

  g_ptr_array_sort (slots, compare_places);
  own = path_for_numbers (self);
  copy = g_strdup (own != NULL ? own : path);
  if (copy != NULL)
    shardwise_ask_take_numbers (self, copy);
  g_ptr_array_sort (slots, compare_places);
  settle_sides (self);
  settle_from (self);
  /* Two values of one key on one side: the later is what the question compares with. */
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      ShardwiseAskSlot *slot = slot_at (self, i);

      for (guint j = 0; j < i; j++)
        if (slot->side == slot_at (self, j)->side
            && g_str_equal (slot->path, slot_at (self, j)->path) && slot->value != NULL
            && slot_at (self, j)->value != NULL)
          slot->side = 1;
    }
  settle_nodes (self, 0);
  settle_nodes (self, 1);
  g_ptr_array_sort (slots, compare_places);
  for (guint i = slots->len; i > 0; i--)
    if (is_idle (self, i - 1) || is_mere_mention (self, slot_at (self, i - 1))
        || g_str_equal (slot_at (self, i - 1)->path, "nodes"))
      g_ptr_array_remove_index (slots, i - 1);
}

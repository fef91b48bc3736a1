/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published layouts (data/catalogue/recipes.json), and those for a question's model and GPU. Each
 * is a scenario with its whole strategy, so it is read as strictly as a user's file. */
#include "shardwise-recipes.h"

#include <math.h>
#include <string.h>

#include "shardwise-catalogue-read.h"
#include "shardwise-estimate.h"
#include "shardwise-json.h"

/* A layout with up to this factor more or fewer GPUs still applies. */
#define WITHIN 4.0

/* Dense models whose sizes differ by less than this are of one class: Llama 2 and 3, Qwen and
 * DeepSeek with 70 billion parameters. */
#define SAME_SIZE 1.25

static void
recipe_free (gpointer data)
{
  ShardwisePublished *self = data;

  g_free (self->id);
  g_free (self->by);
  g_free (self->source);
  g_clear_object (&self->scenario);
  g_free (self);
}

/* The text of a member; NULL with @error if there is none. */
static char *
read_text (JsonObject *object, const char *path, const char *name, GError **error)
{
  JsonNode *node = json_object_get_member (object, name);
  g_autofree char *key = g_strdup_printf ("%s.%s", path, name);

  if (node == NULL || json_node_get_value_type (node) != G_TYPE_STRING
      || *json_node_get_string (node) == '\0')
    {
      g_propagate_error (
          error, shardwise_error_new (node == NULL ? SHARDWISE_ERROR_MISSING : SHARDWISE_ERROR_TYPE,
                                      key, "is no text"));
      return NULL;
    }
  return g_strdup (json_node_get_string (node));
}

static gboolean
check_members (JsonObject *object, const char *path, GError **error)
{
  static const char *const known[] = { "id", "by", "source", "any_gpu", "scenario", NULL };
  g_autoptr (GList) members = json_object_get_members (object);

  for (GList *i = members; i != NULL; i = i->next)
    if (!g_strv_contains (known, i->data))
      {
        g_autofree char *key = g_strdup_printf ("%s.%s", path, (const char *) i->data);

        g_propagate_error (error,
                           shardwise_error_new (SHARDWISE_ERROR_UNKNOWN_KEY, key, "is unknown"));
        return FALSE;
      }
  return TRUE;
}

static gboolean
read_scenario (ShardwisePublished *self, JsonObject *object, const char *path, GError **error)
{
  JsonNode *node = json_object_get_member (object, "scenario");
  g_autofree char *text = NULL, *key = g_strdup_printf ("%s.scenario", path);

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    {
      g_propagate_error (error,
                         shardwise_error_new (SHARDWISE_ERROR_MISSING, key, "is no scenario"));
      return FALSE;
    }
  text = json_to_string (node, FALSE);
  self->scenario = shardwise_scenario_from_json (text, -1, error);
  if (self->scenario == NULL
      || !shardwise_estimate_scenario (self->scenario, &self->problem, &self->estimate, NULL,
                                       error))
    {
      g_prefix_error (error, "%s: ", key);
      return FALSE;
    }
  if (!shardwise_scenario_is_set (self->scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK))
    {
      g_propagate_error (
          error, shardwise_error_new (SHARDWISE_ERROR_MISSING, key, "names no training.framework"));
      return FALSE;
    }
  self->problem.pins.mask = 0;
  sw_estimate (&self->problem, &self->estimate.strategy, &self->estimate);
  return TRUE;
}

static gboolean
read_recipe (GPtrArray *recipes, JsonNode *node, guint index, GError **error)
{
  g_autofree char *path = g_strdup_printf ("recipes[%u]", index);
  ShardwisePublished *self = g_new0 (ShardwisePublished, 1);
  JsonObject *object;

  g_ptr_array_add (recipes, self);
  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_TYPE, path, "is no object"));
      return FALSE;
    }
  object = json_node_get_object (node);
  if (!check_members (object, path, error)
      || (self->id = read_text (object, path, "id", error)) == NULL
      || (self->by = read_text (object, path, "by", error)) == NULL
      || (self->source = read_text (object, path, "source", error)) == NULL)
    return FALSE;
  for (guint i = 0; i < index; i++)
    if (g_str_equal (((const ShardwisePublished *) g_ptr_array_index (recipes, i))->id, self->id))
      {
        g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_INCONSISTENT, path,
                                                       "%s is there twice", self->id));
        return FALSE;
      }
  self->any_gpu = json_object_get_boolean_member_with_default (object, "any_gpu", FALSE);
  return read_scenario (self, object, path, error);
}

/**
 * shardwise_recipes_read:
 * @text: JSON as in data/catalogue/recipes.json
 * @length: in bytes; -1: null-terminated
 *
 * Returns: (transfer full) (nullable) (element-type ShardwisePublished): the recipes; %NULL with
 *   @error, which states the first invalid recipe and what is wrong with it
 */
GPtrArray *
shardwise_recipes_read (const char *text, gssize length, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GPtrArray) recipes = g_ptr_array_new_with_free_func (recipe_free);
  JsonNode *root, *node = NULL;
  JsonArray *array;

  if (!json_parser_load_from_data (parser, text, length, error))
    return NULL;
  root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    node = json_object_get_member (json_node_get_object (root), "recipes");
  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    {
      g_propagate_error (error,
                         shardwise_error_new (SHARDWISE_ERROR_MISSING, "recipes", "is no list"));
      return NULL;
    }
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!read_recipe (recipes, json_array_get_element (array, i), i, error))
      return NULL;
  return g_steal_pointer (&recipes);
}

/**
 * shardwise_recipes_get:
 *
 * Returns: (transfer none) (element-type ShardwisePublished): those compiled into the program; read on
 *   first use, thread-safe
 */
GPtrArray *
shardwise_recipes_get (void)
{
  static GPtrArray *recipes;

  if (g_once_init_enter (&recipes))
    {
      g_autoptr (JsonNode) root = shardwise_catalogue_load ("recipes.json");
      g_autofree char *text = json_to_string (root, FALSE);
      g_autoptr (GError) error = NULL;
      GPtrArray *read = shardwise_recipes_read (text, -1, &error);

      if (read == NULL)
        g_error ("recipes.json is broken: %s", error->message); /* a defect of the build */
      g_once_init_leave (&recipes, read);
    }
  return recipes;
}

/* Llama 3 70B and its later versions have the same architecture. */
static gboolean
is_same_model (const SwProblem *a, const SwProblem *b)
{
  const SwModelSpec *left = &a->model, *right = &b->model;

  return left->layers == right->layers && left->hidden_size == right->hidden_size
         && left->intermediate_size == right->intermediate_size
         && left->attention_heads == right->attention_heads && left->kv_heads == right->kv_heads
         && left->vocab_size == right->vocab_size && left->moe.experts == right->moe.experts;
}

static gboolean
is_of_class (const SwProblem *a, const SwProblem *b)
{
  return a->model.moe.experts == 0 && b->model.moe.experts == 0 && a->model.kind == b->model.kind
         && MAX (a->count.total, b->count.total)
                <= SAME_SIZE * MIN (a->count.total, b->count.total);
}

/* The distance of a recipe from a question: first the exact model, then the GPU and the precision,
 * then the number of GPUs. Infinite: another job. */
static double
distance_of (const ShardwisePublished *self, const SwProblem *problem)
{
  const SwProblem *own = &self->problem;
  const double sizes = log2 ((double) own->cluster.gpus / problem->cluster.gpus);
  const gboolean same_gpu = g_str_equal (own->cluster.gpu.id, problem->cluster.gpu.id);

  if (own->training.type != problem->training.type || fabs (sizes) > log2 (WITHIN)
      || (!same_gpu && !self->any_gpu)
      || (!is_same_model (own, problem) && !is_of_class (own, problem)))
    return INFINITY;
  return (is_same_model (own, problem) ? 0.0 : 1000.0) + (same_gpu && !self->any_gpu ? 0.0 : 100.0)
         + (own->training.precision == problem->training.precision ? 0.0 : 10.0) + fabs (sizes);
}

/**
 * shardwise_recipes_match:
 * @problem: a question
 * @out: (out): recipes for its model, or one of its size, on its GPU and up to four times as many
 *   or as few GPUs, nearest first, one per publisher
 *
 * Returns: their number
 */
guint
shardwise_recipes_match (const SwProblem *problem,
                         const ShardwisePublished *out[SHARDWISE_MOST_RECIPES])
{
  GPtrArray *recipes = shardwise_recipes_get ();
  guint n = 0;

  while (n < SHARDWISE_MOST_RECIPES)
    {
      const ShardwisePublished *nearest = NULL;
      double least = INFINITY;

      for (guint i = 0; i < recipes->len; i++)
        {
          const ShardwisePublished *recipe = g_ptr_array_index (recipes, i);
          const double distance = distance_of (recipe, problem);
          gboolean is_named = FALSE;

          for (guint j = 0; j < n; j++)
            is_named |= g_str_equal (out[j]->by, recipe->by);
          if (!is_named && distance < least)
            {
              nearest = recipe;
              least = distance;
            }
        }
      if (nearest == NULL)
        break;
      out[n++] = nearest;
    }
  return n;
}

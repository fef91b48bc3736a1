/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filter of the alternatives: typed words, and values of each dimension. */
#include "shardwise-candidate-filter.h"

#include <string.h>
#include "shardwise-text-strategy.h"

/* Without case and punctuation between words, so that "tp8", "TP=8" and "TP 8" are equal. */
static char *
fold_text (const char *text)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);
  GString *out = g_string_new (NULL);

  for (const char *c = folded; *c != '\0'; c = g_utf8_next_char (c))
    if (g_unichar_isalnum (g_utf8_get_char (c)))
      g_string_append_unichar (out, g_utf8_get_char (c));
  return g_string_free (out, FALSE);
}

/* A parallel size and its number belong together: "tp 8 pp 4" is two words, "tp8" one. */
static GPtrArray *
split_words (const char *text)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) given = g_strsplit_set (text, " \t,;", -1);

  for (guint i = 0; given[i] != NULL; i++)
    {
      g_autofree char *folded = fold_text (given[i]);
      char **last = words->len > 0 ? (char **) &words->pdata[words->len - 1] : NULL;

      if (*folded == '\0')
        continue;
      if (last != NULL && g_ascii_isdigit (*folded)
          && !g_ascii_isdigit ((*last)[strlen (*last) - 1]))
        {
          char *joined = g_strconcat (*last, folded, NULL);

          g_free (*last);
          *last = joined;
        }
      else
        {
          g_ptr_array_add (words, g_steal_pointer (&folded));
        }
    }
  return words;
}

/* Other names that engineers use. */
static const struct {
  const char *name;
  SwDimension dimension;
} other_names[] = {
  { "tp", SW_DIM_TP },
  { "pp", SW_DIM_PP },
  { "vpp", SW_DIM_VPP },
  { "dp", SW_DIM_DP },
  { "cp", SW_DIM_CP },
  { "ep", SW_DIM_EP },
  { "etp", SW_DIM_ETP },
  { "zero", SW_DIM_ZERO },
  { "mbs", SW_DIM_MICRO_BATCH },
  { "microbatch", SW_DIM_MICRO_BATCH },
  { "batch", SW_DIM_MICRO_BATCH },
  { "hsdp", SW_DIM_SHARD_GROUP },
};

static gboolean
find_dimension (const char *word, gsize name, guint64 value, SwDimension *out)
{
  for (guint i = 0; i < G_N_ELEMENTS (other_names); i++)
    if (strlen (other_names[i].name) == name && strncmp (other_names[i].name, word, name) == 0)
      {
        *out = other_names[i].dimension;
        return TRUE;
      }
  /* As displayed in rows ("Micro-batch 4"), in the language of the program. */
  for (*out = 0; *out < SW_DIM_RECOMPUTE; (*out)++)
    if (*out != SW_DIM_CP_METHOD && *out != SW_DIM_SP) /* which are words */
      {
        g_autofree char *label = shardwise_text_label (*out, (guint) value),
                        *folded = fold_text (label);

        if (g_str_equal (folded, word))
          return TRUE;
      }

  return FALSE;
}

/* "tp8": a parallel size and its value. */
static gboolean
read_degree (const char *word, SwPins *degrees)
{
  gsize length = strlen (word), name = length;
  SwDimension dimension;
  guint64 value;

  while (name > 0 && g_ascii_isdigit (word[name - 1]))
    name--;
  if (name == 0 || name == length || length - name > 9)
    return FALSE;
  value = g_ascii_strtoull (word + name, NULL, 10);
  if (!find_dimension (word, name, value, &dimension) || (value == 0 && dimension != SW_DIM_ZERO)
      || (dimension == SW_DIM_ZERO && value > 3))
    return FALSE;
  degrees->mask |= 1u << dimension;
  sw_strategy_set (&degrees->value, dimension, (guint) value);
  return TRUE;
}

static const SwDimension named[] = { SW_DIM_RECOMPUTE, SW_DIM_SCHEDULE, SW_DIM_OFFLOAD,
                                     SW_DIM_CP_METHOD };

G_STATIC_ASSERT (G_N_ELEMENTS (named) + 1 == SHARDWISE_FILTER_NAMED);
G_STATIC_ASSERT (SW_N_FRAMEWORKS <= 16);

static void
read_word (const char *word, guint16 out[SHARDWISE_FILTER_NAMED])
{
  static const guint n_values[] = { SW_RECOMPUTE_FULL_LAYERS + 1, SW_SCHEDULE_ZERO_BUBBLE + 1,
                                    SW_OFFLOAD_ACTIVATIONS + 1, SW_CP_ULYSSES + 1 };

  for (guint i = 0; i < G_N_ELEMENTS (named); i++)
    {
      /* A common name for all values of a dimension: flags and chips use "recompute". */
      gboolean all = named[i] == SW_DIM_RECOMPUTE && g_str_has_prefix (word, "recompute");

      out[i] = all ? (guint16) ((1u << n_values[i]) - 1) : 0;
      for (guint value = 0; value < n_values[i]; value++)
        {
          g_autofree char *label = shardwise_text_label (named[i], value),
                          *folded = fold_text (label);

          if (strstr (folded, word) != NULL)
            out[i] |= (guint16) (1u << value);
        }
    }

  out[G_N_ELEMENTS (named)] = 0;
  for (guint framework = 1; framework < SW_N_FRAMEWORKS; framework++)
    {
      g_autofree char *folded = fold_text (shardwise_text_framework (framework));

      if (strstr (folded, word) != NULL)
        out[G_N_ELEMENTS (named)] |= (guint16) (1u << framework);
    }
}

/* Public */

/**
 * shardwise_candidate_filter_init:
 * @self: (out caller-allocates): matches every strategy
 */
void
shardwise_candidate_filter_init (ShardwiseCandidateFilter *self)
{
  memset (self, 0, sizeof *self); /* including padding: filters are compared as bytes */
}

/**
 * shardwise_candidate_filter_set_text:
 * @self: a filter
 * @text: parallel sizes ("TP 8 ZeRO 1") and words from the names of values ("selective",
 * "DeepSpeed"); all must match
 */
void
shardwise_candidate_filter_set_text (ShardwiseCandidateFilter *self, const char *text)
{
  g_autoptr (GPtrArray) words = split_words (text);

  memset (&self->degrees, 0, sizeof self->degrees);
  memset (self->words, 0, sizeof self->words);
  self->n_words = 0;
  for (guint i = 0; i < words->len; i++)
    if (!read_degree (words->pdata[i], &self->degrees) && self->n_words < SHARDWISE_FILTER_WORDS)
      read_word (words->pdata[i], self->words[self->n_words++]);
}

/**
 * shardwise_candidate_filter_equal:
 *
 * Returns: whether both match the same strategies
 */
gboolean
shardwise_candidate_filter_equal (const ShardwiseCandidateFilter *a,
                                  const ShardwiseCandidateFilter *b)
{
  return memcmp (a, b, sizeof *a) == 0;
}

/**
 * shardwise_facet_value:
 * @strategy: a strategy
 * @facet: a SwDimension, or %SHARDWISE_FACET_FRAMEWORK
 *
 * Returns: its value
 */
guint
shardwise_facet_value (const SwStrategy *strategy, guint facet)
{
  return facet == SHARDWISE_FACET_FRAMEWORK ? strategy->framework
                                            : sw_strategy_get (strategy, (SwDimension) facet);
}

/**
 * shardwise_candidate_filter_has_chosen:
 * @self: a filter
 * @facet: a SwDimension, or %SHARDWISE_FACET_FRAMEWORK
 * @value: of it
 *
 * Returns: whether that value is chosen; without chosen values, all pass
 */
gboolean
shardwise_candidate_filter_has_chosen (const ShardwiseCandidateFilter *self, guint facet,
                                       guint value)
{
  for (guint i = 0; i < self->n_chosen[facet]; i++)
    if (self->chosen[facet][i] == value)
      return TRUE;
  return FALSE;
}

/**
 * shardwise_candidate_filter_choose:
 * @self: a filter
 * @facet: a SwDimension, or %SHARDWISE_FACET_FRAMEWORK
 * @value: of it
 * @choose: whether to choose it; without chosen values, all pass
 *
 * Returns: whether the filter changed; at most %SHARDWISE_FILTER_CHOSEN values can be chosen
 */
gboolean
shardwise_candidate_filter_choose (ShardwiseCandidateFilter *self, guint facet, guint value,
                                   gboolean choose)
{
  guint *n, *values;

  g_return_val_if_fail (self != NULL && facet < SHARDWISE_N_FACETS, FALSE);

  n = &self->n_chosen[facet];
  values = self->chosen[facet];
  if (shardwise_candidate_filter_has_chosen (self, facet, value) == !!choose
      || (choose && *n == SHARDWISE_FILTER_CHOSEN))
    return FALSE;
  /* Filters are compared as bytes: values are ascending, and the rest is zero. */
  if (choose)
    {
      guint at = (*n)++;

      for (; at > 0 && values[at - 1] > value; at--)
        values[at] = values[at - 1];
      values[at] = value;
    }
  else
    {
      guint kept = 0;

      for (guint i = 0; i < *n; i++)
        if (values[i] != value)
          values[kept++] = values[i];
      for (guint i = kept; i < *n; i++)
        values[i] = 0;
      *n = kept;
    }

  self->facets = *n > 0 ? self->facets | 1u << facet : self->facets & ~(1u << facet);
  return TRUE;
}

/**
 * shardwise_candidate_filter_clear_facet:
 * @self: a filter
 * @facet: a SwDimension, or %SHARDWISE_FACET_FRAMEWORK: all its values pass
 */
void
shardwise_candidate_filter_clear_facet (ShardwiseCandidateFilter *self, guint facet)
{
  g_return_if_fail (self != NULL && facet < SHARDWISE_N_FACETS);

  self->facets &= ~(1u << facet);
  self->n_chosen[facet] = 0;
  memset (self->chosen[facet], 0, sizeof self->chosen[facet]);
}

/**
 * shardwise_candidate_filter_is_empty:
 *
 * Returns: whether every strategy passes
 */
gboolean
shardwise_candidate_filter_is_empty (const ShardwiseCandidateFilter *self)
{
  return self->memory_below_bytes <= 0 && self->facets == 0 && self->degrees.mask == 0
         && self->n_words == 0;
}

/* Whether it matches all typed parallel sizes and words. */
static gboolean
has_text (const ShardwiseCandidateFilter *self, const SwStrategy *strategy)
{
  for (guint mask = self->degrees.mask; mask != 0; mask &= mask - 1)
    {
      SwDimension dimension = (SwDimension) g_bit_nth_lsf (mask, -1);

      if (sw_strategy_get (strategy, dimension)
          != sw_strategy_get (&self->degrees.value, dimension))
        return FALSE;
    }
  for (guint i = 0; i < self->n_words; i++)
    {
      const guint16 *word = self->words[i];
      gboolean has = word[G_N_ELEMENTS (named)] >> strategy->framework & 1;

      for (guint j = 0; !has && j < G_N_ELEMENTS (named); j++)
        has = word[j] >> sw_strategy_get (strategy, named[j]) & 1;
      if (!has)
        return FALSE;
    }
  return TRUE;
}

/**
 * shardwise_candidate_filter_misses:
 * @self: a filter
 * @candidate: a strategy that fits
 *
 * Returns: bit 1 << facet for each facet whose chosen values do not include its value, and
 *   %SHARDWISE_FILTER_OTHER if it fails for another reason; 0: it passes
 */
guint
shardwise_candidate_filter_misses (const ShardwiseCandidateFilter *self,
                                   const SwCandidate *candidate)
{
  const SwStrategy *strategy = &candidate->strategy;
  guint misses = 0;

  for (guint facets = self->facets; facets != 0; facets &= facets - 1)
    {
      guint facet = (guint) g_bit_nth_lsf (facets, -1);

      if (!shardwise_candidate_filter_has_chosen (self, facet,
                                                  shardwise_facet_value (strategy, facet)))
        misses |= 1u << facet;
    }
  if ((self->memory_below_bytes > 0 && candidate->memory_bytes >= self->memory_below_bytes)
      || !has_text (self, strategy))
    misses |= SHARDWISE_FILTER_OTHER;
  return misses;
}

/* One slot for each value up to the largest, so counting millions of strategies needs no lookup. */
typedef struct {
  guint count;
  gboolean exists;
} Place;

struct _ShardwiseCandidateFacets {
  GArray *places[SHARDWISE_N_FACETS]; /* of Place; NULL once finished */
  GArray *values[SHARDWISE_N_FACETS]; /* of ShardwiseFacetValue */
};

/**
 * shardwise_candidate_facets_new:
 *
 * Returns: (transfer full): empty
 */
ShardwiseCandidateFacets *
shardwise_candidate_facets_new (void)
{
  ShardwiseCandidateFacets *self = g_new (ShardwiseCandidateFacets, 1);

  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    {
      self->places[facet] = g_array_new (FALSE, TRUE, sizeof (Place));
      self->values[facet] = g_array_new (FALSE, FALSE, sizeof (ShardwiseFacetValue));
    }
  return self;
}

static void
clear_places (ShardwiseCandidateFacets *self)
{
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    g_clear_pointer (&self->places[facet], g_array_unref);
}

/**
 * shardwise_candidate_facets_free:
 * @self: (transfer full): facets
 */
void
shardwise_candidate_facets_free (ShardwiseCandidateFacets *self)
{
  clear_places (self);
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    g_array_unref (self->values[facet]);
  g_free (self);
}

/**
 * shardwise_candidate_facets_count:
 * @self: facets that are not finished
 * @strategy: one of the answer
 * @misses: its result of shardwise_candidate_filter_misses()
 */
void
shardwise_candidate_facets_count (ShardwiseCandidateFacets *self, const SwStrategy *strategy,
                                  guint misses)
{
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    {
      GArray *places = self->places[facet];
      guint value = shardwise_facet_value (strategy, facet);
      Place *place;

      if (value >= places->len)
        g_array_set_size (places, value + 1);
      place = &g_array_index (places, Place, value);
      place->exists = TRUE;
      place->count += (misses & ~(1u << facet)) == 0;
    }
}

/**
 * shardwise_candidate_facets_finish:
 * @self: facets with every strategy counted
 */
void
shardwise_candidate_facets_finish (ShardwiseCandidateFacets *self)
{
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    for (guint value = 0; value < self->places[facet]->len; value++)
      {
        const Place *place = &g_array_index (self->places[facet], Place, value);
        ShardwiseFacetValue found = { value, place->count };

        if (place->exists)
          g_array_append_val (self->values[facet], found);
      }
  clear_places (self);
}

/**
 * shardwise_candidate_facets_get:
 * @self: finished facets
 * @facet: a SwDimension, or %SHARDWISE_FACET_FRAMEWORK
 * @n: (out): their number
 *
 * Returns: (transfer none) (array length=n): its values, ascending
 */
const ShardwiseFacetValue *
shardwise_candidate_facets_get (const ShardwiseCandidateFacets *self, guint facet, guint *n)
{
  g_return_val_if_fail (self != NULL && facet < SHARDWISE_N_FACETS && n != NULL, NULL);

  *n = self->values[facet]->len;
  return (const ShardwiseFacetValue *) (gpointer) self->values[facet]->data;
}

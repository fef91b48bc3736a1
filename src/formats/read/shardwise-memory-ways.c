/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to change in a job that ran out of memory: single changes that are enough, in the order in which
 * people try them, the cheapest combination where none is, and what alone is not enough. */
#include "shardwise-memory-ways.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

/* Changes that save less than this, in bytes, are omitted. */
#define LEAST_SAVED (0.05 * SW_GIB)
/* Changes of speed below this are ignored. */
#define AS_FAST 0.005

/* What saves memory, in the order in which people try it. */
typedef enum {
  RECOMPUTE,
  MICRO_BATCH,
  SEQUENCE,
  OPTIMIZER,
  LORA,
  QLORA,
  ZERO,
  OFFLOAD,
  N_LEVERS
} Lever;

static const struct {
  const char *code;
  SwDimension dimension; /* SW_N_DIMENSIONS: none of the strategy */
} levers[N_LEVERS] = {
  [RECOMPUTE] = { "change-recompute", SW_DIM_RECOMPUTE },
  [MICRO_BATCH] = { "change-micro-batch", SW_DIM_MICRO_BATCH },
  [SEQUENCE] = { "change-sequence", SW_N_DIMENSIONS },
  [OPTIMIZER] = { "change-optimizer", SW_N_DIMENSIONS },
  [LORA] = { "change-lora", SW_N_DIMENSIONS },
  [QLORA] = { "change-qlora", SW_N_DIMENSIONS },
  [ZERO] = { "change-zero", SW_DIM_ZERO },
  [OFFLOAD] = { "change-offload", SW_DIM_OFFLOAD },
};

#define BIT(lever) (1u << (lever))
/* Of these the model learns something else, or from shorter texts. */
#define OTHER_JOB (BIT (SEQUENCE) | BIT (LORA) | BIT (QLORA))

/* The job that failed. */
typedef struct {
  const SwProblem *problem;
  const SwEstimate *now;
  double lacking; /* bytes, by the message */
} Job;

/* Changes that are made together, and what they come to. */
typedef struct {
  guint levers; /* bits */
  SwEstimate then;
  double saved; /* bytes of a GPU */
  gboolean is_enough;
} Way;

/* How much they change what is trained. */
static guint
change_of_job (guint set)
{
  return ((set & BIT (SEQUENCE)) != 0) + ((set & BIT (LORA)) != 0) + 2 * ((set & BIT (QLORA)) != 0);
}

static gboolean
is_open (const Job *self, Lever lever)
{
  const SwTraining *training = &self->problem->training;
  const SwStrategy *now = &self->now->strategy;

  switch (lever)
    {
    case RECOMPUTE: return now->recompute != SW_RECOMPUTE_FULL;
    case MICRO_BATCH: return now->micro_batch > MAX (training->together, 1); /* a pair at least */
    case SEQUENCE:
      return training->sequence_length % 2 == 0 && training->global_batch <= G_MAXUINT / 2;
    case OPTIMIZER: return training->optimizer == SW_OPTIMIZER_ADAMW;
    case LORA: return training->type == SW_TRAINING_FINETUNE;
    case QLORA: return training->type == SW_TRAINING_FINETUNE || training->type == SW_TRAINING_LORA;
    case ZERO: return now->zero_stage < 3 && now->dp > 1;
    case OFFLOAD: return now->offload == SW_OFFLOAD_NONE;
    case N_LEVERS:
    default: return FALSE;
    }
}

/* Whether none of them holds another, and frameworks run them together. */
static gboolean
go_together (guint set)
{
  return (set & (BIT (LORA) | BIT (QLORA))) != (BIT (LORA) | BIT (QLORA))
         && ((set & BIT (OFFLOAD)) == 0 || (set & (BIT (OPTIMIZER) | BIT (ZERO))) == 0);
}

static void
apply (Lever lever, SwProblem *problem, SwStrategy *strategy)
{
  SwTraining *training = &problem->training;

  switch (lever)
    {
    case RECOMPUTE:
      strategy->recompute = SW_RECOMPUTE_FULL;
      strategy->full_layers = strategy->recompute_modules = 0;
      return;
    case MICRO_BATCH: strategy->micro_batch = MAX (training->together, 1); return;
    case SEQUENCE:
      training->sequence_length /= 2;
      training->global_batch *= 2;
      return;
    case OPTIMIZER: training->optimizer = SW_OPTIMIZER_ADAM8BIT; return;
    case LORA:
    case QLORA:
      training->type = lever == LORA ? SW_TRAINING_LORA : SW_TRAINING_QLORA;
      if (training->method != SW_METHOD_TOKENS)
        training->frozen_copies = 0; /* the base is the reference */
      return;
    case ZERO: strategy->zero_stage = 3; return;
    case OFFLOAD:
      strategy->offload = SW_OFFLOAD_OPTIMIZER_PARAMS;
      if (strategy->dp > 1)
        strategy->zero_stage = 3;
      return;
    case N_LEVERS:
    default: g_assert_not_reached ();
    }
}

/* Returns: whether they run, but for memory, and save any. */
static gboolean
try_way (const Job *self, guint set, Way *out)
{
  SwProblem problem = *self->problem;
  SwStrategy strategy = self->now->strategy;

  *out = (Way){ .levers = set };
  for (Lever i = 0; i < N_LEVERS; i++)
    if (set & BIT (i))
      apply (i, &problem, &strategy);
  sw_estimate (&problem, &strategy, &out->then);
  out->saved = self->now->memory.peak.total - out->then.memory.peak.total;
  /* By the message, after which a step may need more, and by the model. */
  out->is_enough = out->saved >= self->lacking
                   && out->then.memory.peak.total <= out->then.usable_bytes;
  return (out->then.rule == SW_RULE_OK || out->then.rule == SW_RULE_GPU_MEMORY)
         && out->saved >= LEAST_SAVED;
}

static char *
lever_name (const Job *self, const Way *way, Lever lever)
{
  switch ((int) lever)
    {
    case SEQUENCE:
      /* Translators: a number of tokens */
      return g_strdup_printf (_ ("Sequences of %'u tokens"),
                              self->problem->training.sequence_length / 2);
    case OPTIMIZER: return g_strdup (_ ("8-bit Adam instead of AdamW"));
    case LORA: return g_strdup (_ ("LoRA instead of full fine-tuning"));
    case QLORA: return g_strdup (_ ("QLoRA: adapters on a 4-bit base model"));
    default: return shardwise_text_part (&way->then.strategy, levers[lever].dimension);
    }
}

/* "8-bit Adam instead of AdamW + Micro-batch 1" */
static char *
way_name (const Job *self, const Way *way)
{
  GString *text = g_string_new (NULL);

  for (Lever i = 0; i < N_LEVERS; i++)
    if (way->levers & BIT (i))
      {
        g_autofree char *name = lever_name (self, way, i);

        g_string_append_printf (text, text->len > 0 ? " + %s" : "%s", name);
      }
  return g_string_free (text, FALSE);
}

static GVariant *
way_changes (const Job *self, const Way *way)
{
  const SwTraining *training = &self->problem->training;
  const char *adapters =
      sw_training_type_names[way->levers & BIT (LORA) ? SW_TRAINING_LORA : SW_TRAINING_QLORA];
  g_autoptr (GVariant) strategy = NULL;
  guint dimensions = way->levers & BIT (OFFLOAD) ? 1u << SW_DIM_ZERO : 0;
  GVariantDict dict;

  for (Lever i = 0; i < N_LEVERS; i++)
    if (way->levers & BIT (i) && levers[i].dimension != SW_N_DIMENSIONS)
      dimensions |= 1u << levers[i].dimension;
  strategy = g_variant_ref_sink (shardwise_strategy_changes (&way->then.strategy, dimensions));
  g_variant_dict_init (&dict, strategy);
  if (way->levers & BIT (SEQUENCE))
    {
      shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, "x",
                                (gint64) training->sequence_length / 2);
      shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "x",
                                (gint64) training->global_batch * 2);
    }
  if (way->levers & BIT (OPTIMIZER))
    shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_OPTIMIZER, "s",
                              sw_optimizer_names[SW_OPTIMIZER_ADAM8BIT]);
  if (way->levers & (BIT (LORA) | BIT (QLORA)))
    shardwise_changes_insert (&dict,
                              training->method == SW_METHOD_TOKENS
                                  ? SHARDWISE_KEY_TRAINING_TYPE
                                  : SHARDWISE_KEY_TRAINING_ADAPTERS,
                              "s", adapters);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static void
add_way (const Job *self, const Way *way, GPtrArray *findings)
{
  const double change = way->then.tokens_per_s / self->now->tokens_per_s - 1;
  g_autofree char *saves = shardwise_format_bytes (way->saved),
                  *needs = shardwise_format_bytes (way->then.memory.peak.total),
                  *share = shardwise_format_percent (fabs (change)), *effect = NULL;
  const gboolean is_single = (way->levers & (way->levers - 1)) == 0;
  ShardwiseFinding *finding;

  if (fabs (change) < AS_FAST)
    effect = g_strdup_printf (
        /* Translators: what a change does: amounts of memory */
        _ ("Saves %s per GPU, which then needs %s, without loss of throughput."), saves, needs);
  else
    effect = g_strdup_printf (
        change < 0
            /* Translators: what a change does: amounts of memory, a share */
            ? _ ("Saves %s per GPU, which then needs %s, and lowers throughput by %s.")
            /* Translators: what a change does: amounts of memory, a share */
            : _ ("Saves %s per GPU, which then needs %s, and raises throughput by %s."),
        saves, needs, share);
  finding = shardwise_finding_new (SHARDWISE_SEVERITY_INFO,
                                   is_single ? levers[g_bit_nth_lsf (way->levers, -1)].code
                                             : "change-several",
                                   way_name (self, way), g_steal_pointer (&effect));
  finding->changes = way_changes (self, way);
  g_ptr_array_add (findings, finding);
}

/* What alone is not enough, in one row. */
static void
add_misses (const Job *self, const Way *ways, guint n, GPtrArray *findings)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = NULL, *saves = NULL;

      if (ways[i].is_enough)
        continue;
      name = way_name (self, &ways[i]);
      saves = shardwise_format_bytes (ways[i].saved);
      g_string_append (list, list->len > 0 ? "; " : "");
      /* Translators: a change, an amount of memory */
      g_string_append_printf (list, _ ("%s saves %s"), name, saves);
    }
  if (list->len > 0)
    g_ptr_array_add (findings,
                     shardwise_finding_new (SHARDWISE_SEVERITY_INFO, "not-enough",
                                            g_strdup (_ ("These changes alone are not enough")),
                                            g_strdup (list->str)));
}

/* The fastest of those combinations that change the job least, each without a part that it could do
 * without. @open: what may be combined. Returns: whether there is one */
static gboolean
find_combination (const Job *self, guint open, Way *out)
{
  guint enough[1 << N_LEVERS], n = 0, least = G_MAXUINT;
  gboolean found = FALSE;

  for (guint size = 1; size <= N_LEVERS; size++)
    for (guint set = 1; set <= open; set++)
      {
        const guint change = change_of_job (set);
        gboolean has_more = FALSE;
        Way way;

        if ((set & ~open) != 0 || (guint) __builtin_popcount (set) != size || !go_together (set))
          continue;
        for (guint i = 0; i < n && !has_more; i++)
          has_more = (set & enough[i]) == enough[i];
        if (has_more || change > least || !try_way (self, set, &way) || !way.is_enough)
          continue;
        enough[n++] = set;
        if (size == 1
            || (found && change == least && way.then.tokens_per_s <= out->then.tokens_per_s))
          continue;
        least = change;
        *out = way;
        found = TRUE;
      }
  return found;
}

/**
 * shardwise_memory_ways:
 * @problem: of a job that ran out of memory
 * @now: its strategy
 * @lacking: bytes that it was short of, by the message; 0: not known
 * @loads: whether this was while the model was loaded, when there are neither activations nor optimizer
 *   states
 * @findings: (element-type ShardwiseFinding): to which they are added
 *
 * Adds what is enough: where no single change but offload is, the fastest combination of changes, of
 * those that keep the job if there is one; then the single changes. What alone is not enough follows
 * in one row.
 */
void
shardwise_memory_ways (const SwProblem *problem, const SwEstimate *now, double lacking,
                       gboolean loads, GPtrArray *findings)
{
  const Job self = { problem, now, lacking };
  const guint of_loading = BIT (LORA) | BIT (QLORA) | BIT (ZERO) | BIT (OFFLOAD);
  guint open = 0, enough = 0, n = 0;
  Way ways[N_LEVERS], several;

  for (Lever i = 0; i < N_LEVERS; i++)
    if (is_open (&self, i) && (!loads || (BIT (i) & of_loading) != 0))
      {
        open |= BIT (i);
        if (!try_way (&self, BIT (i), &ways[n]))
          continue;
        enough |= ways[n].is_enough ? BIT (i) : 0;
        n++;
      }
  if ((enough & ~(OTHER_JOB | BIT (OFFLOAD))) == 0
      && (find_combination (&self, open & ~OTHER_JOB, &several)
          || ((enough & OTHER_JOB) == 0 && find_combination (&self, open, &several))))
    add_way (&self, &several, findings);
  for (guint i = 0; i < n; i++)
    if (ways[i].is_enough)
      add_way (&self, &ways[i], findings);
  add_misses (&self, ways, n, findings);
}

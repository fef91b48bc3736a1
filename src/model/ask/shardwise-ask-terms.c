/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What words mean, with their figure here; and what can be asked. */

#include "shardwise-ask-terms.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-ask-match.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-advice.h"
#include "shardwise-ask-answer.h"
#include "sw-estimate.h"

/* ---- terms ---- */

typedef struct {
  const char *term, *text, *page;
} Term;

static const Term terms[] = {
  { "bubble",
    N_ ("The pipeline bubble is the time in which stages wait at the beginning and end of a step, "
        "for the first "
        "micro-batches to arrive and the last to return. With p stages, v virtual stages and m "
        "micro-batches "
        "it is about (p − 1)/(v·m) of the computation."),
    "analysis" },
  { "mfu",
    N_ ("MFU, model FLOPs utilisation, is the arithmetic that the model needs per second over the "
        "GPU’s dense peak. "
        "Recomputation does not count, and the masked half of causal attention is left out."),
    "advice" },
  { "hfu",
    N_ ("HFU, hardware FLOPs utilisation, is the arithmetic that is done per second, recomputation "
        "included, over the "
        "dense peak."),
    "advice" },
  { "tp",
    N_ ("Tensor parallelism cuts every matrix of a layer over some GPUs, which exchange "
        "activations twice in each "
        "direction of a layer; so it should stay on the fast link of a node."),
    "advice" },
  { "pp",
    N_ ("Pipeline parallelism gives consecutive layers to different GPUs, which pass activations "
        "on; little is sent, "
        "but stages wait for one another: the bubble."),
    "analysis" },
  { "dp",
    N_ ("Data parallelism trains replicas on different sequences; their gradients are summed once "
        "a step."),
    "advice" },
  { "cp",
    N_ ("Context parallelism cuts the sequence over GPUs, which exchange keys and values; it is "
        "for sequences whose "
        "activations do not fit otherwise."),
    "advice" },
  { "ep",
    N_ ("Expert parallelism gives the experts of a mixture to different GPUs; tokens go to their "
        "experts and back by "
        "all-to-all."),
    "advice" },
  { "sp",
    N_ ("Sequence parallelism cuts norms and dropout, which tensor parallelism leaves whole, along "
        "the sequence over the "
        "same GPUs: less activation memory at the same communication."),
    "advice" },
  { "zero",
    N_ ("ZeRO shards what data-parallel replicas hold alike: stage 1 the optimizer states, stage 2 "
        "the gradients "
        "too, stage 3 the parameters too, which are then gathered layer by layer."),
    "analysis" },
  { "fsdp",
    N_ ("FSDP is PyTorch’s sharded data parallelism, like ZeRO 3: parameters are gathered layer by "
        "layer. HSDP shards "
        "within groups and replicates between them."),
    "advice" },
  { "micro-batch",
    N_ ("A micro-batch is what one GPU runs through the model at once. A larger one makes larger, "
        "more "
        "efficient kernels, and takes activations in proportion."),
    "advice" },
  { "global-batch",
    N_ ("The global batch is all sequences of one optimizer step: micro-batch × gradient "
        "accumulation × data "
        "parallel."),
    "advice" },
  { "gradient-accumulation",
    N_ ("Gradient accumulation runs several micro-batches before one optimizer step; it is the "
        "global "
        "batch over micro-batch × data parallel."),
    "advice" },
  { "recompute",
    N_ ("Recomputation (activation checkpointing) drops activations in the forward pass and "
        "computes them again "
        "in the backward pass: full recomputation costs about a third more arithmetic, selective "
        "only that "
        "of cheap, large parts."),
    "analysis" },
  { "offload",
    N_ ("Offloading keeps optimizer states, parameters or activations in the host’s memory and "
        "moves them over "
        "PCIe when they are needed."),
    "analysis" },
  { "schedule",
    N_ ("The schedule is the order in which a stage runs forward and backward passes: GPipe all "
        "forward first, 1F1B "
        "one of each in turn, interleaved with several virtual stages per GPU, zero-bubble with "
        "weight "
        "gradients put off into the gaps."),
    "analysis" },
  { "goodput",
    N_ ("Goodput is the share of the time that advances the training: what checkpoints, failures "
        "and restarts "
        "leave."),
    "scale" },
  { "scaling-efficiency",
    N_ ("Scaling efficiency is what is left of a step after exposed communication and bubble."),
    "scale" },
  { "intensity",
    N_ ("The ratio of computation to communication: from about 10 to 1 on, communication can hide "
        "behind "
        "computation."),
    "advice" },
  { "lora",
    N_ ("LoRA trains small matrices beside frozen weights, QLoRA beside weights in four bits; only "
        "the small ones need "
        "gradients and optimizer states."),
    "advice" },
  { "moe",
    N_ ("A mixture of experts has many MLPs per layer, of which each token uses a few: many "
        "parameters, little "
        "arithmetic."),
    "advice" },
  { "activations",
    N_ ("Activations are what the forward pass keeps for the backward pass; they grow with "
        "micro-batch and "
        "sequence, and with the micro-batches in flight of a pipeline."),
    "analysis" },
  { "optimizer-states",
    N_ ("Adam keeps master weights and two moments in 4 bytes each, 12 bytes per parameter, beside "
        "weights "
        "and gradients in 2 bytes each."),
    "analysis" },
  { "all-reduce",
    N_ ("Collectives are exchanges of a whole group: all-reduce sums over all and gives everyone "
        "the sum, "
        "reduce-scatter gives each a part of it, all-gather collects the parts."),
    "analysis" },
  { "nvlink",
    N_ ("NVLink joins the GPUs of a node, or of a rack, many times as fast as the network."),
    "analysis" },
  { "infiniband",
    N_ ("InfiniBand and RoCE join nodes with direct access to memory (RDMA), typically 25 to 100 "
        "GB/s per GPU."),
    "analysis" },
  { "memory-target",
    N_ ("The memory target is the share of the usable memory that a strategy may take; what is "
        "above it is left "
        "out of the search."),
    "advice" },
  { "error-interval",
    N_ ("The interval beside a figure holds nine in ten measured runs of that kind, each predicted "
        "without "
        "having seen its source."),
    "advice" },
  { "pareto",
    N_ ("The Pareto front holds the strategies of which no other is both faster and smaller."),
    "alternatives" },
  { "playbook",
    N_ ("The Ultra-Scale Playbook is a decision tree of rules of thumb; its strategy stands beside "
        "the model’s as a "
        "second opinion."),
    "advice" },
  { "quick-score",
    N_ ("The quick score enumerates strategies and weighs four shares; a second opinion."),
    "advice" },
  { "step-time",
    N_ ("The step time is that of one optimizer step: computation, exposed communication, bubble "
        "and optimizer."),
    "analysis" },
  { "tokens-per-second", N_ ("Throughput is the tokens of a global batch over the time of a step."),
    "advice" },
  { "mixed-precision",
    N_ ("In mixed precision matrices multiply in bf16, fp16 or fp8, while sums and master weights "
        "stay in "
        "fp32; fp8 about doubles the peak where the GPU has it."),
    "advice" },
};

static const Term *
find_term (const char *name)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (terms); i++)
    if (g_str_equal (terms[i].term, name))
      return &terms[i];
  return NULL;
}

/* The term's own figure in the present answer. */
static void
say_present (ShardwiseAsking *self, const char *term, ShardwiseAdvice *now)
{
  const SwEstimate *e = shardwise_advice_get_recommended (now);
  g_autofree char *strategy = shardwise_text_strategy (&e->strategy), *share = NULL;
  double value = g_str_equal (term, "bubble")               ? e->bubble_fraction
                 : g_str_equal (term, "mfu")                ? e->mfu
                 : g_str_equal (term, "hfu")                ? e->hfu
                 : g_str_equal (term, "scaling-efficiency") ? e->scaling_efficiency
                                                            : -1;

  if (value >= 0)
    {
      share = shardwise_format_percent (value);
      shardwise_asking_fact (self, term, value, "1");
      /* Translators: a percentage, a strategy */
      shardwise_asking_say (self, g_strdup_printf (_ ("Here it is %s, with %s."), share, strategy));
      return;
    }
  /* Translators: a strategy */
  shardwise_asking_say (self, g_strdup_printf (_ ("Recommended here: %s."), strategy));
}

void
shardwise_asking_define (ShardwiseAsking *self)
{
  const Term *term = find_term (self->question->term);
  g_autoptr (ShardwiseAdvice) now = NULL;

  if (term == NULL)
    {
      shardwise_asking_unknown (self);
      return;
    }
  self->answer->page = term->page;
  shardwise_asking_say (self, g_strdup (_ (term->text)));
  now = shardwise_asking_evaluate (self, NULL, FALSE);
  if (now != NULL && shardwise_advice_get_fits (now))
    {
      say_present (self, term->term, now);
      shardwise_asking_facts (self, "", now);
    }
}

/* The term of a key: that of its name, "tp" of "strategy.tp", but for a few. */
static const Term *
find_term_of (const char *path)
{
  static const struct {
    const char *path, *term;
  } others[] = {
    { "strategy.sequence_parallel", "sp" },           { "strategy.zero_stage", "zero" },
    { "strategy.micro_batch_size", "micro-batch" },   { "strategy.vpp", "schedule" },
    { "training.global_batch_size", "global-batch" }, { "training.precision", "mixed-precision" },
  };
  const char *name = strrchr (path, '.');

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_equal (others[i].path, path))
      return find_term (others[i].term);
  return find_term (name != NULL ? name + 1 : path);
}

/**
 * shardwise_asking_define_slots:
 *
 * Says what each key is that the question names, once, and then the term that it has besides.
 *
 * Returns: whether anything was said
 */
gboolean
shardwise_asking_define_slots (ShardwiseAsking *self)
{
  gboolean said[G_N_ELEMENTS (terms)] = { FALSE }, any = FALSE;

  for (guint i = 0; i <= self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = i < self->question->slots->len
                                         ? g_ptr_array_index (self->question->slots, i)
                                         : NULL;
      const Term *term = slot != NULL ? find_term_of (slot->path)
                                      : find_term (self->question->term);

      if (term == NULL || said[term - terms])
        continue;
      said[term - terms] = any = TRUE;
      shardwise_asking_say (self, g_strdup (_ (term->text)));
    }
  return any;
}

/* ---- what can be asked ---- */

static const struct {
  ShardwiseIntent intent; /* after which it is a good next question */
  const char *text;
} examples[] = {
  { SHARDWISE_INTENT_BEST, N_ ("Why this strategy?") },
  { SHARDWISE_INTENT_WHY, N_ ("Why not ZeRO 3?") },
  { SHARDWISE_INTENT_WHAT_IF, N_ ("What if I use H200?") },
  { SHARDWISE_INTENT_THROUGHPUT, N_ ("What if I use twice as many GPUs?") },
  { SHARDWISE_INTENT_LIMIT, N_ ("What if the network had twice the bandwidth?") },
  { SHARDWISE_INTENT_COMPARE, N_ ("Which is faster, fp8 or bf16?") },
  { SHARDWISE_INTENT_FITS, N_ ("Does a 70B model fit on 8 H100?") },
  { SHARDWISE_INTENT_GPUS, N_ ("How many GPUs do I need?") },
  { SHARDWISE_INTENT_OOM, N_ ("How much memory does each GPU use?") },
  { SHARDWISE_INTENT_TIME, N_ ("How long does 1T tokens take?") },
  { SHARDWISE_INTENT_COST, N_ ("How much does it cost?") },
  { SHARDWISE_INTENT_SLOW, N_ ("What is the bottleneck?") },
  { SHARDWISE_INTENT_MEMORY, N_ ("How can I save memory?") },
  { SHARDWISE_INTENT_HOW_TO, N_ ("How can I make it faster?") },
  { SHARDWISE_INTENT_DEFINE, N_ ("What is the pipeline bubble?") },
  { SHARDWISE_INTENT_FAULT, N_ ("My training is slow, why?") },
};

enum { SUGGESTIONS = 3 };

/* How many words the two questions share. */
static guint
likeness (GArray *atoms, const char *text)
{
  g_autoptr (GArray) others = shardwise_ask_atoms (text);
  guint n = 0;

  for (guint i = 0; i < atoms->len; i++)
    for (guint j = 0; j < others->len; j++)
      if (strlen (shardwise_ask_atom (atoms, i)->text) > 2
          && g_str_equal (shardwise_ask_atom (atoms, i)->text,
                          shardwise_ask_atom (others, j)->text))
        {
          n++;
          break;
        }
  return n;
}

/* What is said where nothing was understood. */
void
shardwise_asking_unknown (ShardwiseAsking *self)
{
  self->answer->confidence = 0;
  shardwise_asking_say (
      self, g_strdup (_ ("I did not understand that. I can say why a strategy is as it is and not "
                         "otherwise; what another GPU, "
                         "number, batch, sequence, network, precision, model or price would "
                         "change; whether it fits, on how "
                         "many GPUs, how long it takes and what it costs; what limits it, and what "
                         "to do where memory or "
                         "speed is short; what a term means; and how two settings compare.")));

  /* The nearest questions by their words; where none is near, one of each sort. */
  g_autoptr (GArray) atoms = shardwise_ask_atoms (self->question->text);
  gboolean used[G_N_ELEMENTS (examples)] = { FALSE };

  for (guint n = 0; n < SUGGESTIONS; n++)
    {
      guint best = G_N_ELEMENTS (examples), most = 0;

      for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
        {
          guint like = likeness (atoms, _ (examples[i].text)) + 1;

          if (!used[i] && like > most)
            {
              best = i;
              most = like;
            }
        }
      used[best] = TRUE;
      g_ptr_array_add (self->answer->suggestions, g_strdup (_ (examples[best].text)));
    }
}

/**
 * shardwise_asking_suggest:
 *
 * What people ask next: the questions that follow the one in the list.
 */
void
shardwise_asking_suggest (ShardwiseAsking *self)
{
  guint at = 0;

  if (self->answer->suggestions->len > 0)
    return;
  while (at < G_N_ELEMENTS (examples) && examples[at].intent != self->question->intent)
    at++;
  for (guint i = 0; i < SUGGESTIONS; i++)
    {
      guint next = (at + i * 5 + (i > 0 ? 1 : 0)) % G_N_ELEMENTS (examples);

      if (g_ascii_strcasecmp (_ (examples[next].text), self->question->text) != 0)
        g_ptr_array_add (self->answer->suggestions, g_strdup (_ (examples[next].text)));
    }
}

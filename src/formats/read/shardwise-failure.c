/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error messages of runs: the facts about the job in them, and changes in the usual order of
 * trying, each with the effect that the engine computes. */
#include "shardwise-failure.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-catalogue.h"
#include "shardwise-changes.h"
#include "shardwise-estimate.h"
#include "shardwise-format.h"
#include "shardwise-memory-ways.h"
#include "shardwise-resolve.h"
#include "sw-estimate.h"
#include "sw-start.h"

/* The limit of every reader. */
#define MAX_BYTES (16u << 20)
/* The error is at the end. */
#define END_OF_LOG (1u << 20)

/* From this share of the card, memory that is reserved but unused is called fragmentation. */
#define MUCH_UNUSED 0.05
/* From this many bytes, the memory of other processes is mentioned; a context alone is less. */
#define MUCH_OTHERS (1.0 * SW_GIB)
/* If the memory differs by this share from the message, it is another GPU. */
#define OTHER_GPU 0.15
/* Above this, a falling loss scale is still searching: it starts with 2^16 or 2^32. */
#define FIRST_SCALE 4096
/* ---- reading ---- */

#define AMOUNT "([0-9]+(?:\\.[0-9]+)?) ?(bytes|KiB|MiB|GiB)"

typedef enum { TRIED, CAPACITY, FREE, IN_USE, ALLOCATED, RESERVED, UNUSED, N_AMOUNTS } Amount;

/* The words of PyTorch, up to 2.0 and from 2.1 on ("capacty" until 2.3), of its asynchronous
 * allocator, and of XLA. */
static const struct {
  const char *pattern;
  Amount amount;
} amounts[] = {
  { "out of memory\\. Tried to allocate " AMOUNT, TRIED },
  { "Out of memory (?:while trying to allocate|allocating) " AMOUNT, TRIED },
  { "Requested +: " AMOUNT, TRIED },
  { "total capaci?ty of " AMOUNT, CAPACITY },
  { "Device limit +: " AMOUNT, CAPACITY },
  { "Free \\(according to CUDA\\): " AMOUNT, FREE },
  { "Currently allocated +: " AMOUNT, ALLOCATED },
  { AMOUNT " total capacity", CAPACITY },
  { "of which " AMOUNT " is free", FREE },
  { AMOUNT " free;", FREE },
  { "[Tt]his process has " AMOUNT " memory in use", IN_USE },
  { "memory " AMOUNT " is allocated by PyTorch", ALLOCATED },
  { AMOUNT " already allocated", ALLOCATED },
  { AMOUNT " reserved in total by PyTorch", RESERVED },
  { "and " AMOUNT " is reserved by PyTorch but unallocated", UNUSED },
};

/* Drivers and bitsandbytes state no amounts. Before them, transformers reports a quantized model
 * that does not fit, and vLLM that nothing is left for its cache. XLA has its own words. */
#define CACHE "No available memory for the cache blocks|larger than the (?:available )?KV cache"
#define WITHOUT_AMOUNTS                                                                            \
  "(?:CUDA|HIP)(?: driver)? error: out of memory|CUBLAS_STATUS_ALLOC_FAILED|"                      \
  "Error out of memory at line [0-9]+ in file|" CACHE                                              \
  "|RESOURCE_EXHAUSTED: Out of memory|Allocation on device [0-9]* ?would exceed|"                  \
  "Some modules are dispatched on the CPU or the disk"
/* Except the watchdog of a collective that waits: nothing was sent. */
#define NO_NETWORK                                                                                 \
  "Connection closed by peer|is setting up NCCL "                                                  \
  "communicator|ncclSystemError|ncclRemoteError|ncclInternalError|NCCL error in|connectFullMesh "  \
  "failed|"                                                                                        \
  "The client socket has (?:timed out|failed to connect)"
/* The fix. */
#define NOT_A_NUMBER "found NaN in local grad norm|probability tensor contains either `inf`, `nan`"
/* The words of the kernel, Slurm, Kubernetes, a shell, torchrun and PyTorch for a process that ran
 * out of host memory. */
#define KILLED                                                                                     \
  "Signal 9 \\(SIGKILL\\) received|exitcode *: -9\\b|oom-kill:|Out of memory: Killed process|"     \
  "oom_kill event|OOMKilled|(?m)^Killed$|: line [0-9]+: +[0-9]+ Killed|"                           \
  "is killed by signal: Killed|Task was killed due to the node running low on "                    \
  "memory|DefaultCPUAllocator: can't allocate memory"

/* Frames of a traceback; the last known one comes first. */
static const struct {
  const char *pattern;
  ShardwisePhase phase;
} phases[] = {
  { CACHE, SHARDWISE_PHASE_GENERATION },
  { "from_pretrained|load_state_dict|load_checkpoint|_load_pretrained_model|dispatched on the CPU",
    SHARDWISE_PHASE_LOADING },
  { "optimizer\\.step|bitsandbytes/optim|cget_managed_ptr|optim/adam|multi_tensor_adam|_init_group",
    SHARDWISE_PHASE_OPTIMIZER },
  { "loss\\.backward|\\.backward\\(|_engine_run_backward|accelerator\\.backward",
    SHARDWISE_PHASE_BACKWARD },
  { "cross_entropy|lm_head|\\blogits\\b|loss_function", SHARDWISE_PHASE_LOSS },
  { "\\bforward\\b|compute_loss|training_step", SHARDWISE_PHASE_FORWARD },
};

static double
bytes_of (const char *number, const char *unit)
{
  static const struct {
    const char *unit;
    double bytes;
  } units[] = { { "bytes", 1 }, { "KiB", 1024 }, { "MiB", 1048576 }, { "GiB", 1073741824 } };

  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_equal (unit, units[i].unit))
      return g_ascii_strtod (number, NULL) * units[i].bytes;
  g_assert_not_reached ();
}

/* The groups of the last match, because the last error of a text ended the run. (nullable)
 * (transfer full) */
static char **
last_match (const char *text, const char *pattern)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  char **groups = NULL;

  g_assert (regex != NULL);
  for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_strfreev (groups);
      groups = g_match_info_fetch_all (match);
    }
  return groups;
}

static gboolean
has (const char *text, const char *pattern)
{
  g_auto (GStrv) groups = last_match (text, pattern);

  return groups != NULL;
}

static void
read_rank (const char *text, const char *pattern, ShardwiseFailure *out)
{
  g_auto (GStrv) groups = last_match (text, pattern);
  guint64 rank;

  if (groups == NULL || !g_ascii_string_to_unsigned (groups[1], 10, 0, 1000000, &rank, NULL))
    return;
  out->has_rank = TRUE;
  out->rank = (guint) rank;
}

static gboolean
read_memory (const char *text, ShardwiseFailure *out)
{
  double found[N_AMOUNTS] = { 0 };

  if (!has (text, "(?:CUDA|HIP|XPU) out of memory\\. Tried to allocate|" WITHOUT_AMOUNTS))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (amounts); i++)
    {
      g_auto (GStrv) groups = last_match (text, amounts[i].pattern);

      if (groups != NULL && found[amounts[i].amount] <= 0)
        found[amounts[i].amount] = bytes_of (groups[1], groups[2]);
    }
  out->kind = SHARDWISE_FAILURE_OUT_OF_MEMORY;
  out->tried = found[TRIED];
  out->capacity = found[CAPACITY];
  out->free = found[FREE];
  out->allocated = found[ALLOCATED];
  out->unused = found[UNUSED] > 0 ? found[UNUSED] : MAX (found[RESERVED] - found[ALLOCATED], 0);
  if (found[IN_USE] > 0 && found[CAPACITY] > 0)
    out->others = MAX (found[CAPACITY] - found[FREE] - found[IN_USE], 0);
  for (guint i = 0; i < G_N_ELEMENTS (phases) && out->phase == SHARDWISE_PHASE_UNKNOWN; i++)
    if (has (text, phases[i].pattern))
      out->phase = phases[i].phase;
  read_rank (text, "GPU ([0-9]+)(?:;| has)", out);
  return TRUE;
}

static gboolean
read_timeout (const char *text, ShardwiseFailure *out)
{
  g_auto (GStrv) groups =
      last_match (text, "collective operation timeout: WorkNCCL\\(SeqNum=[0-9]+, OpType=(\\w+)"
                        "(?:, NumelIn=([0-9]+), NumelOut=[0-9]+)?, Timeout\\(ms\\)=([0-9]+)\\)");

  if (groups == NULL)
    return FALSE;
  out->kind = SHARDWISE_FAILURE_TIMEOUT;
  g_strlcpy (out->collective, groups[1], sizeof out->collective);
  out->elements = g_ascii_strtod (groups[2], NULL);
  out->timeout_s = g_ascii_strtod (groups[3], NULL) / 1000;
  read_rank (text, "\\[?[Rr]ank ([0-9]+)\\]?", out);
  return TRUE;
}

/**
 * shardwise_failure_read:
 * @text: any bytes: the end of a log, a traceback, a message
 * @length: their count, or -1
 * @out: (out): the facts in them
 *
 * Reads the messages of PyTorch, bitsandbytes and drivers for a GPU out of memory, of NCCL's
 * watchdog for a collective that does not end, of DeepSpeed and Apex for overflows of fp16, and of
 * launchers for a process that ran out of host memory.
 *
 * Returns: whether the text is one of these
 */
gboolean
shardwise_failure_read (const char *text, gssize length, ShardwiseFailure *out)
{
  static const char *const words[] = { "out of memory",
                                       "operation timeout",
                                       "loss scale",
                                       "SIGKILL",
                                       "xitcode",
                                       "oom",
                                       "OOMKilled",
                                       "Killed",
                                       "ALLOC_FAILED",
                                       "dispatched on the",
                                       "can't allocate",
                                       "running low on memory",
                                       "Connection closed",
                                       "unscale FP16",
                                       "NCCL",
                                       "nccl",
                                       "client socket",
                                       "nan",
                                       "NaN",
                                       "RESOURCE_EXHAUSTED",
                                       "cache" };
  g_autofree char *valid = NULL;
  g_auto (GStrv) scale = NULL, step = NULL;
  gboolean some = FALSE;

  g_return_val_if_fail (text != NULL && out != NULL, FALSE);

  memset (out, 0, sizeof *out);
  length = length < 0 ? (gssize) strlen (text) : length;
  if (length > (gssize) MAX_BYTES)
    return FALSE;
  if (length > (gssize) END_OF_LOG)
    {
      text += length - (gssize) END_OF_LOG;
      length = (gssize) END_OF_LOG;
    }
  for (guint i = 0; i < G_N_ELEMENTS (words) && !some; i++)
    some = g_strstr_len (text, length, words[i]) != NULL;
  if (!some)
    return FALSE;
  valid = g_utf8_make_valid (text, length);
  if (read_memory (valid, out) || read_timeout (valid, out))
    return TRUE;
  if (has (valid, "Current loss scale already at minimum|"
                  "Gradient overflow\\.\\s+Skipping step.*reducing loss scale to 0|"
                  "Minimum loss scale reached"))
    {
      out->kind = SHARDWISE_FAILURE_OVERFLOW;
      return TRUE;
    }
  if (has (valid, "Attempting to unscale FP16 gradients"))
    {
      out->kind = SHARDWISE_FAILURE_HALF;
      return TRUE;
    }
  if (has (valid, KILLED))
    {
      out->kind = SHARDWISE_FAILURE_KILLED;
      read_rank (valid, "rank *: ([0-9]+)", out);
      return TRUE;
    }
  if (has (valid, NO_NETWORK))
    {
      out->kind = SHARDWISE_FAILURE_NETWORK;
      read_rank (valid, "\\[rank([0-9]+)\\]", out);
      return TRUE;
    }
  scale = last_match (valid, "OVERFLOW! .*Skipping step\\..*[Rr]educing to ([0-9.]+)");
  /* The last line that Hugging Face's trainer prints for a step. */
  step = last_match (valid, "'(?:loss|grad_norm)': '?([-+.0-9a-z]+)");
  if (scale == NULL && !has (valid, NOT_A_NUMBER)
      && (step == NULL || !g_str_equal (step[1], "nan")))
    return FALSE;
  out->kind = scale != NULL ? SHARDWISE_FAILURE_SCALE : SHARDWISE_FAILURE_NOT_A_NUMBER;
  out->scale = scale != NULL ? g_ascii_strtod (scale[1], NULL) : 0;
  return TRUE;
}

/* Whether a line is from a log, not from the user: of Python, with a launcher's or glog's prefix, a
 * progress bar, or a step of Hugging Face's trainer. */
static gboolean
is_of_log (const char *line)
{
  static const char *const words[] = {
    "Error",      "out of memory", "Traceback", "operation timeout", "%|",
    "loss scale", "Exception",     "WARNING",   "warnings.warn",     "OVERFLOW!"
  };

  if (*line == '[' || g_str_has_prefix (line, "{'") || g_str_has_prefix (line, "File \"")
      || (*line != '\0' && strchr ("WEIF", *line) != NULL && g_ascii_isdigit (line[1])
          && g_ascii_isdigit (line[2])))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (words) && strstr (line, " --") == NULL; i++)
    if (strstr (line, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

/**
 * shardwise_failure_beside:
 * @text: UTF-8 text for shardwise_failure_read()
 *
 * Returns: (transfer full): the text before and after the error: words, a command, a configuration,
 *   or nothing
 */
char *
shardwise_failure_beside (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const guint n = g_strv_length (lines);
  guint first = 0, last = n;
  GString *out = g_string_new (NULL);

  while (first < n && !is_of_log (lines[first]))
    first++;
  while (last > first && !(is_of_log (lines[last - 1]) || g_ascii_isspace (*lines[last - 1])))
    last--;
  for (guint i = 0; i < n; i++)
    if (i < first || i >= last)
      g_string_append_printf (out, "%s\n", lines[i]);
  return g_strstrip (g_string_free (out, FALSE));
}

/**
 * shardwise_failure_gpu:
 * @self: an error message
 *
 * Returns: (transfer none) (nullable): the GPU that most likely has the memory that the message
 *   states, in GiB as in names of GPUs; %NULL if it states none
 */
const SwGpu *
shardwise_failure_gpu (const ShardwiseFailure *self)
{
  return self->capacity > 0 ? shardwise_catalogue_gpu_for_memory (shardwise_catalogue_get (),
                                                                  self->capacity / SW_GIB)
                            : NULL;
}

/* ---- what to change ---- */

/* The job that failed. */
typedef struct {
  const ShardwiseFailure *failure;
  SwProblem problem;
  SwEstimate now;
  GPtrArray *findings;
} Job;

static ShardwiseFinding *
add (Job *self, ShardwiseSeverity severity, const char *code, char *text, char *effect)
{
  ShardwiseFinding *finding = shardwise_finding_new (severity, code, text, effect);

  g_ptr_array_add (self->findings, finding);
  return finding;
}

static void
add_memory (Job *self, gboolean has_job)
{
  static const char *const texts[] = {
    [SHARDWISE_PHASE_UNKNOWN] =
        N_ ("A GPU ran out of memory: the allocation of %s failed with %s of %s free."),
    [SHARDWISE_PHASE_LOADING] = N_ ("A GPU ran out of memory while the model was loaded: the "
                                    "allocation of %s failed with %s of %s free."),
    [SHARDWISE_PHASE_FORWARD] = N_ ("A GPU ran out of memory in the forward pass: the allocation "
                                    "of %s failed with %s of %s free."),
    [SHARDWISE_PHASE_LOSS] = N_ ("A GPU ran out of memory in the logits and the loss: the "
                                 "allocation of %s failed with %s of %s free."),
    [SHARDWISE_PHASE_BACKWARD] = N_ ("A GPU ran out of memory in the backward pass: the allocation "
                                     "of %s failed with %s of %s free."),
    [SHARDWISE_PHASE_OPTIMIZER] = N_ (
        "A GPU ran out of memory in the optimizer step, which allocates the optimizer states: "
        "the allocation of %s failed with %s of %s free."),
    [SHARDWISE_PHASE_GENERATION] = N_ ("A GPU ran out of memory for the cache of generation: the "
                                       "allocation of %s failed with %s of %s free."),
  };
  const ShardwiseFailure *failure = self->failure;
  g_autofree char *tried = shardwise_format_bytes (failure->tried),
                  *free_ = shardwise_format_bytes (failure->free),
                  *capacity = shardwise_format_bytes (failure->capacity), *effect = NULL;

  if (has_job)
    {
      g_autofree char *total = shardwise_format_bytes (self->now.memory.peak.total),
                      *low = shardwise_format_bytes (self->now.memory_low_bytes),
                      *high = shardwise_format_bytes (self->now.memory_high_bytes);

      /* Translators: amounts of memory: the prediction, and the ends of its interval */
      effect = g_strdup_printf (_ ("The prediction for this job is %s (%s to %s)."), total, low,
                                high);
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  add (self, SHARDWISE_SEVERITY_ERROR, "failure",
       failure->capacity > 0 ? g_strdup_printf (_ (texts[failure->phase]), tried, free_, capacity)
       : failure->tried > 0
           /* Translators: an amount of memory */
           ? g_strdup_printf (_ ("A GPU ran out of memory: the allocation of %s failed."), tried)
           : failure->phase == SHARDWISE_PHASE_LOADING
                 ? g_strdup (_ ("A GPU ran out of memory while the model was loaded."))
             : failure->phase == SHARDWISE_PHASE_GENERATION
                 ? g_strdup (_ ("No memory is left for vLLM’s cache: raise gpu_memory_utilization, "
                                "or free memory on its GPUs."))
             : failure->phase == SHARDWISE_PHASE_OPTIMIZER
                 ? g_strdup (_ ("A GPU ran out of memory in the optimizer step, which allocates "
                                "the optimizer states."))
                 : g_strdup (_ ("A GPU ran out of memory.")),
       g_steal_pointer (&effect));
#pragma GCC diagnostic pop
  if (has_job && failure->capacity > 0
      && fabs (self->problem.cluster.usable_bytes / failure->capacity - 1) > OTHER_GPU)
    {
      g_autofree char *computed = shardwise_format_bytes (self->problem.cluster.usable_bytes);

      add (self, SHARDWISE_SEVERITY_WARNING, "failure",
           /* Translators: an amount of memory, a GPU, its memory */
           g_strdup_printf (_ ("The run had GPUs with %s; the figures here are for %s with %s. "
                               "Choose the GPU of the run."),
                            capacity, self->problem.cluster.gpu.name, computed),
           NULL);
    }
  if (failure->others > MUCH_OTHERS)
    {
      g_autofree char *others = shardwise_format_bytes (failure->others);

      add (self, SHARDWISE_SEVERITY_WARNING, "failure",
           /* Translators: an amount of memory */
           g_strdup_printf (_ ("Other processes use %s of this GPU: end them first (nvidia-smi)."),
                            others),
           NULL);
    }
  if (failure->unused > MUCH_UNUSED * failure->capacity && failure->unused > 0)
    {
      g_autofree char *unused = shardwise_format_bytes (failure->unused);

      add (
          self, SHARDWISE_SEVERITY_WARNING, "failure",
          /* Translators: an amount of memory */
          g_strdup_printf (_ ("PyTorch has reserved %s that it does not use: memory is fragmented. "
                              "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True may be enough."),
                           unused),
          NULL);
    }
  if (has_job)
    shardwise_memory_ways (&self->problem, &self->now, failure->tried - failure->free,
                           failure->phase == SHARDWISE_PHASE_LOADING, self->findings);
}

/* "all-gather (_ALLGATHER_BASE)": the operation in words, with the name by which a log is searched. */
static char *
collective_name (const char *type)
{
  static const struct {
    const char *part, *name;
  } names[] = {
    { "ALLREDUCE", NC_ ("collective", "all-reduce") },
    { "REDUCE_SCATTER", NC_ ("collective", "reduce-scatter") },
    { "ALLGATHER", NC_ ("collective", "all-gather") },
    { "ALLTOALL", NC_ ("collective", "all-to-all") },
    { "BROADCAST", NC_ ("collective", "broadcast") },
    { "BARRIER", NC_ ("collective", "barrier") },
    { "SEND", NC_ ("collective", "send") },
    { "RECV", NC_ ("collective", "receive") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strstr (type, names[i].part) != NULL)
      return g_strdup_printf ("%s (%s)", g_dpgettext2 (NULL, "collective", names[i].name), type);
  return g_strdup (type);
}

static void
add_timeout (Job *self, gboolean has_job)
{
  const ShardwiseFailure *failure = self->failure;
  g_autofree char *waited = shardwise_format_seconds (failure->timeout_s),
                  *collective = collective_name (failure->collective), *effect = NULL;

  if (has_job && self->now.time.step_s > 0)
    {
      g_autofree char *step = shardwise_format_seconds (self->now.time.step_s);

      effect = g_strdup_printf (
          self->now.time.step_s < failure->timeout_s
              /* Translators: a duration */
              ? _ ("The predicted time of a whole step is %s: the job is not slow, it hangs.")
              /* Translators: a duration */
              : _ ("The predicted time of a whole step is %s: the time limit is too short."),
          step);
    }
  add (self, SHARDWISE_SEVERITY_ERROR, "failure",
       /* Translators: a duration, then an operation: "all-reduce (ALLREDUCE)" */
       g_strdup_printf (_ ("A rank waited %s for %s, which another rank never started."), waited,
                        collective),
       g_steal_pointer (&effect));
  add (self, SHARDWISE_SEVERITY_WARNING, "failure",
       g_strdup (_ ("Look at the ranks that did not wait: their first error, usually out of memory "
                    "or bad data, is the cause. Ranks that take different branches or have "
                    "different numbers of batches also cause this; NCCL_DEBUG=INFO and "
                    "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 show which.")),
       NULL);
}

static void
add_network (Job *self)
{
  add (self, SHARDWISE_SEVERITY_ERROR, "failure",
       g_strdup (_ ("NCCL could not reach another rank: a process ended, or the network or its "
                    "settings are wrong.")),
       NULL);
  add (
      self, SHARDWISE_SEVERITY_WARNING, "failure",
      g_strdup (_ ("Look for the first error of any rank. If there is none, set NCCL_DEBUG=INFO, "
                   "and check NCCL_SOCKET_IFNAME, the firewall between the nodes, the InfiniBand "
                   "devices (NCCL_IB_HCA), and in containers the size of /dev/shm and the limit of "
                   "locked memory.")),
      NULL);
}

static void
add_killed (Job *self, gboolean has_job)
{
  SwMoments moments;
  char *effect = NULL;

  if (has_job && sw_moments (&self->problem, &self->now, &moments))
    {
      g_autofree char *run = shardwise_format_bytes (self->now.memory.host_bytes),
                      *loading = shardwise_format_bytes (moments.loading_host),
                      *host =
                          shardwise_format_bytes (sw_cluster_host_bytes (&self->problem.cluster));

      /* Translators: amounts of memory */
      effect = g_strdup_printf (_ ("Of a node’s host memory of %s, this job uses %s while it runs, "
                                   "and up to %s while the model is loaded."),
                                host, run, loading);
    }
  add (self, SHARDWISE_SEVERITY_ERROR, "failure",
       g_strdup (_ ("A process was killed, usually because a node’s host memory was full; its "
                    "kernel log (dmesg) shows it.")),
       effect);
  add (self, SHARDWISE_SEVERITY_WARNING, "failure",
       g_strdup (_ ("Load the model so that not every process holds all of it (Accelerate’s "
                    "cpu_ram_efficient_loading, ZeRO 3 within zero.Init), use fewer data loader "
                    "workers, and raise the memory limit of the job.")),
       NULL);
  if (has_job && self->now.strategy.offload != SW_OFFLOAD_NONE)
    {
      SwStrategy strategy = self->now.strategy;

      strategy.offload = SW_OFFLOAD_NONE;
      add (self, SHARDWISE_SEVERITY_INFO, "change-offload",
           g_strdup (_ ("No offload: the GPUs then hold what the host holds now.")), NULL)
          ->changes =
          g_variant_ref_sink (shardwise_strategy_changes (&strategy, 1u << SW_DIM_OFFLOAD));
    }
}

static void
add_overflow (Job *self, gboolean has_job)
{
  const ShardwiseFailure *failure = self->failure;
  const gboolean has_bf16 = has_job && self->problem.cluster.gpu.peak_bf16_flops_per_s > 0,
                 searches = failure->kind == SHARDWISE_FAILURE_SCALE
                            && failure->scale >= FIRST_SCALE;

  add (self, searches ? SHARDWISE_SEVERITY_WARNING : SHARDWISE_SEVERITY_ERROR, "failure",
       failure->kind == SHARDWISE_FAILURE_SCALE
           /* Translators: a number */
           ? g_strdup_printf (_ ("fp16 overflowed and steps were skipped: the loss scale fell to "
                                 "%g. In the first steps, this is how the scale finds its value; "
                                 "later, or near 1, it means that gradients are not finite."),
                              failure->scale)
           : failure->kind == SHARDWISE_FAILURE_HALF ? g_strdup (
                 _ ("The trained weights are in fp16, whose gradients no loss scaler takes: "
                    "load them in fp32, or train in bf16."))
             : failure->kind == SHARDWISE_FAILURE_NOT_A_NUMBER
                 ? g_strdup (_ ("The loss or its gradients are not finite (nan)."))
                 : g_strdup (_ (
                     "fp16 overflows at the smallest loss scale: gradients are no longer finite.")),
       NULL);
  if (has_bf16 && self->problem.training.precision == SW_PRECISION_FP16)
    {
      GVariantDict dict;

      g_variant_dict_init (&dict, NULL);
      shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_PRECISION, "s",
                                sw_precision_names[SW_PRECISION_BF16]);
      add (self, SHARDWISE_SEVERITY_INFO, "change-precision",
           g_strdup (_ ("bf16 needs no loss scale and has the range of fp32.")), NULL)
          ->changes = g_variant_ref_sink (g_variant_dict_end (&dict));
    }
  else if (!searches && failure->kind != SHARDWISE_FAILURE_HALF)
    add (self, SHARDWISE_SEVERITY_WARNING, "failure",
         g_strdup (_ ("Lower the learning rate, warm up longer, clip gradients, and look for data "
                      "that is not finite.")),
         NULL);
}

/* The strategy of the job if it states one that can run; otherwise the usual start. */
static gboolean
find_job (ShardwiseScenario *scenario, Job *self)
{
  const SwSearchOptions options = { .top = 1 };
  g_autoptr (GPtrArray) notes = NULL;
  SwSearchResult result;
  SwProblem asked;
  gboolean found;

  if (scenario == NULL)
    return FALSE;
  if (shardwise_estimate_scenario (scenario, &self->problem, &self->now, &notes, NULL)
      && self->now.strategy.tp > 0 && self->now.memory.peak.total > 0)
    {
      /* The fix is to change pinned values. */
      self->problem.pins.mask = 0;
      self->problem.training.micro_batch = 0;
      return TRUE;
    }
  if (!shardwise_scenario_resolve (scenario, &self->problem, NULL, NULL))
    return FALSE;
  asked = self->problem;
  sw_search_start (&asked, &options, &result);
  found = result.n_best + result.n_nearest > 0;
  if (found)
    sw_estimate (&self->problem, &(result.n_best > 0 ? result.best : result.nearest)[0].strategy,
                 &self->now);
  sw_search_result_clear (&result);
  return found;
}

/**
 * shardwise_failure_findings:
 * @self: an error message
 * @scenario: (nullable): the job that failed
 *
 * Returns: (transfer full) (element-type ShardwiseFinding): what the message says, and, of memory, what
 *   saves enough of it in this job: see shardwise_memory_ways()
 */
GPtrArray *
shardwise_failure_findings (const ShardwiseFailure *self, ShardwiseScenario *scenario)
{
  Job job = {
    .failure = self,
    .findings = g_ptr_array_new_with_free_func (shardwise_finding_free),
  };
  const gboolean has_job = find_job (scenario, &job);

  switch (self->kind)
    {
    case SHARDWISE_FAILURE_OUT_OF_MEMORY: add_memory (&job, has_job); break;
    case SHARDWISE_FAILURE_TIMEOUT: add_timeout (&job, has_job); break;
    case SHARDWISE_FAILURE_KILLED: add_killed (&job, has_job); break;
    case SHARDWISE_FAILURE_NETWORK: add_network (&job); break;
    case SHARDWISE_FAILURE_HALF:
    case SHARDWISE_FAILURE_NOT_A_NUMBER:
    case SHARDWISE_FAILURE_SCALE:
    case SHARDWISE_FAILURE_OVERFLOW: add_overflow (&job, has_job); break;
    default: g_assert_not_reached ();
    }
  return job.findings;
}

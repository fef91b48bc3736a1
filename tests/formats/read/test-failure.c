/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error messages of runs, and what to change after them. */
#include "shardwise-failure.h"

#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-estimate.h"
#include "shardwise-format.h"
#include "shardwise-import.h"

#define FRAMES                                                                                     \
  "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n"                 \
  "    loss = model(**batch).loss\n"
/* As PyTorch 2.6 says it, and as 1.13 does. */
static const char now[] = FRAMES
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 3 has a total "
    "capacity of 23.65 GiB of which 512.00 MiB is free. Process 8513 has 2.50 GiB memory in use. "
    "Including non-PyTorch memory, this process has 20.65 GiB memory in use. Of the allocated "
    "memory 17.82 GiB is allocated by PyTorch, and 2.31 GiB is reserved by PyTorch but "
    "unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF";
static const char then[] =
    "  File \"x.py\", line 1, in y\n    loss.backward()\n"
    "RuntimeError: CUDA out of memory. Tried to allocate 250.00 MiB (GPU 0; 15.90 GiB total "
    "capacity; 14.10 GiB already allocated; 101.75 MiB free; 14.90 GiB reserved in total by "
    "PyTorch)";
static const char timeout[] =
    "[rank5]:[E ProcessGroupNCCL.cpp:616] [Rank 5] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=1234, OpType=ALLREDUCE, NumelIn=16777216, NumelOut=16777216, "
    "Timeout(ms)=600000) ran for 600029 milliseconds before timing out.";

static const char job[] =
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"rtx-4090\", \"gpus\": 1}, "
    "\"training\": {\"type\": \"lora\", \"sequence_length\": 4096, \"global_batch_size\": 16, "
    "\"framework\": \"fsdp2\", \"micro_batch_size\": 2}, \"strategy\": {\"tp\": 1, \"pp\": 1, "
    "\"dp\": 1, \"cp\": 1, \"recompute\": \"none\"}}";

static void
test_memory (void)
{
  ShardwiseFailure failure;

  g_assert_true (shardwise_failure_read (now, -1, &failure));
  g_assert_cmpint (failure.kind, ==, SHARDWISE_FAILURE_OUT_OF_MEMORY);
  g_assert_cmpuint (failure.rank, ==, 3);
  g_assert_cmpfloat (failure.tried, ==, 1.96 * SW_GIB);
  g_assert_cmpfloat (failure.capacity, ==, 23.65 * SW_GIB);
  g_assert_cmpfloat (failure.free, ==, 0.5 * SW_GIB);
  g_assert_cmpfloat (failure.allocated, ==, 17.82 * SW_GIB);
  g_assert_cmpfloat (failure.unused, ==, 2.31 * SW_GIB);
  g_assert_cmpfloat_with_epsilon (failure.others, 2.5 * SW_GIB, 0.01 * SW_GIB);
  g_assert_true (shardwise_failure_read (then, -1, &failure));
  g_assert_cmpint (failure.phase, ==, SHARDWISE_PHASE_BACKWARD);
  g_assert_cmpfloat (failure.tried, ==, 250.0 * (1 << 20));
  g_assert_cmpfloat (failure.capacity, ==, 15.9 * SW_GIB);
  g_assert_cmpfloat_with_epsilon (failure.unused, 0.8 * SW_GIB, 1e-3 * SW_GIB);
}

static void
test_others (void)
{
  static const struct {
    const char *text;
    ShardwiseFailureKind kind;
    ShardwisePhase phase;
  } kinds[] = {
    { "  File \"/x/bitsandbytes/optim/optimizer.py\", line 328, in step\n"
      "RuntimeError: CUDA error: out of memory",
      SHARDWISE_FAILURE_OUT_OF_MEMORY, SHARDWISE_PHASE_OPTIMIZER },
    { "Error out of memory at line 380 in file /src/csrc/pythonInterface.cpp",
      SHARDWISE_FAILURE_OUT_OF_MEMORY, SHARDWISE_PHASE_UNKNOWN },
    { "ValueError: Some modules are dispatched on the CPU or the disk. Make sure you have enough "
      "GPU RAM to fit the quantized model.",
      SHARDWISE_FAILURE_OUT_OF_MEMORY, SHARDWISE_PHASE_LOADING },
    { "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 2, reducing to 1",
      SHARDWISE_FAILURE_SCALE, SHARDWISE_PHASE_UNKNOWN },
    { "  rank      : 3 (local_rank: 3)\n  exitcode  : -9 (pid: 4120)", SHARDWISE_FAILURE_KILLED,
      SHARDWISE_PHASE_UNKNOWN },
    { "Out of memory: Killed process 4120 (python3) total-vm:5kB", SHARDWISE_FAILURE_KILLED,
      SHARDWISE_PHASE_UNKNOWN },
    { "ValueError: No available memory for the cache blocks. Try increasing it",
      SHARDWISE_FAILURE_OUT_OF_MEMORY, SHARDWISE_PHASE_GENERATION },
    { "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 "
      "bytes.",
      SHARDWISE_FAILURE_OUT_OF_MEMORY, SHARDWISE_PHASE_UNKNOWN },
    { "RuntimeError: NCCL error in: ../ProcessGroupNCCL.cpp:1970, unhandled system error\n"
      "ncclSystemError: System call (e.g. socket, malloc) or external library call failed",
      SHARDWISE_FAILURE_NETWORK, SHARDWISE_PHASE_UNKNOWN },
    { "{'loss': 1.5, 'grad_norm': 2.5}\n{'loss': 0.0, 'grad_norm': nan, 'epoch': 0.02}",
      SHARDWISE_FAILURE_NOT_A_NUMBER, SHARDWISE_PHASE_UNKNOWN },
    { "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of "
      "memory)\n"
      "Requested               : 1.20 GiB\nDevice limit            : 23.65 GiB",
      SHARDWISE_FAILURE_OUT_OF_MEMORY, SHARDWISE_PHASE_UNKNOWN },
    { "ValueError: Attempting to unscale FP16 gradients.", SHARDWISE_FAILURE_HALF,
      SHARDWISE_PHASE_UNKNOWN },
    { "RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.4]:2345",
      SHARDWISE_FAILURE_NETWORK, SHARDWISE_PHASE_UNKNOWN },
    { "slurmstepd: error: Detected 1 oom_kill event in StepId=8123.0.", SHARDWISE_FAILURE_KILLED,
      SHARDWISE_PHASE_UNKNOWN },
  };
  ShardwiseFailure failure;

  g_assert_true (shardwise_failure_read (timeout, -1, &failure));
  g_assert_cmpint (failure.kind, ==, SHARDWISE_FAILURE_TIMEOUT);
  g_assert_cmpstr (failure.collective, ==, "ALLREDUCE");
  g_assert_cmpfloat (failure.timeout_s, ==, 600);
  g_assert_cmpuint (failure.rank, ==, 5);
  g_assert_true (
      shardwise_failure_read ("Exception: Current loss scale already at minimum - cannot "
                              "decrease scale anymore.",
                              -1, &failure));
  g_assert_cmpint (failure.kind, ==, SHARDWISE_FAILURE_OVERFLOW);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (!shardwise_failure_read (kinds[i].text, -1, &failure))
        g_error ("not read: %s", kinds[i].text);
      g_assert_cmpint (failure.kind, ==, kinds[i].kind);
      g_assert_cmpint (failure.phase, ==, kinds[i].phase);
    }
  g_assert_false (
      shardwise_failure_read ("a loss scale of 3 and nothing out of memory", -1, &failure));
  /* One step that was skipped is no end. */
  g_assert_false (shardwise_failure_read ("{'loss': 0.0, 'grad_norm': nan, 'epoch': 0.02}\n"
                                          "{'loss': 1.5, 'grad_norm': 2.5, 'epoch': 0.03}",
                                          -1, &failure));
  g_assert_false (shardwise_failure_read ("\xff\xfe", 2, &failure));
}

/* What is enough comes first, each with what the engine says it then needs; what alone is not enough
 * follows in one row, which changes nothing. Where no single change is enough, changes are combined. */
static void
test_ways (void)
{
  static const struct {
    const char *model, *gpu, *training; /* of the job above */
    const char *first, *text;
  } cases[] = {
    { "llama-3-8b", "rtx-4090", "lora", "change-recompute", "Recomputation: full" },
    { "qwen3-4b", "l40s", "finetune", "change-several", "8-bit Adam" }, /* the same job */
    { "llama-3-8b", "a100-40-sxm", "finetune", "change-several", "LoRA" },
    { "llama-3-8b", "a100-80-sxm", "finetune", "change-lora", "LoRA" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
      g_autoptr (GPtrArray) findings = NULL, notes = NULL;
      ShardwiseFailure failure = { .kind = SHARDWISE_FAILURE_OUT_OF_MEMORY };
      const ShardwiseFinding *first = NULL;
      SwProblem problem;
      SwEstimate before;
      guint n_misses = 0;

      shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET,
                              g_variant_new_string (cases[i].model), NULL);
      shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPU,
                              g_variant_new_string (cases[i].gpu), NULL);
      shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_TYPE,
                              g_variant_new_string (cases[i].training), NULL);
      g_assert_true (shardwise_estimate_scenario (scenario, &problem, &before, &notes, NULL));
      findings = shardwise_failure_findings (&failure, scenario);
      g_assert_cmpstr (((ShardwiseFinding *) findings->pdata[0])->code, ==, "failure");
      for (guint j = 1; j < findings->len; j++)
        {
          const ShardwiseFinding *finding = findings->pdata[j];
          g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);
          g_autoptr (GPtrArray) more = NULL;
          g_autofree char *needs = NULL;
          SwEstimate after;

          g_test_message ("%s: %s (%s)", finding->code, finding->text, finding->effect);
          g_assert_cmpuint (n_misses, ==, 0);
          n_misses += g_str_equal (finding->code, "not-enough");
          if (n_misses > 0)
            {
              g_assert_null (finding->changes);
              continue;
            }
          first = first != NULL ? first : finding;
          g_assert_true (shardwise_scenario_apply (changed, finding->changes, NULL));
          g_assert_true (shardwise_estimate_scenario (changed, &problem, &after, &more, NULL));
          needs = shardwise_format_bytes (after.memory.peak.total);
          g_assert_nonnull (strstr (finding->effect, needs));
          g_assert_cmpfloat (after.memory.peak.total, <=, after.usable_bytes);
          if (g_str_equal (finding->code, "change-several"))
            g_assert_nonnull (strstr (finding->text, " + "));
        }
      g_assert_cmpuint (n_misses, ==, 1);
      g_assert_nonnull (first);
      g_assert_cmpstr (first->code, ==, cases[i].first);
      g_assert_nonnull (strstr (first->text, cases[i].text));
    }
}

/* With the file of its job, or over the scenario at hand; alone it is said and nothing is changed. */
static void
test_import (void)
{
  const ShardwiseImportText files[] = { { job, strlen (job), "job.shardwise" },
                                        { now, strlen (now), "error.txt" } };
  static const char cut[] = "CUDA out of memory. Tried to allocate 2.00 GiB.";
  g_autoptr (ShardwiseScenario) base = scenario_of (job);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseImport) bare = NULL;
  g_autoptr (ShardwiseImport) together = shardwise_import_read_job (files, 2, NULL, &error),
                              over = shardwise_import_read (now, strlen (now), "", base, &error),
                              alone = shardwise_import_read (timeout, strlen (timeout), "", NULL,
                                                             &error);

  g_assert_no_error (error);
  g_assert_cmpint (together->kind, ==, SHARDWISE_IMPORT_SCENARIO);
  g_assert_cmpuint (together->findings->len, >, 4);
  g_assert_cmpint (over->kind, ==, SHARDWISE_IMPORT_ERROR);
  g_assert_cmpuint (over->findings->len, ==, together->findings->len);
  g_assert_cmpint (alone->kind, ==, SHARDWISE_IMPORT_ERROR);
  g_assert_cmpuint (alone->findings->len, ==, 2);
  /* In words, with the name by which the log is searched. */
  g_assert_nonnull (
      strstr (((ShardwiseFinding *) alone->findings->pdata[0])->text, "all-reduce (ALLREDUCE)"));

  /* What the message leaves out is not said. */
  bare = shardwise_import_read (cut, strlen (cut), "", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (((ShardwiseFinding *) bare->findings->pdata[0])->text, ==,
                   "A GPU ran out of memory: the allocation of 2.00 GiB failed.");
}

/* A command and what it ended with, in one text: the job is that of the command, on the GPU whose memory
 * the message has. */
static void
test_command (void)
{
  static const char *const commands[] = {
    "(base) me@box:~/x$ CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 2 finetune.py \\\n"
    "   --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 4 \\\n"
    "   --bf16 True --ddp_timeout 180000000\n",
    "$ accelerate launch --num_processes 2 -m trl sft --model_name_or_path "
    "meta-llama/Llama-3.1-8B --per_device_train_batch_size 4 --bf16\n"
    "  0%|          | 0/1250 [00:00<?, ?it/s]\n",
    "CUDA_VISIBLE_DEVICES=0,1 FORCE_TORCHRUN=1 llamafactory-cli train --stage sft --do_train "
    "--model_name_or_path meta-llama/Llama-3.1-8B --finetuning_type full "
    "--per_device_train_batch_size 4 --bf16 true\nLoading checkpoint shards: 100%|####| 4/4\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *both = g_strconcat (commands[i], now, NULL), *gpu = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) plain = shardwise_import_read (commands[i], strlen (commands[i]),
                                                                 "", NULL, &error),
                                  failed = shardwise_import_read (both, strlen (both), "error.txt",
                                                                  NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (failed->kind, ==, plain->kind);
      g_assert_cmpint (shardwise_scenario_get_number (failed->scenario,
                                                      SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, 0),
                       ==, 4);
      gpu = shardwise_scenario_get_string (failed->scenario, SHARDWISE_KEY_CLUSTER_GPU);
      g_assert_cmpstr (gpu, ==, "rtx-4090");
      g_assert_cmpuint (failed->findings->len, >, plain->findings->len + 4);
    }
}

/* The message of another GPU than that of the scenario is told from it. */
static void
test_other_gpu (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
  ShardwiseFailure failure;
  guint n = 0;

  g_assert_true (shardwise_failure_read (now, -1, &failure));
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) findings = NULL;

      failure.capacity *= 1 + i;
      findings = shardwise_failure_findings (&failure, scenario);
      for (guint j = 0; j < findings->len; j++)
        n += strstr (((ShardwiseFinding *) findings->pdata[j])->text, "Choose the GPU") != NULL;
      g_assert_cmpuint (n, ==, i);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/failure/memory", test_memory);
  g_test_add_func ("/failure/others", test_others);
  g_test_add_func ("/failure/ways", test_ways);
  g_test_add_func ("/failure/import", test_import);
  g_test_add_func ("/failure/command", test_command);
  g_test_add_func ("/failure/other-gpu", test_other_gpu);
  return g_test_run ();
}

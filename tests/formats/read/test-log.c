/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of training logs, as the frameworks word them. */
#include "shardwise-log.h"

#include <math.h>

static void
read_log (const char *text, ShardwiseLog *out)
{
  g_autoptr (GError) error = NULL;

  shardwise_log_read (text, -1, out, &error);
  g_assert_no_error (error);
}

static void
test_megatron (void)
{
  ShardwiseLog log;

  read_log (
      " [2026-01-01 10:00:00.000] iteration       10/    1000 | consumed samples:         1280 "
      "| elapsed time per iteration (ms): 5123.4 | throughput per GPU (TFLOP/s/GPU): 412.3 | "
      "learning rate: 1.000000E-04 | global batch size:   128 | lm loss: 7.1E+00 | loss scale: "
      "1.0 | number of skipped iterations:   0 |\n"
      "[Rank 0] (after 10 iterations) memory (MB) | allocated: 40000.0 | max allocated: 61440.0 | "
      "reserved: 65536.0 | max reserved: 66560.0\n",
      &log);
  g_assert_cmpstr (log.framework, ==, "Megatron-LM");
  g_assert_cmpfloat_with_epsilon (log.step_s, 5.1234, 1e-9);
  g_assert_cmpuint (log.global_batch, ==, 128);
  g_assert_cmpfloat_with_epsilon (log.memory_gib, 65, 1e-9);
  g_assert_cmpint (log.memory_kind, ==, 'r');
}

/* With its colours, as a terminal is copied. */
static void
test_torchtitan (void)
{
  ShardwiseLog log;

  read_log ("[rank0]:\x1b[31mstep: 20  \x1b[32mloss:  4.8163  \x1b[33mmemory: 60.21GiB(76.03%)  "
            "\x1b[34mtps: 7,500  \x1b[36mtflops: 434.12  \x1b[35mmfu: 43.9%\x1b[39m\n",
            &log);
  g_assert_cmpstr (log.framework, ==, "TorchTitan");
  g_assert_cmpfloat (log.step_s, ==, 0);
  g_assert_cmpfloat (log.tokens_per_s_per_gpu, ==, 7500);
  g_assert_cmpfloat (log.memory_gib, ==, 60.21);
  /* 16 sequences of 8,192 tokens over 8 GPUs */
  g_assert_cmpfloat_with_epsilon (shardwise_log_get_step_s (&log, 8, 16, 8192),
                                  16 * 8192 / (7500.0 * 8), 1e-9);
}

static void
test_deepspeed (void)
{
  ShardwiseLog log;

  read_log ("[2026-01-01 10:00:00,000] [INFO] [timer.py:258:stop] epoch=0/micro_step=100/"
            "global_step=25, RunningAvgSamplesPerSec=12.1, CurrSamplesPerSec=12.5, "
            "MemAllocated=23.41GB, MaxMemAllocated=56.7GB\n",
            &log);
  g_assert_cmpstr (log.framework, ==, "DeepSpeed");
  g_assert_cmpfloat (log.samples_per_s, ==, 12.5);
  g_assert_cmpint (log.memory_kind, ==, 'a');
  g_assert_cmpfloat_with_epsilon (shardwise_log_get_step_s (&log, 8, 50, 4096), 4, 1e-9);
}

/* The format of DeepSpeed until 0.7 with the mean since the start after the latest value, and the
 * line of GPT-NeoX. */
static void
test_deepspeed_releases (void)
{
  ShardwiseLog log;

  read_log ("[2022-01-01 10:00:00,000] [INFO] [timer.py:189:stop] 0/40, SamplesPerSec=83.5, "
            "MemAllocated=0.26GB, MaxMemAllocated=9.02GB\n",
            &log);
  g_assert_cmpstr (log.framework, ==, "DeepSpeed");
  g_assert_cmpfloat (log.samples_per_s, ==, 83.5);
  g_assert_cmpfloat (log.memory_gib, ==, 9.02);
  read_log ("[timer.py:197:stop] 0/17, RunningAvgSamplesPerSec=158.3, CurrSamplesPerSec=160.0\n",
            &log);
  g_assert_cmpfloat (log.samples_per_s, ==, 160);
  read_log (" samples/sec: 7.8 | iteration 34/ 10000 | elapsed time per iteration (ms): 4100.0 | "
            "learning rate: 2.1E-06 | approx flops per GPU: 112.9TFLOPS |\n",
            &log);
  g_assert_cmpfloat_with_epsilon (log.step_s, 4.1, 1e-9);
  g_assert_cmpfloat (log.samples_per_s, ==, 7.8);
}

/* Early releases have the memory in the line; later ones word the time otherwise. */
static void
test_nanotron_releases (void)
{
  ShardwiseLog log;

  read_log ("01/17/2024 14:02:16 [INFO|DP=0|PP=0|TP=0|node]: iteration: 991 / 1000 | "
            "consumed_tokens: 634K | elapsed_time_per_iteration_ms: 272 | tokens_per_sec: 2.35K | "
            "tokens_per_sec_per_gpu: 294 | global_batch_size: 20 | lm_loss: 9.6 | "
            "cuda_memory_allocated: 90.9M | cuda_max_memory_reserved: 10.7G | hd_total_memory_tb: "
            "312G\n",
            &log);
  g_assert_cmpfloat_with_epsilon (log.step_s, 0.272, 1e-9);
  g_assert_cmpfloat_with_epsilon (log.memory_gib, 10.7e9 / 1073741824.0, 1e-9);
  g_assert_cmpint (log.memory_kind, ==, 'r');
  read_log ("iteration: 15 / 15 | consumed_tokens: 85.8G | time_per_iteration_ms: 11.5K | "
            "tokens_per_sec: 22.8K | tokens_per_sec_per_gpu: 11.4K | global_batch_size: 262K |\n",
            &log);
  g_assert_cmpstr (log.framework, ==, "Nanotron");
  g_assert_cmpfloat_with_epsilon (log.step_s, 11.5, 1e-9);
  g_assert_cmpuint (log.global_batch, ==, 0); /* it is in tokens there */
}

static void
test_nanotron (void)
{
  ShardwiseLog log;

  read_log ("iteration: 10 / 100 | consumed_tokens: 1.31M | elapsed_time_per_iteration_ms: 1.21K | "
            "tokens_per_sec: 108K | tokens_per_sec_per_gpu: 13.5K | global_batch_size: 128 | "
            "lm_loss: 8.1 | lr: 0.0003 | model_tflops_per_gpu: 400\n"
            "Memory usage: 1234.5MiB. Peak allocated 5678.0MiB. Peak reserved: 6144.0MiB\n",
            &log);
  g_assert_cmpstr (log.framework, ==, "Nanotron");
  g_assert_cmpfloat_with_epsilon (log.step_s, 1.21, 1e-9);
  g_assert_cmpuint (log.global_batch, ==, 128);
  g_assert_cmpfloat_with_epsilon (log.memory_gib, 6, 1e-9);
}

/* The first steps warm up; the rest is summed up by its median. */
static void
test_many_lines (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  ShardwiseLog log;

  for (guint i = 0; i < 9; i++)
    g_string_append_printf (text, "iteration %u/9 | elapsed time per iteration (ms): %u |\n", i + 1,
                            i < 2 ? 60000u : 2000 + i);
  read_log (text->str, &log);
  g_assert_cmpuint (log.lines, ==, 9);
  g_assert_cmpfloat_with_epsilon (log.step_s, 2.005, 1e-9);
}

static void
test_nothing (void)
{
  static const char *const texts[] = { "",          "hello",
                                       "tps: none", "elapsed time per iteration (ms): -3",
                                       "tps: 0",    "CurrSamplesPerSec=nan" };
  ShardwiseLog log;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (shardwise_log_read (texts[i], -1, &log, &error));
      g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/log/megatron", test_megatron);
  g_test_add_func ("/log/torchtitan", test_torchtitan);
  g_test_add_func ("/log/deepspeed", test_deepspeed);
  g_test_add_func ("/log/deepspeed-releases", test_deepspeed_releases);
  g_test_add_func ("/log/nanotron", test_nanotron);
  g_test_add_func ("/log/nanotron-releases", test_nanotron_releases);
  g_test_add_func ("/log/many-lines", test_many_lines);
  g_test_add_func ("/log/nothing", test_nothing);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is advised is what the exported files run: over models, clusters and kinds of training, a file
 * of the advised strategy states the time that the advice does. */
#include <math.h>
#include <string.h>

#include "export-fixture.h"
#include "shardwise-advice.h"
#include "shardwise-export-format.h"
#include "sw-framework.h"

typedef struct {
  const char *model, *gpu;
  guint gpus;
  const char *type;
} Job;

static const Job jobs[] = {
  { "llama-3-8b", "h100-80-sxm", 8, "pretrain" },
  { "llama-3-70b", "h100-80-sxm", 64, "pretrain" },
  { "llama-3.1-405b", "h100-80-sxm", 1024, "pretrain" },
  { "qwen2.5-7b", "a100-80-sxm", 32, "pretrain" },
  { "llama-3-8b", "mi300x", 16, "pretrain" },
  { "gemma-2-9b", "l40s", 8, "pretrain" },
  { "mixtral-8x7b", "h100-80-sxm", 64, "pretrain" },
  { "mixtral-8x22b", "mi300x", 64, "pretrain" },
  { "qwen3-30b-a3b", "h100-80-sxm", 32, "pretrain" },
  { "qwen3-30b-a3b", "b200-180-sxm", 16, "pretrain" },
  { "qwen3-235b-a22b", "gb200-nvl72", 144, "pretrain" },
  { "deepseek-v2-lite", "a100-80-sxm", 16, "pretrain" },
  { "deepseek-v3", "h800-80-sxm", 2048, "pretrain" },
  { "deepseek-v3", "gb200-nvl72", 256, "pretrain" },
  { "glm-4.5-air-106b-a12b", "h100-80-sxm", 128, "pretrain" },
  { "olmoe-7b-a1b", "h100-80-sxm", 8, "pretrain" },
  { "llama-3-8b", "h100-80-sxm", 8, "finetune" },
  { "llama-3-70b", "h100-80-sxm", 32, "finetune" },
  { "qwen3-30b-a3b", "h100-80-sxm", 32, "finetune" },
  { "llama-3-70b", "h100-80-sxm", 8, "lora" },
  { "llama-3-70b", "a100-80-sxm", 4, "qlora" },
  { "llama-3-8b", "a100-80-sxm", 1, "lora" },
  { "llama-3-8b", "h100-80-sxm", 8, "dpo" },
  { "llama-3-70b", "h100-80-sxm", 32, "dpo" },
  { "llama-3-8b", "h100-80-sxm", 8, "rlhf" },
  { "llama-3-70b", "h100-80-sxm", 32, "rlhf" },
  { "llama-3-8b", "h100-80-sxm", 16, "reward" },
  { "qwen3-30b-a3b", "h100-80-sxm", 32, "rlhf" },
  { "mixtral-8x22b", "a100-80-sxm", 32, "pretrain" },
  { "llama-4-scout", "a100-80-sxm", 32, "pretrain" },
};

/* The header of a file rounds to three digits. */
#define ROUNDING 0.005

static void
check_file (const Job *job, const ShardwiseFrameworkChoice *choice, const ShardwiseFormatInfo *info,
            const ShardwiseExport *files)
{
  const double advised = choice->estimate.time.step_s, stated = files->estimate.time.step_s;

  if (fabs (stated / advised - 1) <= ROUNDING)
    return;
  g_test_message ("%s, %u %s, %s: %.4g s advised in %s, %.4g s stated by %s", job->model, job->gpus,
                  job->gpu, job->type, advised, sw_framework_names[choice->framework], stated,
                  info->title);
  g_test_fail ();
}

static void
test_times (void)
{
  const ShardwiseAdviceOptions options = { .method = SHARDWISE_METHOD_ANALYTICAL, .top = 1 };
  guint n_written[SHARDWISE_N_FORMATS] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autofree char *json = g_strdup_printf (
          "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"%s\"},"
          " \"cluster\": {\"gpu\": \"%s\", \"gpus\": %u}, \"training\": {\"type\": \"%s\"}}",
          jobs[i].model, jobs[i].gpu, jobs[i].gpus, jobs[i].type);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (scenario, &options, NULL,
                                                                     &error);
      GArray *choices;

      g_assert_no_error (error);
      choices = shardwise_advice_get_frameworks (advice);
      for (guint j = 0; j < choices->len; j++)
        {
          const ShardwiseFrameworkChoice *choice = &g_array_index (choices,
                                                                   ShardwiseFrameworkChoice, j);
          SwProblem own = *shardwise_advice_get_problem (advice);
          guint n_files = 0;

          own.training.framework = choice->framework;
          for (guint k = 0; choice->has_strategy && k < SHARDWISE_N_FORMATS; k++)
            {
              const ShardwiseFormatInfo *info = shardwise_format_info ((ShardwiseFormat) k);
              g_autoptr (ShardwiseExport) files = NULL;

              if (info->launcher || !shardwise_format_is_of (info, choice->framework)
                  || !shardwise_format_is_default (info))
                continue;
              files = shardwise_export_write (info->format, &own, &choice->estimate, NULL);
              /* What has several routes may write it for another framework. */
              if (files == NULL
                  || sw_engine (files->problem.training.framework) != sw_engine (choice->framework))
                continue;
              n_written[k]++;
              n_files++;
              check_file (&jobs[i], choice, info, files);
            }
          /* What to start with can be exported as it is. */
          if (j == 0 && choice->has_strategy && n_files == 0)
            {
              g_test_message ("%s, %u %s, %s: no file of %s", jobs[i].model, jobs[i].gpus,
                              jobs[i].gpu, jobs[i].type, sw_framework_names[choice->framework]);
              g_test_fail ();
            }
        }
    }
  /* Every framework is among them. */
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info ((ShardwiseFormat) i);

      g_test_message ("%s: %u", info->title, n_written[i]);
      g_assert_true (n_written[i] > 0 || info->launcher || !shardwise_format_is_default (info));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/agreement/times", test_times);

  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions as people ask them in public, each with the job it is about: what is understood, what the
 * answer must hold, and that its Yes or No and its figures are the engine's. */
#include <math.h>
#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-advice.h"
#include "shardwise-ask-answer.h"

typedef struct {
  const char *scenario; /* without format and version */
  const char *question, *intent;
  const char *holds[4]; /* parts of the answer */
  const char *lacks;    /* (nullable): what it must not say */
  const char *fact;     /* (nullable): a fact, which is within 3 % of: */
  double value;
} Case;

#define JOB(model, gpu, gpus, training, strategy)                                                  \
  "\"model\": " model ", \"cluster\": {\"gpu\": \"" gpu "\", \"gpus\": " gpus                      \
  "}, \"training\": {" training "}, \"strategy\": {" strategy "}"
#define LLAMA "{\"preset\": \"llama-2-70b\"}"
#define FULL "\"type\": \"finetune\""

static const Case cases[] = {
  /* what is read of slang and German, and what is not answered for a figure that is left over */
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "Passt ein 70B auf zwei Karten mit je 48 GB wenn ich QLoRA nehme?",
    "fits",
    { "bytes", "GiB" },
    "A100",
    "gpus",
    2 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "DPO-Training von Llama 3 70B auf 16 H100: passt das?",
    "fits",
    { "No.", "70.6 B" },
    "Yes.",
    "fits",
    0 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "mistral 7b lora on a single 3090 - ok?",
    "fits",
    { "Yes.", "3090" },
    "small matrices",
    "gpus",
    1 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "yo can i full-ft a 3B on a 3090?",
    "fits",
    { "No.", "3090" },
    "8 ×",
    "gpus",
    1 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "fp8 or bf16 on b200?",
    "compare",
    { "FP8", "BF16" },
    "cannot be evaluated",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "is zero2 + pipeline ok in deepspeed",
    "allowed",
    { "No.", "DeepSpeed" },
    "Yes.",
    "allowed",
    0 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "mbs 2 vs 4?",
    "compare",
    { "Micro-batch 4", "Micro-batch 2 " },
    "Both come to",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "gradient accumulation 32 → does it change peak memory?",
    "memory",
    { "Not understood: change, peak, 32" },
    "GiB",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "how many microbatches to get the bubble below 5%",
    "define",
    { "Not understood: below, 5%" },
    "bubble is",
    NULL,
    0 },
  /* what no model of training knows, what an answer would pass over, and what comes to the same, is refused */
  { JOB ("{\"preset\": \"llama-3.1-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "Does Llama 3.1 8B beat Qwen2.5 7B on MMLU after fine-tuning?",
    "compare",
    { "Not understood: mmlu" },
    "times as fast",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3.1-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "Does DoRA with rank 32 need more memory than LoRA with rank 32?",
    "oom",
    { "Not understood: dora" },
    "GiB",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "How many tokens per second will vLLM serve with this model?",
    "throughput",
    { "Not understood: vllm" },
    "tokens/s",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "how many H100 do I need and how much VRAM is that per GPU?",
    "gpus",
    { "Not understood: much" },
    "fits from",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "Can I use sequence parallelism without tensor parallelism in Megatron?",
    "allowed",
    { "No.", "needs tensor parallelism" },
    "Yes.",
    "allowed",
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "does megatron allow a global batch of 1000 with DP 16",
    "allowed",
    { "No.", "1000 sequences" },
    "exceeds",
    "allowed",
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "Can I run 64 H100s with TP=8, PP=4, DP=4?",
    "fits",
    { "No.", "needs 128 GPUs" },
    "cannot be evaluated",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "what if I add 8 more GPUs?",
    "what-if",
    { "72 GPUs" },
    "8 GPUs is",
    "gpus",
    72 },
  { JOB ("{\"preset\": \"llama-3.1-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "can I get away with 2 fewer GPUs",
    "fits",
    { "Yes.", "these 6 A100" },
    "these 2",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "how much slower would it be with 400 Gb/s RoCE instead of InfiniBand NDR?",
    "what-if",
    { "RoCE" },
    "400 GB/s",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3.1-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "How do I choose between gradient checkpointing and CPU offload?",
    "compare",
    { "Recomputation: full", "Offload: optimizer" },
    "come to the same",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3.1-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "bf16 or fp32 for the optimizer states?",
    "compare",
    { "Not understood" },
    "come to the same",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "does increasing TP reduce activation memory?",
    "what-if",
    { "Not understood: activation" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "Our step takes 22 s, what's slowing it down?",
    "slow",
    { "You measured 22.0 s" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3.1-8b\"}", "a100-80-sxm", "8", FULL, ""),
    "My step time went from 2.1 s to 3.4 s after I turned on gradient checkpointing, is that "
    "normal?",
    "what-if",
    { "Not understood: 2.1 s, 3.4 s" },
    "You measured",
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-70b\"}", "h100-80-sxm", "64", "\"framework\": \"megatron-core\"",
         ""),
    "is 256 H100 overkill for a 13B",
    "gpus",
    { "A sensible number is 8 GPUs" },
    "times as fast",
    NULL,
    0 },
  /* memory */
  { JOB (LLAMA, "h100-80-sxm", "16", FULL, ""),
    "Somebody says 300 GB are enough to fully train a 70B. Can that be right?",
    "memory",
    { "cannot be right", "bytes" },
    NULL,
    "states",
    69e9 * 16 / 1073741824 },
  { JOB (LLAMA, "a100-80-sxm", "16", FULL ", \"framework\": \"deepspeed\"", "\"zero_stage\": 3"),
    "ZeRO-3 runs out of memory with 16 GPUs of 80 GB, why?",
    "oom",
    { "does not fit", "The sum", "What would fit" },
    "Yes.",
    "states_per_gpu",
    69e9 / 1073741824 },
  { JOB ("{\"preset\": \"llama-7b\"}", "a100-80-sxm", "1", FULL ", \"framework\": \"fsdp2\"", ""),
    "Why does full fine-tuning of a 7B not fit on one A100?",
    "oom",
    { "not fit", "LoRA" },
    "H100",
    "bytes_per_parameter",
    16 },
  { JOB (LLAMA, "a100-40-sxm", "24", FULL, ""),
    "Is it possible to fully fine-tune it on 24 A100 with 40 GB?",
    "fits",
    { "No.", "LoRA" },
    "Yes.",
    "fits",
    0 },
  { JOB (LLAMA, "a100-80-sxm", "8", FULL ", \"framework\": \"deepspeed\"",
         "\"zero_stage\": 3, \"offload\": \"optimizer+params\""),
    "With CPU offload the host gets killed, how much RAM is short?",
    "oom",
    { "host", "12 bytes" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "a100-80-sxm", "16", FULL, ""),
    "How many GPUs do I need for it?",
    "gpus",
    { "LoRA", "QLoRA", "8-bit Adam" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "2", FULL ", \"framework\": \"fsdp2\"", ""),
    "forward and backward work, then it OOMs in optimizer.step()",
    "oom",
    { "first optimizer.step()", "until the first step" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "v100-32-sxm", "16", FULL ", \"precision\": \"fp16\"", ""),
    "It runs out of memory while loading, before step 1. Why?",
    "oom",
    { "Loading can need more", "16 bits" },
    NULL,
    "weights",
    69e9 * 2 / 1073741824 },
  { JOB ("{\"preset\": \"llama-2-13b\"}", "a100-80-sxm", "8", "\"framework\": \"deepspeed\"",
         "\"pp\": 4"),
    "The first pipeline GPU uses more memory although the layers are balanced",
    "oom",
    { "stage 0", "in flight", "That is normal" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"gpt-j-6b\"}", "a100-80-sxm", "4", FULL ", \"framework\": \"deepspeed\"",
         "\"zero_stage\": 3, \"offload\": \"optimizer+params\""),
    "It takes the same memory on 2 and 4 GPUs with ZeRO-3, why?",
    "oom",
    { "divide only what is sharded", "CUDA context" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"qwen1.5-72b\"}", "a100-80-sxm", "16", "", ""),
    "A calculator says 56B parameters for Qwen1.5-72B, why?",
    "define",
    { "three matrices", "56.2 B" },
    "faster",
    "parameters_b",
    72.3 },
  /* rules */
  { JOB ("{\"layers\": 80, \"hidden_size\": 8192, \"attention_heads\": 64, \"kv_heads\": 8, "
         "\"vocab_size\": 32000, \"intermediate_size\": 28672}",
         "a100-80-sxm", "128", "\"framework\": \"megatron-core\"", ""),
    "With 80 layers, PP 16 and 2 virtual stages only 64 layers were trained",
    "allowed",
    { "No.", "16 are left over" },
    "Yes.",
    "allowed",
    0 },
  { JOB (LLAMA, "h100-80-sxm", "64", "", ""),
    "Does DeepSpeed allow ZeRO-2 together with a pipeline?",
    "allowed",
    { "No.", "DeepSpeed does not support this ZeRO stage" },
    "Yes.",
    "allowed",
    0 },
  { JOB (LLAMA, "h100-80-sxm", "64", "", ""),
    "Darf ich in DeepSpeed ZeRO 2 zusammen mit einer Pipeline verwenden?",
    "allowed",
    { "No." },
    "Yes.",
    "allowed",
    0 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "h100-80-sxm", "8",
         "\"framework\": \"fsdp2\", \"global_batch_size\": 4",
         "\"pp\": 8, \"micro_batch_size\": 1"),
    "Is it allowed to have fewer micro-batches than stages?",
    "allowed",
    { "No.", "4 micro-batches for 8 stages" },
    "Yes.",
    "micro_batches",
    4 },
  /* speed and comparisons */
  { JOB (LLAMA, "h100-80-sxm", "64", "", ""),
    "Pipeline parallelism or parameter partitioning?",
    "compare",
    { "a GPU sends", "times as fast", "are held" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"gpt3-175b\"}", "a100-80-sxm", "128", "", ""),
    "Why not use ZeRO-3 everywhere instead of tensor and pipeline parallelism?",
    "compare",
    { "ZeRO stage 3", "a GPU sends" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "128", "\"framework\": \"megatron-core\", \"sequence_length\": 4096",
         "\"tp\": 8, \"pp\": 8, \"dp\": 2, \"recompute\": \"full\""),
    "I only get 296 TFLOP/s per GPU, why?",
    "slow",
    { "Your 296", "recomputation", "Recomputation: full is pinned; without that" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-2-7b\"}", "a100-80-sxm", "8",
         "\"global_batch_size\": 256, \"framework\": \"megatron-core\"", "\"tp\": 2, \"pp\": 2"),
    "Same global batch, a smaller micro-batch is faster: 16 takes 2.26 s, 8 takes 1.41 s and 4 "
    "takes 0.99 s. Is that expected?",
    "slow",
    { "micro-batch 16", "micro-batch 4" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "8", "", ""),
    "The iteration time keeps growing over the run",
    "fault",
    { "cannot know", "one fixed batch" },
    NULL,
    NULL,
    0 },
  /* words, with the figures of the job */
  { JOB (LLAMA, "h100-80-sxm", "64", "\"framework\": \"megatron-core\"", "\"pp\": 8"),
    "Is the DualPipe bubble comparable with interleaved 1F1B?",
    "define",
    { "p = 8", "DualPipe" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "64", "", ""),
    "What does 'FSDP 8, TP 2, CP 2, PP 2' mean?",
    "define",
    { "TP 2 × CP 2 × DP 8 × PP 2 = 64" },
    NULL,
    "product",
    64 },
  { JOB (LLAMA, "h100-80-sxm", "64", "", ""),
    "What are gradient buckets?",
    "define",
    { "25 MB" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "64", "", ""),
    "What is HYBRID_SHARD?",
    "define",
    { "replicates between groups", "GB" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"deepseek-v3\"}", "h100-80-sxm", "512", "", ""),
    "Which configuration avoids OOM on 512 GPUs? I tried TP8 with EP1.",
    "best",
    { "EP", "22.5 GB" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "30", "", ""),
    "do all 30 GPUs get used?",
    "what-if",
    { "stay idle" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "64", "\"framework\": \"megatron-core\"", "\"pp\": 4"),
    "Was bringt VPP 4 statt 2?",
    "what-if",
    { "Virtual stages 4", "Virtual stages 2", "times as fast" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "32", "\"framework\": \"megatron-core\"", ""),
    "Is TP 12 allowed?",
    "allowed",
    { "No.", "64 attention heads" },
    "Yes.",
    "allowed",
    0 },
  { JOB (LLAMA, "a100-80-sxm", "32", FULL, ""),
    "Is unsloth faster than torchtune for LoRA?",
    "compare",
    { "Unsloth", "torchtune" },
    NULL,
    NULL,
    0 },
  { JOB ("{\"preset\": \"llama-3-8b\"}", "a100-80-sxm", "4", FULL, ""),
    "Does DPO of it fit?",
    "fits",
    { "Yes.", "The sum" },
    NULL,
    "fits",
    1 },
  /* the three that the program began with */
  { JOB (LLAMA, "h100-80-sxm", "32", "\"framework\": \"megatron-core\"", ""),
    "Was wäre, wenn ich H200 nehme?",
    "what-if",
    { "H200" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "32", "\"framework\": \"megatron-core\"", ""),
    "Weshalb TP 8 und nicht TP 4?",
    "why",
    { "TP 4" },
    NULL,
    NULL,
    0 },
  { JOB (LLAMA, "h100-80-sxm", "32", "\"framework\": \"megatron-core\"", ""),
    "waht is the pipline buble?",
    "define",
    { "(p − 1)/(v·m)", "micro-batch 2" },
    NULL,
    NULL,
    0 },
};

/* What merely repeats the job replaces nothing of it, and what is no input is left out. */
static const struct {
  const char *question, *path, *left_out;
} kept[] = {
  { "It takes 560 ms a step at 70B", "strategy.micro_batch_size", NULL },
  { "the compute to communication ratio is 10:1, is that good?", "cluster.gpu", "10:1" },
  { "It is 7 times slower than I thought", "strategy.pp", "7 times" },
  { "A 100B needs more memory than a 70B", "cluster.gpu", NULL },
  { "We have 192 GB of host RAM", "cluster.gpu", NULL },
  { "Does a 70B fit on 16 A100 with 300 GB?", "cluster.gpu_memory_gb", "gb" },
  { "I measured 15 to 21 GB per process", "cluster.gpu_memory_gb", "gb" },
  { "Will the A100 do for Llama 2 70B?", "model.preset", NULL },
};

/* The three questions that the program began with, in other words; English and German. */
static const struct {
  const char *question, *intent;
} rewordings[] = {
  { "Why TP=4 rather than 8?", "why" },
  { "why did you choose tensor parallel 8 and not 4", "why" },
  { "What speaks for TP 8 here instead of TP 4?", "why" },
  { "Explain the reason for choosing TP=8 over TP=4", "why" },
  { "wy tp 8 insted of 4?", "why" },
  { "Warum TP 8 und nicht 4?", "why" },
  { "Wieso nimmst du Tensorparallelität 8 statt 4?", "why" },
  { "Was ist der Grund für TP=8 anstelle von TP=4?", "why" },
  { "warum eigentlich tp8, tp4 würde doch reichen", "why" },
  { "Weshalb wurde TP 8 gewählt und nicht TP 4?", "why" },
  { "What if I use H200s instead?", "what-if" },
  { "What would change with H200 GPUs?", "what-if" },
  { "How would it look on H200?", "what-if" },
  { "Suppose we swapped the H100s for H200s, what happens?", "what-if" },
  { "wat if we use h200s", "what-if" },
  { "Was wäre, wenn ich H200 nehme?", "what-if" },
  { "Was ändert sich mit H200?", "what-if" },
  { "Wie sähe es mit H200-Karten aus?", "what-if" },
  { "Angenommen wir tauschen die H100 gegen H200, was bringt das?", "what-if" },
  { "was passiert wenn ich auf h200 umsteige", "what-if" },
  { "What's the pipeline bubble?", "define" },
  { "Can you explain the pipeline bubble to me?", "define" },
  { "what does pipeline bubble mean", "define" },
  { "Tell me what the bubble in pipeline parallelism is", "define" },
  { "waht is the pipline buble?", "define" },
  { "Was ist die Pipeline-Blase?", "define" },
  { "Erkläre mir die Pipeline-Bubble", "define" },
  { "Was versteht man unter der Blase bei Pipeline-Parallelität?", "define" },
  { "was bedeutet pipeline bubble", "define" },
  { "Was genau meint man mit Pipelineblase?", "define" },
};

static ShardwiseScenario *
scenario_new (const char *inner)
{
  g_autofree char *text =
      g_strdup_printf ("{\"format\": \"shardwise-scenario\", \"version\": 1, %s}", inner);
  g_autoptr (GError) error = NULL;
  ShardwiseScenario *scenario = shardwise_scenario_from_json (text, -1, &error);

  g_assert_no_error (error);
  return scenario;
}

static double
fact (const ShardwiseAnswer *answer, const char *name)
{
  for (guint i = 0; i < answer->facts->len; i++)
    if (g_str_equal (((ShardwiseAskFact *) g_ptr_array_index (answer->facts, i))->name, name))
      return ((ShardwiseAskFact *) g_ptr_array_index (answer->facts, i))->value;
  return NAN;
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (ShardwiseScenario) scenario = scenario_new (c->scenario);
  g_autoptr (ShardwiseQuestion) question = shardwise_question_parse (c->question, scenario, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAnswer) answer = shardwise_answer_compute (scenario, question, NULL, &error);

  g_assert_no_error (error);
  g_test_message ("%s\n%s", c->question, answer->text);
  g_assert_cmpstr (shardwise_intent_names[question->intent], ==, c->intent);
  g_assert_true ((answer->confidence < 0.5) == g_str_has_prefix (c->holds[0], "Not understood"));
  for (guint i = 0; i < G_N_ELEMENTS (c->holds) && c->holds[i] != NULL; i++)
    if (strstr (answer->text, c->holds[i]) == NULL)
      g_error ("“%s” is not in: %s", c->holds[i], answer->text);
  if (c->lacks != NULL)
    g_assert_null (strstr (answer->text, c->lacks));
  if (c->fact != NULL)
    g_assert_cmpfloat_with_epsilon (fact (answer, c->fact), c->value,
                                    0.03 * fabs (c->value) + 1e-9);
  /* What is offered can be made, and is not what was just refused. */
  if (answer->changes != NULL)
    {
      const ShardwiseAdviceOptions options = { .top = 1 };
      g_autoptr (ShardwiseAdvice) advice = NULL;

      g_assert_true (shardwise_scenario_apply (scenario, answer->changes, &error));
      g_assert_no_error (error);
      advice = shardwise_advice_compute (scenario, &options, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (shardwise_advice_get_fits (advice));
    }
}

/* Each is answered with the figures of both sides, or of the pipeline. */
static void
test_rewordings (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rewordings); i++)
    {
      g_autoptr (ShardwiseScenario) scenario =
          scenario_new (JOB (LLAMA, "h100-80-sxm", "32", "\"framework\": \"megatron-core\"", ""));
      g_autoptr (ShardwiseQuestion) question = shardwise_question_parse (rewordings[i].question,
                                                                         scenario, NULL);
      g_autoptr (ShardwiseAnswer) answer = shardwise_answer_compute (scenario, question, NULL,
                                                                     NULL);
      const char *intent = rewordings[i].intent;

      g_test_message ("%s\n%s", rewordings[i].question, answer->text);
      g_assert_cmpstr (shardwise_intent_names[question->intent], ==, intent);
      g_assert_cmpfloat (answer->confidence, >=, 0.5);
      if (g_str_equal (intent, "define"))
        g_assert_false (isnan (fact (answer, "bubble_ideal")));
      else
        {
          g_assert_nonnull (strstr (answer->text, g_str_equal (intent, "why") ? "TP 4" : "H200"));
          g_assert_cmpfloat (fact (answer, "now_tokens_per_s"), >, 0);
        }
    }
}

/* Yes and No are the engine's for the run as it is stated. */
static void
test_verdicts (void)
{
  static const char *const questions[] = { "Does it fit on 8 H100?",
                                           "Does it fit on 16 A100 with 40 GB?",
                                           "Does it fit on 64 H100 with ZeRO 3?",
                                           "Passt es auf 24 A100?",
                                           "Can I train it on 32 H200 with TP 8?" };
  const ShardwiseAdviceOptions options = { .top = 1 };

  for (guint i = 0; i < G_N_ELEMENTS (questions); i++)
    {
      g_autoptr (ShardwiseScenario) scenario =
          scenario_new (JOB (LLAMA, "h100-80-sxm", "16", FULL, ""));
      g_autoptr (ShardwiseQuestion) question = shardwise_question_parse (questions[i], scenario,
                                                                         NULL);
      g_autoptr (ShardwiseAnswer) answer = shardwise_answer_compute (scenario, question, NULL,
                                                                     NULL);
      g_autoptr (GVariant) changes = g_variant_ref_sink (shardwise_question_changes (question, 0));
      g_autoptr (ShardwiseAdvice) advice = NULL;
      gboolean yes = g_str_has_prefix (answer->text, "Yes.");

      g_test_message ("%s %.60s", questions[i], answer->text);
      g_assert_true (yes || g_str_has_prefix (answer->text, "No."));
      g_assert_true (shardwise_scenario_apply (scenario, changes, NULL));
      shardwise_scenario_set (scenario, SHARDWISE_KEY_STRATEGY_OFFLOAD,
                              g_variant_new_string ("none"), NULL);
      advice = shardwise_advice_compute (scenario, &options, NULL, NULL);
      /* A stage without degrees splits nothing else, so that its No may be a Yes with more. */
      if (yes)
        g_assert_true (shardwise_advice_get_fits (advice));
      else if (shardwise_question_find (question, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 0) == NULL)
        g_assert_false (shardwise_advice_get_fits (advice));
      if (yes && shardwise_question_find (question, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 0) == NULL)
        g_assert_cmpfloat_with_epsilon (
            fact (answer, "memory"),
            shardwise_advice_get_recommended (advice)->memory.peak.total / 1073741824, 0.01);
    }
}

static void
test_kept (void)
{
  g_autoptr (ShardwiseScenario) scenario =
      scenario_new (JOB (LLAMA, "a100-40-sxm", "16", FULL, ""));

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_autoptr (ShardwiseQuestion) question = shardwise_question_parse (kept[i].question, scenario,
                                                                         NULL);
      g_autoptr (GVariant) changes = g_variant_ref_sink (shardwise_question_changes (question, 0));
      g_autoptr (GVariant) value = g_variant_lookup_value (changes, kept[i].path, NULL);
      gboolean found = kept[i].left_out == NULL;

      g_test_message ("%s", kept[i].question);
      g_assert_null (value);
      for (guint j = 0; j < question->left_out->len; j++)
        found =
            found
            || strstr (((ShardwiseAskLeftOut *) g_ptr_array_index (question->left_out, j))->words,
                       kept[i].left_out)
                   != NULL;
      g_assert_true (found);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/ask-facts/%02u", i + 1);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/ask-facts/rewordings", test_rewordings);
  g_test_add_func ("/ask-facts/verdicts", test_verdicts);
  g_test_add_func ("/ask-facts/kept", test_kept);
  return g_test_run ();
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python scripts of TRL's trainers: by themselves, with PEFT and Accelerate's file, and with
 * Unsloth's kernels on one GPU. Only values computed here enter the code, never a string of the
 * user. */
#include "shardwise-export-tuning.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"
#include "shardwise-launch.h"
#include "sw-framework.h"

static gboolean
trains_critic (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type == SW_TRAINING_RLHF && problem->training.rlhf_ppo;
}

static gboolean
other_context (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1
         && (s->cp_method == SW_CP_ULYSSES || s->framework != SW_FRAMEWORK_FSDP2
             || problem->training.type == SW_TRAINING_RLHF);
}

/* The configurations of the others have activation_offloading. */
static gboolean
offloads_answers (const SwProblem *problem, const SwStrategy *s)
{
  const char *module = shardwise_tuning_method (problem)->module;

  return s->offload == SW_OFFLOAD_ACTIVATIONS
         && (problem->training.type == SW_TRAINING_RLHF
             || (module != NULL && !g_str_equal (module, "trl")));
}

static gboolean
other_method (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_learns_otherwise (problem, s)
         && (problem->training.method != SW_METHOD_PREFERENCE
             || problem->training.algorithm >= SW_ALGORITHM_ORPO);
}

static gboolean
generates_apart (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type == SW_TRAINING_RLHF && !problem->training.rlhf_colocated;
}

static gboolean
has_several_gpus (const SwProblem *problem, const SwStrategy *s)
{
  return s->dp * s->cp > 1 || problem->cluster.gpus > 1;
}

static gboolean
other_family (const SwProblem *problem, const SwStrategy *s)
{
  return !shardwise_names_projections_apart (&problem->model);
}

static gboolean
offloads_states (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS;
}

/* Each logit of the teacher is compared with that of the student. */
static gboolean
other_teacher (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_is_distilled (problem, s)
         && shardwise_tuning_teacher (problem, NULL) == NULL;
}

/* GKDTrainer prepares the teacher for evaluation, which Accelerate neither wraps nor moves to a GPU
 * under FSDP (accelerator.py: prepare_model). */
static gboolean
leaves_teacher (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_tuning_is_distilled (problem, s) && shardwise_tuning_wraps (s);
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule rules[] = {
  { SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, 0, trains_critic,
    N_ ("TRL’s PPO generates without vLLM and keeps reference and reward model whole on every GPU, "
        "which is not the job that is predicted; verl and OpenRLHF run PPO") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP) | D (CP_METHOD), other_context,
    N_ ("TRL splits sequences with Accelerate’s ring attention or all-gather, which requires FSDP "
        "2 and is not available in reinforcement learning") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offloads_answers,
    N_ ("TRL does not offload activations with GRPO, RLOO, distillation, ORPO and SimPO") },
  { SHARDWISE_KEY_TRAINING_DISTILL_TEACHER_PARAMETERS_B, 0, other_teacher,
    N_ ("The catalog has no model of the teacher’s size with the tokenizer of the student") },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (DP) | D (CP) | D (OFFLOAD), leaves_teacher,
    N_ ("TRL’s distillation leaves the teacher on the host under FSDP; it runs on one GPU, on "
        "replicas (ZeRO 0), with DeepSpeed, or in torchtune") },
};

static const ShardwiseFormatRule unsloth_rules[] = {
  SHARDWISE_TUNING_NO_TEACHER,
  { SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, 0, shardwise_tuning_is_not_grpo,
    N_ ("Unsloth is written with GRPO; verl and OpenRLHF run PPO and RLOO, too") },
  { SHARDWISE_KEY_TRAINING_RLHF_COLOCATED, 0, generates_apart,
    N_ ("Unsloth generates on the GPU that trains") },
  { SHARDWISE_KEY_TRAINING_TYPE, 0, other_method,
    N_ ("Shardwise writes Unsloth with TRL’s trainers for supervised fine-tuning, DPO, IPO and "
        "KTO") },
  { SHARDWISE_KEY_TRAINING_LORA_DORA, 0, shardwise_tuning_has_dora,
    N_ ("Unsloth’s kernels support LoRA; for DoRA, use TRL, Axolotl, LLaMA-Factory or torchtune") },
  { SHARDWISE_KEY_NONE, 0, other_family,
    N_ ("Unsloth’s kernels require separate projections, as in Llama, Mistral, Qwen and Gemma"),
    "model" },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offloads_states,
    N_ ("Unsloth offloads activations, but not weights or the optimizer") },
  { SHARDWISE_KEY_STRATEGY_DP, D (DP) | D (CP), has_several_gpus,
    N_ ("Shardwise writes Unsloth for one GPU only") },
};

static gboolean
is_unsloth (const ShardwiseExportJob *job)
{
  return job->info->format == SHARDWISE_FORMAT_UNSLOTH;
}

static gboolean
is_rl (const ShardwiseExportJob *job)
{
  return job->problem.training.type == SW_TRAINING_RLHF;
}

static const char *
sixteen_bits (const ShardwiseExportJob *job)
{
  return job->problem.training.precision == SW_PRECISION_FP16 ? "float16" : "bfloat16";
}

static gboolean
is_distilled (const ShardwiseExportJob *job)
{
  return job->problem.training.method == SW_METHOD_DISTILL;
}

static gboolean
is_reward (const ShardwiseExportJob *job)
{
  return job->problem.training.method == SW_METHOD_REWARD;
}

/* The arguments of SFTConfig, GRPOConfig, DPOConfig ... */
static void
append_arguments (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwTraining *training = &job->problem.training;
  const gboolean full = s->recompute == SW_RECOMPUTE_FULL, wraps = shardwise_tuning_wraps (s),
                 mixed = !shardwise_tuning_is_pure (&job->problem)
                         || shardwise_export_has_adapters (&job->problem);

  g_string_append_printf (text,
                          "        output_dir=\"" SHARDWISE_TUNING_OUTPUT "\",\n"
                          "        per_device_train_batch_size=%u,\n"
                          "        gradient_accumulation_steps=%u,\n"
                          "        max_steps=%u,\n"
                          "        warmup_steps=%u,\n"
                          "        learning_rate=%s,\n"
                          "        lr_scheduler_type=\"cosine\",\n"
                          "        max_grad_norm=1.0,\n"
                          "        optim=\"%s\",\n"
                          "        bf16=%s,\n"
                          "        fp16=%s,\n",
                          shardwise_tuning_micro (job), shardwise_tuning_accumulation (job),
                          shardwise_export_train_steps (&job->problem),
                          shardwise_tuning_warmup (&job->problem),
                          shardwise_tuning_rate (&job->problem), shardwise_tuning_optimizer (job),
                          mixed && training->precision == SW_PRECISION_BF16 ? "True" : "False",
                          mixed && training->precision == SW_PRECISION_FP16 ? "True" : "False");
  if (!is_rl (job))
    g_string_append_printf (text, "        max_length=%u,\n%s", training->sequence_length,
                            training->method == SW_METHOD_TOKENS
                                ? "        packing=True,\n"
                                  "        packing_strategy=\"wrapped\",\n"
                                : "");
  if (is_distilled (job)) /* on the data set alone, by the divergence from the teacher */
    g_string_append_printf (text,
                            "        lmbda=0.0,\n"
                            "        beta=0.0,\n"
                            "        teacher_model_name_or_path=TEACHER,\n"
                            "        teacher_model_init_kwargs={\"dtype\": \"%s\", "
                            "\"attn_implementation\": \"%s\"},\n",
                            sixteen_bits (job), shardwise_tuning_attention (job));
  if (!is_rl (job) && shardwise_tuning_method (&job->problem)->loss != NULL)
    g_string_append_printf (text, "        loss_type=\"%s\",\n",
                            shardwise_tuning_method (&job->problem)->loss);
  if (training->method == SW_METHOD_PREFERENCE && training->algorithm == SW_ALGORITHM_SIMPO)
    g_string_append (text, "        cpo_alpha=0.0,\n");
  if (is_rl (job))
    g_string_append_printf (text,
                            "        num_generations=%u,\n"
                            "        max_completion_length=%u,\n"
                            "        vllm_max_model_length=%u,\n"
                            "        beta=%s\n"
                            "        use_vllm=True,\n"
                            "        vllm_mode=\"%s\",\n",
                            shardwise_tuning_group (&job->problem),
                            sw_rlhf_response_tokens (training), training->sequence_length,
                            training->no_reference ? "0.0,  # no reference model"
                                                   : "0.04,  # a reference model is kept beside",
                            training->rlhf_colocated ? "colocate" : "server");
  if (!is_unsloth (job))
    {
      g_string_append_printf (
          text, "        gradient_checkpointing=%s,%s\n", full && !wraps ? "True" : "False",
          full && wraps ? "  # " SHARDWISE_TUNING_ACCELERATE " has FSDP's own" : "");
      if (full && !wraps)
        g_string_append_printf (
            text, "        gradient_checkpointing_kwargs={\"use_reentrant\": %s},\n",
            shardwise_export_wants (job, SW_FEATURE_REENTRANT_CHECKPOINTING, FALSE) ? "True"
                                                                                    : "False");
      if (s->offload == SW_OFFLOAD_ACTIVATIONS)
        g_string_append (text, "        activation_offloading=True,\n");
      if (shardwise_export_wants (job, SW_FEATURE_FUSED_CROSS_ENTROPY, FALSE))
        g_string_append (text, "        use_liger_kernel=True,\n");
      if (shardwise_export_wants (job, SW_FEATURE_COMPILE, FALSE) && !wraps)
        g_string_append (text, "        torch_compile=True,\n");
    }
  g_string_append (text, "        logging_steps=10,\n"
                         "        save_steps=500,\n"
                         "        report_to=\"none\",\n");
}

static void
append_constants (const ShardwiseExportJob *job, GString *text)
{
  const SwTraining *training = &job->problem.training;

  g_string_append_printf (text,
                          "\nDATA = \"" SHARDWISE_TUNING_DATA
                          "\"  # your data set: on each line a JSON object with %s%s\n"
                          "MODEL = \"%s\"  # on the Hugging Face Hub, or a folder of yours\n",
                          is_distilled (job) ? "" : "a \"prompt\" and ",
                          is_distilled (job)                        ? "\"messages\", a chat"
                          : is_rl (job)                             ? "an \"answer\""
                          : training->method == SW_METHOD_TOKENS    ? "a \"completion\""
                          : training->algorithm == SW_ALGORITHM_KTO ? "a \"completion\" and its "
                                                                      "\"label\""
                                                                    : "a \"chosen\" and a "
                                                                      "\"rejected\" answer",
                          shardwise_tuning_model (job));
  if (is_distilled (job))
    g_string_append_printf (text, "TEACHER = \"%s\"  # of about this size, with this tokenizer\n",
                            shardwise_names_hub (shardwise_tuning_teacher (&job->problem, NULL)));
  if (is_rl (job))
    g_string_append (text,
                     "\n\ndef reward(completions, answer, **kwargs):\n"
                     "    \"\"\"Your reward: 1 for a completion that holds the answer.\"\"\"\n"
                     "    return [float(right in text) for text, right in zip(completions, "
                     "answer)]\n");
}

static void
append_trl (const ShardwiseExportJob *job, GString *text)
{
  const SwTraining *training = &job->problem.training;
  const gboolean adapters = shardwise_export_has_adapters (&job->problem), rl = is_rl (job),
                 four = sw_training_states (training) == SW_TRAINING_QLORA;
  g_autofree char *dropout = shardwise_tuning_dropout (&job->problem);
  const char *name = shardwise_tuning_method (&job->problem)->trainer,
             *model = is_reward (job) ? "AutoModelForSequenceClassification"
                                      : "AutoModelForCausalLM",
             /* weights that are trained in 32 bits, unless it is all in 16 */
                 *dtype = adapters || shardwise_tuning_is_pure (&job->problem) ? sixteen_bits (job)
                                                                               : "float32";

  g_string_append_printf (text,
                          "\nimport torch\n"
                          "from datasets import load_dataset\n"
                          "%s"
                          "from transformers import %s, AutoTokenizer%s\n"
                          "from %s import %sConfig, %sTrainer\n",
                          adapters ? "from peft import LoraConfig\n" : "", model,
                          four ? ", BitsAndBytesConfig" : "",
                          shardwise_tuning_method (&job->problem)->module, name, name);
  append_constants (job, text);
  g_string_append_printf (text, "\n\ndef main():\n    arguments = %sConfig(\n", name);
  append_arguments (job, text);
  g_string_append (text, "    )\n");
  if (four)
    /* bnb_4bit_quant_storage: FSDP shards parameters of one type alone. */
    g_string_append_printf (text,
                            "    quantization = BitsAndBytesConfig(\n"
                            "        load_in_4bit=True,\n"
                            "        bnb_4bit_quant_type=\"nf4\",\n"
                            "        bnb_4bit_use_double_quant=%s,\n"
                            "        bnb_4bit_compute_dtype=torch.%s,\n"
                            "        bnb_4bit_quant_storage=torch.%s,\n"
                            "    )\n",
                            training->single_scales ? "False" : "True", sixteen_bits (job),
                            sixteen_bits (job));
  g_string_append_printf (text,
                          "    model = %s.from_pretrained(\n"
                          "        MODEL,\n"
                          "%s"
                          "        dtype=torch.%s,\n"
                          "        attn_implementation=\"%s\",\n"
                          "%s"
                          "    )\n",
                          model, is_reward (job) ? "        num_labels=1,\n" : "", dtype,
                          shardwise_tuning_attention (job),
                          four ? "        quantization_config=quantization,\n" : "");
  if (adapters)
    {
      g_string_append_printf (text,
                              "    adapters = LoraConfig(\n"
                              "        r=%u,\n"
                              "        lora_alpha=%u,\n"
                              "        lora_dropout=%s,\n"
                              "%s"
                              "        task_type=\"%s\",\n"
                              "        target_modules=",
                              training->lora_rank, shardwise_tuning_alpha (&job->problem), dropout,
                              training->lora_dora ? "        use_dora=True,\n" : "",
                              is_reward (job) ? "SEQ_CLS" : "CAUSAL_LM");
      shardwise_names_append_adapted (&job->problem, text);
      g_string_append (text, ",\n    )\n");
    }
  g_string_append_printf (
      text,
      "%s"
      "    trainer = %sTrainer(\n"
      "        model=model,\n"
      "%s"
      "        args=arguments,\n"
      "        train_dataset=load_dataset(\"json\", data_files=DATA, "
      "split=\"train\"),\n"
      "        processing_class=%s,\n"
      "%s%s"
      "    )\n"
      "    trainer.train()\n"
      "    trainer.save_model()\n"
      "\n\nif __name__ == \"__main__\":\n    main()\n",
      is_distilled (job) ? "    tokenizer = AutoTokenizer.from_pretrained(MODEL)\n"
                           "    tokenizer.pad_token = tokenizer.pad_token or "
                           "tokenizer.eos_token\n"
                         : "",
      name,
      is_distilled (job) ? "        teacher_model=arguments.teacher_model_name_or_path,\n" : "",
      is_distilled (job) ? "tokenizer" : "AutoTokenizer.from_pretrained(MODEL)",
      rl ? "        reward_funcs=reward,\n" : "",
      adapters ? "        peft_config=adapters,\n" : "");
}

static void
append_unsloth (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwTraining *training = &job->problem.training;
  const gboolean adapters = shardwise_export_has_adapters (&job->problem),
                 four = sw_training_states (training) == SW_TRAINING_QLORA;
  g_autofree char *dropout = shardwise_tuning_dropout (&job->problem);
  const char *name = shardwise_tuning_method (&job->problem)->trainer;
  const char *checkpointing = s->recompute != SW_RECOMPUTE_FULL      ? "False"
                              : s->offload == SW_OFFLOAD_ACTIVATIONS ? "\"unsloth\""
                                                                     : "True";

  g_string_append (text, "\nfrom unsloth import FastLanguageModel  # first: it changes the others\n"
                         "\nimport torch\n"
                         "from datasets import load_dataset\n");
  g_string_append_printf (text, "from trl import %sConfig, %sTrainer\n", name, name);
  append_constants (job, text);
  g_string_append_printf (text,
                          "\n\ndef main():\n"
                          "    model, tokenizer = FastLanguageModel.from_pretrained(\n"
                          "        model_name=MODEL,\n"
                          "        max_seq_length=%u,\n"
                          "        dtype=torch.%s,\n"
                          "        load_in_4bit=%s,\n"
                          "        full_finetuning=%s,\n"
                          "%s"
                          "        use_gradient_checkpointing=%s,\n",
                          training->sequence_length, sixteen_bits (job), four ? "True" : "False",
                          adapters ? "False" : "True",
                          adapters ? ""
                          : shardwise_tuning_is_pure (&job->problem)
                              ? "        float32_mixed_precision=False,\n"
                              : "        float32_mixed_precision=True,\n",
                          checkpointing);
  if (is_rl (job)) /* vLLM, which shares the weights */
    g_string_append_printf (text,
                            "        fast_inference=True,\n"
                            "        gpu_memory_utilization=0.5,\n"
                            "        max_lora_rank=%u,\n",
                            MAX (training->lora_rank, 1));
  g_string_append (text, "    )\n");
  if (adapters)
    {
      g_autoptr (GString) targets = g_string_new (NULL);

      if (training->lora_all_linear && training->lora_modules == 0)
        g_string_append (targets, "[\"q_proj\", \"k_proj\", \"v_proj\", \"o_proj\", \"gate_proj\", "
                                  "\"up_proj\", \"down_proj\"]");
      else
        shardwise_names_append_adapted (&job->problem, targets);
      g_string_append_printf (text,
                              "    model = FastLanguageModel.get_peft_model(\n"
                              "        model,\n"
                              "        r=%u,\n"
                              "        lora_alpha=%u,\n"
                              "        lora_dropout=%s,\n"
                              "        bias=\"none\",\n"
                              "        target_modules=%s,\n"
                              "        use_gradient_checkpointing=%s,\n"
                              "    )\n",
                              training->lora_rank, shardwise_tuning_alpha (&job->problem), dropout,
                              targets->str, checkpointing);
    }
  g_string_append_printf (text, "    arguments = %sConfig(\n", name);
  append_arguments (job, text);
  g_string_append_printf (text,
                          "    )\n"
                          "    trainer = %sTrainer(\n"
                          "        model=model,\n"
                          "        args=arguments,\n"
                          "        train_dataset=load_dataset(\"json\", data_files=DATA, "
                          "split=\"train\"),\n"
                          "        processing_class=tokenizer,\n"
                          "%s"
                          "    )\n"
                          "    trainer.train()\n"
                          "    trainer.save_model()\n"
                          "\n\nif __name__ == \"__main__\":\n    main()\n",
                          name, is_rl (job) ? "        reward_funcs=reward,\n" : "");
}

static void
write_files (ShardwiseExportJob *job)
{
  const guint features = SHARDWISE_FEATURE (COMPILE) | SHARDWISE_FEATURE (FUSED_CROSS_ENTROPY)
                         | SHARDWISE_FEATURE (FLASH_3);
  GString *text = g_string_new (NULL);
  g_autofree char *data = shardwise_tuning_data_note (
      job, "DATA",
      is_rl (job)
          ? _ ("Data set: data.jsonl, with a JSON object on each line that has a “prompt” and an "
               "“answer”; change DATA to use another file. The reward is a function in the file.")
          : _ ("Data set: data.jsonl, with a JSON object on each line that has a “prompt” and a "
               "“completion”; change DATA to use another file."));

  if (is_rl (job) && !job->problem.training.rlhf_colocated)
    shardwise_export_take_note (job, SHARDWISE_NOTE_ADDRESS,
                                g_strdup_printf (
                                    /* Translators: a model on the Hugging Face Hub */
                                    _ ("Generation server: start `trl vllm-serve --model %s` on "
                                       "its GPUs, and set vllm_server_host to its host."),
                                    shardwise_tuning_model (job)));
  shardwise_tuning_add_notes (
      job, data, is_unsloth (job) ? features & ~SHARDWISE_FEATURE (COMPILE) : features);
  shardwise_tuning_append_head (job, text);
  if (is_unsloth (job))
    append_unsloth (job, text);
  else
    append_trl (job, text);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
  if (!is_unsloth (job))
    shardwise_tuning_add_accelerate (job);
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, job->info->file_name);
  out->starter = is_unsloth (job) ? SHARDWISE_STARTER_PYTHON : SHARDWISE_STARTER_ACCELERATE;
  out->config = SHARDWISE_TUNING_ACCELERATE;
}

const ShardwiseFormatWriter shardwise_trl_writer = {
  .rules = rules,
  .n_rules = G_N_ELEMENTS (rules),
  .base = &shardwise_trainer_writer,
  .narrow = shardwise_tuning_narrow,
  .write = write_files,
  .launch = launch,
};

const ShardwiseFormatWriter shardwise_unsloth_writer = {
  .rules = unsloth_rules,
  .n_rules = G_N_ELEMENTS (unsloth_rules),
  .base = &shardwise_trainer_writer,
  .narrow = shardwise_tuning_narrow,
  .write = write_files,
  .launch = launch,
};

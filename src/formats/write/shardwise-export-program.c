/* SPDX-License-Identifier: GPL-3.0-or-later */
/* train.py: the program that trains a Hugging Face model on the user's data set with the settings
 * of the framework's own files. The code contains only computed values, never a string from the
 * user. */
#include "shardwise-export-program.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"
#include "sw-framework.h"
#include "sw-split.h"

/* The scale of an adapter's output, in multiples of its rank: torchtune's recipes and LLaMA-Factory
 * use 2 by default; PEFT's own default, 8 for any rank, shrinks the update of a wide adapter. */
#define ALPHA_OF_RANK 2

/**
 * shardwise_export_append_adapters:
 * @job: the job
 * @text: where to append Python to
 *
 * Appends add_adapters() and is_trained() where adapters are trained.
 */
void
shardwise_export_append_adapters (const ShardwiseExportJob *job, GString *text)
{
  const guint rank = job->problem.training.lora_rank;

  if (!shardwise_export_has_adapters (&job->problem))
    return;

  g_string_append_printf (text,
                          "\n\ndef add_adapters(model):\n"
                          "    \"\"\"Freezes the model and puts adapters of rank %u into it, which "
                          "train in 32 bits.\"\"\"\n"
                          "    from peft import LoraConfig, inject_adapter_in_model\n\n"
                          "    config = LoraConfig(\n"
                          "        r=%u,\n"
                          "        lora_alpha=%u,  # the adapters' output counts lora_alpha / r\n"
                          "        target_modules=",
                          rank, rank, ALPHA_OF_RANK * rank);
  shardwise_names_append_adapted (&job->problem, text);
  g_string_append (text, ",\n"
                         "    )\n"
                         "    inject_adapter_in_model(config, model)\n"
                         "    for parameter in model.parameters():\n"
                         "        if parameter.requires_grad:\n"
                         "            parameter.data = parameter.data.float()\n"
                         "\n\ndef is_trained(module):\n"
                         "    return any(p.requires_grad for p in "
                         "module.parameters(recurse=False))\n");
}

/**
 * shardwise_export_append_optimizer:
 * @job: a job whose optimizer is made in Python, other than Muon
 * @text: where to append Python to
 *
 * Appends make_optimizer().
 */
void
shardwise_export_append_optimizer (const ShardwiseExportJob *job, GString *text)
{
  const char *import = NULL, *call = NULL;
  g_autoptr (GString) made = NULL;

  switch (job->problem.training.optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT:
      /* torchao's keeps its states as DTensors, which FSDP 2 alone knows. */
      import = job->estimate.strategy.framework == SW_FRAMEWORK_FSDP2
                   ? "from torchao.optim import AdamW8bit"
                   : "from bitsandbytes.optim import AdamW8bit";
      call = "AdamW8bit(parameters, lr=%s, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)";
      break;
    case SW_OPTIMIZER_PAGED_ADAM8BIT:
      import = "from bitsandbytes.optim import PagedAdamW8bit";
      call = "PagedAdamW8bit(parameters, lr=%s, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)";
      break;
    case SW_OPTIMIZER_LION:
      import = "from bitsandbytes.optim import Lion";
      call = "Lion(parameters, lr=3e-5, betas=(0.9, 0.99), weight_decay=0.5)";
      break;
    case SW_OPTIMIZER_ADAFACTOR: call = "torch.optim.Adafactor(parameters, lr=1e-3)"; break;
    case SW_OPTIMIZER_SGD: call = "torch.optim.SGD(parameters, lr=0.1, momentum=0.9)"; break;
    case SW_OPTIMIZER_ADAMW:
    case SW_OPTIMIZER_MUON:
    default:
      call = "torch.optim.AdamW(parameters, lr=%s, betas=(0.9, 0.95), eps=1e-8, "
             "weight_decay=0.1, fused=True)";
      break;
    }

  g_string_append (text, "\n\ndef make_optimizer(model):\n");
  if (import != NULL)
    g_string_append_printf (text, "    %s\n\n", import);
  made = g_string_new (call);
  g_string_replace (made, "%s", shardwise_export_rate (&job->problem), 0);
  g_string_append_printf (text,
                          "    parameters = [p for p in model.parameters() if p.requires_grad]\n"
                          "    return %s\n",
                          made->str);
}

/* Whether the weights are read, not drawn. */
static gboolean
starts_trained (const SwProblem *problem)
{
  return problem->training.type != SW_TRAINING_PRETRAIN;
}

/* The dimensions of a model that no family is known of, for AutoConfig.for_model(). FALSE: it has
 * none that it could be trained as. */
static gboolean
append_dimensions (const SwModelSpec *model, GString *text)
{
  if (model->position == SW_POSITION_LEARNED && !model->gated_mlp && model->moe.experts == 0
      && model->kv_heads == model->attention_heads)
    {
      g_string_append_printf (text,
                              "CONFIG = AutoConfig.for_model(\n"
                              "    \"gpt2\",\n"
                              "    n_embd=%u,\n"
                              "    n_inner=%u,\n"
                              "    n_layer=%u,\n"
                              "    n_head=%u,\n"
                              "    vocab_size=%u,\n"
                              "    n_positions=%u,\n"
                              "    tie_word_embeddings=%s,\n"
                              ")\n",
                              model->hidden_size, model->intermediate_size, model->layers,
                              model->attention_heads, model->vocab_size,
                              model->max_position_embeddings,
                              model->tied_embeddings ? "True" : "False");
      return TRUE;
    }
  if (!shardwise_names_projections_apart (model))
    return FALSE;
  g_string_append_printf (text,
                          "CONFIG = AutoConfig.for_model(\n"
                          "    \"%s\",\n"
                          "    hidden_size=%u,\n"
                          "    intermediate_size=%u,\n"
                          "    num_hidden_layers=%u,\n"
                          "    num_attention_heads=%u,\n"
                          "    num_key_value_heads=%u,\n"
                          "    head_dim=%u,\n"
                          "    vocab_size=%u,\n"
                          "    max_position_embeddings=%u,\n"
                          "    attention_bias=%s,\n"
                          "    tie_word_embeddings=%s,\n"
                          "    rope_theta=%u,\n"
                          ")\n",
                          model->qk_norm != SW_QK_NORM_NONE ? "qwen3" : "llama", model->hidden_size,
                          model->intermediate_size, model->layers, model->attention_heads,
                          model->kv_heads, model->head_dim, model->vocab_size,
                          model->max_position_embeddings, model->qkv_bias ? "True" : "False",
                          model->tied_embeddings ? "True" : "False",
                          shardwise_export_rope_base (model));
  return TRUE;
}

/* The constants that a user changes: the data set, the model, the length. */
static void
append_constants (const ShardwiseExportJob *job, GString *text)
{
  const SwModelSpec *model = &job->problem.model;
  const char *hub = shardwise_names_hub (model);
  GString *config = g_string_new (NULL);

  g_string_append (text,
                   "\nDATA = \"data.jsonl\"  # your data set: on each line a JSON object with "
                   "a \"text\"\n");
  if (hub != NULL)
    g_string_append_printf (text,
                            "MODEL = TOKENIZER = \"%s\"  # on the Hugging Face Hub, or a folder of "
                            "yours\n",
                            hub);
  else if (!starts_trained (&job->problem) && append_dimensions (model, config))
    g_string_append (text,
                     "TOKENIZER = \"tokenizer\"  # your tokenizer: a folder, or a name on the "
                     "Hugging Face Hub\n");
  else
    g_string_append (text,
                     "MODEL = TOKENIZER = \"model\"  # your model: a folder, or a name on the "
                     "Hugging Face Hub\n");
  g_string_append_printf (text, "STEPS = %u\n", shardwise_export_train_steps (&job->problem));
  if (job->info->format != SHARDWISE_FORMAT_DEEPSPEED) /* whose JSON has it */
    g_string_append_printf (text, "WARMUP = %u  # steps in which the learning rate rises\n",
                            MAX (shardwise_export_train_steps (&job->problem) / 10, 1));
  if (!starts_trained (&job->problem))
    g_string_append (text, "SEED = 42\n");
  if (config->len > 0)
    g_string_append (text, config->str);
  else
    g_string_append (text, "CONFIG = AutoConfig.from_pretrained(MODEL)\n");
  g_string_free (config, TRUE);
}

static gboolean
is_quantised (const ShardwiseExportJob *job)
{
  return sw_training_states (&job->problem.training) == SW_TRAINING_QLORA;
}

/* Whether ranks make the model without weights, and are given theirs. FSDP 1 would make two of the
 * embedding that is the head, too, and takes what tensor parallelism has split from every rank. */
static gboolean
has_empty_model (const ShardwiseExportJob *job)
{
  return !is_quantised (job)
         && (job->info->format == SHARDWISE_FORMAT_FSDP2
             || (job->estimate.strategy.tp == 1 && !job->problem.model.tied_embeddings));
}

/* What the weights are kept in: the frozen ones in 16 bits, those that are trained in 32. */
static const char *
kept_in (const ShardwiseExportJob *job)
{
  return !shardwise_export_has_adapters (&job->problem)         ? "torch.float32"
         : job->problem.training.precision == SW_PRECISION_FP16 ? "torch.float16"
                                                                : "torch.bfloat16";
}

/* make_model(): the whole model, with its weights. @hooks: those of Hugging Face, which place what they
 * shard and refuse a place for it (transformers, check_and_set_device_map). */
static void
append_make_model (const ShardwiseExportJob *job, gboolean hooks, GString *text)
{
  const char *type = kept_in (job);

  g_string_append (text, "\n\ndef make_model():\n");
  if (is_quantised (job))
    /* bnb_4bit_quant_storage: FSDP shards parameters of one type alone. */
    g_string_append_printf (
        text,
        "    from transformers import BitsAndBytesConfig\n\n"
        "    quantization = BitsAndBytesConfig(\n"
        "        load_in_4bit=True,\n"
        "        bnb_4bit_quant_type=\"nf4\",\n"
        "        bnb_4bit_use_double_quant=True,\n"
        "        bnb_4bit_compute_dtype=%s,\n"
        "        bnb_4bit_quant_storage=%s,\n"
        "    )\n"
        "    return AutoModelForCausalLM.from_pretrained(\n"
        "        MODEL,\n"
        "        attn_implementation=\"sdpa\",\n"
        "        quantization_config=quantization,\n"
        "        torch_dtype=%s,\n"
        "%s"
        "    )\n",
        type, type, type, hooks ? "" : "        device_map={\"\": torch.cuda.current_device()},\n");
  else if (starts_trained (&job->problem))
    g_string_append_printf (text,
                            "    model = AutoModelForCausalLM.from_pretrained(MODEL, "
                            "attn_implementation=\"sdpa\")\n"
                            "    return model.to(%s)\n",
                            type);
  else
    g_string_append_printf (text,
                            "    torch.manual_seed(SEED)\n"
                            "    model = AutoModelForCausalLM.from_config(CONFIG, "
                            "attn_implementation=\"sdpa\")\n"
                            "    return model.to(%s)\n",
                            type);
}

static void
append_empty_model (const ShardwiseExportJob *job, GString *text)
{
  g_string_append_printf (text,
                          "\n\ndef make_empty_model():\n"
                          "    with torch.device(\"meta\"):\n"
                          "        model = AutoModelForCausalLM.from_config(CONFIG, "
                          "attn_implementation=\"sdpa\")\n"
                          "    return model.to(%s)\n",
                          kept_in (job));
}

/* The data set. */
static void
append_data (GString *text, const char *length)
{
  g_string_append_printf (
      text,
      "\n\ndef sequences():\n"
      "    \"\"\"The texts of DATA, one after the other, in pieces of %s tokens and the "
      "next.\"\"\"\n"
      "    tokenizer = AutoTokenizer.from_pretrained(TOKENIZER)\n"
      "    tokens = []\n"
      "    with open(DATA) as lines:\n"
      "        for line in lines:\n"
      "            tokens += tokenizer(json.loads(line)[\"text\"])[\"input_ids\"]\n"
      "            tokens.append(tokenizer.eos_token_id)\n"
      "            while len(tokens) > %s:\n"
      "                yield torch.tensor(tokens[:%s + 1])\n"
      "                tokens = tokens[%s:]\n",
      length, length, length, length);
}

static void
append_rate (GString *text)
{
  g_string_append (
      text, "\n\ndef rate(step):\n"
            "    \"\"\"The share of the learning rate: a linear rise, then a cosine down to a "
            "tenth.\"\"\"\n"
            "    if step < WARMUP:\n"
            "        return (step + 1) / WARMUP\n"
            "    done = (step - WARMUP) / max(STEPS - WARMUP, 1)\n"
            "    return 0.55 + 0.45 * math.cos(math.pi * min(done, 1))\n");
}

static void
append_main_call (GString *text)
{
  g_string_append (text, "\n\nif __name__ == \"__main__\":\n    main()\n");
}

/* Every rank's parts of the weights, of a model that was made without any. */
static void
append_load (const ShardwiseExportJob *job, GString *text)
{
  const gboolean offloads = job->estimate.strategy.offload == SW_OFFLOAD_OPTIMIZER_PARAMS;

  g_string_append_printf (
      text,
      "\n\n@torch.no_grad()\n"
      "def load_weights(model):\n"
      "    \"\"\"Gives each rank its parts of the weights, which the first rank has in the host's "
      "memory.\"\"\"\n"
      "    model.to_empty(device=\"%s\")\n",
      offloads ? "cpu" : "cuda");
  if (offloads)
    g_string_append (text, "    for module in model.modules():\n"
                           "        for name, buffer in module.named_buffers(recurse=False):\n"
                           "            setattr(module, name, buffer.cuda())\n");
  if (job->problem.model.tied_embeddings)
    g_string_append (text, "    model.get_output_embeddings().weight = "
                           "model.get_input_embeddings().weight\n");
  g_string_append (text, "    whole = {}\n"
                         "    if dist.get_rank() == 0:\n"
                         "        source = make_model()\n");
  if (shardwise_export_has_adapters (&job->problem))
    g_string_append (text, "        plan.add_adapters(source)\n");
  g_string_append (
      text, "        whole = dict(source.named_parameters()) | dict(source.named_buffers())\n"
            "    forms = [[(name, tensor.shape, tensor.dtype) for name, tensor in whole.items()]]\n"
            "    dist.broadcast_object_list(forms, 0)\n"
            "    own = {}  # stages of one rank have the same tables of positions\n"
            "    for name, tensor in plan.named_tensors(model):\n"
            "        own.setdefault(name, []).append(tensor)\n"
            "    for name, shape, dtype in forms[0]:\n"
            "        if name in whole:\n"
            "            tensor = whole.pop(name).to(\"cuda\").contiguous()\n"
            "        else:\n"
            "            tensor = torch.empty(shape, dtype=dtype, device=\"cuda\")\n"
            "        dist.broadcast(tensor, 0)\n"
            "        for part in own.get(name, []):\n"
            "            if isinstance(part, DTensor):\n"
            "                local = distribute_tensor(tensor, part.device_mesh, "
            "part.placements).to_local()\n"
            "                part.to_local().copy_(local)\n"
            "            else:\n"
            "                part.copy_(tensor)\n");
}

/* The head of the file without notes on other files. */
static GString *
begin_program (const ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GPtrArray) none = g_ptr_array_new_with_free_func (shardwise_export_note_free);
  ShardwiseExportJob quiet = *job;

  quiet.not_expressed = none;
  shardwise_export_append_header (&quiet, text);
  return text;
}

/**
 * shardwise_program_of_fsdp:
 * @job: a job of FSDP 1 or 2
 *
 * Returns: (transfer full): the training program beside its file
 */
char *
shardwise_program_of_fsdp (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const gboolean first = job->info->format == SHARDWISE_FORMAT_FSDP1, parts = strategy->pp > 1,
                 loads = !first && !is_quantised (job);
  g_autofree char *module = g_strndup (job->info->file_name,
                                       strlen (job->info->file_name) - strlen (".py"));
  GString *text = begin_program (job);

  g_string_append (text, "import itertools\n"
                         "import json\n"
                         "import math\n\n"
                         "import torch\n"
                         "import torch.distributed as dist\n"
                         "import torch.distributed.checkpoint as dcp\n");
  if (first)
    g_string_append (text,
                     "from torch.distributed.checkpoint.state_dict import get_model_state_dict\n");
  if (loads)
    g_string_append (text, "from torch.distributed.tensor import DTensor, distribute_tensor\n");
  g_string_append_printf (text,
                          "from transformers import AutoConfig, AutoModelForCausalLM, "
                          "AutoTokenizer\n\n"
                          "import %s as plan\n",
                          module);
  append_constants (job, text);
  append_make_model (job, FALSE, text);
  if (has_empty_model (job))
    append_empty_model (job, text);
  if (loads)
    append_load (job, text);
  append_data (text, "plan.SEQUENCE_LENGTH");
  append_rate (text);

  g_string_append (text, "\n\ndef main():\n"
                         "    mesh = plan.start()\n");
  if (loads && parts)
    g_string_append (text, "    schedule, model = plan.build_pipeline(make_empty_model(), mesh)\n");
  else if (loads)
    g_string_append (text, "    model = plan.parallelize(make_empty_model(), mesh)\n");
  else if (has_empty_model (job))
    {
      g_string_append (text, "    model = make_model() if dist.get_rank() == 0 else "
                             "make_empty_model()\n"
                             "    model = plan.parallelize(model, mesh)\n");
      if (strategy->shard_group < strategy->dp)
        g_string_append (text, "    for buffer in model.buffers():  # which FSDP does not send "
                               "between groups of shards\n"
                               "        dist.broadcast(buffer, 0)\n");
    }
  else
    g_string_append (text, "    model = plan.parallelize(make_model(), mesh)\n");
  if (loads)
    g_string_append (text, "    load_weights(model)\n");
  /* Tokens and labels are copies: context parallelism splits them in place. */
  g_string_append_printf (
      text,
      "    optimizer = plan.make_optimizer(model)\n"
      "    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)\n"
      "    replica, replicas = plan.replica(mesh)\n"
      "    endless = itertools.chain.from_iterable(sequences() for _ in itertools.count())\n"
      "    mine = itertools.islice(endless, replica, None, replicas)\n"
      "\n"
      "    def batch(size):\n"
      "        rows = torch.stack(list(itertools.islice(mine, size))).to(\"cuda\")\n"
      "        return rows[:, :-1].clone(), rows[:, 1:].clone()\n"
      "\n"
      "    for step in range(STEPS):\n"
      "%s"
      "        scheduler.step()\n"
      "        if dist.get_rank() == %s and step %% 10 == 0:\n"
      "            print(f\"step {step}: loss {loss.item():.4f}\", flush=True)\n",
      parts
          ? "        tokens, labels = batch(plan.MICRO_BATCH * plan.ACCUMULATION)\n"
            "        loss = plan.train_step(schedule, model, optimizer, mesh, tokens, labels)\n"
          : "        micro_batches = [batch(plan.MICRO_BATCH) for _ in range(plan.ACCUMULATION)]\n"
            "        loss = plan.train_step(model, optimizer, mesh, micro_batches)\n",
      parts ? "plan.WORLD_SIZE - 1" : "0");
  if (first)
    g_string_append (text, "    dcp.save(get_model_state_dict(model), "
                           "checkpoint_id=\"checkpoint\")\n");
  else
    g_string_append_printf (
        text,
        "    weights = {name: tensor for name, tensor in plan.named_tensors(model) if %s}\n"
        "    dcp.save(weights, checkpoint_id=\"checkpoint\")\n",
        "tensor.requires_grad");
  g_string_append (text, "    dist.destroy_process_group()\n");
  append_main_call (text);

  return g_string_free (text, FALSE);
}

/* The batch as constants, where no file beside the program has it. */
static void
append_batch (const ShardwiseExportJob *job, GString *text)
{
  g_string_append_printf (text,
                          "SEQUENCE_LENGTH = %u\n"
                          "MICRO_BATCH = %u  # sequences of a replica\n"
                          "ACCUMULATION = %u  # micro-batches of one optimizer step\n",
                          job->problem.training.sequence_length, job->estimate.strategy.micro_batch,
                          MAX (job->estimate.gradient_accumulation, 1));
}

/* Accelerate creates the Megatron-LM model itself, from the configuration of the given model, and
 * runs a whole step in one call. */
static void
append_megatron_main (GString *text)
{
  g_string_append (
      text,
      "\n\ndef main():\n"
      "    accelerator = Accelerator()\n"
      "    with init_empty_weights():  # its configuration is read, Megatron-LM makes the model\n"
      "        model = AutoModelForCausalLM.from_config(CONFIG)\n"
      "    optimizer = make_optimizer(model)\n"
      "    scheduler = MegatronLMDummyScheduler(optimizer, total_num_steps=STEPS, "
      "warmup_num_steps=WARMUP)\n"
      "    loader = DataLoader(Rows(), batch_size=MICRO_BATCH)\n"
      "    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, "
      "scheduler)\n"
      "    batches = itertools.chain.from_iterable(itertools.repeat(loader))\n"
      "    model.train()\n"
      "    for step in range(STEPS):\n"
      "        rows = next(batches)[\"tokens\"]  # of all micro-batches of the step\n"
      "        loss = model(input_ids=rows[:, :-1].contiguous(), labels=rows[:, 1:].contiguous())"
      ".loss\n"
      "        accelerator.backward(loss)\n"
      "        optimizer.step()\n"
      "        scheduler.step()\n"
      "        if step % 10 == 0:\n"
      "            accelerator.print(f\"step {step}: loss {loss.item():.4f}\")\n"
      "    accelerator.save_state(\"checkpoint\")\n");
}

/* The model of Accelerate's FSDP or DeepSpeed. Without weights on all but the first rank, where
 * Accelerate sends them; tensor parallelism splits a model while it is read. */
static void
append_accelerate_model (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const gboolean fsdp = sw_framework_is_fsdp (strategy->framework),
                 sends = fsdp && !is_quantised (job)
                         && (strategy->framework == SW_FRAMEWORK_FSDP2
                             || !job->problem.model.tied_embeddings);

  if (strategy->tp > 1)
    {
      const char *source = "MODEL";

      if (!starts_trained (&job->problem))
        {
          source = "\"initial\"";
          g_string_append (text, "    if accelerator.is_main_process:\n"
                                 "        make_model().save_pretrained(\"initial\")  # which "
                                 "every rank reads its part of\n"
                                 "    accelerator.wait_for_everyone()\n");
        }
      g_string_append_printf (text,
                              "    model = AutoModelForCausalLM.from_pretrained(\n"
                              "        %s,\n"
                              "        attn_implementation=\"sdpa\",\n"
                              "        torch_dtype=torch.float32,\n"
                              "        tp_plan=\"auto\",\n"
                              "        device_mesh=accelerator.torch_device_mesh[\"tp\"],\n"
                              "    )\n",
                              source);
    }
  else if (sends && !starts_trained (&job->problem))
    g_string_append (text, "    if accelerator.is_main_process:\n"
                           "        model = make_model()\n"
                           "    else:\n"
                           "        with init_empty_weights():  # Accelerate sends them from the "
                           "first rank\n"
                           "            model = AutoModelForCausalLM.from_config(CONFIG, "
                           "attn_implementation=\"sdpa\")\n");
  else
    g_string_append (text, "    model = make_model()\n");
  if (shardwise_export_has_adapters (&job->problem))
    g_string_append (text, "    add_adapters(model)\n");
  if (strategy->framework == SW_FRAMEWORK_DEEPSPEED && strategy->recompute == SW_RECOMPUTE_FULL)
    g_string_append (text, "    model.gradient_checkpointing_enable("
                           "gradient_checkpointing_kwargs={\"use_reentrant\": False})\n");
}

static void
append_accelerate_main (const ShardwiseExportJob *job, GString *text)
{
  const gboolean cp = job->estimate.strategy.cp > 1;

  g_string_append (text,
                   "\n\ndef main():\n"
                   "    accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION)\n");
  append_accelerate_model (job, text);
  g_string_append (
      text,
      "    optimizer = make_optimizer(model)\n"
      "    rates = [group[\"lr\"] for group in optimizer.param_groups]\n"
      "    loader = DataLoader(Rows(), batch_size=MICRO_BATCH)\n"
      "    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)\n"
      "    batches = itertools.chain.from_iterable(itertools.repeat(loader))\n"
      "    model.train()\n"
      "    for step in range(STEPS):\n"
      "        for group, whole in zip(optimizer.param_groups, rates):\n"
      "            group[\"lr\"] = whole * rate(step)\n"
      "        for _ in range(ACCUMULATION):\n"
      "            rows = next(batches)[\"tokens\"]\n"
      "            tokens, labels = rows[:, :-1].clone(), rows[:, 1:].clone()\n"
      "            positions = torch.arange(SEQUENCE_LENGTH, device=rows.device).repeat(len(rows), "
      "1)\n");
  if (cp)
    g_string_append (text, "            parts = [tokens, labels, positions]  # each rank takes its "
                           "own of the sequence\n");
  g_string_append_printf (
      text,
      "            with accelerator.accumulate(model)%s:\n"
      "                output = model(input_ids=tokens, position_ids=positions, use_cache=False)\n"
      "                loss = cross_entropy(output.logits, labels)\n"
      "                accelerator.backward(loss)\n"
      "                if accelerator.sync_gradients:\n"
      "                    accelerator.clip_grad_norm_(model.parameters(), 1.0)\n"
      "                optimizer.step()\n"
      "                optimizer.zero_grad()\n"
      "        if step %% 10 == 0:\n"
      "            accelerator.print(f\"step {step}: loss {loss.item():.4f}\")\n"
      "    accelerator.save_state(\"checkpoint\")\n",
      cp ? ", accelerator.maybe_context_parallel(\n"
           "                buffers=parts, buffer_seq_dims=[1, 1, 1], "
           "no_restore_buffers=set(parts))"
         : "");
}

/**
 * shardwise_program_of_accelerate:
 * @job: a job of Accelerate, by any of its routes
 *
 * Returns: (transfer full): the training program beside its file
 */
char *
shardwise_program_of_accelerate (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const gboolean megatron = strategy->framework == SW_FRAMEWORK_MEGATRON_CORE;
  GString *text = begin_program (job);

  g_string_append_printf (
      text,
      "import itertools\n"
      "import json\n"
      "%s"
      "\n"
      "import torch\n"
      "from accelerate import Accelerator, init_empty_weights\n"
      "%s"
      "from torch.utils.data import DataLoader, Dataset\n"
      "from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer\n",
      megatron ? "" : "import math\n",
      megatron ? "from accelerate.utils import MegatronLMDummyScheduler\n" : "");
  append_constants (job, text);
  append_batch (job, text);
  if (!megatron)
    append_make_model (job, FALSE, text);
  shardwise_export_append_adapters (job, text);
  shardwise_export_append_optimizer (job, text);
  if (!megatron)
    g_string_append_printf (
        text,
        "\n\n%sdef cross_entropy(logits, labels):\n"
        "    return torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), "
        "labels.flatten())\n",
        strategy->framework == SW_FRAMEWORK_FSDP2 ? "@torch.compile\n" : "");
  append_data (text, "SEQUENCE_LENGTH");
  if (!megatron)
    append_rate (text);
  g_string_append (text, "\n\nclass Rows(Dataset):\n"
                         "    def __init__(self):\n"
                         "        self.rows = list(sequences())\n\n"
                         "    def __len__(self):\n"
                         "        return len(self.rows)\n\n"
                         "    def __getitem__(self, index):\n"
                         "        return {\"tokens\": self.rows[index]}\n");
  if (megatron)
    append_megatron_main (text);
  else
    append_accelerate_main (job, text);
  append_main_call (text);

  return g_string_free (text, FALSE);
}

/**
 * shardwise_export_ends_count:
 * @job: a job with a pipeline
 *
 * Returns: whether embedding and head count as a layer each in its stages
 */
gboolean
shardwise_export_ends_count (const ShardwiseExportJob *job)
{
  SwSplit split;

  sw_split (&job->problem, &job->estimate.strategy, &split);
  return split.first < split.between;
}

/* The layers of a DeepSpeed pipeline, of the parts of a Hugging Face model. */
static void
append_pipeline_layers (const ShardwiseExportJob *job, GString *text)
{
  const gboolean tied = job->problem.model.tied_embeddings;

  if (job->estimate.strategy.tp > 1)
    {
      g_string_append (
          text, "\n\ndef make_layers():\n"
                "    raise NotImplementedError(\n"
                "        \"put your tensor-parallel layers here, Megatron-DeepSpeed's: embedding "
                "first, head last\")\n");
      return;
    }
  g_string_append (text,
                   "\n\nclass Embedding(torch.nn.Module):\n"
                   "    def __init__(self, model):\n"
                   "        super().__init__()\n"
                   "        self.tokens = model.get_input_embeddings()\n\n"
                   "    def forward(self, tokens):\n"
                   "        return self.tokens(tokens)\n"
                   "\n\nclass Layer(torch.nn.Module):\n"
                   "    def __init__(self, layer, rotary):\n"
                   "        super().__init__()\n"
                   "        self.layer, self.rotary = layer, rotary\n\n"
                   "    def forward(self, states):\n"
                   "        positions = torch.arange(states.shape[1], device=states.device)[None]\n"
                   "        output = self.layer(\n"
                   "            states,\n"
                   "            attention_mask=None,\n"
                   "            position_ids=positions,\n"
                   "            position_embeddings=self.rotary(states, positions),\n"
                   "        )\n"
                   "        return output[0] if isinstance(output, tuple) else output\n");
  /* The first and the last stage each keep a copy of the weights that embedding and head share,
   * with one gradient. */
  g_string_append (text,
                   tied ? "\n\nclass Norm(torch.nn.Module):\n"
                          "    def __init__(self, model):\n"
                          "        super().__init__()\n"
                          "        self.norm = model.base_model.norm\n\n"
                          "    def forward(self, states):\n"
                          "        return self.norm(states)\n"
                          "\n\ndef head(embedding, states):\n"
                          "    return torch.nn.functional.linear(states, embedding.tokens.weight)\n"
                        : "\n\nclass Head(torch.nn.Module):\n"
                          "    def __init__(self, model):\n"
                          "        super().__init__()\n"
                          "        self.norm, self.head = model.base_model.norm, "
                          "model.get_output_embeddings()\n\n"
                          "    def forward(self, states):\n"
                          "        return self.head(self.norm(states))\n");
  g_string_append_printf (
      text,
      "\n\ndef make_layers():\n"
      "    model = make_model()\n"
      "    base = model.base_model\n"
      "    layers = [Layer(layer, copy.deepcopy(base.rotary_emb)) for layer in base.layers]\n"
      "%s",
      tied ? "    options = {\"tied_weight_attr\": \"tokens.weight\"}\n"
             "    return [\n"
             "        TiedLayerSpec(\"embedding\", Embedding, model, **options),\n"
             "        *layers,\n"
             "        Norm(model),\n"
             "        TiedLayerSpec(\"embedding\", Embedding, model, forward_fn=head, **options),\n"
             "    ]\n"
           : "    return [Embedding(model), *layers, Head(model)]\n");
}

/* What each rank runs. @hooks: models are sharded where they are made, by Hugging Face's hooks. */
static void
append_deepspeed_main (const ShardwiseExportJob *job, gboolean hooks, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const gboolean parts = strategy->pp > 1, partial = strategy->zero_stage == 3 && !hooks;
  const guint group = strategy->tp * strategy->cp; /* ranks that see the same sequences */

  g_string_append (text, "\n\ndef main():\n"
                         "    torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))\n"
                         "    deepspeed.init_distributed()\n");
  if (parts)
    g_string_append_printf (text,
                            "    engine, _ = ds_setup.build_engine(make_layers(), cross_entropy, "
                            "\"Layer\"%s)\n"
                            "    replica, replicas = engine.grid.get_data_parallel_id(), %u\n",
                            shardwise_export_ends_count (job) ? ", \"Embedding|Head\"" : "",
                            strategy->dp);
  else
    {
      if (hooks)
        g_string_append_printf (text,
                                "    hooks = HfDeepSpeedConfig(\"%s\")  # while it lives, "
                                "models are sharded where they are made\n",
                                job->info->file_name);
      if (partial)
        g_string_append_printf (text,
                                "    with deepspeed.zero.MiCS_Init(config_dict_or_path=\"%s\"):\n"
                                "        model = make_model()\n",
                                job->info->file_name);
      else
        g_string_append (text, "    model = make_model()\n");
      g_string_append (text, "    engine, _ = ds_setup.build_engine(model)\n");
      g_string_append_printf (text,
                              group > 1 ? "    replica, replicas = dist.get_rank() // %u, %u\n"
                                        : "    replica, replicas = dist.get_rank(), "
                                          "dist.get_world_size()\n",
                              group, strategy->dp);
    }
  g_string_append (
      text,
      "    endless = itertools.chain.from_iterable(sequences() for _ in itertools.count())\n"
      "    mine = itertools.islice(endless, replica, None, replicas)\n"
      "\n"
      "    def batches():\n"
      "        while True:\n"
      "            rows = torch.stack(list(itertools.islice(mine, MICRO_BATCH))).to(\"cuda\")\n"
      "            yield rows[:, :-1].contiguous(), rows[:, 1:].contiguous()\n"
      "\n"
      "    micro_batches = batches()\n");
  if (parts)
    g_string_append (text, "    for step in range(STEPS):\n"
                           "        loss = engine.train_batch(data_iter=micro_batches)\n"
                           "        if dist.get_rank() == 0 and step % 10 == 0:\n"
                           "            print(f\"step {step}: loss {loss.item():.4f}\", "
                           "flush=True)\n");
  else
    {
      g_string_append (text,
                       "    engine.train()\n"
                       "    for step in range(STEPS):\n"
                       "        for _ in range(ACCUMULATION):\n"
                       "            tokens, labels = next(micro_batches)\n"
                       "            positions = torch.arange(SEQUENCE_LENGTH, device=tokens.device)"
                       ".repeat(len(tokens), 1)\n");
      if (strategy->cp > 1)
        g_string_append_printf (text,
                                "            tokens, labels, positions = (\n"
                                "                whole.chunk(%u, dim=1)[dist.get_rank() %% "
                                "%u].contiguous() for whole in (tokens, labels, positions))\n",
                                strategy->cp, strategy->cp);
      g_string_append (
          text,
          "            output = engine(input_ids=tokens, position_ids=positions, use_cache=False)\n"
          "            loss = cross_entropy(output.logits, labels)\n"
          "            engine.backward(loss)\n"
          "            engine.step()\n"
          "        if dist.get_rank() == 0 and step % 10 == 0:\n"
          "            print(f\"step {step}: loss {loss.item():.4f}\", flush=True)\n");
    }
  g_string_append (text, "    engine.save_checkpoint(\"checkpoint\")\n");
}

/**
 * shardwise_program_of_deepspeed:
 * @job: a job of DeepSpeed
 *
 * Returns: (transfer full): the training program beside its files
 */
char *
shardwise_program_of_deepspeed (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const gboolean parts = strategy->pp > 1, own_layers = parts && strategy->tp > 1,
                 ties = parts && !own_layers && job->problem.model.tied_embeddings,
                 hooks = strategy->zero_stage == 3 && strategy->shard_group >= strategy->dp;
  GString *text = begin_program (job);

  g_string_append_printf (text,
                          "%s"
                          "import itertools\n"
                          "import json\n"
                          "import os\n"
                          "\n"
                          "import deepspeed\n"
                          "import torch\n"
                          "import torch.distributed as dist\n"
                          "%s"
                          "from transformers import AutoConfig, AutoModelForCausalLM, "
                          "AutoTokenizer\n"
                          "%s"
                          "\n"
                          "import ds_setup\n",
                          parts && !own_layers ? "import copy\n" : "",
                          ties ? "from deepspeed.pipe import TiedLayerSpec\n" : "",
                          hooks ? "from transformers.integrations import HfDeepSpeedConfig\n" : "");
  append_constants (job, text);
  append_batch (job, text);
  if (!own_layers)
    append_make_model (job, hooks, text);
  if (parts)
    append_pipeline_layers (job, text);
  append_data (text, "SEQUENCE_LENGTH");
  g_string_append (text, "\n\ndef cross_entropy(logits, labels):\n"
                         "    return torch.nn.functional.cross_entropy(logits.flatten(0, 1)"
                         ".float(), labels.flatten())\n");

  append_deepspeed_main (job, hooks, text);
  append_main_call (text);

  return g_string_free (text, FALSE);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* train.py: the program that trains a Hugging Face model on a data set of the user's by what the
 * framework's own files say. Only values computed here enter the code, never a string of the
 * user. */
#include "shardwise-export-program.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"

/* How much an adapter's output is scaled by, in multiples of its rank: torchtune's recipes and
 * LLaMA-Factory take 2 where nothing is said; PEFT's own default, 8 whatever the rank, shrinks the
 * update of a wide adapter. */
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
  g_string_append_printf (text,
                          "STEPS = %u\n"
                          "WARMUP = %u  # steps in which the learning rate rises\n"
                          "SEED = 42\n",
                          shardwise_export_train_steps (&job->problem),
                          MAX (shardwise_export_train_steps (&job->problem) / 10, 1));
  if (config->len > 0)
    g_string_append (text, config->str);
  else
    g_string_append (text, "CONFIG = AutoConfig.from_pretrained(MODEL)\n");
  g_string_free (config, TRUE);
}

static gboolean
is_quantised (const ShardwiseExportJob *job)
{
  return job->problem.training.type == SW_TRAINING_QLORA;
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

/* make_model(): the whole model, with its weights. */
static void
append_make_model (const ShardwiseExportJob *job, GString *text)
{
  const char *type = kept_in (job);

  g_string_append (text, "\n\ndef make_model():\n");
  if (is_quantised (job))
    /* bnb_4bit_quant_storage: FSDP shards parameters of one type alone. */
    g_string_append_printf (text,
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
                            "        device_map={\"\": torch.cuda.current_device()},\n"
                            "    )\n",
                            type, type, type);
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

/* The data set, and how the learning rate goes. */
static void
append_data (GString *text, const char *length)
{
  g_string_append_printf (
      text,
      "\n\ndef sequences():\n"
      "    \"\"\"The texts of DATA, one after the other without end, in pieces of %s tokens and "
      "the "
      "next.\"\"\"\n"
      "    tokenizer = AutoTokenizer.from_pretrained(TOKENIZER)\n"
      "    tokens = []\n"
      "    while True:\n"
      "        with open(DATA) as lines:\n"
      "            for line in lines:\n"
      "                tokens += tokenizer(json.loads(line)[\"text\"])[\"input_ids\"]\n"
      "                tokens.append(tokenizer.eos_token_id)\n"
      "                while len(tokens) > %s:\n"
      "                    yield torch.tensor(tokens[:%s + 1])\n"
      "                    tokens = tokens[%s:]\n"
      "\n\ndef rate(step):\n"
      "    \"\"\"The share of the learning rate: a linear rise, then a cosine down to a "
      "tenth.\"\"\"\n"
      "    if step < WARMUP:\n"
      "        return (step + 1) / WARMUP\n"
      "    done = (step - WARMUP) / max(STEPS - WARMUP, 1)\n"
      "    return 0.55 + 0.45 * math.cos(math.pi * min(done, 1))\n",
      length, length, length, length);
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

/* The head without notes, which are on what stands beside it. */
static GString *
begin_program (const ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
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
  append_make_model (job, text);
  if (has_empty_model (job))
    append_empty_model (job, text);
  if (loads)
    append_load (job, text);
  append_data (text, "plan.SEQUENCE_LENGTH");

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
  g_string_append_printf (
      text,
      "    optimizer = plan.make_optimizer(model)\n"
      "    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)\n"
      "    replica, replicas = plan.replica(mesh)\n"
      "    mine = itertools.islice(sequences(), replica, None, replicas)\n"
      "\n"
      "    def batch(size):\n"
      "        rows = torch.stack(list(itertools.islice(mine, size))).to(\"cuda\")\n"
      "        return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()\n"
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
        "    weights = {name: tensor for name, tensor in plan.named_tensors(model) if "
        "%s}\n"
        "    dcp.save(weights, checkpoint_id=\"checkpoint\")\n",
        "tensor.requires_grad");
  g_string_append (text, "    dist.destroy_process_group()\n"
                         "\n\nif __name__ == \"__main__\":\n"
                         "    main()\n");

  return g_string_free (text, FALSE);
}

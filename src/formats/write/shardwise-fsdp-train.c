/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-fsdp.h"

#include "sw-split.h"

/* The parts of the FSDP files that run a step: pipeline schedule, accumulation, clipping. */

/**
 * shardwise_fsdp_schedule:
 * @strategy: a strategy with a pipeline
 *
 * Returns: the class of torch.distributed.pipelining that runs its schedule
 */
const char *
shardwise_fsdp_schedule (const SwStrategy *strategy)
{
  switch ((SwSchedule) strategy->schedule)
    {
    case SW_SCHEDULE_GPIPE: return "ScheduleGPipe";
    case SW_SCHEDULE_INTERLEAVED: return "ScheduleInterleaved1F1B";
    case SW_SCHEDULE_1F1B:
    case SW_SCHEDULE_ZERO_BUBBLE:
    default: return strategy->vpp > 1 ? "ScheduleInterleaved1F1B" : "Schedule1F1B";
    }
}

static void
append_stage_model (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  guint stages = strategy->pp * strategy->vpp;
  SwSplit split;

  sw_split (&job->problem, strategy, &split);
  g_string_append (text, "\n\nLAYERS_PER_STAGE = [");
  for (guint i = 0; i < stages; i++)
    {
      guint layers = sw_split_chunk_layers (&split, strategy->vpp, i % strategy->pp,
                                            i / strategy->pp);

      g_string_append_printf (text, i + 1 < stages ? "%u, " : "%u", layers);
    }
  g_string_append (
      text,
      "]\n\n\ndef stage_model(model, index):\n"
      "    \"\"\"The layers of one stage; a forward() that skips what is None runs each "
      "part.\"\"\"\n"
      "    part = copy.deepcopy(model)\n"
      "    first = sum(LAYERS_PER_STAGE[:index])\n"
      "    layers = list(part.layers.named_children())[first:first + LAYERS_PER_STAGE[index]]\n"
      "    part.layers = torch.nn.ModuleDict(layers)\n"
      "    if index > 0:\n"
      "        part.tok_embeddings = None\n"
      "    if index < len(LAYERS_PER_STAGE) - 1:\n"
      "        part.norm = part.output = None\n");
  if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS && strategy->vpp > 1)
    g_string_append_printf (text,
                            "    # The first layers of a rank recompute, over all its stages.\n"
                            "    before = sum(LAYERS_PER_STAGE[index %% %u:index:%u])\n"
                            "    part.recomputed = max(0, RECOMPUTED_LAYERS - before)\n",
                            strategy->pp, strategy->pp);
  g_string_append (text, "    return part\n");
}

/**
 * shardwise_fsdp_append_pipeline:
 * @job: the job
 * @text: where to append to
 */
void
shardwise_fsdp_append_pipeline (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *schedule = shardwise_fsdp_schedule (strategy);
  gboolean many = g_str_equal (schedule, "ScheduleInterleaved1F1B");

  append_stage_model (job, text);
  g_string_append_printf (text,
                          "\n\ndef build_pipeline(model, mesh, loss_fn=cross_entropy):\n"
                          "    \"\"\"Returns the schedule and this rank's parts of the model.\n\n"
                          "    model: built under torch.device(\"meta\"). Call to_empty() on the "
                          "parts, then initialise or load their\n"
                          "    weights. schedule.step() runs forward and backward passes of "
                          "ACCUMULATION micro-batches.\n"
                          "    \"\"\"\n"
                          "    device = torch.device(\"cuda\", torch.cuda.current_device())\n"
                          "    group = mesh[\"pp\"].get_group()\n"
                          "    stages, parts = [], []\n"
                          "    for index in range(mesh[\"pp\"].get_local_rank(), "
                          "len(LAYERS_PER_STAGE), mesh[\"pp\"].size()):\n"
                          "        part = parallelize(stage_model(model, index), mesh)\n"
                          "        parts.append(part)\n"
                          "        stages.append(PipelineStage(part, index, len(LAYERS_PER_STAGE), "
                          "device, group=group))\n"
                          "    schedule = %s(%s, n_microbatches=ACCUMULATION, loss_fn=loss_fn)\n"
                          "    return schedule, torch.nn.ModuleList(parts)\n",
                          schedule, many ? "stages" : "stages[0]");
}

static void
append_context (const SwStrategy *strategy, GString *text, const char *indent)
{
  gboolean parts = strategy->pp > 1;

  if (strategy->cp == 1)
    return;

  g_string_append_printf (text,
                          "%sset_rotate_method(\"%s\")\n"
                          "%swith context_parallel(\n"
                          "%s    mesh[\"cp\"],\n"
                          "%s    buffers=[tokens, labels, %s],  # split along the sequence\n"
                          "%s    buffer_seq_dims=[1, 1, %s],\n"
                          "%s    no_restore_buffers={tokens, labels},\n"
                          "%s):\n",
                          indent, strategy->cp_method == SW_CP_ALLGATHER ? "allgather" : "alltoall",
                          indent, indent, indent,
                          parts ? "*[part.freqs_cis for part in model]" : "model.freqs_cis", indent,
                          parts ? "*[0 for _ in model]" : "0", indent, indent);
}

static void
append_pipeline_step (const SwStrategy *strategy, GString *text)
{
  const char *indent = strategy->cp > 1 ? "        " : "    ";

  g_string_append (text,
                   "\n\ndef train_step(schedule, model, optimizer, mesh, tokens, labels):\n"
                   "    \"\"\"tokens and labels: MICRO_BATCH * ACCUMULATION sequences.\"\"\"\n"
                   "    rank, last = mesh[\"pp\"].get_local_rank(), mesh[\"pp\"].size() - 1\n"
                   "    inputs = (tokens,) if rank == 0 else ()\n"
                   "    target = labels if rank == last else None\n");
  append_context (strategy, text, "    ");
  g_string_append_printf (text, "%sschedule.step(*inputs, target=target)\n", indent);
}

static void
append_plain_step (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *indent = strategy->cp > 1 ? "            " : "        ";

  g_string_append_printf (text,
                          "\n\ndef train_step(model, optimizer, mesh, micro_batches, loss_fn%s):\n",
                          shardwise_fsdp_is_first (job) ? "" : "=cross_entropy");
  g_string_append (text, "    \"\"\"micro_batches: ACCUMULATION pairs of tokens and labels, "
                         "MICRO_BATCH sequences each.\"\"\"\n"
                         "    for tokens, labels in micro_batches:\n");
  append_context (strategy, text, "        ");
  g_string_append_printf (text,
                          "%sloss = loss_fn(model(tokens), labels) / ACCUMULATION\n"
                          "%s%s\n",
                          indent, indent,
                          job->problem.training.precision == SW_PRECISION_FP16
                              ? "SCALER.scale(loss).backward()"
                              : "loss.backward()");
}

/* Gradients of different meshes cannot be clipped in one call, and a pipeline's stages are on
 * different ranks. */
static gboolean
needs_own_clipping (const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  return !shardwise_fsdp_is_first (job) && (strategy->tp > 1 || strategy->pp > 1);
}

static void
append_clipping (const ShardwiseExportJob *job, GString *text)
{
  const char *mesh = job->estimate.strategy.pp > 1 ? ", mesh" : "";

  if (!needs_own_clipping (job))
    return;

  g_string_append_printf (text, "\n\ndef clip_gradients(model%s, limit=1.0):\n", mesh);
  g_string_append (
      text, "    \"\"\"Clips by the norm over all ranks: of each mesh's shards, of the meshes, of "
            "the stages.\"\"\"\n"
            "    groups = {}\n"
            "    for parameter in model.parameters():\n"
            "        if parameter.grad is not None:\n"
            "            groups.setdefault(parameter.grad.device_mesh, []).append(parameter.grad)\n"
            "    square = sum(torch.nn.utils.get_total_norm(grads).full_tensor() ** 2 for grads in "
            "groups.values())\n");
  if (job->estimate.strategy.pp > 1)
    g_string_append (text, "    dist.all_reduce(square, group=mesh[\"pp\"].get_group())\n");
  g_string_append (text, "    scale = torch.clamp(limit / (square.sqrt() + 1e-6), max=1.0)\n"
                         "    for grads in groups.values():\n"
                         "        for grad in grads:\n"
                         "            grad.mul_(scale)\n");
}

static void
append_update (const ShardwiseExportJob *job, GString *text)
{
  gboolean fp16 = job->problem.training.precision == SW_PRECISION_FP16;

  if (fp16)
    g_string_append (text, "    SCALER.unscale_(optimizer)\n");
  if (shardwise_fsdp_is_first (job))
    g_string_append (text, "    model.clip_grad_norm_(1.0)\n");
  else if (needs_own_clipping (job))
    g_string_append_printf (text, "    clip_gradients(model%s)\n",
                            job->estimate.strategy.pp > 1 ? ", mesh" : "");
  else
    g_string_append (text, "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n");
  g_string_append (text, fp16 ? "    SCALER.step(optimizer)\n    SCALER.update()\n"
                              : "    optimizer.step()\n");
  g_string_append (text, "    optimizer.zero_grad()\n");
}

/**
 * shardwise_fsdp_append_train_step:
 * @job: the job
 * @text: where to append to
 *
 * Appends one optimizer step, and the start of the job with a check of its size.
 */
void
shardwise_fsdp_append_train_step (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  /* of gradients that FSDP 2 offloads the norm is reduced on the hosts */
  const gboolean reduces_on_host = strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS
                                   && !shardwise_fsdp_is_first (job);

  if (job->problem.training.precision == SW_PRECISION_FP16)
    g_string_append (
        text,
        shardwise_fsdp_is_first (job)
            ? "\n\nfrom torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n\n"
              "SCALER = ShardedGradScaler()\n"
            : "\n\nSCALER = torch.amp.GradScaler(\"cuda\")\n");
  append_clipping (job, text);
  if (strategy->pp > 1)
    append_pipeline_step (strategy, text);
  else
    append_plain_step (job, text);
  append_update (job, text);

  g_string_append_printf (
      text,
      "\n\ndef start():\n"
      "    \"\"\"Call this first; then parallelize the model on the mesh that it returns.\"\"\"\n"
      "    torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))\n"
      "    dist.init_process_group(\"%s\")\n",
      reduces_on_host ? "cpu:gloo,cuda:nccl" : "nccl");
  g_string_append (text,
                   "    if dist.get_world_size() != WORLD_SIZE:\n"
                   "        raise RuntimeError(f\"this strategy is for {WORLD_SIZE} GPUs, not "
                   "{dist.get_world_size()}\")\n"
                   "    return build_mesh()\n");
}

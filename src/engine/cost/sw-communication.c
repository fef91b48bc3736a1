/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The communication of a step: the calls that its time consists of, recorded as they are timed. */
#include "sw-communication.h"

#include "sw-estimate.h"

const char *const sw_communication_group_names[] = { "tp", "cp", "ep", "pp", "dp", NULL };
const char *const sw_communication_use_names[] = { "activations", "gradients", "replica-gradients",
                                                   "parameters",  "merges",    "other-phases",
                                                   NULL };

typedef struct {
  const SwProblem *problem;
  const SwStrategy *strategy;
  SwCommunication *row;
  guint n;
} Table;

/* The row for such calls, added if needed; %NULL if the table is full. */
static SwCommunication *
find_row (Table *table, SwCommunicationGroup group, const SwCollectiveCall *call)
{
  SwCommunicationUse use = SW_COMMUNICATION_ACTIVATIONS;
  SwCommunication *row;

  if (call->is_local)
    use = SW_COMMUNICATION_MERGES;
  else if (group == SW_COMMUNICATION_DATA && call->kind == SW_COLLECTIVE_ALL_GATHER)
    use = SW_COMMUNICATION_PARAMETERS;
  else if (group == SW_COMMUNICATION_DATA)
    use = call->kind == SW_COLLECTIVE_ALL_REDUCE && table->strategy->zero_stage > 0
              ? SW_COMMUNICATION_REPLICAS
              : SW_COMMUNICATION_GRADIENTS;
  for (guint i = 0; i < table->n; i++)
    {
      row = &table->row[i];
      if (row->group == group && row->use == use && row->kind == call->kind
          && row->is_experts == call->is_experts)
        return row;
    }
  if (table->n == SW_MAX_COMMUNICATIONS)
    return NULL;
  row = &table->row[table->n++];
  *row = (SwCommunication){ .group = group,
                            .use = use,
                            .kind = call->kind,
                            .is_experts = call->is_experts,
                            .gpus = call->group.size };
  /* Calls of a pipeline or a ring have two GPUs each. */
  if (group == SW_COMMUNICATION_CONTEXT)
    row->gpus = table->strategy->cp;
  else if (group == SW_COMMUNICATION_PIPELINE)
    row->gpus = table->strategy->pp;
  if (!call->is_local)
    sw_collective_links (&table->problem->cluster, call->kind, call->group, &row->inside,
                         &row->network);
  /* Only some of a pipeline's borders may lie between nodes. */
  row->inside |= call->network < call->sent;
  return row;
}

/* Adds calls, with the number of units per step for each of the log's passes. */
static void
add_log (Table *table, SwCommunicationGroup group, SwCollectiveLog *log, const double times[2])
{
  for (guint i = 0; i < log->n; i++)
    {
      const SwCollectiveCall *call = &log->call[i];
      double forward = times[0] * call->units[0], backward = times[1] * call->units[1],
             units = forward + backward;
      SwCommunication *row;

      if (units <= 0 || (row = find_row (table, group, call)) == NULL)
        continue;
      row->seconds += units * call->seconds;
      row->exposed_s += call->seconds
                        * (forward * call->exposed_share[0] + backward * call->exposed_share[1]);
      row->calls += call->is_local ? 0 : units * call->messages;
      row->bytes += units * call->bytes * call->sent;
      row->network_bytes += units * call->bytes * call->network;
    }
  log->n = 0;
}

/* The layers of one kind in the slowest stage, for each micro-batch: `plain` of them use the
 * strategy's recomputation, `whole` are recomputed whole. */
static void
add_layers (Table *table, SwLayerScene *scene, double core_s, gboolean is_moe, double plain,
            double whole, double micro_batches)
{
  double again[3], again_whole[3], times[3][2];
  SwLayerComm comm;

  sw_layer_comm_again (scene, FALSE, again);
  sw_layer_comm_again (scene, TRUE, again_whole);
  for (guint i = 0; i < 3; i++)
    {
      times[i][0] = micro_batches * (plain * (1 + again[i]) + whole * (1 + again_whole[i]));
      times[i][1] = micro_batches * (plain + whole);
    }
  sw_layer_comm_tensor (scene, is_moe, &comm);
  add_log (table, SW_COMMUNICATION_TENSOR, scene->log, times[0]);
  sw_layer_comm_context (scene, core_s, &comm);
  add_log (table, SW_COMMUNICATION_CONTEXT, scene->log, times[1]);
  if (!is_moe)
    return;
  sw_layer_comm_expert (scene, &comm);
  add_log (table, SW_COMMUNICATION_EXPERT, scene->log, times[2]);
}

/* Layers and head of the slowest stage. Communication of multi-token-prediction layers counts as
 * their compute, as in the time. */
static void
add_stage (Table *table, const SwLayerBase *base, const SwScheduleTime *schedule)
{
  double m = schedule->micro_batches;
  SwCollectiveLog log = { 0 };
  SwLayerScene scene = base->scene;
  guint whole[SW_N_LAYER_KINDS];

  scene.strategy = table->strategy;
  scene.log = &log;
  sw_stage_whole_layers (table->strategy, schedule->stage_layers, whole);
  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    if (schedule->stage_layers[kind] > 0)
      add_layers (table, &scene, base->attention.core_s, kind == SW_LAYER_MOE,
                  schedule->stage_layers[kind] - whole[kind], whole[kind], m);
  if (schedule->stage != table->strategy->pp - 1)
    return;
  sw_layer_comm_head (&scene);
  add_log (table, SW_COMMUNICATION_TENSOR, &log, (double[]){ m, m });
}

/**
 * sw_communication:
 * @problem: the question, prepared
 * @strategy: a strategy that the rules allow
 * @out: (out): rows, those of a group together
 *
 * Lists what is communicated in a step, as the GPUs of the slowest stage do it; of parameters and
 * gradients, those of the stage that takes the longest for them. The rows of a group add up to its
 * exposed and hidden time in sw_time(). Where one window of compute hides calls of several kinds
 * together (data-parallel ones), what stays exposed is shared out among them in proportion to their
 * time. Bytes are a GPU's average; the time of experts' all-to-alls is the busiest one's, so that
 * their bandwidth includes the imbalance.
 *
 * Returns: the number of rows; 0 on a single GPU
 */
guint
sw_communication (const SwProblem *problem, const SwStrategy *strategy,
                  SwCommunication out[SW_MAX_COMMUNICATIONS])
{
  Table table = { problem, strategy, out, 0 };
  SwCollectiveLog log = { 0 };
  SwLayerMemory memory;
  SwScheduleTime schedule;
  SwLayerBase base;
  SwLayerTime layer;
  SwTime time;

  sw_layer_memory (problem, strategy, &memory);
  sw_layer_time (problem, strategy, &layer);
  sw_layer_base (problem, strategy, &base);
  sw_schedule_time (problem, strategy, &layer, &schedule);
  sw_estimate_time (problem, strategy, &memory, &schedule, &time);
  add_stage (&table, &base, &schedule);
  if (strategy->pp > 1)
    {
      SwCollectiveCall steady, fill;

      sw_schedule_point_to_point (problem, strategy, &layer, schedule.micro_batches, &steady,
                                  &fill);
      sw_collective_log (&log, problem, &steady);
      sw_collective_log (&log, problem, &fill);
      add_log (&table, SW_COMMUNICATION_PIPELINE, &log, (double[]){ 1, 1 });
    }
  sw_time_data_calls (problem, strategy, &memory, &schedule, &log);
  add_log (&table, SW_COMMUNICATION_DATA, &log, (double[]){ 1, 1 });
  for (guint i = 0; i < table.n; i++)
    {
      SwCommunication *row = &table.row[i];

      row->hidden_s = MAX (row->seconds - row->exposed_s, 0);
      row->bus_bytes_per_s = row->seconds > 0 ? row->bytes / row->seconds : 0;
    }
  if (problem->training.type != SW_TRAINING_RLHF)
    return table.n;
  /* Generation, scoring and the critic communicate too: their part of each group's time. */
  for (guint group = 0, n = table.n; group < SW_N_COMMUNICATION_GROUPS; group++)
    {
      const double all[SW_N_COMMUNICATION_GROUPS][2] = {
        { time.tp_exposed_s, time.tp_hidden_s }, { time.cp_exposed_s, time.cp_hidden_s },
        { time.ep_exposed_s, time.ep_hidden_s }, { time.pp_exposed_s, time.pp_hidden_s },
        { time.dp_exposed_s, time.dp_hidden_s },
      };
      SwCommunication rest = { .group = (SwCommunicationGroup) group,
                               .use = SW_COMMUNICATION_OTHER_PHASES,
                               .exposed_s = all[group][0],
                               .hidden_s = all[group][1] };

      for (guint i = 0; i < n; i++)
        if (out[i].group == rest.group)
          {
            rest.exposed_s -= out[i].exposed_s;
            rest.hidden_s -= out[i].hidden_s;
          }
      rest.seconds = rest.exposed_s + rest.hidden_s;
      if (rest.seconds > 1e-9 * time.step_s)
        out[table.n++] = rest;
    }
  return table.n;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and JSON of what is communicated in a step. */
#include "shardwise-texts-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"

static const char *
data_name (const SwCommunication *row)
{
  switch (row->use)
    {
    case SW_COMMUNICATION_GRADIENTS:
      return row->is_experts ? _ ("Data parallel, experts’ gradients")
                             : _ ("Data parallel, gradients");
    case SW_COMMUNICATION_REPLICAS:
      return row->is_experts ? _ ("Data parallel, experts’ gradients across shards")
                             : _ ("Data parallel, gradients across shards");
    case SW_COMMUNICATION_PARAMETERS:
      return row->is_experts ? _ ("Data parallel, experts’ parameters")
                             : _ ("Data parallel, parameters");
    case SW_COMMUNICATION_OTHER_PHASES: return _ ("Data parallel, other phases");
    case SW_COMMUNICATION_ACTIVATIONS:
    case SW_COMMUNICATION_MERGES:
    case SW_N_COMMUNICATION_USES:
    default: g_return_val_if_reached ("");
    }
}

/**
 * shardwise_text_communication:
 * @row: of the table of communication
 *
 * Returns: (transfer none): what is communicated: "Data parallel, gradients"
 */
const char *
shardwise_text_communication (const SwCommunication *row)
{
  gboolean other = row->use == SW_COMMUNICATION_OTHER_PHASES;

  switch (row->group)
    {
    case SW_COMMUNICATION_TENSOR:
      return other ? _ ("Tensor parallel, other phases") : _ ("Tensor parallel");
    case SW_COMMUNICATION_CONTEXT:
      if (row->use == SW_COMMUNICATION_MERGES)
        return _ ("Context parallel, merging the parts");
      return other ? _ ("Context parallel, other phases") : _ ("Context parallel");
    case SW_COMMUNICATION_EXPERT:
      return other ? _ ("Expert parallel, other phases") : _ ("Expert parallel");
    case SW_COMMUNICATION_PIPELINE:
      return other ? _ ("Pipeline transfers, other phases") : _ ("Pipeline transfers");
    case SW_COMMUNICATION_DATA: return data_name (row);
    case SW_N_COMMUNICATION_GROUPS:
    default: g_return_val_if_reached ("");
    }
}

/**
 * shardwise_text_collective:
 * @row: of the table of communication
 *
 * Returns: (transfer none): the operation, as libraries of collectives call it; "–" where nothing
 * is sent, or more than one kind of thing
 */
const char *
shardwise_text_collective (const SwCommunication *row)
{
  if (row->calls <= 0)
    return "–";
  switch (row->kind)
    {
    case SW_COLLECTIVE_ALL_REDUCE: return C_ ("collective", "all-reduce");
    case SW_COLLECTIVE_ALL_GATHER: return C_ ("collective", "all-gather");
    case SW_COLLECTIVE_REDUCE_SCATTER: return C_ ("collective", "reduce-scatter");
    case SW_COLLECTIVE_ALL_TO_ALL: return C_ ("collective", "all-to-all");
    case SW_COLLECTIVE_P2P:
    default: return C_ ("collective", "send and receive");
    }
}

/* The name of a link without the machines that have it. */
static char *
short_name (const SwLink *link)
{
  const char *end = strstr (link->name, " (");

  return end != NULL ? g_strndup (link->name, (gsize) (end - link->name)) : g_strdup (link->name);
}

/**
 * shardwise_text_links:
 * @problem: the question
 * @row: of the table of communication
 *
 * Returns: (transfer full): the links that it goes over; "–" where nothing is sent
 */
char *
shardwise_text_links (const SwProblem *problem, const SwCommunication *row)
{
  g_autofree char *intra = short_name (&problem->cluster.intra),
                  *inter = short_name (&problem->cluster.inter);

  if (row->inside && row->network)
    /* Translators: two kinds of links: "NVLink 4 + NVSwitch and InfiniBand NDR 400" */
    return g_strdup_printf (_ ("%s and %s"), intra, inter);
  if (row->network)
    return g_steal_pointer (&inter);
  return row->inside ? g_steal_pointer (&intra) : g_strdup ("–");
}

static const SwCommunication *
costliest (const SwCommunication *rows, guint n)
{
  const SwCommunication *most = &rows[0];

  for (guint i = 1; i < n; i++)
    if (rows[i].exposed_s > most->exposed_s
        || (rows[i].exposed_s >= most->exposed_s && rows[i].seconds > most->seconds))
      most = &rows[i];
  return most;
}

/**
 * shardwise_text_communications:
 * @problem: the question
 * @rows: the table of communication
 * @n: its rows
 *
 * Returns: (transfer full): which one delays the step most, its links, and how much is hidden
 */
char *
shardwise_text_communications (const SwProblem *problem, const SwCommunication *rows, guint n)
{
  const SwCommunication *most;
  g_autofree char *links = NULL, *time = NULL, *hidden = NULL;

  if (n == 0)
    return g_strdup (_ ("Nothing is communicated: the model runs on one GPU."));
  most = costliest (rows, n);
  time = shardwise_format_seconds (most->seconds);
  hidden = shardwise_format_percent (most->seconds > 0 ? most->hidden_s / most->seconds : 0);
  if (most->calls <= 0)
    return g_strdup_printf (
        /* Translators: what costs ("Tensor parallel, other phases"), a duration, a percentage */
        _ ("Costs most: %s, %s a step, %s of it hidden behind compute."),
        shardwise_text_communication (most), time, hidden);
  links = shardwise_text_links (problem, most);
  return g_strdup_printf (
      /* Translators: what is sent ("Tensor parallel"), how ("all-gather"), over which links, a
     * duration, a percentage */
      _ ("Costs most: %s (%s) over %s, %s a step, %s of it hidden behind compute."),
      shardwise_text_communication (most), shardwise_text_collective (most), links, time, hidden);
}

static void
set_links (JsonObject *object, const SwProblem *problem, const SwCommunication *row)
{
  JsonArray *links = json_array_new ();

  if (row->inside)
    json_array_add_string_element (links, problem->cluster.intra.id);
  if (row->network)
    json_array_add_string_element (links, problem->cluster.inter.id);
  json_object_set_array_member (object, "links", links);
}

static JsonObject *
row_to_object (const SwProblem *problem, const SwCommunication *row)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "group", sw_communication_group_names[row->group]);
  json_object_set_string_member (object, "use", sw_communication_use_names[row->use]);
  json_object_set_boolean_member (object, "experts", row->is_experts);
  if (row->calls > 0)
    json_object_set_string_member (object, "collective", sw_collective_names[row->kind]);
  else
    json_object_set_null_member (object, "collective");
  json_object_set_int_member (object, "gpus", row->gpus);
  set_links (object, problem, row);
  json_object_set_double_member (object, "calls", row->calls);
  shardwise_json_set_gib (object, "sent_gib", row->bytes);
  shardwise_json_set_gib (object, "network_gib", row->network_bytes);
  json_object_set_double_member (object, "bus_gb_per_s", row->bus_bytes_per_s / SW_GB);
  json_object_set_double_member (object, "time_s", row->seconds);
  json_object_set_double_member (object, "exposed_s", row->exposed_s);
  json_object_set_double_member (object, "hidden_s", row->hidden_s);
  return object;
}

/**
 * shardwise_communication_to_json:
 * @problem: the question, prepared
 * @strategy: a strategy
 *
 * Returns: (transfer full): an object for each row of the table of communication
 */
JsonArray *
shardwise_communication_to_json (const SwProblem *problem, const SwStrategy *strategy)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  guint n = sw_communication (problem, strategy, rows);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < n; i++)
    json_array_add_object_element (array, row_to_object (problem, &rows[i]));
  return array;
}

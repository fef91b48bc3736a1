/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest and the cheapest cluster that is done by a date. */
#include "shardwise-deadline.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"
#include "shardwise-format.h"
#include "shardwise-money.h"

#define DAY_S 86400.0

/**
 * shardwise_deadline_sizes:
 * @gpus: the scenario's
 *
 * Returns: (transfer full) (element-type guint): powers of two up to 131,072, and @gpus among them
 */
GArray *
shardwise_deadline_sizes (guint gpus)
{
  return shardwise_sizing_sizes (1, gpus);
}

static gboolean
is_less (GPtrArray *points, guint index, int than, gboolean by_cost)
{
  const ShardwiseSizingPoint *a = g_ptr_array_index (points, index), *b;

  if (than < 0)
    return TRUE;
  b = g_ptr_array_index (points, (guint) than);
  return by_cost ? a->cost < b->cost : a->gpus < b->gpus;
}

static gboolean
is_faster (GPtrArray *points, guint index, int than)
{
  const ShardwiseSizingPoint *a = g_ptr_array_index (points, index);

  return than < 0
         || a->days < ((ShardwiseSizingPoint *) g_ptr_array_index (points, (guint) than))->days;
}

/**
 * shardwise_deadline_plan:
 * @scenario: the document, with its deadline
 * @start: the day on which training begins
 * @points: (element-type ShardwiseSizingPoint): clusters, each with its days and cost
 * @out: (out): which of them are done in time, checkpoints and interruptions counted
 *
 * Returns: whether the scenario states a deadline
 */
gboolean
shardwise_deadline_plan (ShardwiseScenario *scenario, const GDate *start, GPtrArray *points,
                         ShardwiseDeadlinePlan *out)
{
  g_autofree char *text = NULL;
  GDate deadline;

  memset (out, 0, sizeof *out);
  out->smallest = out->cheapest = out->fastest = -1;
  if (!shardwise_scenario_is_set (scenario, "training.deadline"))
    return FALSE;
  text = shardwise_scenario_get_string (scenario, "training.deadline");
  if (text == NULL || !shardwise_date_parse (text, &deadline))
    return FALSE;
  g_date_strftime (out->start, sizeof out->start, "%Y-%m-%d", start);
  g_date_strftime (out->deadline, sizeof out->deadline, "%Y-%m-%d", &deadline);
  out->days = g_date_days_between (start, &deadline);
  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);

      if (!point->estimate.fits || !(point->days > 0))
        continue;
      if (is_faster (points, i, out->fastest))
        out->fastest = (int) i;
      if (point->days > out->days)
        continue;
      if (is_less (points, i, out->smallest, FALSE))
        out->smallest = (int) i;
      if (point->cost > 0 && is_less (points, i, out->cheapest, TRUE))
        out->cheapest = (int) i;
    }
  return TRUE;
}

static const ShardwiseSizingPoint *
point_at (GPtrArray *points, int index)
{
  return index >= 0 ? g_ptr_array_index (points, (guint) index) : NULL;
}

static char *
days_text (const ShardwiseSizingPoint *point)
{
  return shardwise_format_seconds (point->days * DAY_S);
}

/* "31 days from the start". */
static char *
span_text (const ShardwiseDeadlinePlan *plan)
{
  return g_strdup_printf (
      ngettext ("%'.0f day from the start", "%'.0f days from the start", (gulong) plan->days),
      plan->days);
}

static char *
missed_text (const ShardwiseDeadlinePlan *plan, const ShardwiseSizingPoint *fastest)
{
  g_autofree char *span = NULL, *gpus = NULL, *time = NULL;

  if (plan->days <= 0)
    /* Translators: two dates */
    return g_strdup_printf (_ ("The deadline %s is not after the start %s."), plan->deadline,
                            plan->start);
  if (fastest == NULL)
    return g_strdup (_ ("No deadline can be met: no cluster has a strategy that fits, or the "
                        "number of tokens is not stated."));
  span = span_text (plan);
  gpus = shardwise_format_gpus (fastest->gpus);
  time = days_text (fastest);
  return g_strdup_printf (
      /* Translators: a date, "9 days from the start", "64 GPUs", a duration */
      _ ("None of these clusters is done by %s, %s: the fastest, of %s, takes %s."), plan->deadline,
      span, gpus, time);
}

static char *
smallest_text (const ShardwiseDeadlinePlan *plan, const ShardwiseSizingPoint *smallest)
{
  g_autofree char *span = span_text (plan), *gpus = shardwise_format_gpus (smallest->gpus),
                  *time = days_text (smallest);

  return g_strdup_printf (
      /* Translators: a date, "31 days from the start", "16 GPUs", a duration */
      _ ("Done by %s, %s: the smallest cluster has %s and takes %s."), plan->deadline, span, gpus,
      time);
}

static char *
cheapest_text (const ShardwiseSizingPoint *smallest, const ShardwiseSizingPoint *cheapest,
               const char *currency)
{
  g_autofree char *money = NULL, *gpus = NULL, *time = NULL;

  if (cheapest == NULL)
    return g_strdup (_ ("Without a price there is no cheapest."));
  money = shardwise_format_money (cheapest->cost, currency);
  if (cheapest == smallest)
    /* Translators: an amount of money */
    return g_strdup_printf (_ ("It is the cheapest too, at %s."), money);
  gpus = shardwise_format_gpus (cheapest->gpus);
  time = days_text (cheapest);
  /* Translators: "32 GPUs", a duration, an amount of money */
  return g_strdup_printf (_ ("The cheapest has %s, takes %s and costs %s."), gpus, time, money);
}

/**
 * shardwise_deadline_text:
 * @plan: of @points
 * @currency: of their costs
 *
 * Returns: (transfer full): the answer in words, also where no cluster is done in time
 */
char *
shardwise_deadline_text (const ShardwiseDeadlinePlan *plan, GPtrArray *points, const char *currency)
{
  const ShardwiseSizingPoint *smallest = point_at (points, plan->smallest),
                             *cheapest = point_at (points, plan->cheapest);
  g_autofree char *first = NULL, *second = NULL;

  if (smallest == NULL)
    return missed_text (plan, point_at (points, plan->fastest));
  first = smallest_text (plan, smallest);
  second = cheapest_text (smallest, cheapest, currency);
  return g_strconcat (first, " ", second, NULL);
}

static void
set_point (JsonObject *object, const char *name, const ShardwiseSizingPoint *point)
{
  JsonObject *member;

  if (point == NULL)
    {
      json_object_set_null_member (object, name);
      return;
    }
  member = json_object_new ();
  json_object_set_int_member (member, "gpus", point->gpus);
  json_object_set_double_member (member, "days", point->days);
  shardwise_json_set_known (member, "cost", point->cost,
                            shardwise_cost_bill (&point->bill) != NULL);
  json_object_set_object_member (object, name, member);
}

/**
 * shardwise_deadline_to_json:
 * @plan: of @points
 *
 * Returns: (transfer full): {"start", "deadline", "days", "smallest", "cheapest", "fastest"}; the
 * last three are null where there is none, and so is the cost in them without a price
 */
JsonNode *
shardwise_deadline_to_json (const ShardwiseDeadlinePlan *plan, GPtrArray *points)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "start", plan->start);
  json_object_set_string_member (object, "deadline", plan->deadline);
  json_object_set_double_member (object, "days", plan->days);
  set_point (object, "smallest", point_at (points, plan->smallest));
  set_point (object, "cheapest", point_at (points, plan->cheapest));
  set_point (object, "fastest", point_at (points, plan->fastest));
  return shardwise_json_take_object (object);
}

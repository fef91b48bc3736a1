/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest and the cheapest cluster that meet a deadline. */
#include "shardwise-deadline.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-json.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"

#define DAY_S 86400.0

/**
 * shardwise_deadline_sizes:
 * @gpus: the scenario's
 *
 * Returns: (transfer full) (element-type guint): powers of two up to 131,072, and @gpus
 */
GArray *
shardwise_deadline_sizes (guint gpus)
{
  return shardwise_sizing_sizes (1, gpus);
}

typedef enum { BY_GPUS, BY_COST, BY_DAYS } Measure;

/* than: index of a point; -1: none. */
static gboolean
is_less (GPtrArray *points, guint index, int than, Measure by)
{
  const ShardwiseSizingPoint *a = g_ptr_array_index (points, index), *b;

  if (than < 0)
    return TRUE;
  b = g_ptr_array_index (points, (guint) than);
  if (by == BY_DAYS)
    return a->days < b->days;
  return by == BY_COST ? a->cost < b->cost : a->gpus < b->gpus;
}

/**
 * shardwise_deadline_plan:
 * @scenario: the document, with its deadline
 * @start: the first day of training
 * @points: (element-type ShardwiseSizingPoint): clusters, each with its days and cost
 * @out: (out): the plan, including checkpoints and interruptions
 *
 * Returns: whether the scenario sets a deadline
 */
gboolean
shardwise_deadline_plan (ShardwiseScenario *scenario, const GDate *start, GPtrArray *points,
                         ShardwiseDeadlinePlan *out)
{
  g_autofree char *text = NULL;
  GDate deadline;

  memset (out, 0, sizeof *out);
  out->smallest = out->cheapest = out->fastest = -1;
  if (!shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_DEADLINE))
    return FALSE;
  text = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_TRAINING_DEADLINE);
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
      if (is_less (points, i, out->fastest, BY_DAYS))
        out->fastest = (int) i;
      if (point->days > out->days)
        continue;
      if (is_less (points, i, out->smallest, BY_GPUS))
        out->smallest = (int) i;
      if (point->cost > 0 && is_less (points, i, out->cheapest, BY_COST))
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
      ngettext ("%'.0f day after the start", "%'.0f days after the start", (gulong) plan->days),
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
    return g_strdup (_ ("No deadline can be met: no strategy fits any of these clusters, or the "
                        "number of tokens is not set."));
  span = span_text (plan);
  gpus = shardwise_format_gpus (fastest->gpus);
  time = days_text (fastest);
  return g_strdup_printf (
      /* Translators: a date, "9 days from the start", "64 GPUs", a duration */
      _ ("None of these clusters finishes by %s, %s: the fastest, with %s, takes %s."),
      plan->deadline, span, gpus, time);
}

static char *
cheapest_text (const ShardwiseSizingPoint *smallest, const ShardwiseSizingPoint *cheapest,
               const char *currency)
{
  g_autofree char *money = NULL, *gpus = NULL, *time = NULL;

  if (cheapest == NULL)
    return g_strdup (_ ("Without a price, no cluster is the cheapest."));
  money = shardwise_format_money (cheapest->cost, currency);
  if (cheapest == smallest)
    /* Translators: an amount of money */
    return g_strdup_printf (_ ("It is also the cheapest, at %s."), money);
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
 * Returns: (transfer full): the answer in words, also if no cluster meets the deadline
 */
char *
shardwise_deadline_text (const ShardwiseDeadlinePlan *plan, GPtrArray *points, const char *currency)
{
  const ShardwiseSizingPoint *smallest = point_at (points, plan->smallest),
                             *cheapest = point_at (points, plan->cheapest);
  g_autofree char *first = NULL, *second = NULL, *span = NULL, *gpus = NULL, *time = NULL;

  if (smallest == NULL)
    return missed_text (plan, point_at (points, plan->fastest));
  span = span_text (plan);
  gpus = shardwise_format_gpus (smallest->gpus);
  time = days_text (smallest);
  first = g_strdup_printf (
      /* Translators: a date, "31 days from the start", "16 GPUs", a duration */
      _ ("Deadline %s, %s: the smallest cluster that meets it has %s and takes %s."),
      plan->deadline, span, gpus, time);
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
 * last three are null if there is none, and so is their cost without a price
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

/* Finds the clusters for a deadline: doublings first, then whole nodes between the last that is
 * late and the first that is in time. */

#define MOST_GPUS 131072.0

/* Into how many sizes a gap is divided, twice. */
#define STEPS 8u
#define STEPS_SLOW 4u

/* A doubling that is less than this much faster costs a third more. */
#define LEAST_SPEEDUP 1.5

/* One search; its three sweeps share one progress. */
typedef struct {
  ShardwiseScenario *scenario;
  const GDate *start;
  GPtrArray *points; /* of ShardwiseSizingPoint, ascending */
  guint sweep;       /* 0, 1, 2 */
  gboolean is_slow;  /* one size takes seconds; large clusters take minutes */
  void (*progress) (double fraction, gpointer data);
  gpointer progress_data;
  GCancellable *cancellable;
} Search;

/* The doublings take most of the time, because they include the largest clusters. */
static void
progress_cb (double fraction, gpointer data)
{
  static const double before[] = { 0, 0.8, 0.9, 1 };
  const Search *self = data;
  double from = before[self->sweep], to = before[self->sweep + 1];

  if (self->progress != NULL)
    self->progress (from + (to - from) * fraction, self->progress_data);
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  guint left = (*(const ShardwiseSizingPoint *const *) a)->gpus,
        right = (*(const ShardwiseSizingPoint *const *) b)->gpus;

  return (left > right) - (left < right);
}

/* Whether larger clusters cannot be an answer, assuming that a doubling gains no more than the one
 * before: each costs more than the last, or, if none is in time yet, the largest is late, too. */
static gboolean
is_enough (GPtrArray *points, guint n, gpointer data)
{
  const Search *self = data;
  g_autoptr (GPtrArray) first = g_ptr_array_new ();
  const ShardwiseSizingPoint *last = g_ptr_array_index (points, n - 1), *half = NULL;

  ShardwiseDeadlinePlan plan;
  double speedup;

  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (first, g_ptr_array_index (points, i));
      if (2 * ((const ShardwiseSizingPoint *) g_ptr_array_index (points, i))->gpus == last->gpus)
        half = g_ptr_array_index (points, i);
    }
  /* A proven strategy, which fits from some size, may be slower than the untried one before. */
  if (half == NULL || !(half->days > 0) || !(last->days > 0)
      || half->estimate.level == SW_LEVEL_UNTRIED)
    return FALSE;

  speedup = half->days / last->days;
  if (!shardwise_deadline_plan (self->scenario, self->start, first, &plan) || plan.smallest >= 0)
    return speedup < LEAST_SPEEDUP;
  return last->days / pow (MAX (speedup, 1), log2 (MOST_GPUS / last->gpus)) > plan.days;
}

static gboolean
sweep (Search *self, GArray *sizes, GError **error)
{
  const guint *gpus = (const guint *) (gpointer) sizes->data;
  g_autoptr (GPtrArray) points = NULL;

  /* For a slow job, the doublings stop at the largest size that can be an answer. */
  if (self->is_slow && self->sweep == 0)
    points = shardwise_sizing_compute_until (self->scenario, gpus, sizes->len, is_enough, self,
                                             progress_cb, self, self->cancellable, error);
  else
    points = shardwise_sizing_compute (self->scenario, gpus, sizes->len, progress_cb, self,
                                       self->cancellable, error);
  if (points == NULL)
    return FALSE;
  g_ptr_array_extend_and_steal (self->points, g_steal_pointer (&points));
  g_ptr_array_sort (self->points, compare_points);
  self->sweep++;
  return TRUE;
}

/* Clusters of whole nodes strictly between two sizes, evenly spread; below a node, any number. */
static GArray *
sizes_between (guint low, guint high, guint node, guint steps)
{
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  guint last = low;

  node = high <= node ? 1 : MAX (1, node);
  for (guint i = 1; i < steps; i++)
    {
      guint at = low + (guint) ((guint64) (high - low) * i / steps), size = at / node * node;

      if (size > last && size < high)
        {
          g_array_append_val (sizes, size);
          last = size;
        }
    }
  return sizes;
}

/* Searches the gap below the smallest cluster that is in time. */
static gboolean
refine (Search *self, guint node, GError **error)
{
  ShardwiseDeadlinePlan plan;
  g_autoptr (GArray) sizes = NULL;
  const ShardwiseSizingPoint *low, *high;

  if (!shardwise_deadline_plan (self->scenario, self->start, self->points, &plan)
      || plan.smallest < 1)
    return TRUE;
  low = g_ptr_array_index (self->points, (guint) plan.smallest - 1);
  high = g_ptr_array_index (self->points, (guint) plan.smallest);
  sizes = sizes_between (low->gpus, high->gpus, node, self->is_slow ? STEPS_SLOW : STEPS);
  return sizes->len == 0 || sweep (self, sizes, error);
}

/**
 * shardwise_deadline_search:
 * @scenario: the question; its number of GPUs is replaced
 * @start: the first day of training
 * @progress: (nullable): called during the work, in any thread
 * @cancellable: (nullable): stops it
 *
 * Doublings from 1 to 131,072 GPUs and the scenario's own number; with a deadline, also whole nodes
 * between the smallest size in time and the one below it, a gap that is divided into eighths twice.
 * Simplified: a size between two late sizes could be in time, because a batch may divide better
 * over fewer GPUs. For reinforcement learning, whose search is slow for large clusters, the
 * doublings stop when the next cannot be an answer: when one in time is less than 1.5 times as fast
 * as the one before, or when no remaining doubling can make up for the delay; gaps are divided into
 * quarters.
 *
 * Returns: (transfer full) (element-type ShardwiseSizingPoint): each size with its own best
 * strategy, ascending; %NULL with @error if the scenario is wrong or the work was cancelled
 */
GPtrArray *
shardwise_deadline_search (ShardwiseScenario *scenario, const GDate *start,
                           void (*progress) (double fraction, gpointer data),
                           gpointer progress_data, GCancellable *cancellable, GError **error)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GArray) sizes = NULL;
  g_autoptr (GPtrArray) points = g_ptr_array_new_with_free_func (g_free);
  Search search = { .scenario = scenario,
                    .start = start,
                    .points = points,
                    .progress = progress,
                    .progress_data = progress_data,
                    .cancellable = cancellable };
  guint node;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario) && start != NULL, NULL);

  if (!shardwise_scenario_resolve (scenario, problem, NULL, error))
    return NULL;
  node = problem->cluster.gpus_per_node;
  search.is_slow = problem->training.type == SW_TRAINING_RLHF;
  sizes = shardwise_deadline_sizes (problem->cluster.gpus);
  if (!sweep (&search, sizes, error) || !refine (&search, node, error)
      || !refine (&search, node, error))
    return NULL;
  return g_steal_pointer (&points);
}

/* ---- cost against time ---- */

/**
 * shardwise_deadline_amount:
 * @point: a cluster that fits
 * @has_cost: whether all shown clusters have a price
 *
 * Returns: its cost; without prices its GPU-hours
 */
double
shardwise_deadline_amount (const ShardwiseSizingPoint *point, gboolean has_cost)
{
  return has_cost ? point->cost : point->bill.gpu_hours;
}

/**
 * shardwise_deadline_is_dominated:
 * @points: (element-type ShardwiseSizingPoint): clusters that fit
 * @point: one of them
 * @has_cost: whether all have a price
 *
 * Returns: whether another cluster finishes as soon for less
 */
gboolean
shardwise_deadline_is_dominated (GPtrArray *points, const ShardwiseSizingPoint *point,
                                 gboolean has_cost)
{
  const double amount = shardwise_deadline_amount (point, has_cost);

  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *other = points->pdata[i];
      const double its = shardwise_deadline_amount (other, has_cost);

      if (other != point && other->days <= point->days && its <= amount
          && (other->days < point->days || its < amount))
        return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_deadline_amount_text:
 * @point: a cluster that fits
 * @currency: of its cost
 *
 * Returns: (transfer full): its cost; without a price its GPU-hours
 */
char *
shardwise_deadline_amount_text (const ShardwiseSizingPoint *point, const char *currency)
{
  g_autofree char *hours = shardwise_format_count (point->bill.gpu_hours);

  if (point->cost > 0)
    return shardwise_format_money (point->cost, currency);
  /* Translators: a number of GPU-hours */
  return g_strdup_printf (_ ("%s GPU-hours"), hours);
}

/**
 * shardwise_deadline_extremes_text:
 * @points: (element-type ShardwiseSizingPoint): clusters that fit
 * @currency: of their costs
 *
 * Returns: (transfer full) (nullable): the fastest and the cheapest in a sentence
 */
char *
shardwise_deadline_extremes_text (GPtrArray *points, const char *currency)
{
  const ShardwiseSizingPoint *fastest, *cheapest;
  g_autofree char *days = NULL, *dear = NULL, *most = NULL, *cheap = NULL, *fast_gpus = NULL,
                  *cheap_gpus = NULL;
  gboolean has_cost = TRUE;

  if (points->len == 0)
    return NULL;
  fastest = cheapest = points->pdata[0];
  for (guint i = 0; i < points->len; i++)
    has_cost = has_cost && ((const ShardwiseSizingPoint *) points->pdata[i])->cost > 0;
  for (guint i = 1; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = points->pdata[i];

      fastest = point->days < fastest->days ? point : fastest;
      cheapest = shardwise_deadline_amount (point, has_cost)
                         < shardwise_deadline_amount (cheapest, has_cost)
                     ? point
                     : cheapest;
    }
  days = shardwise_format_seconds (fastest->days * 86400);
  dear = shardwise_deadline_amount_text (fastest, currency);
  most = shardwise_format_seconds (cheapest->days * 86400);
  cheap = shardwise_deadline_amount_text (cheapest, currency);
  fast_gpus = shardwise_format_gpus (fastest->gpus);
  cheap_gpus = shardwise_format_gpus (cheapest->gpus);
  return g_strdup_printf (
      /* Translators: a duration, an amount of money, and "8 GPUs"; the same again */
      _ ("The fastest takes %s and %s (%s); the cheapest overall takes %s and %s (%s)."), days,
      dear, fast_gpus, most, cheap, cheap_gpus);
}

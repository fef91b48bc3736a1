/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-candidate-list.h"

#include "shardwise-strategy.h"

/* Fewer are filtered and sorted faster than a thread starts. */
#define FEW 1000

struct _ShardwiseCandidateList {
  GObject parent_instance;
  ShardwiseCandidateView *view; /* (nullable): currently shown */
  GHashTable *rows;             /* of Row, by index: the rows in use */
  guint n_rows;                 /* the rows of the view, and rows expected after them */

  /* the requested contents */
  ShardwiseAdvice *advice; /* (nullable) */
  ShardwiseCandidateFilter filter;
  ShardwiseSort sort;
  gboolean descending;
  gboolean awaits; /* more rows than the advice has: rows of the previous answer keep their
                      places */
  GCancellable *cancellable; /* (nullable): of the running work */
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (ShardwiseCandidateList, shardwise_candidate_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

enum { PROP_0, PROP_VIEW, PROP_PENDING, N_PROPS };

static GParamSpec *properties[N_PROPS];

/* A row in use. */
typedef struct {
  ShardwiseCandidateList *list;
  guint position;
  ShardwiseStrategy *strategy; /* NULL: gone */
} Row;

static void
row_gone_cb (gpointer data, GObject *strategy)
{
  Row *row = data;

  row->strategy = NULL;
  g_hash_table_remove (row->list->rows, &row->position);
}

static void
row_free (gpointer data)
{
  Row *row = data;

  if (row->strategy != NULL)
    g_object_weak_unref (G_OBJECT (row->strategy), row_gone_cb, row);
  g_free (row);
}

/* Model */

static GType
list_get_item_type (GListModel *model)
{
  return SHARDWISE_TYPE_STRATEGY;
}

static guint
list_get_n_items (GListModel *model)
{
  return SHARDWISE_CANDIDATE_LIST (model)->n_rows;
}

static guint
count_known (ShardwiseCandidateList *self)
{
  return self->view != NULL ? shardwise_candidate_view_get_n_rows (self->view) : 0;
}

static void
set_row (ShardwiseCandidateList *self, ShardwiseStrategy *strategy, guint position)
{
  shardwise_strategy_set (strategy, shardwise_candidate_view_get_advice (self->view),
                          shardwise_candidate_view_get_candidate (self->view, position),
                          shardwise_candidate_view_get_variants (self->view, position));
}

static gpointer
list_get_item (GListModel *model, guint position)
{
  ShardwiseCandidateList *self = SHARDWISE_CANDIDATE_LIST (model);
  Row *row;

  if (position >= self->n_rows)
    return NULL;
  row = g_hash_table_lookup (self->rows, &position);
  if (row != NULL)
    return g_object_ref (row->strategy);
  row = g_new (Row, 1);
  *row = (Row){ self, position, shardwise_strategy_new_awaited () };
  if (position < count_known (self))
    set_row (self, row->strategy, position);
  g_object_weak_ref (G_OBJECT (row->strategy), row_gone_cb, row);
  g_hash_table_insert (self->rows, &row->position, row);
  return row->strategy;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = list_get_item_type;
  iface->get_n_items = list_get_n_items;
  iface->get_item = list_get_item;
}

/* Work */

static gboolean
is_past_end (gpointer position, gpointer row, gpointer n)
{
  return *(guint *) position >= GPOINTER_TO_UINT (n);
}

static void
set_n_rows (ShardwiseCandidateList *self, guint n)
{
  const guint before = self->n_rows, both = MIN (before, n);

  g_assert (n >= count_known (self));
  self->n_rows = n;
  g_hash_table_foreach_remove (self->rows, is_past_end, GUINT_TO_POINTER (n));
  if (before != n)
    g_list_model_items_changed (G_LIST_MODEL (self), both, before - both, n - both);
}

/* Assigns the view's strategies to the rows in use. Signal handlers may release rows and request
 * others, so all rows are referenced before the first signal. */
static void
change_rows (ShardwiseCandidateList *self)
{
  g_autoptr (GPtrArray) held = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GArray) positions = g_array_new (FALSE, FALSE, sizeof (guint));
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->rows);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Row *row = value;

      g_ptr_array_add (held, g_object_ref (row->strategy));
      g_array_append_val (positions, row->position);
    }
  for (guint i = 0; i < held->len; i++)
    {
      guint position = g_array_index (positions, guint, i);

      if (position < count_known (self))
        set_row (self, held->pdata[i], position);
      else
        shardwise_strategy_await (held->pdata[i]);
    }
}

static void
set_view (ShardwiseCandidateList *self, ShardwiseCandidateView *view)
{
  if (!g_set_object (&self->view, view))
    return;
  set_n_rows (self, self->awaits ? MAX (self->n_rows, count_known (self)) : count_known (self));
  change_rows (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_VIEW]);
}

typedef struct {
  ShardwiseAdvice *advice;
  ShardwiseCandidateFilter filter;
  ShardwiseSort sort;
  gboolean descending;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  g_object_unref (work->advice);
  g_free (work);
}

static void
work_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Work *work = data;

  g_task_return_pointer (task,
                         shardwise_candidate_view_new (work->advice, &work->filter, work->sort,
                                                       work->descending, cancellable),
                         g_object_unref);
}

/* The task holds a reference on the source object, so the list exists. */
static void
worked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseCandidateList *self = SHARDWISE_CANDIDATE_LIST (source);
  g_autoptr (ShardwiseCandidateView) view = g_task_propagate_pointer (G_TASK (result), NULL);

  if (view == NULL || self->cancellable != g_task_get_cancellable (G_TASK (result)))
    return;
  g_clear_object (&self->cancellable);
  set_view (self, view);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PENDING]);
}

static void
work_on_thread (ShardwiseCandidateList *self)
{
  Work *work = g_new (Work, 1);
  g_autoptr (GTask) task = NULL;

  *work = (Work){ g_object_ref (self->advice), self->filter, self->sort, self->descending };
  self->cancellable = g_cancellable_new ();
  task = g_task_new (self, self->cancellable, worked_cb, NULL);
  g_task_set_source_tag (task, work_on_thread);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, work_thread);
}

static void
cancel (ShardwiseCandidateList *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
changed (ShardwiseCandidateList *self)
{
  guint n = 0;

  cancel (self);
  if (self->advice != NULL)
    shardwise_advice_get_candidates (self->advice, &n);
  if (self->advice == NULL)
    set_view (self, NULL);
  else if (n <= FEW)
    {
      g_autoptr (ShardwiseCandidateView) view = shardwise_candidate_view_new (
          self->advice, &self->filter, self->sort, self->descending, NULL);

      set_view (self, view);
    }
  else
    work_on_thread (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PENDING]);
}

/**
 * shardwise_candidate_list_set_advice:
 * @advice: (nullable): its strategies are listed
 */
void
shardwise_candidate_list_set_advice (ShardwiseCandidateList *self, ShardwiseAdvice *advice)
{
  g_return_if_fail (SHARDWISE_IS_CANDIDATE_LIST (self));

  self->awaits = FALSE;
  if (g_set_object (&self->advice, advice))
    changed (self);
  else if (self->cancellable == NULL)
    set_n_rows (self, count_known (self));
}

/**
 * shardwise_candidate_list_set_first:
 * @advice: has the first strategies of a list whose rest is being computed
 *
 * Lists those; the rows after them stay as placeholders until the next
 * shardwise_candidate_list_set_advice(), so that a table of a similar length is not rebuilt.
 */
void
shardwise_candidate_list_set_first (ShardwiseCandidateList *self, ShardwiseAdvice *advice)
{
  g_return_if_fail (SHARDWISE_IS_CANDIDATE_LIST (self) && SHARDWISE_IS_ADVICE (advice));

  self->awaits = TRUE;
  if (g_set_object (&self->advice, advice))
    changed (self);
}

/**
 * shardwise_candidate_list_is_whole:
 *
 * Returns: whether the list shows the whole answer, best first
 */
gboolean
shardwise_candidate_list_is_whole (ShardwiseCandidateList *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_LIST (self), FALSE);

  return self->sort == SHARDWISE_SORT_RANK && !self->descending && !self->filter.grouped
         && shardwise_candidate_filter_is_empty (&self->filter);
}

/**
 * shardwise_candidate_list_set_filter:
 * @filter: the filter; copied
 */
void
shardwise_candidate_list_set_filter (ShardwiseCandidateList *self,
                                     const ShardwiseCandidateFilter *filter)
{
  g_return_if_fail (SHARDWISE_IS_CANDIDATE_LIST (self) && filter != NULL);

  if (shardwise_candidate_filter_equal (&self->filter, filter))
    return;
  self->filter = *filter;
  self->awaits = FALSE;
  changed (self);
}

/**
 * shardwise_candidate_list_set_sort:
 * @sort: their order
 * @descending: the largest first
 */
void
shardwise_candidate_list_set_sort (ShardwiseCandidateList *self, ShardwiseSort sort,
                                   gboolean descending)
{
  g_return_if_fail (SHARDWISE_IS_CANDIDATE_LIST (self) && sort < SHARDWISE_N_SORTS);

  if (self->sort == sort && self->descending == descending)
    return;
  self->sort = sort;
  self->descending = descending;
  self->awaits = FALSE;
  changed (self);
}

/**
 * shardwise_candidate_list_get_view:
 *
 * Returns: (transfer none) (nullable): the shown view
 */
ShardwiseCandidateView *
shardwise_candidate_list_get_view (ShardwiseCandidateList *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_LIST (self), NULL);

  return self->view;
}

/**
 * shardwise_candidate_list_is_pending:
 *
 * Returns: whether the requested contents are not shown yet
 */
gboolean
shardwise_candidate_list_is_pending (ShardwiseCandidateList *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CANDIDATE_LIST (self), FALSE);

  return self->cancellable != NULL;
}

/* Type */

static void
shardwise_candidate_list_get_property (GObject *object, guint prop_id, GValue *value,
                                       GParamSpec *pspec)
{
  ShardwiseCandidateList *self = SHARDWISE_CANDIDATE_LIST (object);

  if (prop_id == PROP_VIEW)
    g_value_set_object (value, self->view);
  else if (prop_id == PROP_PENDING)
    g_value_set_boolean (value, self->cancellable != NULL);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
shardwise_candidate_list_dispose (GObject *object)
{
  ShardwiseCandidateList *self = SHARDWISE_CANDIDATE_LIST (object);

  cancel (self);
  g_hash_table_remove_all (self->rows);
  g_clear_object (&self->view);
  g_clear_object (&self->advice);
  G_OBJECT_CLASS (shardwise_candidate_list_parent_class)->dispose (object);
}

static void
shardwise_candidate_list_finalize (GObject *object)
{
  g_hash_table_unref (SHARDWISE_CANDIDATE_LIST (object)->rows);
  G_OBJECT_CLASS (shardwise_candidate_list_parent_class)->finalize (object);
}

static void
shardwise_candidate_list_class_init (ShardwiseCandidateListClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = shardwise_candidate_list_get_property;
  object_class->dispose = shardwise_candidate_list_dispose;
  object_class->finalize = shardwise_candidate_list_finalize;
  properties[PROP_VIEW] = g_param_spec_object ("view", NULL, NULL, SHARDWISE_TYPE_CANDIDATE_VIEW,
                                               flags);
  properties[PROP_PENDING] = g_param_spec_boolean ("pending", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_candidate_list_init (ShardwiseCandidateList *self)
{
  shardwise_candidate_filter_init (&self->filter);
  self->rows = g_hash_table_new_full (g_int_hash, g_int_equal, NULL, row_free);
}

/**
 * shardwise_candidate_list_new:
 *
 * Returns: (transfer full): an empty list, best first, without a filter
 */
ShardwiseCandidateList *
shardwise_candidate_list_new (void)
{
  return g_object_new (SHARDWISE_TYPE_CANDIDATE_LIST, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program is used at random, twenty times a second: it does not crash or warn (which is fatal
 * in the tests), and its memory, its objects and its threads do not grow.
 *
 * Memory is what malloc() has given out and not got back, which the sanitizer's allocator counts:
 * resident memory would also count what that keeps of freed blocks, and the figures of the C
 * library what its threads keep of theirs, tens of megabytes; without a sanitizer nothing is
 * compared. GLib must not keep freed blocks for itself (G_SLICE=always-malloc): they would count,
 * and a use of one would not be seen. What a small leak adds is lost in what caches do, but not in
 * the number of widgets of its class and of objects of the program.
 *
 * Both are compared between moments at which the program does the same: every window was closed,
 * and has to be freed, and a new one shows every page of one document. Each kind of step was done
 * before the first of them, and the next ones warm up further: caches of fonts, styles and drawings
 * fill.
 *
 * SHARDWISE_SOAK_SECONDS and SHARDWISE_SOAK_SEED ("random": another one each time) say how long and
 * from which seed; what was done is in ui/soak.log of the build, and its end in the output of a run
 * that crashed or hung. */
#include "soak-census.h"
#include "soak-driver.h"
#include "soak-judge.h"
#include "soak-threads.h"

#include <math.h>

#include "application-fixture.h"

#ifdef __SANITIZE_ADDRESS__
gsize __sanitizer_get_current_allocated_bytes (void);
#endif

enum {
  PER_SECOND = 20,
  LEAST_STEPS = 60,  /* between two of these moments, however slow the machine is */
  LATEST = 4,        /* times as long as asked for, until then */
  CHECKS = 9,        /* moments at which figures are taken */
  WARM_UP = 4,       /* of these, before those that are compared */
  QUIET_MS = 1500,   /* longer than a session waits to be kept */
  IDLE_MS = 50,      /* between looks at whether a thread still evaluates */
  IDLE_LOOKS = 8,    /* none of which has found one */
  LATE_THREADS = 8,  /* that libraries make when they first need them */
  MOST_BUSY_S = 300, /* until a thread whose window was closed has ended */
  NORMAL_S = 120,
  LONG_S = 30 * 60,
};

#define TOLERANCE 0.05     /* of memory */
#define MOST_PER_STEP 0.03 /* objects of a class; one in eleven steps changes the page */

/* The moments at which the program does the same. */
typedef struct {
  double steps[CHECKS]; /* so far */
  double megabytes[CHECKS];
  SoakThreads threads[CHECKS];
  GHashTable *objects[CHECKS];
} Readings;

static double
allocated_bytes (void)
{
#ifdef __SANITIZE_ADDRESS__
  return (double) __sanitizer_get_current_allocated_bytes ();
#else
  return 0;
#endif
}

/* What windows that were closed asked for is still let go of by their threads, and pages fill. */
static void
run_until_idle (void)
{
  gint64 latest = g_get_monotonic_time () + MOST_BUSY_S * G_USEC_PER_SEC;

  for (guint looks = 0; looks < IDLE_LOOKS;)
    {
      ui_run_for (IDLE_MS);
      looks = soak_threads_are_idle () ? looks + 1 : 0;
      if (g_get_monotonic_time () > latest)
        g_error ("after %u s a thread is still busy", MOST_BUSY_S);
    }
}

/* Not gtk_test_widget_wait_for_draw (), which may wait for ever. */
static void
wait_for_draw (GtkWidget *widget)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (widget);
  gboolean is_drawn = FALSE;
  gulong id = g_signal_connect_swapped (clock, "after-paint", G_CALLBACK (ui_set_true), &is_drawn);

  gtk_widget_queue_draw (widget);
  wait_until (is_drawn);
  g_signal_handler_disconnect (clock, id);
}

/* Every page as it is when nothing is left to do: one that is left before is not filled. The last
 * one drops what it shows a while after it was left. */
static void
show_every_page (ShardwiseWindow *window)
{
  static const char *const pages[] = { "advice", "analysis", "scale", "alternatives" };

  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      shardwise_window_set_page (window, pages[i]);
      wait_for_draw (GTK_WIDGET (window));
      wait_until (has_status (window, "ready"));
      run_until_idle ();
    }
}

static void
add_threads (SoakThreads *most)
{
  const SoakThreads now = soak_threads_count ();

  most->evaluating = MAX (most->evaluating, now.evaluating);
  most->pooled = MAX (most->pooled, now.pooled);
  most->others = MAX (most->others, now.others);
}

/* Steps as the clock asks for them: those of a second at most that a slow frame delayed come at
 * once after it. Returns the most threads that there were of each kind. */
static SoakThreads
drive (SoakDriver *driver, double seconds)
{
  gint64 start = g_get_monotonic_time ();
  double passed = 0;
  SoakThreads most = { 0 };

  for (guint done = 0; passed < seconds || (done < LEAST_STEPS && passed < LATEST * seconds);)
    {
      guint due = MIN ((guint) (passed * PER_SECOND) + 1, done + PER_SECOND);

      for (; done < due; done++)
        {
          soak_driver_step (driver);
          g_main_context_iteration (NULL, FALSE);
          add_threads (&most);
        }
      ui_run_for (1000 / PER_SECOND);
      add_threads (&most);
      passed = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
    }
  return most;
}

static guint
get_seconds (void)
{
  const char *asked = g_getenv ("SHARDWISE_SOAK_SECONDS"), *is_long = g_getenv ("SHARDWISE_LONG");

  if (asked != NULL)
    return (guint) g_ascii_strtoull (asked, NULL, 10);
  return is_long != NULL && *is_long != '\0' ? LONG_S : NORMAL_S;
}

/* (nullable): the widget that the message has these words of, by the address that GTK ends with. */
static GtkWidget *
find_told (const char *message, const char *words)
{
  const char *told = strstr (message, words);
  const char *address = told != NULL ? strstr (told, "0x") : NULL;

  return address != NULL ? GSIZE_TO_POINTER ((gsize) g_ascii_strtoull (address, NULL, 16)) : NULL;
}

static gboolean
tells_of_part (const char *message, const char *words, GType type)
{
  GtkWidget *widget = find_told (message, words);

  return widget != NULL && gtk_widget_get_ancestor (widget, type) != NULL;
}

static gboolean
is_shown_text (GtkWidget *widget, gconstpointer unused)
{
  return GTK_IS_TEXT_VIEW (widget) && gtk_widget_get_mapped (widget);
}

/* Text that is scrolled before all of its lines are measured finds its size as it is drawn, so that
 * what is around it has none for a frame. */
static gboolean
tells_of_text (const char *message)
{
  GtkWidget *widget = find_told (message, "Trying to snapshot ");

  return widget != NULL && ui_find_match (widget, is_shown_text, NULL) != NULL;
}

/* What GtkSourceView says of a machine that is busy with other things, and GTK 4.8 of its own
 * popovers, tooltips, lists and scrollbars: where a popover opens a moment after its button went
 * out of sight or is squeezed to nothing as its button is scrolled beyond the edge of the screen,
 * and may be closed by now, where the text of a tooltip changed in a window that was closed before
 * it is asked for, where a list is scrolled before rows that have just come were laid out, and
 * where what is scrolled finds its size as sizes are given out (GTK, merge request 5222) or drawn.
 */
static gboolean
is_known (const char *message)
{
  static const char *const known[] = {
    "*gdk_monitor_get_geometry: assertion 'GDK_IS_MONITOR*",
    "*gdk_surface_get_device_position: assertion 'GDK_IS_SURFACE*",
    "*_gtk_widget_find_at_coords: assertion 'GDK_IS_SURFACE*",
    "*Highlighting a single line took too much time*",
    "*ListView failed to scroll to given position*",
  };

  /* What stands in such a popover; elsewhere it would be the program's fault. */
  static const char squeezed[] = "*gtk_widget_measure: assertion 'for_size >= -1'*";

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_pattern_match_simple (known[i], message))
      return TRUE;
  return tells_of_part (message, "attempt to allocate ", GTK_TYPE_POPOVER)
         || tells_of_part (message, "Trying to snapshot GtkGizmo ", GTK_TYPE_SCROLLBAR)
         || tells_of_text (message)
         || (g_pattern_match_simple (squeezed, message)
             && soak_driver_find_popover_of_any () != NULL);
}

static gboolean
is_fatal (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  return !is_known (message);
}

static void
log_cb (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if (!is_known (message))
    g_log_default_handler (domain, level, message, data);
}

/* Some messages come as fields, which no handler sees. */
static GLogWriterOutput
write_cb (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE") && is_known (fields[i].value))
      return G_LOG_WRITER_HANDLED;
  return g_log_writer_default (level, fields, n_fields, data);
}

/* What caches keep is not held against the program. */
static gboolean
is_counted (const char *name)
{
  return g_str_has_prefix (name, "Shardwise")
         || g_type_is_a (g_type_from_name (name), GTK_TYPE_WIDGET);
}

/* Memory of frequent actions stays within the tolerance, up or down; memory of parts that are
 * loaded once stays within twice the tolerance. */
static void
judge_memory (const Readings *readings)
{
  const double *values = readings->megabytes + WARM_UP;
  double growth = soak_judge_growth (readings->steps + WARM_UP, values, CHECKS - WARM_UP);
  double change = values[CHECKS - WARM_UP - 1] - values[0];

  g_test_message ("from %.2f MB it grew by %.2f MB, of %.2f", values[0], growth, change);
  g_assert_cmpfloat (fabs (growth), <=, TOLERANCE * values[0]);
  g_assert_cmpfloat (fabs (change), <=, 2 * TOLERANCE * values[0]);
}

/* No class of which there are more at each moment, and as many more as what is often done adds. */
static void
judge_objects (const Readings *readings)
{
  guint n_leaked = 0;
  GHashTableIter iter;
  const char *name;

  g_hash_table_iter_init (&iter, readings->objects[CHECKS - 1]);
  while (g_hash_table_iter_next (&iter, (gpointer *) &name, NULL))
    {
      const double *steps = readings->steps + WARM_UP;
      double numbers[CHECKS - WARM_UP];
      const guint n = G_N_ELEMENTS (numbers);

      for (guint i = 0; i < n; i++)
        numbers[i] = GPOINTER_TO_INT (g_hash_table_lookup (readings->objects[WARM_UP + i], name));
      if (!is_counted (name) || !soak_judge_rises (steps, numbers, n)
          || numbers[n - 1] - numbers[0] < MOST_PER_STEP * (steps[n - 1] - steps[0]))
        continue;
      g_test_message ("%s: %.0f became %.0f in %.0f steps", name, numbers[0], numbers[n - 1],
                      steps[n - 1] - steps[0]);
      n_leaked++;
    }
  g_assert_cmpuint (n_leaked, ==, 0);
}

/* While it is used; and where nothing has been done for a while, compared with the first time. */
static void
judge_threads (const SoakThreads *most, const SoakThreads *kept, guint first_others)
{
  g_test_message ("at most %u threads evaluated, %u were pooled, beside %u; then %u, %u and %u",
                  most->evaluating, most->pooled, most->others, kept->evaluating, kept->pooled,
                  kept->others);
  g_assert_cmpuint (most->evaluating, <=, soak_threads_most_evaluating ());
  g_assert_cmpuint (most->pooled, <=, soak_threads_most_pooled ());
  g_assert_cmpuint (kept->evaluating, ==, 0);
  g_assert_cmpuint (kept->pooled, <=, soak_threads_most_kept ());
  g_assert_cmpuint (kept->others, <=, first_others + LATE_THREADS);
}

/* Whether GTK may say that the widget has no size yet. */
static gboolean
may_lack_size (GtkWidget *widget)
{
  g_autofree char *message = g_strdup_printf (
      "Trying to snapshot %s %p without a current allocation", G_OBJECT_TYPE_NAME (widget), widget);

  return is_known (message);
}

static GtkWidget *
innermost (GtkWidget *widget)
{
  GtkWidget *child = gtk_widget_get_first_child (widget);

  return child != NULL ? innermost (child) : widget;
}

/* Known is what GTK does to its scrollbars and around text, not what we do to other widgets. */
static void
test_known (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *text = gtk_text_view_new ();
  GtkWidget *scrollbar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, NULL);
  GtkWidget *bar = gtk_progress_bar_new (), *window;

  gtk_box_append (GTK_BOX (box), scrollbar);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), text);
  window = ui_show (box, 300, 300);
  g_assert_true (may_lack_size (innermost (scrollbar)));
  g_assert_false (may_lack_size (innermost (bar)));
  g_assert_true (may_lack_size (box));
  gtk_widget_set_visible (text, FALSE);
  g_assert_false (may_lack_size (box));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Nothing that the messages of the toolkit say of itself ends the test. */
static void
expect_known_messages (void)
{
  const char *const toolkit[] = { "Gdk", "Gtk", "GtkSourceView" };
  const GLogLevelFlags levels = G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FLAG_FATAL
                                | G_LOG_FLAG_RECURSION;

  g_log_set_writer_func (write_cb, NULL, NULL);
  g_test_log_set_fatal_handler (is_fatal, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (toolkit); i++)
    g_log_set_handler (toolkit[i], levels, log_cb, NULL);
}

static guint32
get_seed (void)
{
  const char *asked = g_getenv ("SHARDWISE_SOAK_SEED");

  if (g_strcmp0 (asked, "random") == 0)
    return g_random_int ();
  return asked != NULL ? (guint32) g_ascii_strtoull (asked, NULL, 10) : 1;
}

static void
test_soak (void)
{
  guint32 seed = get_seed ();
  g_autoptr (ShardwiseApplication) application = start_application ();
  g_autofree char *directory = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  guint seconds = get_seconds ();
  SoakDriver driver;
  Readings readings;

  expect_known_messages ();
  g_test_message ("%u s from seed %u", seconds, seed);
  soak_driver_init (&driver, application, directory, seed);
  soak_driver_step_of_each_kind (&driver);
  for (guint i = 0; i < CHECKS; i++)
    {
      const SoakThreads most = drive (&driver, (double) seconds / CHECKS);

      soak_driver_renew (&driver);
      show_every_page (driver.window);
      ui_run_for (QUIET_MS);
      readings.threads[i] = soak_threads_count ();
      readings.steps[i] = driver.step;
      readings.megabytes[i] = allocated_bytes () / 1e6;
      readings.objects[i] = soak_census_take ();
      g_test_message ("after %u steps: %.2f MB", driver.step, readings.megabytes[i]);
      judge_threads (&most, &readings.threads[i], readings.threads[0].others);
    }
  judge_objects (&readings);
  judge_memory (&readings);
  soak_driver_clear (&driver);
  for (guint i = 0; i < CHECKS; i++)
    g_hash_table_unref (readings.objects[i]);
  remove_tree (directory);
}

/* What the memory is judged by finds a leak in what caches do, and only that. */
static void
test_judge (void)
{
  const double steps[] = { 300, 610, 900, 1190, 1500, 1830 };
  const double flat[] = { 70, 70, 70, 70, 70, 70 };
  const double noisy[] = { 70, 72, 69, 71.5, 70.2, 70.6 };
  const double outlier[] = { 70, 70.2, 84, 70.1, 69.9, 70.2 };
  const double dip[] = { 70, 64, 65, 67.6, 69.9, 70.1 };
  const double loaded[] = { 70, 70.1, 74.3, 74.2, 74.4, 74.3 };
  const double leak[] = { 70, 71.6, 71, 73.8, 74.1, 75.9 };
  const double once[] = { 100, 101, 102, 294, 295, 297 };
  const double often[] = { 100, 126, 151, 175, 203, 240 };
  const guint n = G_N_ELEMENTS (steps);

  g_assert_cmpfloat (soak_judge_growth (steps, flat, n), ==, 0);
  g_assert_cmpfloat (fabs (soak_judge_growth (steps, noisy, n)), <, TOLERANCE * 70);
  g_assert_cmpfloat (fabs (soak_judge_growth (steps, outlier, n)), <, TOLERANCE * 70);
  g_assert_cmpfloat (fabs (soak_judge_growth (steps, dip, n)), <, TOLERANCE * 70);
  g_assert_cmpfloat (fabs (soak_judge_growth (steps, loaded, n)), <, TOLERANCE * 70);
  g_assert_cmpfloat (soak_judge_growth (steps, leak, n), >, TOLERANCE * 70);
  g_assert_cmpfloat_with_epsilon (soak_judge_growth (steps, steps, n), steps[n - 1] - steps[0],
                                  1e-9);
  g_assert_false (soak_judge_rises (steps, flat, n));
  g_assert_false (soak_judge_rises (steps, noisy, n));
  g_assert_false (soak_judge_rises (steps, leak, n));
  g_assert_false (soak_judge_rises (steps, once, n));
  g_assert_true (soak_judge_rises (steps, often, n));
}

/* Objects are counted as they come and go. */
static void
test_census (void)
{
  g_autoptr (GHashTable) before = NULL, with = NULL, after = NULL;
  GSimpleAction *actions[] = { g_simple_action_new ("one", NULL),
                               g_simple_action_new ("two", NULL) };
  const char *name = G_OBJECT_TYPE_NAME (actions[0]);

  before = soak_census_take ();
  g_object_unref (actions[0]);
  with = soak_census_take ();
  g_object_unref (actions[1]);
  after = soak_census_take ();
  g_assert_cmpint (GPOINTER_TO_INT (g_hash_table_lookup (before, name)), ==, 2);
  g_assert_cmpint (GPOINTER_TO_INT (g_hash_table_lookup (with, name)), ==, 1);
  g_assert_cmpint (GPOINTER_TO_INT (g_hash_table_lookup (after, name)), ==, 0);
}

int
main (int argc, char *argv[])
{
  soak_census_begin ();
  if (!ui_start (&argc, &argv))
    return 0;

  g_test_add_func ("/judge", test_judge);
  g_test_add_func ("/census", test_census);
  g_test_add_func ("/known", test_known);
  g_test_add_func ("/soak", test_soak);
  return g_test_run ();
}

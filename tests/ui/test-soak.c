/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program is used at random, twenty times a second: it does not crash or warn (which is fatal
 * in the tests), and its memory and its threads do not grow.
 *
 * Memory is what malloc() has given out and not got back, which the sanitizer's allocator counts:
 * resident memory would also count what that keeps of freed blocks, and the figures of the C library
 * what its threads keep of theirs, tens of megabytes; without a sanitizer nothing is compared. It is
 * compared between moments at which the program does the same: every window was closed, and has to be
 * freed, and a new one shows every page of one document. The first quarter warms up: caches of fonts,
 * styles and drawings fill. Means of three moments are compared.
 *
 * SHARDWISE_SOAK_SECONDS and SHARDWISE_SOAK_SEED say how long and from which seed; what was done is
 * in ui/soak.log of the build. */
#include "soak-driver.h"

#include <math.h>
#include <unistd.h>

#include "ui-utils.h"

#ifdef __SANITIZE_ADDRESS__
gsize __sanitizer_get_current_allocated_bytes (void);
#endif

enum
{
  PER_SECOND = 20,
  CHECKS = 8,        /* moments at which memory is compared */
  WARM_UP = 2,       /* of these, before those that are compared */
  QUIET_MS = 1500,   /* longer than a session waits to be kept */
  IDLE_MS = 50,      /* between looks at whether a thread still evaluates */
  IDLE_LOOKS = 8,    /* none of which has found one */
  NORMAL_S = 120,
  LONG_S = 30 * 60,
};

#define TOLERANCE 0.05

static double
allocated_bytes (void)
{
#ifdef __SANITIZE_ADDRESS__
  return (double)__sanitizer_get_current_allocated_bytes ();
#else
  return 0;
#endif
}

static guint
count_threads (void)
{
  g_autoptr (GDir) directory = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  g_assert_nonnull (directory);
  while (g_dir_read_name (directory) != NULL)
    n++;
  return n;
}

/* The pool that GLib has for tasks, one for the pieces of a sweep, and those of GLib, GIO and the
 * display. A pool that every evaluation would start anew is seen at once. */
static guint
most_threads (void)
{
  return 10 + 2 * g_get_num_processors () + 12;
}

static void
set_true_cb (gpointer data)
{
  *(gboolean *)data = TRUE;
}

static void
run_for (guint milliseconds)
{
  gboolean over = FALSE;

  g_timeout_add_once (milliseconds, set_true_cb, &over);
  while (!over)
    g_main_context_iteration (NULL, TRUE);
}

/* Whether no other thread has anything to do. One that waits for a processor has. */
static gboolean
is_idle (void)
{
  g_autoptr (GDir) directory = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;

  g_assert_nonnull (directory);
  while ((name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", name, "stat", NULL);
      g_autofree char *text = NULL;

      if (g_ascii_strtoull (name, NULL, 10) == (guint64)getpid ()
          || !g_file_get_contents (path, &text, NULL, NULL))
        continue; /* this one, or one that has ended */
      if (!g_str_has_prefix (strrchr (text, ')') + 1, " S"))
        return FALSE;
    }
  return TRUE;
}

/* What windows that were closed asked for is still let go of by their threads, and pages fill. */
static void
run_until_idle (void)
{
  for (guint looks = 0; looks < IDLE_LOOKS;)
    {
      run_for (IDLE_MS);
      looks = is_idle () ? looks + 1 : 0;
    }
}

/* Not gtk_test_widget_wait_for_draw (), which may wait for ever. */
static void
wait_for_draw (GtkWidget *widget)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (widget);
  gboolean is_drawn = FALSE;
  gulong id = g_signal_connect_swapped (clock, "after-paint", G_CALLBACK (set_true_cb), &is_drawn);

  gtk_widget_queue_draw (widget);
  wait_until (is_drawn);
  g_signal_handler_disconnect (clock, id);
}

/* Every page as it is when nothing is left to do: one that is left before is not filled. */
static void
show_every_page (ShardwiseWindow *window)
{
  static const char *const pages[] = { "advice", "analysis", "alternatives", "scale", "export" };

  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      shardwise_window_set_page (window, pages[i]);
      wait_for_draw (GTK_WIDGET (window));
      wait_until (has_status (window, "ready"));
      run_until_idle ();
    }
}

/* Steps as the clock asks for them: those that a slow frame delayed come at once after it. Returns
 * the most threads that there were. */
static guint
drive (SoakDriver *driver, double seconds)
{
  gint64 start = g_get_monotonic_time ();
  double passed = 0;
  guint most = 0;

  for (guint done = 0; passed < seconds;)
    {
      for (guint due = (guint)(passed * PER_SECOND) + 1; done < due; done++)
        {
          soak_driver_step (driver);
          g_main_context_iteration (NULL, FALSE);
        }
      run_for (1000 / PER_SECOND);
      most = MAX (most, count_threads ());
      passed = (double)(g_get_monotonic_time () - start) / G_USEC_PER_SEC;
    }
  return most;
}

static guint
get_seconds (void)
{
  const char *asked = g_getenv ("SHARDWISE_SOAK_SECONDS"), *is_long = g_getenv ("SHARDWISE_LONG");

  if (asked != NULL)
    return (guint)g_ascii_strtoull (asked, NULL, 10);
  return is_long != NULL && *is_long != '\0' ? LONG_S : NORMAL_S;
}

/* What GTK 4.8 says of its own popovers and tooltips: where a popover opens a moment after its button
 * went out of sight or is squeezed at the edge of the screen, and where the text of a tooltip changed
 * in a window that was closed before it is asked for. */
static gboolean
is_known (const char *message)
{
  static const char *const known[] = {
    "gdk_monitor_get_geometry: assertion 'GDK_IS_MONITOR",
    "attempt to allocate GtkPopoverContent contents",
    "gdk_surface_get_device_position: assertion 'GDK_IS_SURFACE",
    "_gtk_widget_find_at_coords: assertion 'GDK_IS_SURFACE",
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strstr (message, known[i]) != NULL)
      return TRUE;
  return FALSE;
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

static double
mean (const double *values, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += values[i];
  return sum / n;
}

static void
test_soak (void)
{
  const char *asked = g_getenv ("SHARDWISE_SOAK_SEED");
  guint32 seed = asked != NULL ? (guint32)g_ascii_strtoull (asked, NULL, 10) : 1;
  g_autoptr (ShardwiseApplication) application = start_application ();
  g_autofree char *directory = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  const char *const toolkit[] = { "Gdk", "Gtk" };
  const GLogLevelFlags levels =
      G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION;
  const guint half = (CHECKS - WARM_UP) / 2;
  double megabytes[CHECKS], before, after;
  guint seconds = get_seconds ();
  SoakDriver driver;

  g_test_log_set_fatal_handler (is_fatal, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (toolkit); i++)
    g_log_set_handler (toolkit[i], levels, log_cb, NULL);
  g_test_message ("%u s from seed %u", seconds, seed);
  soak_driver_init (&driver, application, directory, seed);
  for (guint i = 0; i < CHECKS; i++)
    {
      guint threads = drive (&driver, (double)seconds / CHECKS);

      soak_driver_renew (&driver);
      show_every_page (driver.window);
      run_for (QUIET_MS);
      megabytes[i] = allocated_bytes () / 1e6;
      g_test_message ("after %u steps: %.2f MB, at most %u threads", driver.step,
                      megabytes[i], threads);
      g_assert_cmpuint (threads, <=, most_threads ());
    }
  before = mean (megabytes + WARM_UP, half);
  after = mean (megabytes + CHECKS - half, half);
  g_test_message ("%.2f MB became %.2f MB", before, after);
  g_assert_cmpfloat (fabs (after - before), <=, TOLERANCE * before);
  soak_driver_clear (&driver);
  remove_tree (directory);
}

int
main (int argc, char *argv[])
{
  isolate_directories ();
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP no display\n");
      return 0;
    }
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/soak", test_soak);
  return g_test_run ();
}

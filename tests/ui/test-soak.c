/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program is used at random, twenty times a second: it does not crash or warn (which is fatal
 * in the tests), and its memory and its threads do not grow.
 *
 * Memory is what malloc() has given out and not got back, asked of the allocator: resident memory
 * would also count what a sanitizer keeps of freed blocks and what fragmentation leaves. It is
 * compared between moments at which the program does the same: one document, every page shown. The
 * first quarter warms up: caches of fonts, styles and drawings fill. Which columns, filters and
 * charts a page was left with moves a single moment by a few percent: means of three are compared.
 * The windows that were closed are counted one by one.
 *
 * SHARDWISE_SOAK_SECONDS and SHARDWISE_SOAK_SEED say how long and from which seed; what was done is
 * in ui/soak.log of the build. */
#include "soak-driver.h"

#include <malloc.h>
#include <math.h>

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
  struct mallinfo2 info = mallinfo2 ();

  return (double)info.uordblks + (double)info.hblkhd;
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

      soak_driver_settle (&driver);
      run_for (QUIET_MS);
      megabytes[i] = allocated_bytes () / 1e6;
      g_test_message ("after %u steps: %.2f MB, at most %u threads, %u windows not freed",
                      driver.step, megabytes[i], threads, g_hash_table_size (driver.alive));
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

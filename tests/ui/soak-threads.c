/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soak-threads.h"

#include <string.h>
#include <unistd.h>

enum {
  TASKS = 10,       /* that GLib runs at once; while some wait it begins more, by and by */
  MANY_TASKS = 100, /* of which it runs so many only after some have waited for a minute on end */
};

/* As the engine and an answer call theirs. */
static gboolean
is_evaluating (const char *name)
{
  return g_str_equal (name, "search") || g_str_equal (name, "reasons");
}

typedef void (*ThreadFunc) (const char *id, const char *name, char state, gpointer data);

/* What the system says of each, but for those that have just ended. */
static void
visit (ThreadFunc func, gpointer data)
{
  g_autoptr (GDir) directory = g_dir_open ("/proc/self/task", 0, NULL);
  const char *id;

  g_assert_nonnull (directory);
  while ((id = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", id, "stat", NULL);
      g_autofree char *text = NULL;
      char *name, *end;

      if (!g_file_get_contents (path, &text, NULL, NULL))
        continue;
      name = strchr (text, '(') + 1;
      end = strrchr (name, ')'); /* "12 (name) S …" */
      *end = '\0';
      func (id, name, end[2], data);
    }
}

static void
count_cb (const char *id, const char *name, char state, gpointer data)
{
  SoakThreads *threads = data;

  if (is_evaluating (name))
    threads->evaluating++;
  else if (g_str_has_prefix (name, "pool-"))
    threads->pooled++;
  else
    threads->others++;
}

SoakThreads
soak_threads_count (void)
{
  SoakThreads threads = { 0 };

  visit (count_cb, &threads);
  return threads;
}

static void
idle_cb (const char *id, const char *name, char state, gpointer data)
{
  gboolean *is_idle = data;

  if (g_ascii_strtoull (id, NULL, 10) != (guint64) getpid ()
      && (state != 'S' || is_evaluating (name)))
    *is_idle = FALSE;
}

/* Whether no other thread has anything to do, and none is left that evaluated. One that waits for
 * a processor has. */
gboolean
soak_threads_are_idle (void)
{
  gboolean is_idle = TRUE;

  visit (idle_cb, &is_idle);
  return is_idle;
}

/* An evaluation is a task, and has a thread for each other processor. One that was stopped ends
 * while the next one begins: if it did not, there would soon be more than tasks at once. */
guint
soak_threads_most_evaluating (void)
{
  return 2 * TASKS * MAX (1, g_get_num_processors () - 1);
}

/* A sweep is a task that has a pool of its own, with a thread for each processor. */
guint
soak_threads_most_pooled (void)
{
  return MANY_TASKS + TASKS * g_get_num_processors ();
}

/* Where nothing has been done for a while: those that GLib keeps for more, and some that wait for
 * the system. A pool that every evaluation would make anew is seen. */
guint
soak_threads_most_kept (void)
{
  return (guint) MAX (0, g_thread_pool_get_max_unused_threads ()) + TASKS;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts programs in turn on one X display and says how long each takes until its window is on the
 * screen and until its picture has settled: the last time that a pixel of it became another one
 * before the program was quiet, which is when nothing was drawn and no processor time was used for
 * QUIET_MS. What is drawn over with the same pixels does not count. Beside them the processor time,
 * all of it, and the memory (PSS) by the time the program was quiet; medians. The same for all
 * programs.
 *
 * usage: launch-settled N PROGRAM [ARGUMENT…] [-- PROGRAM [ARGUMENT…]]… */
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xdamage.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET_MS 400
#define LIMIT_MS 60000
#define POLL_MS 20
#define SMALLEST_WINDOW 200 /* pixels: a helper window of the toolkit is smaller */

typedef enum { MAPPED_MS, SETTLED_MS, PROCESSOR_MS, PSS_MIB, N_FIGURES } Figure;

typedef struct {
  double figures[N_FIGURES];
} Launch;

typedef struct {
  Display *display;
  int damage_event; /* the number of XDamage's first event */
  pid_t pid;
  gint64 begin_us;
  gint64 mapped_us;  /* 0: not yet */
  gint64 drawn_us;   /* when it drew last */
  gint64 changed_us; /* when that made another picture */
  Window window;     /* of the program; None: not yet */
  XImage *picture;   /* (nullable): what it shows */
} Watch;

/* utime + stime of a process in ticks; -1 when it is gone. */
static long
processor_ticks (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
  g_autofree char *text = NULL;
  const char *after;
  long user, system;

  if (!g_file_get_contents (path, &text, NULL, NULL) || (after = strrchr (text, ')')) == NULL)
    return -1;
  if (sscanf (after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system)
      != 2)
    return -1;
  return user + system;
}

static double
pss_mib (const char *pid)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "smaps_rollup", NULL);
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents (path, &text, NULL, NULL) || (line = strstr (text, "\nPss:")) == NULL)
    return 0;
  return g_ascii_strtod (line + strlen ("\nPss:"), NULL) / 1024;
}

/* Of a program and of what it has started: all processes of its session. */
static double
session_pss_mib (pid_t session)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;
  double sum = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_ascii_isdigit (*name) && getsid (atoi (name)) == session)
      sum += pss_mib (name);
  return sum;
}

/* (nullable): what the window shows now. */
static XImage *
take_picture (Watch *self)
{
  XWindowAttributes attributes;

  if (!XGetWindowAttributes (self->display, self->window, &attributes)
      || attributes.map_state != IsViewable)
    return NULL;
  return XGetImage (self->display, self->window, 0, 0, (unsigned) attributes.width,
                    (unsigned) attributes.height, AllPlanes, ZPixmap);
}

static gboolean
are_same (const XImage *a, const XImage *b)
{
  return a != NULL && b != NULL && a->width == b->width && a->height == b->height
         && memcmp (a->data, b->data, (size_t) a->bytes_per_line * (size_t) a->height) == 0;
}

/* Something was drawn at drawn_us. */
static void
compare_picture (Watch *self)
{
  XImage *now = take_picture (self);

  if (!are_same (self->picture, now))
    self->changed_us = self->drawn_us;
  if (self->picture != NULL)
    XDestroyImage (self->picture);
  self->picture = now;
}

static int
ignore_error (Display *display, XErrorEvent *event)
{
  return 0; /* the window went away */
}

static void
take_events (Watch *self)
{
  gint64 before = self->drawn_us;

  while (XPending (self->display) > 0)
    {
      XEvent event;

      XNextEvent (self->display, &event);
      if (event.type == MapNotify)
        {
          XWindowAttributes attributes;

          if (XGetWindowAttributes (self->display, event.xmap.window, &attributes)
              && !attributes.override_redirect && attributes.width >= SMALLEST_WINDOW)
            {
              XDamageCreate (self->display, event.xmap.window, XDamageReportRawRectangles);
              self->window = event.xmap.window;
              if (self->mapped_us == 0)
                self->mapped_us = g_get_monotonic_time ();
              self->drawn_us = g_get_monotonic_time ();
            }
        }
      else if (event.type == self->damage_event + XDamageNotify)
        {
          self->drawn_us = g_get_monotonic_time ();
        }
    }
  if (self->drawn_us != before)
    compare_picture (self);
}

/* Waits until the window is there and nothing has happened for QUIET_MS; whether it came to
 * that. */
static gboolean
wait_until_settled (Watch *self)
{
  struct pollfd fd = { .fd = ConnectionNumber (self->display), .events = POLLIN };
  gint64 busy_us = g_get_monotonic_time ();
  long ticks = 0;

  while (TRUE)
    {
      gint64 now = g_get_monotonic_time ();
      long used = processor_ticks (self->pid);

      if (used < 0 || now - self->begin_us > LIMIT_MS * 1000L)
        return FALSE;
      if (used != ticks)
        busy_us = now;
      ticks = used;
      take_events (self);
      if (self->mapped_us > 0 && now - MAX (busy_us, self->drawn_us) > QUIET_MS * 1000L)
        return TRUE;
      poll (&fd, 1, POLL_MS);
    }
}

static gboolean
launch (Display *display, int damage_event, char **argv, Launch *launch)
{
  Watch watch = { .display = display, .damage_event = damage_event };
  struct rusage usage;
  gboolean settled;

  watch.begin_us = g_get_monotonic_time ();
  watch.pid = fork ();
  if (watch.pid == 0)
    {
      setsid ();
      execvp (argv[0], argv);
      perror (argv[0]);
      _exit (127);
    }
  settled = wait_until_settled (&watch);
  launch->figures[MAPPED_MS] = (watch.mapped_us - watch.begin_us) / 1e3;
  launch->figures[SETTLED_MS] = (watch.changed_us - watch.begin_us) / 1e3;
  if (watch.picture != NULL)
    XDestroyImage (watch.picture);
  launch->figures[PSS_MIB] = session_pss_mib (watch.pid);
  kill (watch.pid, SIGKILL);
  wait4 (watch.pid, NULL, 0, &usage);
  launch->figures[PROCESSOR_MS] = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
                                  + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
  XSync (display, True); /* what the dead window still said */
  return settled;
}

static int
compare_doubles (const void *a, const void *b)
{
  const double *one = a, *other = b;

  return (*one > *other) - (*one < *other);
}

static double
median (const Launch *launches, guint n, Figure figure)
{
  g_autofree double *values = g_new (double, n);

  for (guint i = 0; i < n; i++)
    values[i] = launches[i].figures[figure];
  qsort (values, n, sizeof *values, compare_doubles);
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void
report (GPtrArray *programs, Launch **launches, guint n)
{
  static const char *const titles[] = { "mapped ms", "settled ms", "processor ms", "PSS MiB" };

  for (guint i = 0; i < programs->len; i++)
    {
      char **argv = g_ptr_array_index (programs, i);
      g_autofree char *name = g_path_get_basename (argv[0]);

      printf ("%s:", name);
      for (guint figure = 0; figure < N_FIGURES; figure++)
        printf (" %s %.1f", titles[figure], median (launches[i], n, figure));
      printf ("\n");
    }
  if (programs->len < 2)
    return;
  printf ("ratio of the first to the second:");
  for (guint figure = 0; figure < N_FIGURES; figure++)
    printf (" %s %.2f", titles[figure],
            median (launches[0], n, figure) / median (launches[1], n, figure));
  printf ("\n");
}

/* The command lines between the words "--". */
static GPtrArray *
split_programs (char **argv)
{
  GPtrArray *programs = g_ptr_array_new ();

  g_ptr_array_add (programs, argv);
  for (char **word = argv; *word != NULL; word++)
    if (g_str_equal (*word, "--"))
      {
        *word = NULL;
        g_ptr_array_add (programs, word + 1);
        word++;
      }
  return programs;
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) programs = NULL;
  Launch *launches[8];
  Display *display = XOpenDisplay (NULL);
  int damage_event, damage_error, count = argc > 1 ? atoi (argv[1]) : 0;

  if (display == NULL || argc < 3 || count < 1
      || !XDamageQueryExtension (display, &damage_event, &damage_error))
    {
      fprintf (stderr, "usage: %s N PROGRAM [ARGUMENT…] [-- PROGRAM [ARGUMENT…]]…, on a display\n",
               argv[0]);
      return 2;
    }
  XSetErrorHandler (ignore_error);
  XSelectInput (display, DefaultRootWindow (display), SubstructureNotifyMask);
  programs = split_programs (argv + 2);
  g_assert (programs->len <= G_N_ELEMENTS (launches));
  for (guint i = 0; i < programs->len; i++)
    launches[i] = g_new0 (Launch, count);
  for (int k = -1; k < count; k++) /* the first of each warms the caches */
    for (guint i = 0; i < programs->len; i++)
      if (!launch (display, damage_event, g_ptr_array_index (programs, i),
                   &launches[i][MAX (k, 0)]))
        {
          fprintf (stderr, "%s: no window that settles\n",
                   ((char **) g_ptr_array_index (programs, i))[0]);
          return 1;
        }
  report (programs, launches, count);
  for (guint i = 0; i < programs->len; i++)
    g_free (launches[i]);
  XCloseDisplay (display);
  return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window is asked for its scenario and is proposed changes of it. What becomes of them is the
 * user's to say. */
#include "shardwise-mcp-window.h"

#include <string.h>

#include "shardwise-config.h"
#include "shardwise-scenario.h"

#define WINDOWS APPLICATION_PATH "/window"
#define TIMEOUT_MS 5000
#define POLL_MS 200

static GVariant *
call_window (const char *path, const char *interface, const char *method, GVariant *parameters,
             const char *type, GCancellable *cancellable, GError **error)
{
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, error);

  if (parameters != NULL)
    g_variant_ref_sink (parameters);
  if (bus != NULL)
    {
      GVariant *reply = g_dbus_connection_call_sync (
          bus, APPLICATION_ID, path, interface, method, parameters,
          type != NULL ? G_VARIANT_TYPE (type) : NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, TIMEOUT_MS,
          cancellable, error);

      g_clear_pointer (&parameters, g_variant_unref);
      return reply;
    }
  g_clear_pointer (&parameters, g_variant_unref);
  return NULL;
}

/**
 * shardwise_mcp_windows:
 *
 * Returns: (transfer full) (element-type guint): the numbers of the windows that are open; none where the
 *   program does not run
 */
GArray *
shardwise_mcp_windows (void)
{
  GArray *windows = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GVariant) reply = call_window (WINDOWS, "org.freedesktop.DBus.Introspectable",
                                            "Introspect", NULL, "(s)", NULL, NULL);
  g_autoptr (GDBusNodeInfo) info = NULL;
  const char *xml;

  if (reply == NULL)
    return windows;
  g_variant_get (reply, "(&s)", &xml);
  info = g_dbus_node_info_new_for_xml (xml, NULL);
  for (guint i = 0; info != NULL && info->nodes != NULL && info->nodes[i] != NULL; i++)
    {
      const guint number = (guint) g_ascii_strtoull (info->nodes[i]->path, NULL, 10);

      if (number > 0)
        g_array_append_val (windows, number);
    }
  return windows;
}

/* The state of an action of a window, a text; NULL with an error. */
static char *
state_of (guint window, const char *action, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = g_strdup_printf (WINDOWS "/%u", window), *text = NULL;
  g_autoptr (GVariant) reply = call_window (path, "org.gtk.Actions", "Describe",
                                            g_variant_new ("(s)", action), "((bgav))", cancellable,
                                            error);
  g_autoptr (GVariant) states = NULL, state = NULL;

  if (reply == NULL)
    return NULL;
  g_variant_get (reply, "((bg@av))", NULL, NULL, &states);
  if (g_variant_n_children (states) == 1)
    g_variant_get_child (states, 0, "v", &state);
  if (state != NULL && g_variant_is_of_type (state, G_VARIANT_TYPE_STRING))
    return g_variant_dup_string (state, NULL);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s",
               "The window belongs to another version of Shardwise");
  return NULL;
}

/**
 * shardwise_mcp_window_scenario:
 * @window: its number
 *
 * Returns: (transfer full) (nullable): the text of the scenario that is open there, "" on the start page;
 *   %NULL with @error where there is no such window
 */
char *
shardwise_mcp_window_scenario (guint window, GCancellable *cancellable, GError **error)
{
  return state_of (window, "scenario", cancellable, error);
}

/* The window that a call names, or the only one; 0 with an error. */
static guint
which_window (ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (GArray) windows = shardwise_mcp_windows ();
  const guint wanted = shardwise_mcp_whole (call, "window", 0);
  g_autoptr (GString) numbers = g_string_new (NULL);

  for (guint i = 0; i < windows->len; i++)
    {
      const guint number = g_array_index (windows, guint, i);

      if (wanted == number || (wanted == 0 && windows->len == 1))
        return number;
      g_string_append_printf (numbers, i > 0 ? ", %u" : "%u", number);
    }
  if (windows->len == 0)
    g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_MISSING, "window", "%s",
                                                   "is required, but no Shardwise window is open"));
  else
    g_propagate_error (error,
                       shardwise_error_new (SHARDWISE_ERROR_CHOICE, "window",
                                            "is not an open window; allowed: %s", numbers->str));
  return 0;
}

static JsonObject *
outcome (guint window, const char *state, const char *text)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "window", window);
  json_object_set_string_member (object, "state", state);
  json_object_set_string_member (object, "text", text);
  return object;
}

JsonObject *
shardwise_mcp_apply (ShardwiseMcpCall *call, GError **error)
{
  const guint window = which_window (call, error),
              wait_s = shardwise_mcp_whole (call, "wait_s", 60);
  JsonObject *changes = json_object_get_object_member (call->arguments, "changes");
  g_autoptr (ShardwiseScenario) scenario = NULL, changed = NULL;
  g_autoptr (GVariant) values = NULL, reply = NULL;
  g_autofree char *text = NULL, *state = NULL, *path = g_strdup_printf (WINDOWS "/%u", window);
  GVariantBuilder parameters;

  if (window == 0)
    return NULL;
  text = shardwise_mcp_window_scenario (window, call->cancellable, error);
  if (text == NULL)
    return NULL;
  /* What the window would refuse is said here, before the user is asked anything. */
  scenario = *text != '\0' ? shardwise_scenario_from_json (text, -1, error)
                           : shardwise_scenario_new ();
  changed = scenario != NULL ? shardwise_mcp_changed (scenario, changes, error) : NULL;
  values = changed != NULL ? shardwise_mcp_changes_read (changes, error) : NULL;
  if (values == NULL)
    return NULL;
  state = state_of (window, "proposal", call->cancellable, error);
  if (state == NULL)
    return NULL;
  if (g_str_equal (state, "waiting"))
    return outcome (window, "refused", "Another proposal is waiting for the user");
  g_variant_builder_init (&parameters, G_VARIANT_TYPE ("av"));
  g_variant_builder_add (
      &parameters, "v",
      g_variant_new ("(@a{sv}s)", values, shardwise_mcp_text (call, "reason", "")));
  reply = call_window (path, "org.gtk.Actions", "Activate",
                       g_variant_new ("(sava{sv})", "propose", &parameters, NULL), NULL,
                       call->cancellable, error);
  if (reply == NULL)
    return NULL;
  for (guint i = 0; i < wait_s * 1000 / POLL_MS; i++)
    {
      g_autofree char *now = state_of (window, "proposal", call->cancellable, error);

      if (now == NULL)
        return NULL;
      if (g_str_equal (now, "accepted"))
        return outcome (window, now, "The user accepted the changes");
      if (g_str_equal (now, "dismissed"))
        return outcome (window, now, "The user dismissed the changes; the scenario is unchanged");
      if (g_cancellable_set_error_if_cancelled (call->cancellable, error))
        return NULL;
      g_usleep (POLL_MS * 1000);
    }
  return outcome (window, "waiting",
                  "The window shows the changes; the scenario changes only if the user accepts");
}

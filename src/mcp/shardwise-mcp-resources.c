/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resources: the scenario of each open window, the scenario keys, the catalogs and the manual.
 * Prompts: three questions, each with instructions. The server reads a window's scenario and
 * proposes changes to it; the user decides. */
#include "shardwise-mcp-resources.h"

#include <string.h>

#include "shardwise-config.h"
#include "shardwise-json.h"
#include "shardwise-manual.h"
#include "shardwise-mcp-arguments.h"
#include "shardwise-mcp-files.h"
#include "shardwise-scenario.h"

#define SCHEME "shardwise://"
#define WINDOW SCHEME "window/"
#define MANUAL SCHEME "manual/"
#define WINDOWS APPLICATION_PATH "/window"
#define TIMEOUT_MS 5000
#define POLL_MS 200

/* ---- the windows of the program that runs beside this one ---- */

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

/* The numbers of the open windows; empty if the program does not run. */
static GArray *
list_windows (void)
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

/* The window of a call, or the only one; 0 with an error. */
static guint
which_window (ShardwiseMcpCall *call, GError **error)
{
  g_autoptr (GArray) windows = list_windows ();
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

/**
 * shardwise_mcp_apply:
 * @call: a call with changes, a window, a reason, seconds to wait
 *
 * Proposes changes to a window and waits for the user's decision.
 *
 * Returns: (transfer full): the decision; %NULL with @error if no window was asked
 */
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
  text = state_of (window, "scenario", call->cancellable, error);
  if (text == NULL)
    return NULL;
  /* Reports what the window would refuse before the user is asked. */
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

/* ---- lists ---- */

static JsonObject *
add_resource (JsonArray *array, const char *uri, const char *name, const char *description,
              const char *type)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "uri", uri);
  json_object_set_string_member (object, "name", name);
  if (description != NULL)
    json_object_set_string_member (object, "description", description);
  json_object_set_string_member (object, "mimeType", type);
  json_array_add_object_element (array, object);
  return object;
}

static JsonNode *
result_of (const char *name, JsonArray *array)
{
  JsonObject *result = json_object_new ();

  json_object_set_array_member (result, name, array);
  return shardwise_json_take_object (result);
}

/* The title of a page; (transfer full). */
static char *
page_title (const ShardwiseManualNode *page)
{
  const ShardwiseManualNode *title = shardwise_manual_node_child (page, "title");

  return title != NULL ? shardwise_manual_node_text (title)
                       : g_strdup (shardwise_manual_node_get (page, "id"));
}

/**
 * shardwise_mcp_resources_list:
 *
 * Returns: (transfer full): the result of resources/list
 */
JsonNode *
shardwise_mcp_resources_list (void)
{
  g_autoptr (GArray) windows = list_windows ();
  ShardwiseManual *manual = shardwise_manual_new ();
  GPtrArray *pages = shardwise_manual_get_pages (manual);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < windows->len; i++)
    {
      const guint number = g_array_index (windows, guint, i);
      g_autofree char *uri = g_strdup_printf (WINDOW "%u", number),
                      *name = g_strdup_printf ("Scenario of window %u", number);

      add_resource (array, uri, name, "The scenario that is open in a window", "application/json");
    }
  add_resource (array, SCHEME "keys", "Scenario keys",
                "Allowed values of every scenario key, as JSON schema", "application/schema+json");
  for (guint i = 0; shardwise_mcp_catalogues[i] != NULL; i++)
    {
      g_autofree char *uri = g_strdup_printf (SCHEME "%ss", shardwise_mcp_catalogues[i]),
                      *name = g_strdup_printf ("Catalogue: %ss", shardwise_mcp_catalogues[i]);

      add_resource (array, uri, name, NULL, "application/json");
    }
  for (guint i = 0; i < pages->len; i++)
    {
      const char *id = shardwise_manual_node_get (pages->pdata[i], "id");
      g_autofree char *uri = g_strconcat (MANUAL, id, NULL), *title = page_title (pages->pdata[i]);

      add_resource (array, uri, title, NULL, "text/markdown");
    }
  shardwise_manual_free (manual);
  return result_of ("resources", array);
}

/**
 * shardwise_mcp_templates_list:
 *
 * Returns: (transfer full): the result of resources/templates/list
 */
JsonNode *
shardwise_mcp_templates_list (void)
{
  static const struct {
    const char *uri, *name, *type;
  } rows[] = {
    { WINDOW "{number}", "Scenario of a window", "application/json" },
    { MANUAL "{page}", "Page of the manual", "text/markdown" },
  };
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      JsonObject *object = add_resource (array, rows[i].uri, rows[i].name, NULL, rows[i].type);

      json_object_remove_member (object, "uri");
      json_object_set_string_member (object, "uriTemplate", rows[i].uri);
    }
  return result_of ("resourceTemplates", array);
}

/* ---- reading ---- */

/* A page as text with marked headings, a line for each block. */
static void
append_page (GString *out, const ShardwiseManualNode *node, guint level)
{
  static const char *const blocks[] = { "title", "p", "td", "screen", "code", NULL };

  for (guint i = 0; node->children != NULL && i < node->children->len; i++)
    {
      const ShardwiseManualNode *child = node->children->pdata[i];
      g_autofree char *text = NULL;

      if (child->name == NULL || g_str_equal (child->name, "info"))
        continue;
      if (!g_strv_contains (blocks, child->name))
        {
          append_page (out, child, level + g_str_equal (child->name, "section"));
          continue;
        }
      text = shardwise_manual_node_text (child);
      if (g_str_equal (child->name, "title"))
        for (guint j = 0; j < level; j++)
          g_string_append_c (out, '#');
      g_string_append_printf (out, g_str_equal (child->name, "title") ? " %s\n\n" : "%s\n\n", text);
    }
}

static char *
manual_page (const char *id)
{
  ShardwiseManual *manual = shardwise_manual_new ();
  const ShardwiseManualNode *page = NULL;
  GString *out = NULL;

  if (shardwise_manual_find (manual, id, &page) != NULL && page != NULL)
    {
      out = g_string_new (NULL);
      append_page (out, page, 1);
    }
  shardwise_manual_free (manual);
  return out != NULL ? g_string_free (out, FALSE) : NULL;
}

/* The text at an address; NULL if it does not exist, perhaps with an error. */
static char *
read_text (const char *uri, const char **type, GCancellable *cancellable, GError **error)
{
  *type = "application/json";
  if (g_str_has_prefix (uri, WINDOW))
    {
      const char *digits = uri + strlen (WINDOW);
      guint64 number;

      return g_ascii_string_to_unsigned (digits, 10, 1, G_MAXUINT16, &number, NULL)
                 ? state_of ((guint) number, "scenario", cancellable, error)
                 : NULL;
    }
  if (g_str_has_prefix (uri, MANUAL))
    {
      *type = "text/markdown";
      return manual_page (uri + strlen (MANUAL));
    }
  if (g_str_equal (uri, SCHEME "keys"))
    {
      g_autoptr (JsonNode) schema = shardwise_mcp_keys_schema ();

      *type = "application/schema+json";
      return shardwise_json_to_line (schema);
    }
  for (guint i = 0; shardwise_mcp_catalogues[i] != NULL; i++)
    {
      g_autofree char *own = g_strdup_printf (SCHEME "%ss", shardwise_mcp_catalogues[i]);

      if (g_str_equal (own, uri))
        {
          g_autoptr (JsonNode) all =
              result_of (shardwise_mcp_catalogues[i],
                         shardwise_mcp_catalogue (shardwise_mcp_catalogues[i], ""));

          return shardwise_json_to_line (all);
        }
    }
  return NULL;
}

/**
 * shardwise_mcp_resource_read:
 * @uri: of a resource
 *
 * Returns: (transfer full): the result of resources/read; %NULL with @error if there is no such resource
 */
JsonNode *
shardwise_mcp_resource_read (const char *uri, GCancellable *cancellable, GError **error)
{
  const char *type;
  g_autoptr (GError) why = NULL;
  g_autofree char *text = read_text (uri, &type, cancellable, &why);
  JsonArray *contents;
  JsonObject *object;

  if (text == NULL)
    {
      g_propagate_error (
          error, shardwise_error_new (
                     SHARDWISE_ERROR_CHOICE, "uri", "%s",
                     why != NULL ? why->message
                                 : "unknown resource; resources/list returns all resources"));
      return NULL;
    }
  contents = json_array_new ();
  object = json_object_new ();
  json_object_set_string_member (object, "uri", uri);
  json_object_set_string_member (object, "mimeType", type);
  json_object_set_string_member (object, "text", text);
  json_array_add_object_element (contents, object);
  return result_of ("contents", contents);
}

/* ---- prompts ---- */

#define JOB                                                                                        \
  {                                                                                                \
    .name = "job", .kind = SHARDWISE_MCP_TEXT, .maximum = 20000, .required = TRUE,                 \
    .description = "Model, GPUs, framework and settings, in words or as the text of a file"        \
  }
#define HONEST                                                                                     \
  " Take every figure from these tools, with its interval and level; state what was assumed, and " \
  "ask for missing values instead of guessing them."

static const struct {
  const char *name, *title, *description, *text;
  ShardwiseMcpArgument arguments[SHARDWISE_MCP_MOST_ARGUMENTS];
} prompts[] = {
  { "plan_run",
    "Plan a run",
    "From a model and a cluster to a strategy and its configuration",
    "Plan a training run with Shardwise's tools: find the ids (find), let the strategy be searched "
    "(advise), explain what decides (explain), hold it against measured runs and recipes "
    "(measured), "
    "and write the configuration (export)." HONEST,
    { JOB } },
  { "why_slow",
    "Why is it slow?",
    "What limits the speed of a job, and what would change it",
    "Find out with Shardwise's tools why this job is slow: read its files (import, diagnose), "
    "estimate it exactly as it is (estimate), look at communication and pipeline, compare changes "
    "one at a time (compare). If what was measured lies outside the predicted interval, say that "
    "the cause is not in "
    "the model and what to measure." HONEST,
    { JOB,
      { .name = "measured",
        .kind = SHARDWISE_MCP_TEXT,
        .maximum = 2000,
        .description = "Measured step time or tokens/s" } } },
  { "why_not_fit",
    "Why does it not fit?",
    "Where the memory goes, and the smallest changes that fit",
    "Find out with Shardwise's tools why this job runs out of memory: read its files and the error "
    "(diagnose), estimate it exactly as it is (memory, with the sum of the states), then the "
    "smallest "
    "changes that fit (advise, fits, what_if), each with what it costs." HONEST,
    { JOB,
      { .name = "error",
        .kind = SHARDWISE_MCP_TEXT,
        .maximum = 20000,
        .description = "The error message, or the end of the log" } } },
};

/**
 * shardwise_mcp_prompts_list:
 *
 * Returns: (transfer full): the result of prompts/list
 */
JsonNode *
shardwise_mcp_prompts_list (void)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (prompts); i++)
    {
      JsonObject *object = json_object_new ();
      JsonArray *arguments = json_array_new ();

      json_object_set_string_member (object, "name", prompts[i].name);
      json_object_set_string_member (object, "title", prompts[i].title);
      json_object_set_string_member (object, "description", prompts[i].description);
      for (guint j = 0; prompts[i].arguments[j].name != NULL; j++)
        {
          const ShardwiseMcpArgument *argument = &prompts[i].arguments[j];
          JsonObject *one = json_object_new ();

          json_object_set_string_member (one, "name", argument->name);
          json_object_set_string_member (one, "description", argument->description);
          json_object_set_boolean_member (one, "required", argument->required);
          json_array_add_object_element (arguments, one);
        }
      json_object_set_array_member (object, "arguments", arguments);
      json_array_add_object_element (array, object);
    }
  return result_of ("prompts", array);
}

/**
 * shardwise_mcp_prompt_get:
 * @name: of a prompt
 * @arguments: (nullable): texts
 *
 * Returns: (transfer full): the result of prompts/get; %NULL with @error
 */
JsonNode *
shardwise_mcp_prompt_get (const char *name, JsonObject *arguments, GError **error)
{
  g_autoptr (JsonObject) none = json_object_new ();
  JsonObject *given = arguments != NULL ? arguments : none, *result, *message, *content;
  g_autoptr (GString) text = NULL;
  JsonArray *messages;
  guint i = 0;

  while (i < G_N_ELEMENTS (prompts) && !g_str_equal (prompts[i].name, name))
    i++;
  if (i == G_N_ELEMENTS (prompts))
    {
      g_propagate_error (
          error, shardwise_error_new (SHARDWISE_ERROR_CHOICE, "name", "%s",
                                      "is not a prompt; allowed: plan_run, why_slow, why_not_fit"));
      return NULL;
    }
  if (!shardwise_mcp_arguments_check (prompts[i].arguments, given, error))
    return NULL;
  text = g_string_new (prompts[i].text);
  for (guint j = 0; prompts[i].arguments[j].name != NULL; j++)
    {
      const char *argument = prompts[i].arguments[j].name;

      if (json_object_has_member (given, argument))
        g_string_append_printf (text, "\n\n%s:\n%s", argument,
                                json_object_get_string_member (given, argument));
    }
  content = json_object_new ();
  json_object_set_string_member (content, "type", "text");
  json_object_set_string_member (content, "text", text->str);
  message = json_object_new ();
  json_object_set_string_member (message, "role", "user");
  json_object_set_object_member (message, "content", content);
  messages = json_array_new ();
  json_array_add_object_element (messages, message);
  result = json_object_new ();
  json_object_set_string_member (result, "description", prompts[i].description);
  json_object_set_array_member (result, "messages", messages);
  return shardwise_json_take_object (result);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resources: the scenario of each open window, the keys of scenarios, the catalogues and the manual.
 * Prompts: three questions, each with the way to its answer. */
#include "shardwise-mcp-resources.h"

#include <string.h>

#include "shardwise-json.h"
#include "shardwise-manual.h"
#include "shardwise-mcp-files.h"
#include "shardwise-mcp-window.h"

#define SCHEME "shardwise://"
#define WINDOW SCHEME "window/"
#define MANUAL SCHEME "manual/"

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
  g_autoptr (GArray) windows = shardwise_mcp_windows ();
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

/* The text at an address; NULL, perhaps with an error: there is none. */
static char *
read_text (const char *uri, const char **type, GCancellable *cancellable, GError **error)
{
  *type = "application/json";
  if (g_str_has_prefix (uri, WINDOW))
    {
      const char *digits = uri + strlen (WINDOW);
      guint64 number;

      return g_ascii_string_to_unsigned (digits, 10, 1, G_MAXUINT16, &number, NULL)
                 ? shardwise_mcp_window_scenario ((guint) number, cancellable, error)
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
 * Returns: (transfer full): the result of resources/read; %NULL with @error where there is no such resource
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server as a client sees it: line in, line out. */
#include <gio/gio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "shardwise-json.h"
#include "shardwise-mcp.h"

/* A server and what it said, one object a line. */
typedef struct {
  ShardwiseMcp *server;
  GPtrArray *said; /* of JsonNode */
} Session;

static void
hear (const char *line, gpointer data)
{
  Session *self = data;
  g_autoptr (GError) error = NULL;
  JsonNode *node = shardwise_json_parse (line, strlen (line), &error);

  g_assert_no_error (error);
  g_assert_null (strchr (line, '\n'));
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (node), "jsonrpc"), ==,
                   "2.0");
  g_ptr_array_add (self->said, node);
}

static void
say (Session *self, const char *line)
{
  shardwise_mcp_receive (self->server, line, strlen (line));
  shardwise_mcp_receive (self->server, "\n", 1);
}

#define INITIALIZE(revision)                                                                       \
  "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"       \
  "\"" revision "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}"

static void
session_clear (Session *self)
{
  shardwise_mcp_free (self->server);
  g_ptr_array_unref (self->said);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Session, session_clear)

static void
session_start (Session *self, gboolean threads, gboolean initialize)
{
  self->server = shardwise_mcp_new (hear, self, threads);
  self->said = g_ptr_array_new_with_free_func ((GDestroyNotify) json_node_unref);
  if (!initialize)
    return;
  say (self, INITIALIZE ("2025-11-25"));
  say (self, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  g_assert_cmpuint (self->said->len, ==, 1);
  g_ptr_array_set_size (self->said, 0);
}

/* What it says to a line; there is one object. */
static JsonObject *
answer (Session *self, const char *line)
{
  g_ptr_array_set_size (self->said, 0);
  say (self, line);
  g_assert_cmpuint (self->said->len, ==, 1);
  return json_node_get_object (self->said->pdata[0]);
}

static JsonObject *
result (Session *self, const char *method, const char *params)
{
  g_autofree char *line = g_strdup_printf (
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method, params);
  JsonObject *object = answer (self, line);

  g_assert_true (json_object_has_member (object, "result"));
  return json_object_get_object_member (object, "result");
}

static gint64
code_of (JsonObject *object)
{
  JsonObject *error;

  g_assert_true (json_object_has_member (object, "error"));
  error = json_object_get_object_member (object, "error");
  g_assert_cmpstr (json_object_get_string_member (error, "message"), !=, "");
  return json_object_get_int_member (error, "code");
}

/* ---- the protocol ---- */

static void
test_lifecycle (void)
{
  const char *const offered[][2] = { { INITIALIZE ("2025-11-25"), "2025-11-25" },
                                     { INITIALIZE ("2025-06-18"), "2025-06-18" },
                                     { INITIALIZE ("1999-01-01"), "2025-11-25" } };

  for (guint i = 0; i < G_N_ELEMENTS (offered); i++)
    {
      g_auto (Session) session = { NULL };
      JsonObject *object;

      session_start (&session, FALSE, FALSE);
      g_assert_cmpint (
          code_of (answer (&session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")),
          ==, -32600);
      result (&session, "ping", "{}");
      g_assert_cmpint (code_of (answer (&session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                                                  "\"initialize\",\"params\":{}}")),
                       ==, -32602);
      object = json_object_get_object_member (answer (&session, offered[i][0]), "result");
      g_assert_cmpstr (json_object_get_string_member (object, "protocolVersion"), ==,
                       offered[i][1]);
      g_assert_true (
          json_object_has_member (json_object_get_object_member (object, "capabilities"), "tools"));
      g_assert_cmpint (code_of (answer (&session, offered[i][0])), ==, -32600);
    }
}

static void
test_messages (void)
{
  const struct {
    const char *line;
    gint64 code; /* 0: nothing is said */
  } rows[] = {
    { "", 0 },
    { "  ", 0 },
    { "{", -32700 },
    { "not JSON", -32700 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", -32700 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", -32700 },
    { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600 },
    { "[]", -32600 },
    { "1", -32600 },
    { "{\"id\":1,\"method\":\"ping\"}", -32600 },
    { "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", -32600 },
    { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1}", -32600 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", -32600 },
    { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600 },
    { "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", -32600 },
    { "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600 },
    { "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", -32600 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1e999,\"method\":\"ping\"}", -32700 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}", -32601 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
      -32602 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":1}}", -32602 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"no\"}}",
      -32602 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"find\","
      "\"arguments\":[]}}",
      -32602 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
      "\"file:///etc/passwd\"}}",
      -32002 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
      "\"shardwise://manual/../x\"}}",
      -32002 },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"x\"}}",
      -32602 },
    { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}", 0 },
    { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}",
      0 },
    { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}", 0 },
    { "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}", 0 },
  };
  g_auto (Session) session = { NULL };

  session_start (&session, FALSE, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_test_message ("%s", rows[i].line);
      if (rows[i].code != 0)
        {
          g_assert_cmpint (code_of (answer (&session, rows[i].line)), ==, rows[i].code);
          continue;
        }
      g_ptr_array_set_size (session.said, 0);
      say (&session, rows[i].line);
      g_assert_cmpuint (session.said->len, ==, 0);
    }
}

/* An id comes back as it was. */
static void
test_ids (void)
{
  const char *const ids[] = { "0", "-7", "9007199254740993", "1.5", "\"\"", "\"a b\\u00e9\"" };
  g_auto (Session) session = { NULL };

  session_start (&session, FALSE, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", ids[i]);
      g_autoptr (JsonNode) sent = shardwise_json_parse (ids[i], strlen (ids[i]), NULL);

      g_assert_true (
          json_node_equal (json_object_get_member (answer (&session, line), "id"), sent));
    }
}

/* A line without end takes no more memory than a line may; the next one is read. */
static void
test_long_lines (void)
{
  g_auto (Session) session = { NULL };
  g_autofree char *block = g_strnfill (1024 * 1024, 'x'), *deep = g_strnfill (200000, '[');

  session_start (&session, FALSE, TRUE);
  for (guint i = 0; i < 20; i++)
    shardwise_mcp_receive (session.server, block, 1024 * 1024);
  g_assert_cmpuint (session.said->len, ==, 0);
  g_assert_cmpint (code_of (answer (&session, "")), ==, -32700);
  g_assert_cmpint (code_of (answer (&session, deep)), ==, -32700);
  result (&session, "ping", "{}");
  /* In pieces, and two at once. */
  g_ptr_array_set_size (session.said, 0);
  shardwise_mcp_receive (session.server, "{\"jsonrpc\":\"2.0\",\"id\":1,", 25);
  say (&session, "\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
  g_assert_cmpuint (session.said->len, ==, 2);
}

/* ---- tools ---- */

/* Whether a value is as a schema says; of schemas what ours have. */
static void
check_schema (JsonObject *schema, JsonNode *node, const char *path)
{
  JsonNode *type = json_object_get_member (schema, "type");
  g_autofree char *types = NULL;
  gboolean nullable = FALSE;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  g_test_message ("%s", path);
  if (type == NULL)
    return;
  types = JSON_NODE_HOLDS_VALUE (type)
              ? g_strdup (json_node_get_string (type))
              : g_strdup (json_array_get_string_element (json_node_get_array (type), 0));
  nullable = !JSON_NODE_HOLDS_VALUE (type);
  if (JSON_NODE_HOLDS_NULL (node))
    g_assert_true (nullable);
  else if (g_str_equal (types, "object"))
    {
      JsonObject *properties = json_object_has_member (schema, "properties")
                                   ? json_object_get_object_member (schema, "properties")
                                   : NULL;
      JsonArray *required = properties != NULL ? json_object_get_array_member (schema, "required")
                                               : NULL;

      g_assert_true (JSON_NODE_HOLDS_OBJECT (node));
      for (guint i = 0; required != NULL && i < json_array_get_length (required); i++)
        g_assert_true (json_object_has_member (json_node_get_object (node),
                                               json_array_get_string_element (required, i)));
      json_object_iter_init (&iter, json_node_get_object (node));
      while (properties != NULL && json_object_iter_next (&iter, &name, &member))
        {
          g_autofree char *below = g_strdup_printf ("%s.%s", path, name);

          g_assert_true (json_object_has_member (properties, name));
          check_schema (json_object_get_object_member (properties, name), member, below);
        }
    }
  else if (g_str_equal (types, "array"))
    {
      JsonArray *array = json_node_get_array (node);

      g_assert_true (JSON_NODE_HOLDS_ARRAY (node));
      if (json_object_has_member (schema, "maxItems"))
        g_assert_cmpuint (json_array_get_length (array), <=,
                          json_object_get_int_member (schema, "maxItems"));
      for (guint i = 0; i < json_array_get_length (array); i++)
        check_schema (json_object_get_object_member (schema, "items"),
                      json_array_get_element (array, i), path);
    }
  else if (g_str_equal (types, "string"))
    {
      g_assert_true (json_node_get_value_type (node) == G_TYPE_STRING);
      if (json_object_has_member (schema, "enum"))
        {
          JsonArray *words = json_object_get_array_member (schema, "enum");
          gboolean known = FALSE;

          for (guint i = 0; i < json_array_get_length (words); i++)
            known = known
                    || g_str_equal (json_array_get_string_element (words, i),
                                    json_node_get_string (node));
          g_assert_true (known);
        }
    }
  else if (g_str_equal (types, "boolean"))
    g_assert_true (json_node_get_value_type (node) == G_TYPE_BOOLEAN);
  else
    g_assert_true (
        json_node_get_value_type (node) == G_TYPE_INT64
        || (json_node_get_value_type (node) == G_TYPE_DOUBLE && g_str_equal (types, "number")));
}

/* Of the list of tools, as a result that stays. */
static JsonObject *
find_tool (JsonObject *list, const char *name)
{
  JsonArray *tools = json_object_get_array_member (list, "tools");

  for (guint i = 0; i < json_array_get_length (tools); i++)
    if (g_str_equal (
            json_object_get_string_member (json_array_get_object_element (tools, i), "name"), name))
      return json_array_get_object_element (tools, i);
  g_error ("there is no tool %s", name);
}

#define JOB                                                                                        \
  "\"model\":{\"preset\":\"llama-3-70b\"},\"cluster\":{\"gpu\":\"a100-80-sxm\",\"gpus\":16}"
#define WHOLE                                                                                      \
  "\"strategy\":{\"tp\":1,\"pp\":1,\"zero_stage\":3,\"micro_batch_size\":1,\"recompute\":"         \
  "\"full\"}"
#define PIPELINE                                                                                   \
  "{\"model\":{\"preset\":\"llama-3-8b\"},\"cluster\":{\"gpu\":\"h100-80-sxm\",\"gpus\":16},"      \
  "\"training\":{\"framework\":\"megatron-core\",\"tokens\":1e11,\"deadline\":\"2030-01-01\"},"    \
  "\"strategy\":{\"tp\":2,\"pp\":4,\"micro_batch_size\":1}}"
#define FULL "{" JOB ",\"training\":{\"type\":\"finetune\",\"framework\":\"deepspeed\"}," WHOLE "}"

static const struct {
  const char *tool, *arguments, *holds; /* holds: what stands in the answer */
  guint most;                           /* bytes of it; 0: 6000 */
} calls[] = {
  { "find", "{\"kind\":\"model\",\"words\":\"llama 70b\"}", "llama-3.1-70b", 2000 },
  { "find", "{\"kind\":\"gpu\",\"words\":\"h100\"}", "h100-80-sxm", 2500 },
  { "find", "{\"kind\":\"fabric\"}", "ib-ndr", 2500 },
  { "describe_model", "{\"model\":\"qwen1.5-72b\"}", "\"parameters_b\":72.29", 1500 },
  { "describe_model",
    "{\"config\":\"{\\\"model_type\\\":\\\"llama\\\",\\\"hidden_size\\\":4096,"
    "\\\"num_hidden_layers\\\":32,\\\"num_attention_heads\\\":32,\\\"intermediate_size\\\":11008,"
    "\\\"vocab_size\\\":32000}\"}",
    "\"layers\":32", 1500 },
  { "advise", "{\"scenario\":{" JOB "}}", "\"verdict\"", 0 },
  { "estimate", "{\"scenario\":" FULL "}", "× 2 ÷ 16 bytes = 8.21 GiB", 3500 },
  { "memory", "{\"scenario\":" FULL "}", "\"bytes_per_parameter\"", 0 },
  { "fits", "{\"scenario\":{" JOB "},\"what\":\"least-gpus\"}", "QLoRA", 0 },
  { "fits", "{\"scenario\":{" JOB "},\"what\":\"largest-model\"}", "longest_sequence", 0 },
  { "fits", "{\"scenario\":{" JOB "},\"what\":\"longest-sequence\"}", "sequence_length = 2048", 0 },
  { "fits", "{\"scenario\":{" JOB "},\"what\":\"largest-micro-batch\"}", "micro_batch_size = 2",
    0 },
  { "compare",
    "{\"scenario\":" FULL ",\"variants\":[{\"name\":\"32 GPUs\",\"changes\":{\"cluster.gpus\":32}}"
    "]}",
    "slower_by", 0 },
  { "what_if", "{\"scenario\":" FULL ",\"changes\":{\"training.optimizer\":\"adam8bit\"}}",
    "\"after\"", 0 },
  { "explain", "{\"scenario\":{" JOB "},\"dimension\":\"zero_stage\"}", "neighbours", 3000 },
  { "pipeline", "{\"scenario\":" PIPELINE "}", "\"in_flight\":4", 0 },
  { "communication", "{\"scenario\":" PIPELINE "}", "all-gather", 0 },
  { "rules", "{\"scenario\":" PIPELINE "}", "\"legal\":true", 3000 },
  { "diagnose",
    "{\"files\":[{\"name\":\"ds.json\",\"text\":\"{\\\"zero_optimization\\\":{\\\"stage\\\":3}}\"}]"
    "}",
    "\"kind\":\"deepspeed\"", 0 },
  { "diagnose",
    "{\"files\":[{\"text\":\"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
    "GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.10 GiB is free.\"}],\"scenario\":" FULL
    "}",
    "2.00", 0 },
  { "scale", "{\"scenario\":{" JOB "},\"gpus\":[16,32]}", "share_of_ideal", 0 },
  { "cost", "{\"scenario\":" PIPELINE "}", "goodput", 0 },
  { "deadline",
    "{\"scenario\":{\"model\":{\"preset\":\"llama-3-8b\"},\"cluster\":{\"gpus\":16},\"training\":{"
    "\"tokens\":1e11,\"deadline\":\"2030-01-01\"}},\"start\":\"2029-06-01\"}",
    "cheapest", 0 },
  { "export", "{\"scenario\":" PIPELINE ",\"to\":\"megatron\"}", "pipeline-model-parallel-size",
    20000 },
  { "import",
    "{\"files\":[{\"name\":\"ds.json\",\"text\":\"{\\\"zero_optimization\\\":{\\\"stage\\\":3}}\"}]"
    "}",
    "\"zero_stage\":3", 0 },
  { "measured", "{\"scenario\":" PIPELINE "}", "measured_step_s", 0 },
  { "playbook", "{\"scenario\":" PIPELINE "}", "\"state\"", 0 },
  { "term", "{\"scenario\":" PIPELINE ",\"term\":\"bubble\"}", "(p − 1)/(v·m) = ", 0 },
  { "manual", "{\"words\":\"pipelne bubble\"}", "shardwise://manual/", 8000 },
};

static void
test_tools (void)
{
  g_auto (Session) session = { NULL };
  g_autoptr (JsonNode) list = NULL;
  JsonArray *tools;

  session_start (&session, FALSE, TRUE);
  result (&session, "tools/list", "{}");
  list = json_node_copy (
      json_object_get_member (json_node_get_object (session.said->pdata[0]), "result"));
  tools = json_object_get_array_member (json_node_get_object (list), "tools");
  for (guint i = 0; i < json_array_get_length (tools); i++)
    {
      JsonObject *tool = json_array_get_object_element (tools, i),
                 *input = json_object_get_object_member (tool, "inputSchema");
      const char *name = json_object_get_string_member (tool, "name");
      gboolean is_called = g_str_equal (name, "apply"); /* that needs a window */

      g_assert_false (json_object_get_boolean_member (input, "additionalProperties"));
      g_assert_false (json_object_get_boolean_member (
          json_object_get_object_member (tool, "outputSchema"), "additionalProperties"));
      for (guint j = 0; j < G_N_ELEMENTS (calls); j++)
        is_called = is_called || g_str_equal (calls[j].tool, name);
      g_assert_true (is_called);
    }
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autofree char *params = g_strdup_printf ("{\"name\":\"%s\",\"arguments\":%s}",
                                                 calls[i].tool, calls[i].arguments);
      JsonObject *object = result (&session, "tools/call", params);
      const char *text = json_object_get_string_member (
          json_array_get_object_element (json_object_get_array_member (object, "content"), 0),
          "text");
      g_autoptr (JsonNode) parsed = NULL;

      g_test_message ("%s %s: %s", calls[i].tool, calls[i].arguments, text);
      g_assert_false (json_object_get_boolean_member (object, "isError"));
      parsed = shardwise_json_parse (text, strlen (text), NULL);
      g_assert_true (
          json_node_equal (parsed, json_object_get_member (object, "structuredContent")));
      check_schema (json_object_get_object_member (
                        find_tool (json_node_get_object (list), calls[i].tool), "outputSchema"),
                    parsed, calls[i].tool);
      g_assert_nonnull (strstr (text, calls[i].holds));
      g_assert_cmpuint (strlen (text), <=, calls[i].most > 0 ? calls[i].most : 6000);
    }
}

/* An error shows the wrong argument and the allowed values; nothing replaces the argument. */
static void
test_refusals (void)
{
  const struct {
    const char *tool, *arguments, *says;
  } rows[] = {
    { "find", "{}", "kind" },
    { "find", "{\"kind\":\"cat\"}", "model, gpu, fabric" },
    { "find", "{\"kind\":\"gpu\",\"colour\":1}", "colour" },
    { "estimate", "{}", "scenario" },
    { "estimate", "{\"scenario\":7}", "scenario" },
    { "estimate", "{\"scenario\":{" JOB "}}", "strategy.tp" },
    { "estimate", "{\"scenario\":{\"model\":{\"preset\":\"llama-9\"},\"cluster\":{\"gpus\":8}}}",
      "model.preset" },
    { "advise", "{\"scenario\":{\"model\":{\"preset\":\"llama-3-8b\"}}}", "cluster.gpus" },
    { "advise",
      "{\"scenario\":{\"model\":{\"preset\":\"llama-3-8b\"},\"cluster\":{\"gpus\":\"8\"}}}",
      "cluster.gpus" },
    { "advise", "{\"scenario\":{\"modle\":{}}}", "modle" },
    { "advise",
      "{\"scenario\":{\"model\":{\"preset\":\"llama-3-8b\"},\"cluster\":{\"gpus\":8,\"gpu\":"
      "\"h1000\"}}}",
      "use an ID from “find”" },
    { "advise", "{\"scenario\":{" JOB "},\"alternatives\":99}", "0 to 5" },
    { "what_if", "{\"scenario\":" FULL ",\"changes\":{\"strategy.tpp\":2}}", "strategy.tpp" },
    { "what_if", "{\"scenario\":" FULL ",\"changes\":{\"strategy.tp\":\"\"}}", "strategy.tp" },
    { "what_if", "{\"scenario\":" FULL ",\"changes\":{\"training.optimizer\":\"adamx\"}}",
      "adamw" },
    { "compare", "{\"scenario\":" FULL ",\"variants\":[]}", "variants" },
    { "compare", "{\"scenario\":" FULL ",\"variants\":[{\"changes\":{},\"x\":1}]}", "variants[0]" },
    { "compare",
      "{\"scenario\":" FULL ",\"variants\":[{\"changes\":{}},{\"changes\":{\"strategy.tp\":7}}]}",
      "variants[1]: strategy.tp" },
    { "fits", "{\"scenario\":{" JOB "},\"what\":\"everything\"}", "least-gpus" },
    { "explain", "{\"scenario\":{" JOB "},\"dimension\":\"ep\"}", "dimension" },
    { "scale", "{\"scenario\":{" JOB "},\"gpus\":[0]}", "gpus" },
    { "cost", "{\"scenario\":{" JOB "}}", "training.tokens" },
    { "deadline", "{\"scenario\":" PIPELINE ",\"start\":\"tomorrow\"}", "YYYY-MM-DD" },
    { "export", "{\"scenario\":{" JOB "},\"to\":\"keras\"}", "deepspeed" },
    { "describe_model", "{}", "config" },
    { "describe_model", "{\"config\":\"{}\"}", "" },
    { "import", "{\"files\":[{\"name\":\"/etc/passwd\"}]}", "files[0]" },
    { "apply", "{\"changes\":{\"strategy.tp\":2},\"reason\":\"x\"}", "window" },
  };
  g_auto (Session) session = { NULL };

  session_start (&session, FALSE, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *params = g_strdup_printf ("{\"name\":\"%s\",\"arguments\":%s}", rows[i].tool,
                                                 rows[i].arguments);
      JsonObject *object = result (&session, "tools/call", params);
      const char *text = json_object_get_string_member (
          json_array_get_object_element (json_object_get_array_member (object, "content"), 0),
          "text");

      g_test_message ("%s: %s", params, text);
      g_assert_true (json_object_get_boolean_member (object, "isError"));
      g_assert_nonnull (strstr (text, rows[i].says));
    }
}

/* ---- long calls ---- */

#define LONG(id)                                                                                   \
  "{\"jsonrpc\":\"2.0\",\"id\":\"" id "\",\"method\":\"tools/call\",\"params\":{\"name\":"         \
  "\"fits\",\"arguments\":{\"scenario\":{\"model\":{\"preset\":\"deepseek-v3\"},\"cluster\":{"     \
  "\"gpus\":512}},\"what\":\"largest-model\"},\"_meta\":{\"progressToken\":\"p\"}}}"

static void
test_progress_and_cancel (void)
{
  g_auto (Session) session = { NULL };
  double last = 0;

  session_start (&session, TRUE, TRUE);
  say (&session, LONG ("a"));
  say (&session, LONG ("b"));
  say (&session, LONG ("a")); /* is under way */
  g_assert_cmpuint (session.said->len, ==, 1);
  g_assert_cmpint (code_of (json_node_get_object (session.said->pdata[0])), ==, -32600);
  say (&session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                 "\"requestId\":\"b\",\"reason\":\"enough\"}}");
  g_assert_true (shardwise_mcp_is_busy (session.server));
  result (&session, "ping", "{}"); /* meanwhile */
  g_ptr_array_set_size (session.said, 0);
  while (shardwise_mcp_is_busy (session.server))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (session.said->len, >=, 1);
  for (guint i = 0; i < session.said->len; i++)
    {
      JsonObject *object = json_node_get_object (session.said->pdata[i]), *params;

      if (i + 1 == session.said->len)
        {
          g_assert_cmpstr (json_object_get_string_member (object, "id"), ==, "a");
          g_assert_true (json_object_has_member (object, "result"));
          break;
        }
      params = json_object_get_object_member (object, "params");
      g_assert_cmpstr (json_object_get_string_member (object, "method"), ==,
                       "notifications/progress");
      g_assert_cmpstr (json_object_get_string_member (params, "progressToken"), ==, "p");
      g_assert_cmpfloat (json_object_get_double_member (params, "progress"), >, last);
      last = json_object_get_double_member (params, "progress");
    }
}

/* ---- resources and prompts ---- */

static void
test_resources (void)
{
  g_auto (Session) session = { NULL };
  g_autoptr (JsonNode) list = NULL;
  JsonArray *array;

  session_start (&session, FALSE, TRUE);
  result (&session, "resources/templates/list", "{}");
  result (&session, "resources/list", "{}");
  list = json_node_copy (
      json_object_get_member (json_node_get_object (session.said->pdata[0]), "result"));
  array = json_object_get_array_member (json_node_get_object (list), "resources");
  g_assert_cmpuint (json_array_get_length (array), >, 40);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      const char *uri = json_object_get_string_member (json_array_get_object_element (array, i),
                                                       "uri");
      g_autofree char *params = g_strdup_printf ("{\"uri\":\"%s\"}", uri);
      JsonObject *content = json_array_get_object_element (
          json_object_get_array_member (result (&session, "resources/read", params), "contents"),
          0);

      g_assert_cmpstr (json_object_get_string_member (content, "uri"), ==, uri);
      g_assert_cmpuint (strlen (json_object_get_string_member (content, "text")), >, 100);
    }
}

static void
test_prompts (void)
{
  g_auto (Session) session = { NULL };
  JsonArray *array;
  JsonObject *object;

  session_start (&session, FALSE, TRUE);
  array = json_object_get_array_member (result (&session, "prompts/list", "{}"), "prompts");
  g_assert_cmpuint (json_array_get_length (array), ==, 3);
  object = result (&session, "prompts/get",
                   "{\"name\":\"why_slow\",\"arguments\":{\"job\":\"7B on 8 H100\"}}");
  object = json_object_get_object_member (
      json_array_get_object_element (json_object_get_array_member (object, "messages"), 0),
      "content");
  g_assert_nonnull (strstr (json_object_get_string_member (object, "text"), "7B on 8 H100"));
  g_assert_cmpint (code_of (answer (&session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/"
                                              "get\",\"params\":{\"name\":\"plan_run\"}}")),
                   ==, -32602);
}

/* ---- the program ---- */

/* All that was asked is answered after standard input ends. */
static void
test_program (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
                        g_getenv ("SHARDWISE_CLI"), "mcp", NULL);
  g_autofree char *out = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, INITIALIZE ("2025-06-18") "\n" LONG ("x") "\n" LONG ("y"),
                                 NULL, &out, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_successful (process));
  lines = g_strsplit (out, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), >=, 4);
  g_assert_nonnull (strstr (out, "\"id\":\"x\""));
  g_assert_nonnull (strstr (out, "\"id\":\"y\""));
}

int
main (int argc, char **argv)
{
  g_setenv ("DBUS_SESSION_BUS_ADDRESS", "disabled:", TRUE); /* nobody's window is asked */
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mcp/lifecycle", test_lifecycle);
  g_test_add_func ("/mcp/messages", test_messages);
  g_test_add_func ("/mcp/ids", test_ids);
  g_test_add_func ("/mcp/long-lines", test_long_lines);
  g_test_add_func ("/mcp/tools", test_tools);
  g_test_add_func ("/mcp/refusals", test_refusals);
  g_test_add_func ("/mcp/progress-and-cancel", test_progress_and_cancel);
  g_test_add_func ("/mcp/resources", test_resources);
  g_test_add_func ("/mcp/prompts", test_prompts);
  g_test_add_func ("/mcp/program", test_program);
  return g_test_run ();
}

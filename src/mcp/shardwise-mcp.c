/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The protocol: modelcontextprotocol.io/specification, revisions 2025-11-25 and 2025-06-18, over
 * standard input and output. Tools run on threads, so that a message that arrives in the meantime
 * can cancel them. */
#include "shardwise-mcp.h"

#include <errno.h>
#include <gio/gunixinputstream.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shardwise-config.h"
#include "shardwise-json.h"
#include "shardwise-mcp-resources.h"
#include "shardwise-mcp-tools.h"

/* Newest first: the first is offered to clients of other revisions. Neither has batches. */
static const char *const revisions[] = { "2025-11-25", "2025-06-18", NULL };

#define MOST_AT_ONCE 32    /* calls in progress */
#define MOST_ID 200        /* bytes of an id */
#define PROGRESS_US 250000 /* between two progress messages */
#define READ_BYTES 65536

/* Error codes of JSON-RPC and of the protocol. */
enum {
  PARSE_ERROR = -32700,
  INVALID_REQUEST = -32600,
  METHOD_NOT_FOUND = -32601,
  INVALID_PARAMS = -32602,
  BUSY = -32000,
  RESOURCE_NOT_FOUND = -32002,
};

#define INSTRUCTIONS                                                                               \
  "Shardwise computes how to split the training or fine-tuning of a large model over GPUs: "       \
  "memory, step time, frameworks, cost. A scenario is an object such as {\"model\": {\"preset\": " \
  "\"llama-3.1-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": "      \
  "{\"type\": \"finetune\", \"framework\": \"fsdp2\", \"sequence_length\": 8192}, \"strategy\": "  \
  "{\"tp\": 8}}. The tool find returns IDs; a model can also be {\"parameters_b\": 13} or an "     \
  "architecture (describe_model, import). Values that the strategy sets are kept, all others are " \
  "searched; estimate and memory of a complete strategy (tp, pp, zero_stage, micro_batch_size, "   \
  "recompute) do not search. Set only what the user specifies; report figures with their "         \
  "interval, level (measured, usual, untried) and sum. GiB = 2^30 bytes, GB = 1e9."

struct _ShardwiseMcp {
  ShardwiseMcpSend send;
  gpointer data;
  gboolean threads, initialized, skips; /* skips: the rest of a line that is too long */
  GByteArray *line;
  GHashTable *calls; /* of char*, an id as JSON -> Call, not owned */
  guint n_calls;     /* unfinished tasks, and the canceled ones among them */
};

/* One tools/call. */
typedef struct {
  ShardwiseMcp *server;
  char *key;       /* the id as JSON */
  JsonNode *id;    /* the id */
  JsonNode *token; /* (nullable): for progress */
  const ShardwiseMcpTool *tool;
  ShardwiseMcpCall call;
  GMutex lock; /* protects the following members, which any thread may set */
  gint64 told_us;
  double told;
} Call;

/* ---- messages ---- */

static void
send_object (ShardwiseMcp *self, JsonObject *message)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *line = NULL;

  json_object_set_string_member (message, "jsonrpc", "2.0");
  node = shardwise_json_take_object (message);
  line = shardwise_json_to_line (node);
  self->send (line, self->data);
}

/* @id: (nullable): null if the request has no readable id. */
static void
send_answer (ShardwiseMcp *self, JsonNode *id, const char *what, JsonNode *value)
{
  JsonObject *message = json_object_new ();

  if (id != NULL)
    json_object_set_member (message, "id", json_node_copy (id));
  else
    json_object_set_null_member (message, "id");
  json_object_set_member (message, what, value);
  send_object (self, message);
}

static void
send_error (ShardwiseMcp *self, JsonNode *id, int code, const char *text)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "code", code);
  json_object_set_string_member (object, "message", text);
  send_answer (self, id, "error", shardwise_json_take_object (object));
}

/* ---- calls of tools ---- */

static void
call_free (gpointer data)
{
  Call *self = data;

  g_free (self->key);
  json_node_unref (self->id);
  g_clear_pointer (&self->token, json_node_unref);
  g_clear_pointer (&self->call.arguments, json_object_unref);
  g_clear_object (&self->call.scenario);
  g_clear_object (&self->call.cancellable);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* A progress message on its way to the main thread. */
typedef struct {
  ShardwiseMcp *server;
  JsonNode *token;
  double fraction;
} Progress;

static gboolean
progress_cb (gpointer data)
{
  Progress *self = data;
  JsonObject *message = json_object_new (), *params = json_object_new ();

  json_object_set_string_member (message, "method", "notifications/progress");
  json_object_set_member (params, "progressToken", json_node_copy (self->token));
  json_object_set_double_member (params, "progress", self->fraction);
  json_object_set_int_member (params, "total", 1);
  json_object_set_object_member (message, "params", params);
  send_object (self->server, message);
  return G_SOURCE_REMOVE;
}

static void
progress_free (gpointer data)
{
  Progress *self = data;

  json_node_unref (self->token);
  g_free (self);
}

/* Limits the rate; progress never goes backward. */
static void
tell_progress (double fraction, gpointer data)
{
  Call *self = data;
  const gint64 now = g_get_monotonic_time ();
  Progress *progress;

  g_mutex_lock (&self->lock);
  if (now - self->told_us < PROGRESS_US || fraction <= self->told
      || g_cancellable_is_cancelled (self->call.cancellable))
    {
      g_mutex_unlock (&self->lock);
      return;
    }
  self->told_us = now;
  self->told = fraction;
  g_mutex_unlock (&self->lock);
  progress = g_new0 (Progress, 1);
  progress->server = self->server;
  progress->token = json_node_copy (self->token);
  progress->fraction = fraction;
  /* With the priority of the task's end, so that no message comes after it. */
  g_idle_add_full (G_PRIORITY_DEFAULT, progress_cb, progress, progress_free);
}

/* The result of a tool in the form of the protocol, or the error for the assistant to fix. */
static JsonNode *
tool_result (JsonNode *answer, const GError *error)
{
  g_autoptr (GString) wrong = g_string_new (error != NULL ? error->message : "");
  g_autofree char *text = NULL;
  JsonObject *result = json_object_new (), *content = json_object_new ();
  JsonArray *contents = json_array_new ();

  /* The tool that lists what the command lists. */
  g_string_replace (wrong, "shardwise-cli gpus", "find", 0);
  text = answer != NULL ? shardwise_json_to_line (answer) : g_strdup (wrong->str);
  json_object_set_string_member (content, "type", "text");
  json_object_set_string_member (content, "text", text);
  json_array_add_object_element (contents, content);
  json_object_set_array_member (result, "content", contents);
  if (answer != NULL)
    json_object_set_member (result, "structuredContent", answer);
  json_object_set_boolean_member (result, "isError", answer == NULL);
  return shardwise_json_take_object (result);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Call *self = data;
  g_autoptr (GError) error = NULL;
  JsonNode *answer = shardwise_mcp_tool_call (self->tool, &self->call, &error);

  g_task_return_pointer (task, tool_result (answer, error), (GDestroyNotify) json_node_unref);
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseMcp *self = data;
  Call *call = g_task_get_task_data (G_TASK (result));
  g_autoptr (JsonNode) answer = g_task_propagate_pointer (G_TASK (result), NULL);

  self->n_calls--;
  if (g_hash_table_lookup (self->calls, call->key) == call)
    g_hash_table_remove (self->calls, call->key);
  /* A canceled request gets no answer. */
  if (!g_cancellable_is_cancelled (call->call.cancellable))
    send_answer (self, call->id, "result", g_steal_pointer (&answer));
}

static JsonNode *
call_tool (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  const char *name = json_object_get_string_member_with_default (params, "name", "");
  JsonNode *arguments = json_object_get_member (params, "arguments"),
           *meta = json_object_get_member (params, "_meta"), *token = NULL;
  const ShardwiseMcpTool *tool = shardwise_mcp_tool_find (name);
  g_autofree char *key = shardwise_json_to_line (id);
  g_autoptr (GTask) task = NULL;
  Call *call;

  *code = INVALID_PARAMS;
  if (tool == NULL)
    {
      *message = g_strdup_printf ("Unknown tool “%.100s”; tools/list returns all tools", name);
      return NULL;
    }
  if (arguments != NULL && !JSON_NODE_HOLDS_OBJECT (arguments))
    {
      *message = g_strdup ("“arguments” must be an object");
      return NULL;
    }
  if (self->n_calls >= MOST_AT_ONCE)
    {
      *code = BUSY;
      *message = g_strdup ("Too many calls are in progress");
      return NULL;
    }
  if (meta != NULL && JSON_NODE_HOLDS_OBJECT (meta))
    token = json_object_get_member (json_node_get_object (meta), "progressToken");
  call = g_new0 (Call, 1);
  g_mutex_init (&call->lock);
  call->server = self;
  call->key = g_steal_pointer (&key);
  call->id = json_node_copy (id);
  call->tool = tool;
  call->call.arguments = arguments != NULL ? json_object_ref (json_node_get_object (arguments))
                                           : json_object_new ();
  call->call.cancellable = g_cancellable_new ();
  if (token != NULL && JSON_NODE_HOLDS_VALUE (token))
    {
      call->token = json_node_copy (token);
      call->call.progress = tell_progress;
      call->call.progress_data = call;
    }
  if (!self->threads)
    {
      g_autoptr (GError) error = NULL;
      JsonNode *answer = shardwise_mcp_tool_call (tool, &call->call, &error);

      call_free (call);
      return tool_result (answer, error);
    }
  task = g_task_new (NULL, NULL, done_cb, self);
  g_task_set_task_data (task, call, call_free);
  self->n_calls++;
  g_hash_table_insert (self->calls, g_strdup (call->key), call);
  g_task_run_in_thread (task, work);
  *code = 0;
  return NULL; /* done_cb() answers later */
}

/* ---- methods ---- */

static JsonNode *
initialize (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  const char *wanted = json_object_get_string_member_with_default (params, "protocolVersion", NULL);
  JsonObject *result, *capabilities, *server;

  if (wanted == NULL || self->initialized)
    {
      *code = wanted == NULL ? INVALID_PARAMS : INVALID_REQUEST;
      *message = g_strdup (wanted == NULL ? "“protocolVersion” is required"
                                          : "The session is already initialized");
      return NULL;
    }
  self->initialized = TRUE;
  result = json_object_new ();
  json_object_set_string_member (result, "protocolVersion",
                                 g_strv_contains (revisions, wanted) ? wanted : revisions[0]);
  capabilities = json_object_new ();
  json_object_set_object_member (capabilities, "tools", json_object_new ());
  json_object_set_object_member (capabilities, "resources", json_object_new ());
  json_object_set_object_member (capabilities, "prompts", json_object_new ());
  json_object_set_object_member (result, "capabilities", capabilities);
  server = json_object_new ();
  json_object_set_string_member (server, "name", "shardwise");
  json_object_set_string_member (server, "title", "Shardwise");
  json_object_set_string_member (server, "version", PACKAGE_VERSION);
  json_object_set_object_member (result, "serverInfo", server);
  json_object_set_string_member (result, "instructions", INSTRUCTIONS);
  return shardwise_json_take_object (result);
}

static JsonNode *
ping (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  return shardwise_json_take_object (json_object_new ());
}

static JsonNode *
list_tools (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  return shardwise_mcp_tools_list ();
}

static JsonNode *
list_resources (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  return shardwise_mcp_resources_list ();
}

static JsonNode *
list_templates (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  return shardwise_mcp_templates_list ();
}

static JsonNode *
list_prompts (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  return shardwise_mcp_prompts_list ();
}

static JsonNode *
read_resource (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  g_autoptr (GError) error = NULL;
  JsonNode *result = shardwise_mcp_resource_read (
      json_object_get_string_member_with_default (params, "uri", ""), NULL, &error);

  *code = RESOURCE_NOT_FOUND;
  if (result == NULL)
    *message = g_strdup (error->message);
  return result;
}

static JsonNode *
get_prompt (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code, char **message)
{
  JsonNode *arguments = json_object_get_member (params, "arguments");
  g_autoptr (GError) error = NULL;
  JsonNode *result;

  *code = INVALID_PARAMS;
  if (arguments != NULL && !JSON_NODE_HOLDS_OBJECT (arguments))
    {
      *message = g_strdup ("“arguments” must be an object");
      return NULL;
    }
  result = shardwise_mcp_prompt_get (
      json_object_get_string_member_with_default (params, "name", ""),
      arguments != NULL ? json_node_get_object (arguments) : NULL, &error);
  if (result == NULL)
    *message = g_strdup (error->message);
  return result;
}

/* A method returns a result, or an error with its code; neither, with code 0: it answers later. */
static const struct {
  const char *name, *text; /* text: (nullable): a member of params that must be a text */
  JsonNode *(*run) (ShardwiseMcp *self, JsonNode *id, JsonObject *params, int *code,
                    char **message);
  gboolean before; /* also allowed before the session is initialized */
} methods[] = {
  { "initialize", "protocolVersion", initialize, TRUE },
  { "ping", NULL, ping, TRUE },
  { "tools/list", NULL, list_tools, FALSE },
  { "tools/call", "name", call_tool, FALSE },
  { "resources/list", NULL, list_resources, FALSE },
  { "resources/templates/list", NULL, list_templates, FALSE },
  { "resources/read", "uri", read_resource, FALSE },
  { "prompts/list", NULL, list_prompts, FALSE },
  { "prompts/get", "name", get_prompt, FALSE },
};

/* Whether a member is absent or a text. */
static gboolean
is_text_or_absent (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node == NULL
         || (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING);
}

static void
request (ShardwiseMcp *self, JsonNode *id, const char *method, JsonObject *params)
{
  g_autofree char *message = NULL, *key = shardwise_json_to_line (id);
  JsonNode *result;
  int code = INVALID_PARAMS;
  guint i = 0;

  while (i < G_N_ELEMENTS (methods) && !g_str_equal (methods[i].name, method))
    i++;
  if (i == G_N_ELEMENTS (methods))
    {
      message = g_strdup_printf ("Unknown method “%.100s”", method);
      send_error (self, id, METHOD_NOT_FOUND, message);
    }
  else if (!self->initialized && !methods[i].before)
    send_error (self, id, INVALID_REQUEST, "The session is not initialized yet");
  else if (g_hash_table_contains (self->calls, key))
    send_error (self, id, INVALID_REQUEST, "A request with this ID is in progress");
  else if (json_object_has_member (params, "cursor"))
    send_error (self, id, INVALID_PARAMS, "“cursor” is invalid: lists have one page");
  else if (methods[i].text != NULL && !is_text_or_absent (params, methods[i].text))
    {
      message = g_strdup_printf ("“%s” must be a string", methods[i].text);
      send_error (self, id, INVALID_PARAMS, message);
    }
  else
    {
      result = methods[i].run (self, id, params, &code, &message);
      if (result != NULL)
        send_answer (self, id, "result", result);
      else if (code != 0)
        send_error (self, id, code, message);
    }
}

/* Cancels a call; no effect on a finished or unknown one. */
static void
cancel (ShardwiseMcp *self, JsonObject *params)
{
  JsonNode *id = json_object_get_member (params, "requestId");
  g_autofree char *key = id != NULL && JSON_NODE_HOLDS_VALUE (id) ? shardwise_json_to_line (id)
                                                                  : NULL;
  Call *call = key != NULL ? g_hash_table_lookup (self->calls, key) : NULL;

  if (call == NULL)
    return;
  g_cancellable_cancel (call->call.cancellable);
  g_hash_table_remove (self->calls, key);
}

/* Whether it is a valid id: a text or a number. */
static gboolean
is_id (JsonNode *id)
{
  g_autofree char *key = NULL;

  if (!JSON_NODE_HOLDS_VALUE (id) || json_node_get_value_type (id) == G_TYPE_BOOLEAN)
    return FALSE;
  key = shardwise_json_to_line (id);
  return strlen (key) <= MOST_ID;
}

static void
receive_line (ShardwiseMcp *self, const char *line, gsize length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (JsonObject) none = NULL;
  JsonNode *id, *params;
  JsonObject *message;
  const char *method;

  while (length > 0 && g_ascii_isspace (line[length - 1]))
    length--;
  if (length == 0)
    return;
  node = shardwise_json_parse (line, length, &error);
  if (node == NULL)
    {
      send_error (self, NULL, PARSE_ERROR, error->message);
      return;
    }
  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      send_error (self, NULL, INVALID_REQUEST,
                  JSON_NODE_HOLDS_ARRAY (node)
                      ? "This revision of the protocol does not support batches"
                      : "A message must be an object");
      return;
    }
  message = json_node_get_object (node);
  id = json_object_get_member (message, "id");
  params = json_object_get_member (message, "params");
  if (id != NULL && !is_id (id))
    {
      send_error (self, NULL, INVALID_REQUEST, "“id” must be a string or a number");
      return;
    }
  if (!json_object_has_member (message, "method")
      && (json_object_has_member (message, "result") || json_object_has_member (message, "error")))
    return; /* an answer, although nothing was asked */
  if (!is_text_or_absent (message, "jsonrpc") || !is_text_or_absent (message, "method")
      || !json_object_has_member (message, "method")
      || g_strcmp0 (json_object_get_string_member_with_default (message, "jsonrpc", NULL), "2.0")
             != 0
      || (params != NULL && !JSON_NODE_HOLDS_OBJECT (params)))
    {
      send_error (self, id, INVALID_REQUEST,
                  "A message requires “jsonrpc”: “2.0” and a “method”; “params” must be an object");
      return;
    }
  method = json_object_get_string_member (message, "method");
  none = json_object_new ();
  if (id != NULL)
    request (self, id, method, params != NULL ? json_node_get_object (params) : none);
  else if (g_str_equal (method, "notifications/cancelled") && params != NULL)
    cancel (self, json_node_get_object (params));
}

/* ---- the server ---- */

/**
 * shardwise_mcp_new:
 * @send: sends a message to the client
 * @threads: whether tools run on threads of their own; otherwise each answers before the next
 * message is read
 *
 * Returns: (transfer full): a server for one client
 */
ShardwiseMcp *
shardwise_mcp_new (ShardwiseMcpSend send, gpointer data, gboolean threads)
{
  ShardwiseMcp *self = g_new0 (ShardwiseMcp, 1);

  self->send = send;
  self->data = data;
  self->threads = threads;
  self->line = g_byte_array_new ();
  self->calls = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

/**
 * shardwise_mcp_free:
 * @self: (transfer full): a server without running calls
 */
void
shardwise_mcp_free (ShardwiseMcp *self)
{
  g_assert (self->n_calls == 0);
  g_byte_array_unref (self->line);
  g_hash_table_unref (self->calls);
  g_free (self);
}

/* The line is complete. */
static void
end_line (ShardwiseMcp *self)
{
  if (self->skips)
    send_error (self, NULL, PARSE_ERROR, "The line is too long; allowed: up to 16 MiB");
  else
    receive_line (self, (const char *) self->line->data, self->line->len);
  self->skips = FALSE;
  g_byte_array_set_size (self->line, 0);
}

/**
 * shardwise_mcp_receive:
 * @bytes: from the client, in any portions
 * @length: their number
 */
void
shardwise_mcp_receive (ShardwiseMcp *self, const char *bytes, gsize length)
{
  while (length > 0)
    {
      const char *end = memchr (bytes, '\n', length);
      const gsize part = end != NULL ? (gsize) (end - bytes) : length;

      self->skips = self->skips || self->line->len + part > SHARDWISE_JSON_MAX_BYTES;
      if (!self->skips)
        g_byte_array_append (self->line, (const guint8 *) bytes, (guint) part);
      if (end != NULL)
        end_line (self);
      bytes += part + (end != NULL);
      length -= part + (end != NULL);
    }
}

/**
 * shardwise_mcp_end:
 * @self: a server whose client sends no more; running calls continue
 */
void
shardwise_mcp_end (ShardwiseMcp *self)
{
  if (self->line->len > 0 || self->skips)
    end_line (self);
}

/**
 * shardwise_mcp_is_busy:
 *
 * Returns: whether calls are running
 */
gboolean
shardwise_mcp_is_busy (ShardwiseMcp *self)
{
  return self->n_calls > 0;
}

/* ---- standard input and output ---- */

typedef struct {
  ShardwiseMcp *server;
  GInputStream *input;
  gboolean ended;
  int status;
} Session;

static void
print_line (const char *line, gpointer data)
{
  Session *self = data;

  if (fputs (line, stdout) == EOF || fputc ('\n', stdout) == EOF || fflush (stdout) == EOF)
    {
      g_printerr ("shardwise-cli mcp: %s\n", g_strerror (errno));
      self->status = 1;
      self->ended = TRUE;
    }
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Session *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_input_stream_read_bytes_finish (self->input, result, &error);
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (length == 0)
    {
      shardwise_mcp_end (self->server);
      self->ended = TRUE;
      return;
    }
  shardwise_mcp_receive (self->server, text, length);
  g_input_stream_read_bytes_async (self->input, READ_BYTES, G_PRIORITY_DEFAULT, NULL, read_cb,
                                   self);
}

/**
 * shardwise_mcp_run:
 *
 * Serves the client at the other end of standard input and output until it closes its side and
 * every request is answered.
 *
 * Returns: an exit status
 */
int
shardwise_mcp_run (void)
{
  Session self = { .input = g_unix_input_stream_new (STDIN_FILENO, FALSE) };

  self.server = shardwise_mcp_new (print_line, &self, TRUE);
  g_input_stream_read_bytes_async (self.input, READ_BYTES, G_PRIORITY_DEFAULT, NULL, read_cb,
                                   &self);
  while (!self.ended || shardwise_mcp_is_busy (self.server))
    g_main_context_iteration (NULL, TRUE);
  shardwise_mcp_free (self.server);
  g_object_unref (self.input);
  return self.status;
}

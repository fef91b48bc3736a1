/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-file.h"
#include "shardwise-json.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const char *name, *text;
  const char *message; /* a part of it; NULL: accepted */
} Case;

static const Case cases[] = {
  { "object", "{\"a\": [1, -2.5e3, true, false, null, \"x\\u00e9\\n\"]}", NULL },
  { "scalar", " 42 ", NULL },
  { "surrogate-pair", "\"\\ud83d\\ude00\"", NULL },
  { "same-key-in-two-objects", "[{\"a\": 1}, {\"a\": 2}]", NULL },
  { "largest-double", "1.7e308", NULL },
  { "empty", "", "line 1, column 1" },
  { "comment", "{ // x\n}", "line 1, column 3" },
  { "trailing-comma", "{\"a\": 1,\n}", "line 2, column 1" },
  { "trailing-comma-array", "[1,]", "line 1, column 4" },
  { "two-documents", "{} {}", "line 1, column 4" },
  { "nan", "{\"a\": NaN}", "line 1, column 7" },
  { "infinity", "-Infinity", "line 1, column 2" },
  { "overflow", "1e999", "too large" },
  { "long-integer", "123456789012345678901234567890", "too large" },
  { "leading-zero", "012", "start with 0" },
  { "hexadecimal", "0x10", "text after the end" },
  { "bare-point", "1.", "digit" },
  { "plus", "+1", "not a JSON value" },
  { "single-quotes", "{'a': 1}", "double quotes" },
  { "unquoted-key", "{a: 1}", "double quotes" },
  { "no-colon", "{\"a\" 1}", "colon" },
  { "no-end-of-string", "\"abc", "no end" },
  { "control-character", "\"a\tb\"", "control character" },
  { "bad-escape", "\"\\x41\"", "unknown escape" },
  { "lone-surrogate", "\"\\ud83d\"", "surrogate" },
  { "low-surrogate", "\"\\ude00\"", "surrogate" },
  { "nul-escape", "\"\\u0000\"", "U+0000" },
  { "duplicate", "{\"gpus\": 1,\n \"gpus\": 2}", "line 2, column 2" },
  { "duplicate-by-escape", "{\"a\": 1, \"\\u0061\": 2}", "twice" },
  { "not-utf8", "\"\xff\xfe\"", "not UTF-8" },
  { "byte-order-mark", "\xef\xbb\xbf{}", "not a JSON value" },
  { "columns-are-characters", "\"\u00e9\u00e9\" x", "line 1, column 6" },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = shardwise_json_parse (c->text, strlen (c->text), &error);

  if (c->message == NULL)
    {
      g_assert_no_error (error);
      g_assert_nonnull (node);
      return;
    }
  g_assert_null (node);
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX);
  g_assert_nonnull (strstr (error->message, c->message));
  g_assert_null (strchr (error->message, '\n'));
}

static char *
nested (guint depth)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < depth; i++)
    g_string_append_c (text, '[');
  for (guint i = 0; i < depth; i++)
    g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static void
test_depth (void)
{
  g_autofree char *deepest = nested (SHARDWISE_JSON_MAX_DEPTH),
                  *deeper = nested (SHARDWISE_JSON_MAX_DEPTH + 1);
  g_autofree char *abyss = nested (1000000);
  g_autoptr (GError) error = NULL;

  g_assert_true (shardwise_json_check (deepest, strlen (deepest), NULL));
  g_assert_false (shardwise_json_check (deeper, strlen (deeper), &error));
  g_assert_nonnull (strstr (error->message, "64 levels"));
  g_assert_false (shardwise_json_check (abyss, strlen (abyss), NULL));
}

static void
test_bytes_in_the_middle (void)
{
  const char text[] = "{\"a\0b\": 1}";

  g_assert_false (shardwise_json_check (text, sizeof text - 1, NULL));
}

static void
test_size (void)
{
  gsize length = SHARDWISE_JSON_MAX_BYTES + 1;
  g_autofree char *text = g_malloc (length);
  g_autoptr (GError) error = NULL;

  memset (text, ' ', length);
  text[0] = '1';
  g_assert_true (shardwise_json_check (text, SHARDWISE_JSON_MAX_BYTES, NULL));
  g_assert_false (shardwise_json_check (text, length, &error));
  g_assert_nonnull (strstr (error->message, "16 MiB"));
}

/* Cutting or changing a byte of a document never crashes the scanner, and json-glib accepts what it
 * accepts. */
static void
test_mutations (void)
{
  const char *text = "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8.5e1}, "
                     "\"x\": [true, null, \"\\u00e9\"]}";
  gsize length = strlen (text);

  for (guint i = 0; i < 20000; i++)
    {
      g_autofree char *copy = g_strdup (text);
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonNode) node = NULL;
      gsize cut = length;

      copy[g_test_rand_int_range (0, (int) length)] = (char) g_test_rand_int_range (0, 256);
      if (g_test_rand_bit ())
        cut = (gsize) g_test_rand_int_range (0, (int) length + 1);
      node = shardwise_json_parse (copy, cut, &error);
      g_assert_true ((node == NULL) == (error != NULL));
    }
}

static void
check_number (double value, const char *expected)
{
  g_autoptr (JsonNode) node = json_node_init_double (json_node_alloc (), value);
  g_autofree char *text = shardwise_json_to_string (node);

  g_assert_cmpstr (g_strchomp (text), ==, expected);
}

static void
test_numbers (void)
{
  check_number (0.9, "0.9");
  check_number (8, "8");
  check_number (1e11, "100000000000");
  check_number (1e18, "1e+18");
  check_number (1.0 / 3, "0.3333333333333333");
  check_number (-0.1, "-0.1");
}

static void
test_number_round_trip (void)
{
  for (guint i = 0; i < 2000; i++)
    {
      double value = ldexp (g_test_rand_double_range (-1, 1), g_test_rand_int_range (-300, 300));
      g_autoptr (JsonNode) node = json_node_init_double (json_node_alloc (), value), back = NULL;
      g_autofree char *text = shardwise_json_to_string (node);

      back = shardwise_json_parse (text, strlen (text), NULL);
      g_assert_nonnull (back);
      g_assert_true (json_node_get_double (back) == value);
    }
}

static void
test_layout (void)
{
  const char *text =
      "{\"b\":[1,2],\"a\":{\"c\":\"q\\\"\\\\\\n\\u0001\"},\"e\":[],\"f\":{},\"g\":[{\"h\":null}]}";
  g_autoptr (JsonNode) node = shardwise_json_parse (text, strlen (text), NULL);
  g_autofree char *out = shardwise_json_to_string (node);

  g_assert_cmpstr (out, ==,
                   "{\n  \"b\": [1, 2],\n  \"a\": {\n    \"c\": \"q\\\"\\\\\\n\\u0001\"\n  },"
                   "\n  \"e\": [],\n  \"f\": {},\n"
                   "  \"g\": [\n    {\n      \"h\": null\n    }\n  ]\n}\n");
}

static void
check_unreadable (const char *path, const char *message)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = shardwise_read_file (file, NULL, &error);

  g_assert_null (bytes);
  g_assert_nonnull (error);
  if (message != NULL)
    g_assert_nonnull (strstr (error->message, message));
}

static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("shardwise-XXXXXX", NULL),
                  *path = g_build_filename (folder, "x", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GBytes) bytes = NULL;

  check_unreadable (folder, "folder");
  check_unreadable ("/dev/zero", "regular");
  check_unreadable (path, NULL);
  g_assert_true (g_file_set_contents (path, "{}\n", -1, NULL));
  bytes = shardwise_read_file (file, NULL, NULL);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "{}\n", 3);
  /* Without the byte-order mark that editors of other systems put before a text. */
  g_clear_pointer (&bytes, g_bytes_unref);
  g_assert_true (g_file_set_contents (path, "\xEF\xBB\xBF{}\n", -1, NULL));
  bytes = shardwise_read_file (file, NULL, NULL);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "{}\n", 3);
  /* 100 MB without writing them */
  g_assert_cmpint (truncate (path, 100 * 1000 * 1000), ==, 0);
  check_unreadable (path, "16 MiB");
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/json/check/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/json/depth", test_depth);
  g_test_add_func ("/json/nul-byte", test_bytes_in_the_middle);
  g_test_add_func ("/json/size", test_size);
  g_test_add_func ("/json/mutations", test_mutations);
  g_test_add_func ("/json/numbers", test_numbers);
  g_test_add_func ("/json/number-round-trip", test_number_round_trip);
  g_test_add_func ("/json/layout", test_layout);
  g_test_add_func ("/json/files", test_files);
  return g_test_run ();
}

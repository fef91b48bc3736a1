/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A paragraph of the manual as Pango's markup. */
#include "shardwise-manual-markup.h"

/* How inline elements are set, and what stands between the elements within. */
static const struct {
  const char *name, *open, *close, *between;
} inlines[] = {
  { "em", "<i>", "</i>", NULL },      { "gui", "<b>", "</b>", NULL },
  { "guiseq", "", "", " › " },        { "key", "<b>", "</b>", NULL },
  { "keyseq", "", "", "+" },          { "input", "<tt>", "</tt>", NULL },
  { "code", "<tt>", "</tt>", NULL },  { "cmd", "<tt>", "</tt>", NULL },
  { "file", "<tt>", "</tt>", NULL },  { "sub", "<sub>", "</sub>", NULL },
  { "sup", "<sup>", "</sup>", NULL },
};

static void append (ShardwiseManual *manual, const ShardwiseManualNode *node, GString *out);

static void
append_children (ShardwiseManual *manual, const ShardwiseManualNode *node, const char *between,
                 GString *out)
{
  guint n = 0;

  for (guint i = 0; i < node->children->len; i++)
    {
      const ShardwiseManualNode *child = node->children->pdata[i];

      if (between != NULL && child->name == NULL)
        continue;
      if (between != NULL && n++ > 0)
        g_string_append (out, between);
      append (manual, child, out);
    }
}

/* Runs of white space are one space, as in every viewer. */
static void
append_text (const char *text, GString *out)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  for (const char *at = escaped; *at != '\0'; at++)
    if (!g_ascii_isspace (*at))
      g_string_append_c (out, *at);
    else if (out->len == 0 || out->str[out->len - 1] != ' ')
      g_string_append_c (out, ' ');
}

/* A link without words of its own bears the title of what it leads to. */
static void
append_link (ShardwiseManual *manual, const ShardwiseManualNode *node, GString *out)
{
  const char *href = shardwise_manual_node_get (node, "href"),
             *xref = shardwise_manual_node_get (node, "xref");
  const ShardwiseManualNode *target = xref != NULL ? shardwise_manual_find (manual, xref, NULL)
                                                   : NULL;
  g_autofree char *title = target != NULL ? shardwise_manual_node_title (target) : NULL;
  g_autofree char *address = g_markup_escape_text (href != NULL ? href : xref, -1);

  if (href == NULL && target == NULL)
    g_warning ("The manual has no topic “%s”", xref);
  g_string_append_printf (out, "<a href=\"%s\">", address);
  if (node->children->len > 0)
    append_children (manual, node, NULL, out);
  else
    append_text (title != NULL ? title : address, out);
  g_string_append (out, "</a>");
}

static void
append (ShardwiseManual *manual, const ShardwiseManualNode *node, GString *out)
{
  if (node->name == NULL)
    {
      append_text (node->text, out);
      return;
    }
  if (shardwise_manual_node_is (node, "link"))
    {
      append_link (manual, node, out);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (inlines); i++)
    if (shardwise_manual_node_is (node, inlines[i].name))
      {
        g_string_append (out, inlines[i].open);
        append_children (manual, node, inlines[i].between, out);
        g_string_append (out, inlines[i].close);
        return;
      }
  g_warning ("The manual has an element within a paragraph that is not known: “%s”", node->name);
}

/**
 * shardwise_manual_markup:
 * @manual: for the titles of what is linked to
 * @node: a paragraph or title
 *
 * Returns: (transfer full): its content as Pango's markup; links within the manual have their topic
 *   as address
 */
char *
shardwise_manual_markup (ShardwiseManual *manual, const ShardwiseManualNode *node)
{
  GString *out = g_string_new (NULL);

  append_children (manual, node, NULL, out);
  return g_strstrip (g_string_free (out, FALSE));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page of the manual consists of, as widgets: headings, paragraphs, lists, tables, code and
 * pictures. */
#include "shardwise-manual-blocks.h"

#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-manual-markup.h"

enum {
  SPACING = 12,
  INDENT = 18,
  NARROW_CELL = 7, /* characters of a cell, at least */
  MOST_COLUMNS = 4 /* that have room side by side */
};

typedef struct {
  ShardwiseManual *manual;
  const char *page; /* its id */
  guint level;      /* of headings */
} Context;

static void append_child (Context *context, const ShardwiseManualNode *child, GtkWidget *box);
static void append_children (Context *context, const ShardwiseManualNode *node, GtkWidget *box);

static GtkWidget *
box_new (GtkAccessibleRole role, int spacing)
{
  return g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", spacing,
                       "accessible-role", role, NULL);
}

static GtkWidget *
label_new (const char *markup, GtkAccessibleRole role)
{
  return g_object_new (GTK_TYPE_LABEL, "label", markup, "use-markup", TRUE, "wrap", TRUE,
                       "wrap-mode", PANGO_WRAP_WORD_CHAR, "xalign", 0.0f, "accessible-role", role,
                       NULL);
}

static GtkWidget *
text_new (Context *context, const ShardwiseManualNode *node, GtkAccessibleRole role)
{
  g_autofree char *markup = shardwise_manual_markup (context->manual, node);

  return label_new (markup, role);
}

static void
append_paragraph (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  gtk_box_append (GTK_BOX (box), text_new (context, node, GTK_ACCESSIBLE_ROLE_LABEL));
}

/* ---- headings and sections ---- */

static void
append_title (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  static const char *const classes[] = { "title-1", "title-3", "heading" };
  GtkWidget *label = text_new (context, node, GTK_ACCESSIBLE_ROLE_HEADING);

  gtk_widget_add_css_class (label, classes[MIN (context->level, G_N_ELEMENTS (classes) - 1)]);
  gtk_accessible_update_property (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_PROPERTY_LEVEL,
                                  (int) context->level + 1, -1);
  if (context->level > 0)
    gtk_widget_set_margin_top (label, SPACING);
  gtk_box_append (GTK_BOX (box), label);
}

/* Pages that say that this one leads to them, with what they are about. */
static void
append_guided (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  const char *id = shardwise_manual_node_get (node, "id");
  g_autofree char *topic = node->name[0] == 's' ? g_strdup_printf ("%s#%s", context->page, id)
                                                : g_strdup (context->page);
  g_autoptr (GPtrArray) pages = shardwise_manual_get_guided (context->manual, topic);

  for (guint i = 0; i < pages->len; i++)
    {
      const ShardwiseManualNode *page = pages->pdata[i];
      const ShardwiseManualNode *info = shardwise_manual_node_child (page, "info");
      const ShardwiseManualNode *desc = shardwise_manual_node_child (info, "desc");
      g_autofree char *title = shardwise_manual_node_title (page);
      g_autofree char *text = desc != NULL ? shardwise_manual_node_text (desc) : g_strdup ("");
      g_autofree char *markup = g_markup_printf_escaped ("<a href=\"%s\">%s</a>\n<small>%s</small>",
                                                         shardwise_manual_node_get (page, "id"),
                                                         title, text);

      gtk_box_append (GTK_BOX (box), label_new (markup, GTK_ACCESSIBLE_ROLE_LABEL));
    }
}

static void
append_section (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  const char *id = shardwise_manual_node_get (node, "id");
  GtkWidget *section = box_new (GTK_ACCESSIBLE_ROLE_GROUP, SPACING);

  if (id != NULL)
    gtk_widget_set_name (section, id);
  context->level++;
  append_children (context, node, section);
  context->level--;
  if (id != NULL)
    append_guided (context, node, section);
  gtk_box_append (GTK_BOX (box), section);
}

/* ---- lists ---- */

static void
append_item (Context *context, const ShardwiseManualNode *item, const char *mark, GtkWidget *list)
{
  GtkWidget *row = g_object_new (GTK_TYPE_BOX, "spacing", SPACING / 2, "accessible-role",
                                 GTK_ACCESSIBLE_ROLE_LIST_ITEM, NULL);
  GtkWidget *content = box_new (GTK_ACCESSIBLE_ROLE_GROUP, SPACING / 2);
  GtkWidget *label = gtk_label_new (mark);

  gtk_label_set_width_chars (GTK_LABEL (label), 2);
  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_set_valign (label, GTK_ALIGN_START);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_set_hexpand (content, TRUE);
  append_children (context, item, content);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), content);
  gtk_box_append (GTK_BOX (list), row);
}

static void
append_list (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  GtkWidget *list = box_new (GTK_ACCESSIBLE_ROLE_LIST, SPACING / 2);
  guint n = 0;

  for (guint i = 0; i < node->children->len; i++)
    {
      const ShardwiseManualNode *item = node->children->pdata[i];
      g_autofree char *number = NULL;

      if (!shardwise_manual_node_is (item, "item"))
        continue;
      number = g_strdup_printf ("%u.", ++n);
      append_item (context, item, shardwise_manual_node_is (node, "steps") ? number : "•", list);
    }
  gtk_box_append (GTK_BOX (box), list);
}

/* The title of an item may be a paragraph. */
static void
append_term (Context *context, const ShardwiseManualNode *item, GtkWidget *list)
{
  GtkWidget *content = box_new (GTK_ACCESSIBLE_ROLE_GROUP, SPACING / 2);

  for (guint i = 0; i < item->children->len; i++)
    {
      const ShardwiseManualNode *title = item->children->pdata[i];
      const ShardwiseManualNode *inner;
      GtkWidget *label;

      if (!shardwise_manual_node_is (title, "title"))
        continue;
      inner = shardwise_manual_node_child (title, "p");
      label = text_new (context, inner != NULL ? inner : title, GTK_ACCESSIBLE_ROLE_LABEL);
      gtk_widget_add_css_class (label, "heading");
      gtk_box_append (GTK_BOX (list), label);
    }
  gtk_widget_set_margin_start (content, INDENT);
  for (guint i = 0; i < item->children->len; i++)
    if (!shardwise_manual_node_is (item->children->pdata[i], "title"))
      append_child (context, item->children->pdata[i], content);
  gtk_box_append (GTK_BOX (list), content);
}

static void
append_terms (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  GtkWidget *list = box_new (GTK_ACCESSIBLE_ROLE_GROUP, SPACING / 2);

  for (guint i = 0; i < node->children->len; i++)
    if (shardwise_manual_node_is (node->children->pdata[i], "item"))
      append_term (context, node->children->pdata[i], list);
  gtk_box_append (GTK_BOX (box), list);
}

/* ---- tables, code and pictures ---- */

static void
append_row (Context *context, const ShardwiseManualNode *row, gboolean is_head, int y,
            GtkWidget *grid)
{
  int x = 0;

  for (guint i = 0; i < row->children->len; i++)
    {
      const ShardwiseManualNode *cell = row->children->pdata[i];
      g_autofree char *text = NULL;
      GtkWidget *content, *first;

      if (!shardwise_manual_node_is (cell, "td"))
        continue;
      text = shardwise_manual_node_text (cell);
      content = box_new (is_head ? GTK_ACCESSIBLE_ROLE_COLUMN_HEADER : GTK_ACCESSIBLE_ROLE_CELL, 0);
      append_children (context, cell, content);
      first = gtk_widget_get_first_child (content);
      gtk_widget_set_valign (content, GTK_ALIGN_START);
      if (GTK_IS_LABEL (first))
        gtk_label_set_width_chars (GTK_LABEL (first),
                                   (int) MIN (g_utf8_strlen (text, -1), NARROW_CELL));
      if (GTK_IS_LABEL (first) && is_head)
        gtk_widget_add_css_class (first, "caption-heading");
      gtk_grid_attach (GTK_GRID (grid), content, x++, y, 1, 1);
    }
}

static void
append_rows (Context *context, const ShardwiseManualNode *node, gboolean is_head, int *y,
             GtkWidget *grid)
{
  for (guint i = 0; i < node->children->len; i++)
    {
      const ShardwiseManualNode *child = node->children->pdata[i];

      if (shardwise_manual_node_is (child, "tr"))
        append_row (context, child, is_head, (*y)++, grid);
      else if (child->name != NULL)
        append_rows (context, child, shardwise_manual_node_is (child, "thead"), y, grid);
    }
}

static void
keep_lines (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    gtk_label_set_wrap (GTK_LABEL (widget), FALSE);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    keep_lines (child);
}

/* One of many columns scrolls by itself, and its cells keep their lines, since what scrolls to the
 * side is as high as in the least width. */
static void
append_table (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  GtkWidget *grid = g_object_new (GTK_TYPE_GRID, "column-spacing", SPACING, "row-spacing",
                                  SPACING / 2, "accessible-role", GTK_ACCESSIBLE_ROLE_TABLE, NULL);
  GtkWidget *scroller;
  int y = 0;

  append_rows (context, node, FALSE, &y, grid);
  if (gtk_grid_get_child_at (GTK_GRID (grid), MOST_COLUMNS, 0) == NULL)
    {
      gtk_box_append (GTK_BOX (box), grid);
      return;
    }
  keep_lines (grid);
  scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), grid);
  shardwise_wheel_pass_on (GTK_SCROLLED_WINDOW (scroller));
  gtk_box_append (GTK_BOX (box), scroller);
}

/* Its lines stand as they are, where they have room. */
static void
append_code (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  const ShardwiseManualNode *text = node->children->len > 0 ? node->children->pdata[0] : NULL;
  g_autofree char *lines = g_strstrip (g_strdup (text != NULL ? text->text : ""));
  g_autofree char *escaped = g_markup_escape_text (lines, -1);
  GtkWidget *label = label_new (escaped, GTK_ACCESSIBLE_ROLE_LABEL);

  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, "monospace");
  gtk_widget_add_css_class (label, "manual-code");
  gtk_box_append (GTK_BOX (box), label);
}

static void
append_note (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  GtkWidget *content = box_new (GTK_ACCESSIBLE_ROLE_NOTE, SPACING / 2);

  gtk_widget_add_css_class (content, "manual-note");
  append_children (context, node, content);
  gtk_box_append (GTK_BOX (box), content);
}

/* What it shows is told to who does not see it. */
static void
append_media (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  g_autofree char *resource = g_strconcat (APPLICATION_PATH "/help/",
                                           shardwise_manual_node_get (node, "src"), NULL);
  g_autofree char *text = shardwise_manual_node_text (node);
  GtkWidget *picture = gtk_picture_new_for_resource (resource);

  gtk_picture_set_alternative_text (GTK_PICTURE (picture), text);
  gtk_widget_set_tooltip_text (picture, text);
  gtk_box_append (GTK_BOX (box), picture);
}

static void
append_nothing (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{}

static const struct {
  const char *name;
  void (*append) (Context *context, const ShardwiseManualNode *node, GtkWidget *box);
} blocks[] = {
  { "info", append_nothing },    { "title", append_title }, { "p", append_paragraph },
  { "section", append_section }, { "list", append_list },   { "steps", append_list },
  { "terms", append_terms },     { "table", append_table }, { "code", append_code },
  { "screen", append_code },     { "note", append_note },   { "media", append_media },
};

static void
append_child (Context *context, const ShardwiseManualNode *child, GtkWidget *box)
{
  if (child->name == NULL)
    return; /* white space between elements */
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (shardwise_manual_node_is (child, blocks[i].name))
      {
        blocks[i].append (context, child, box);
        return;
      }
  g_warning ("The manual has an element that is not known: “%s”", child->name);
}

static void
append_children (Context *context, const ShardwiseManualNode *node, GtkWidget *box)
{
  for (guint i = 0; i < node->children->len; i++)
    append_child (context, node->children->pdata[i], box);
}

/**
 * shardwise_manual_page_blocks:
 * @page: of the manual
 *
 * Returns: (transfer floating): its content; sections bear their id as widget name
 */
GtkWidget *
shardwise_manual_page_blocks (ShardwiseManual *manual, const ShardwiseManualNode *page)
{
  Context context = { manual, shardwise_manual_node_get (page, "id"), 0 };
  GtkWidget *box = box_new (GTK_ACCESSIBLE_ROLE_GROUP, SPACING);

  gtk_widget_add_css_class (box, "manual-page");
  append_children (&context, page, box);
  append_guided (&context, page, box);
  return box;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of the manual as widgets: paragraphs as Pango's markup, headings, lists, tables, code and
 * pictures. */
#include "shardwise-manual-view.h"

#include "shardwise-config.h"
#include "shardwise-gtk-faults.h"

/* How inline elements are rendered, and the text between nested elements. */
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

static void append_inline (ShardwiseManual *manual, const ShardwiseManualNode *node, GString *out);

static void
append_inlines (ShardwiseManual *manual, const ShardwiseManualNode *node, const char *between,
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
      append_inline (manual, child, out);
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

/* A link without text shows the title of its target. */
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
    append_inlines (manual, node, NULL, out);
  else
    append_text (title != NULL ? title : address, out);
  g_string_append (out, "</a>");
}

static void
append_inline (ShardwiseManual *manual, const ShardwiseManualNode *node, GString *out)
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
        append_inlines (manual, node, inlines[i].between, out);
        g_string_append (out, inlines[i].close);
        return;
      }
  g_warning ("The manual has an element within a paragraph that is not known: “%s”", node->name);
}

/* A page of the manual as widgets: headings, paragraphs, lists, tables, code and pictures. */

enum {
  SPACING = 12,
  INDENT = 18,
  NARROW_CELL = 7, /* minimum characters of a cell */
  MOST_COLUMNS = 4 /* that fit side by side */
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
  /* Pango's markup; links within the manual have their topic as address. */
  GString *out = g_string_new (NULL);

  append_inlines (context->manual, node, NULL, out);
  g_autofree char *markup = g_strstrip (g_string_free (out, FALSE));

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

/* The pages with this one as their guide, with their descriptions. */
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

      const char *mark = shardwise_manual_node_is (node, "steps") ? number : "•";
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

/* A table with many columns scrolls horizontally without wrapping its cells, because a scrolled
 * child is as high as at its minimum width. */
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
  shardwise_gtk_pass_wheel_on (GTK_SCROLLED_WINDOW (scroller));
  gtk_box_append (GTK_BOX (box), scroller);
}

/* Keeps its line breaks if they fit. */
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

/* Screen readers get a description of it. */
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

struct _ShardwiseManualView {
  GtkWidget parent_instance;
  GtkWidget *scroller, *clamp;
  GtkWidget *target; /* (nullable): the element to scroll to when it has a position */
  guint scroll_id;
};

G_DEFINE_FINAL_TYPE (ShardwiseManualView, shardwise_manual_view, GTK_TYPE_WIDGET)

static guint open_signal;

static gboolean
link_cb (GtkLabel *label, const char *address, ShardwiseManualView *self)
{
  if (strstr (address, "://") != NULL)
    return FALSE; /* GTK opens it */
  g_signal_emit (self, open_signal, 0, address);
  return TRUE;
}

static void
follow_links (ShardwiseManualView *self, GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    g_signal_connect_object (widget, "activate-link", G_CALLBACK (link_cb), self, 0);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    follow_links (self, child);
}

static GtkWidget *
find_named (GtkWidget *widget, const char *name)
{
  if (g_str_equal (gtk_widget_get_name (widget), name))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_named (child, name);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The position of a section is known after the layout of its own page, not of the previous one. */
static gboolean
scroll_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwiseManualView *self = SHARDWISE_MANUAL_VIEW (widget);
  GtkAdjustment *adjustment =
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));
  graphene_rect_t bounds;

  if (self->target != NULL && gtk_widget_get_height (self->target) == 0)
    return G_SOURCE_CONTINUE;
  if (self->target != NULL && gtk_widget_compute_bounds (self->target, self->clamp, &bounds))
    gtk_adjustment_set_value (adjustment, bounds.origin.y);
  self->scroll_id = 0;
  return G_SOURCE_REMOVE;
}

static void
shardwise_manual_view_dispose (GObject *object)
{
  ShardwiseManualView *self = SHARDWISE_MANUAL_VIEW (object);

  if (self->scroll_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->scroll_id);
  self->scroll_id = 0;
  self->target = NULL;
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (shardwise_manual_view_parent_class)->dispose (object);
}

static void
shardwise_manual_view_class_init (ShardwiseManualViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_manual_view_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);

  /**
   * ShardwiseManualView::open:
   * @topic: the target of a link
   */
  open_signal = g_signal_new ("open", SHARDWISE_TYPE_MANUAL_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
shardwise_manual_view_init (ShardwiseManualView *self)
{
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  self->clamp = adw_clamp_new ();
  adw_clamp_set_maximum_size (ADW_CLAMP (self->clamp), 720);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), self->clamp);
  /* At its minimum height a picture has no size. */
  gtk_scrollable_set_vscroll_policy (
      GTK_SCROLLABLE (gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (self->scroller))),
      GTK_SCROLL_NATURAL);
  gtk_widget_set_focusable (self->scroller, TRUE); /* so that keys scroll it */
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

/**
 * shardwise_manual_view_show_topic:
 * @topic: a page, or a section of it
 *
 * Returns: whether the topic exists; otherwise nothing changes
 */
gboolean
shardwise_manual_view_show_topic (ShardwiseManualView *self, ShardwiseManual *manual,
                                  const char *topic)
{
  const ShardwiseManualNode *page = NULL;
  const char *section = strchr (topic, '#');
  g_autofree char *title = NULL;
  GtkAdjustment *adjustment;
  GtkWidget *content;

  g_return_val_if_fail (SHARDWISE_IS_MANUAL_VIEW (self), FALSE);

  if (shardwise_manual_find (manual, topic, &page) == NULL)
    return FALSE;
  title = shardwise_manual_node_title (page);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scroller), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  gtk_widget_grab_focus (self->scroller); /* the followed link disappears */

  /* The widget name of a section is its id. */
  Context context = { manual, shardwise_manual_node_get (page, "id"), 0 };
  GtkWidget *box = box_new (GTK_ACCESSIBLE_ROLE_GROUP, SPACING);

  gtk_widget_add_css_class (box, "manual-page");
  append_children (&context, page, box);
  append_guided (&context, page, box);
  content = box;
  follow_links (self, content);
  adw_clamp_set_child (ADW_CLAMP (self->clamp), content);
  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));
  gtk_adjustment_set_value (adjustment, 0);
  self->target = section != NULL ? find_named (content, section + 1) : NULL;
  if (self->target != NULL && self->scroll_id == 0)
    self->scroll_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_cb, NULL, NULL);
  return TRUE;
}

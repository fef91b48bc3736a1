/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-container.h"

G_BEGIN_DECLS

/* A page that shows one section at a time, with an index: a list at its side or, in a narrow
 * window, a drop-down above. Its child scrolls, and shows the section itself.
 *
 * Properties: "child" (GtkWidget), "section" (string, nullable: the id of the selected section;
 * notifies).
 *
 * # CSS nodes
 * `sections` */
#define SHARDWISE_TYPE_SECTIONS (shardwise_sections_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSections, shardwise_sections, SHARDWISE, SECTIONS,
                      ShardwiseContainer)

typedef struct {
  const char *id, *title; /* title: N_() marked */
} ShardwiseSection;

void shardwise_sections_fill (ShardwiseSections *self, const ShardwiseSection *sections, guint n);
const char *shardwise_sections_get_section (ShardwiseSections *self);
gboolean shardwise_sections_set_section (ShardwiseSections *self, const char *id);
void shardwise_sections_scroll_to (ShardwiseSections *self, GtkWidget *widget);

G_END_DECLS

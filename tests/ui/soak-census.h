/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* How many objects of each class there are, of those classes that are first used after it began. */
void soak_census_begin (void);
GHashTable *soak_census_take (void);

G_END_DECLS

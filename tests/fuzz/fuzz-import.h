/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

void fuzz_import (const guint8 *data, gsize size, const char *name, gboolean diagnoses);

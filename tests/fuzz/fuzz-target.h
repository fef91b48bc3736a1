/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* The entry point of libFuzzer. */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

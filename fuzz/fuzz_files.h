/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the fuzz targets of readers that take a file's name share. */
#pragma once

#include <glib.h>
#include <stddef.h>

/* Returns a folder of this process, made by the first call and removed with what is in it at the end;
 * static. */
const char *fuzz_files_folder(void);

/* Writes `length` octets as file `name` of that folder; returns its path, to be freed with g_free(). */
char *fuzz_files_write(const char *name, const void *octets, size_t length);

/* Checks an error as a person sees it: set, one line of UTF-8. Frees it. */
void fuzz_files_check_error(GError *error);

/* SPDX-License-Identifier: GPL-2.0-only */
/* The plots of a report, each with a caption and the values that it shows. */
#pragma once

#include "study/report/report_page.h"

/* Draws the plots that suit the study into `figures`. FALSE and `error` (IWARPSIM_ERROR, G_FILE_ERROR) on
 * failure. */
gboolean report_draw(report_page *report, GError **error);

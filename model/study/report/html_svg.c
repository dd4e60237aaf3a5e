/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html_svg.h"

#include <string.h>

#include "study/report/html_text.h"

GQuark html_svg_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-html-svg-error");
}

/* Pixels of the page for a pixel of the picture: 1600, as wide as plots get, fill the page's text width, so that text comes out the
 * same size in all plots. */
#define HTML_SVG_SCALE 0.68

/* What draws; all else is left out with what is in it. */
static const char elements[] =
    " svg g defs symbol use path rect circle ellipse line polyline polygon image text tspan "
    "linearGradient radialGradient stop pattern clipPath ";

static const char attributes[] =
    " d x y x1 x2 y1 y2 r cx cy rx ry fx fy dx dy width height points offset transform viewBox "
    "preserveAspectRatio "
    "patternUnits patternContentUnits patternTransform gradientUnits gradientTransform clipPathUnits "
    "clip-path "
    "clip-rule color fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-dasharray "
    "stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stop-color stop-opacity opacity "
    "visibility "
    "shape-rendering image-rendering font-family font-size font-style font-weight text-anchor "
    "dominant-baseline "
    "baseline-shift textLength xml:space ";

/* TRUE when `words`, which start and end with a blank, hold `word`. */
static gboolean holds(const char *words, const char *word)
{
  g_autofree char *apart = g_strdup_printf(" %s ", word);
  return strchr(word, ' ') == NULL && strstr(words, apart) != NULL;
}

typedef struct svg_cleaner {
  GString *html;
  const char *prefix;
  const char *name;
  guint depth;   /* of open elements */
  guint skipped; /* of them, those inside and including one that is left out; 0: none */
  guint text;    /* of them, those inside and including <text> */
  gboolean drawn;
} svg_cleaner;

static gboolean is_safe_value(const char *value)
{
  /* A backslash would let a style escape a letter of url(). */
  return strchr(value, '\\') == NULL && strstr(value, "/*") == NULL;
}

/* Appends ` NAME="VALUE"` with each url(#ID) prefixed; nothing when it refers to something outside the picture. */
static void append_value(svg_cleaner *cleaner, const char *name, const char *value)
{
  g_autofree char *lower = g_ascii_strdown(value, -1);
  const char *reference = strstr(lower, "url(");
  if (!is_safe_value(value)) {
    return;
  }
  if (reference == NULL) {
    g_string_append_printf(cleaner->html, " %s=\"", name);
    html_text_append(cleaner->html, value);
    g_string_append_c(cleaner->html, '"');
    return;
  }
  const char *id = reference + strlen("url(");
  gboolean quoted = *id == '\'' || *id == '"';
  id += quoted ? 1 : 0;
  gsize length = strcspn(id, ")'\"");
  if (*id != '#' || strstr(id, "url(") != NULL) {
    return;
  }
  g_string_append_printf(cleaner->html, " %s=\"url(#%s", name, cleaner->prefix);
  g_autofree char *bare = g_strndup(value + (id - lower) + 1, length - 1);
  html_text_append(cleaner->html, bare);
  g_string_append(cleaner->html, ")\"");
}

static void append_href(svg_cleaner *cleaner, const char *element, const char *value)
{
  static const char png[] = "data:image/png;base64,";
  if (*value == '#') {
    g_string_append_printf(cleaner->html, " href=\"#%s", cleaner->prefix);
    html_text_append(cleaner->html, value + 1);
    g_string_append_c(cleaner->html, '"');
  } else if (strcmp(element, "image") == 0 && g_str_has_prefix(value, png)) {
    g_string_append(cleaner->html, " href=\"");
    html_text_append(cleaner->html, value);
    g_string_append_c(cleaner->html, '"');
  }
}

/* "fill:red; stroke:none" as attributes, so that the page may forbid styles but its own. `written` receives their names. */
static void append_declarations(svg_cleaner *cleaner, const char *style, GPtrArray *written)
{
  g_auto(GStrv) declarations = g_strsplit(style, ";", -1);
  for (gsize i = 0; declarations[i] != NULL; i++) {
    char *colon = strchr(declarations[i], ':');
    if (colon == NULL) {
      continue;
    }
    *colon = '\0';
    const char *name = g_strstrip(declarations[i]);
    if (holds(attributes, name)) {
      append_value(cleaner, name, g_strstrip(colon + 1));
      g_ptr_array_add(written, g_strdup(name));
    }
  }
}

static void append_attributes(svg_cleaner *cleaner, const char *element, const char **names,
                              const char **values)
{
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(g_free);
  for (gsize i = 0; names[i] != NULL; i++) {
    if (strcmp(names[i], "style") == 0) {
      append_declarations(cleaner, values[i], written);
    }
  }
  for (gsize i = 0; names[i] != NULL; i++) {
    if (strcmp(names[i], "xlink:href") == 0 || strcmp(names[i], "href") == 0) {
      append_href(cleaner, element, values[i]);
    } else if (strcmp(names[i], "id") == 0) {
      g_autofree char *id = g_strconcat(cleaner->prefix, values[i], NULL);
      append_value(cleaner, "id", id);
    } else if (holds(attributes, names[i]) &&
               !g_ptr_array_find_with_equal_func(written, names[i], g_str_equal, NULL)) {
      append_value(cleaner, names[i], values[i]);
    }
  }
}

static const char *value_of(const char **names, const char **values, const char *name)
{
  for (gsize i = 0; names[i] != NULL; i++) {
    if (strcmp(names[i], name) == 0) {
      return values[i];
    }
  }
  return NULL;
}

/* The third of the four numbers of a viewBox; 0 when there is none. */
static double width_of(const char *box)
{
  double numbers[4];
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    char *end;
    numbers[i] = g_ascii_strtod(box, &end);
    if (end == box) {
      return 0;
    }
    box = end + strspn(end, " ,");
  }
  return *box == '\0' && numbers[2] > 0 && numbers[2] < 1e5 ? numbers[2] : 0;
}

static gboolean append_root(svg_cleaner *cleaner, const char **names, const char **values, GError **error)
{
  const char *box = value_of(names, values, "viewBox");
  double width = box != NULL ? width_of(box) : 0;
  if (width == 0) {
    g_set_error(error, HTML_SVG_ERROR, HTML_SVG_ERROR_INVALID,
                "no viewBox of four numbers says how large it is");
    return FALSE;
  }
  g_string_append(cleaner->html, "<svg role=\"img\" aria-label=\"");
  html_text_append(cleaner->html, cleaner->name);
  g_string_append(cleaner->html, "\" viewBox=\"");
  html_text_append(cleaner->html, box);
  g_string_append_printf(cleaner->html, "\" width=\"%.0f\">", width * HTML_SVG_SCALE);
  return TRUE;
}

static void start_element(GMarkupParseContext *context, const char *element, const char **names,
                          const char **values, gpointer data, GError **error)
{
  (void)context;
  svg_cleaner *cleaner = data;
  gboolean known = holds(elements, element);
  if (cleaner->depth == 0 && strcmp(element, "svg") != 0) {
    g_set_error(error, HTML_SVG_ERROR, HTML_SVG_ERROR_INVALID, "expected <svg>, found <%s>", element);
    return;
  }
  cleaner->depth++;
  if (cleaner->skipped > 0 || !known) {
    cleaner->skipped++;
    return;
  }
  if (cleaner->depth == 1) {
    cleaner->drawn = append_root(cleaner, names, values, error);
    return;
  }
  if (cleaner->text > 0 || strcmp(element, "text") == 0) {
    cleaner->text++;
  }
  g_string_append_printf(cleaner->html, "<%s", element);
  append_attributes(cleaner, element, names, values);
  g_string_append_c(cleaner->html, '>');
}

static void end_element(GMarkupParseContext *context, const char *element, gpointer data, GError **error)
{
  (void)context;
  (void)error;
  svg_cleaner *cleaner = data;
  cleaner->depth--;
  if (cleaner->skipped > 0) {
    cleaner->skipped--;
    return;
  }
  if (cleaner->text > 0) {
    cleaner->text--;
  }
  g_string_append_printf(cleaner->html, cleaner->text > 0 ? "</%s>" : "</%s>\n", element);
}

static void append_characters(GMarkupParseContext *context, const char *text, gsize length, gpointer data,
                              GError **error)
{
  (void)context;
  (void)error;
  svg_cleaner *cleaner = data;
  if (cleaner->text > 0 && cleaner->skipped == 0) {
    g_autofree char *terminated = g_strndup(text, length);
    html_text_append(cleaner->html, terminated);
  }
}

gboolean html_svg_append(GString *html, const char *svg, const char *prefix, const char *name, GError **error)
{
  static const GMarkupParser parser = {
      .start_element = start_element, .end_element = end_element, .text = append_characters};
  svg_cleaner cleaner = {.html = g_string_new(NULL), .prefix = prefix, .name = name};
  g_autoptr(GError) problem = NULL;
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &cleaner, NULL);
  gboolean good = g_markup_parse_context_parse(context, svg, -1, &problem) &&
                  g_markup_parse_context_end_parse(context, &problem);
  g_markup_parse_context_free(context);
  if (good && cleaner.drawn) {
    g_string_append_len(html, cleaner.html->str, (gssize)cleaner.html->len);
  } else {
    g_set_error(error, HTML_SVG_ERROR, HTML_SVG_ERROR_INVALID, "not a picture in SVG: %s",
                problem != NULL ? problem->message : "it is empty");
  }
  g_string_free(cleaner.html, TRUE);
  return good && cleaner.drawn;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "scenario/scenario_problem.h"

enum {
  SIZE_MAX_OCTETS = 4 * 1024 * 1024, /* of all files together */
  INCLUDE_DEPTH_MAX = 10,            /* libconfig's own */
  DEPTH_MAX = 32,            /* of brackets: a scenario needs 4, and the reader calls itself for each */
  GROUP_KEYS_MAX = 250,      /* none of ours has more than a few dozen, and each is compared with all */
  BLOCK_OCTETS = 256 * 1024, /* of settings and their texts */
};

/* An input is a file that is being read. */
typedef struct input {
  struct input *includer;
  const char *path;
  char *octets;
  const char *p; /* what comes next, in line `line` */
  guint line;
  gboolean is_text; /* the text ends with it; otherwise the includer goes on */
} input;

/* The text after it stands within this bracket. */
typedef struct bracket {
  char opener;
  const char *path;
  guint line;
} bracket;

struct scenario_source {
  char *folder;       /* of the outermost file; NULL: nothing can be included */
  gsize octets;       /* of all files read so far */
  GHashTable *paths;  /* of every file read */
  GString *full_text; /* all files read, each once */
  GPtrArray *texts;   /* of source_setting */
  GPtrArray *blocks;  /* the memory of settings and their texts … */
  char *unused;       /* … of which the last block has */
  gsize unused_octets;

  input *in;
  bracket brackets[DEPTH_MAX];
  guint depth;      /* of brackets */
  bracket string;   /* the quote of the last string that spans lines … */
  guint string_end; /* … and the line that it ends in; 0: there is none */
  GError *problem;  /* the first one: nothing is read after it */
};

/* --- Memory and problems --- */

/* Returns zeroed memory that lives as long as the source. When there is none the program ends with a line. */
static void *allocate(scenario_source *s, gsize octets)
{
  octets = (octets + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
  if (octets > s->unused_octets) {
    s->unused_octets = MAX(octets, BLOCK_OCTETS);
    s->unused = g_try_malloc0(s->unused_octets);
    if (s->unused == NULL) {
      static const char line[] = "iwarpsim: no memory to read the scenario\n";

      (void)!write(STDERR_FILENO, line, sizeof line - 1);
      _exit(2);
    }
    g_ptr_array_add(s->blocks, s->unused);
  }
  void *allocated = s->unused;
  s->unused += octets;
  s->unused_octets -= octets;
  return allocated;
}

static const char *keep_text(scenario_source *s, const char *text, gsize length)
{
  return memcpy(allocate(s, length + 1), text, length);
}

/* Sets the problem, unless there is one. Returns FALSE. */
#define problem_at(s, path, line, ...)                                                                       \
  ((s)->problem == NULL &&                                                                                   \
   scenario_problem_take(&(s)->problem, g_strdup_printf("%s:%u", path, line), __VA_ARGS__))
#define PROBLEM_HERE(s, ...) problem_at(s, (s)->in->path, (s)->in->line, __VA_ARGS__)

static char closer_of(char opener)
{
  return opener == '{' ? '}' : opener == '[' ? ']' : ')';
}

/* --- Files --- */

/* Returns the octets of the file, and sets `*length`. NULL: it has more than `left` or cannot be read, and
 * `*problem` (static) is why. */
static char *read_octets(const char *path, gsize left, gsize *length, const char **problem)
{
  char *octets = NULL;
  struct stat status;

  *problem = regular_file_problem(path);
  if (*problem == NULL && stat(path, &status) == 0 && (gsize)status.st_size > left) {
    *problem = "it is larger than 4 MiB, which no scenario is";
  }
  if (*problem == NULL && !g_file_get_contents(path, &octets, length, NULL)) {
    *problem = g_strerror(errno);
  }
  return octets;
}

static void begin_input(scenario_source *s, input begun)
{
  begun.includer = s->in;
  begun.p = begun.octets;
  begun.line = 1;
  s->in = g_memdup2(&begun, sizeof begun);
}

static void end_input(scenario_source *s)
{
  input *ended = s->in;

  s->in = ended->includer;
  g_free(ended->octets);
  g_free(ended);
}

/* Begins the file at `path`, which the including file calls `name`; NULL: it is the outermost one. It is
 * added to the full text, once, by its name as written: where it was found differs from machine to machine.
 */
static gboolean begin_file(scenario_source *s, const char *path, const char *name, gboolean is_text)
{
  const char *problem, *end;
  gsize length = 0;
  char *octets = read_octets(path, SIZE_MAX_OCTETS - s->octets, &length, &problem);

  if (octets == NULL && s->in != NULL) {
    return PROBLEM_HERE(s, "cannot read '%s' (%s); expected a file to include", path, problem);
  }
  if (octets == NULL) {
    return scenario_problem(&s->problem, path, "cannot read it (%s); expected a scenario file", problem);
  }
  s->octets += length;
  const char *kept = g_hash_table_lookup(s->paths, path);
  if (kept == NULL) {
    kept = keep_text(s, path, strlen(path));
    g_hash_table_add(s->paths, (gpointer)kept);
    if (name != NULL) {
      gboolean ended = s->full_text->len == 0 || g_str_has_suffix(s->full_text->str, "\n");
      g_string_append_printf(s->full_text, "%s# @include \"%s\"\n", ended ? "" : "\n", name);
    }
    g_string_append_len(s->full_text, octets, (gssize)length);
  }
  begin_input(s, (input){.path = kept, .octets = octets, .is_text = is_text});
  /* A scenario is text: the title goes into JSON. */
  if (g_utf8_validate_len(octets, length, &end)) {
    return TRUE;
  }
  for (const char *p = octets; p < end; p++) {
    s->in->line += *p == '\n';
  }
  return PROBLEM_HERE(s, "octet 0x%02x is no text; expected a scenario file in UTF-8", (guchar)*end);
}

static gboolean read_text(scenario_source *s, const char *path, const char *name);

/* The file is in the folder of the outermost one, or comes with the program, so that any scenario finds
 * "presets/cxgb4.cfg". */
static gboolean include(scenario_source *s, const char *name)
{
  g_autoptr(GError) missing = NULL;
  g_autofree char *path = g_path_is_absolute(name)
                              ? g_strdup(name)
                              : program_files_path(s->folder, PROGRAM_SCENARIOS, name, &missing);
  guint depth = 0;

  if (missing != NULL) {
    return PROBLEM_HERE(s, "%s; expected a file to include", missing->message);
  }
  for (const input *in = s->in; in != NULL; in = in->includer, depth++) {
    if (strcmp(in->path, path) == 0) {
      return PROBLEM_HERE(s, "'%s' includes itself; expected no circle of files", path);
    }
  }
  if (depth > INCLUDE_DEPTH_MAX) {
    return PROBLEM_HERE(s, "includes are nested deeper than %d; expected fewer", INCLUDE_DEPTH_MAX);
  }
  return s->depth > 0 ? begin_file(s, path, name, FALSE) : read_text(s, path, name);
}

/* Moves over the @include of a line that starts here, and begins the file or reads it as a text. FALSE: the
 * line has none. */
static gboolean read_include(scenario_source *s)
{
  static const char word[] = "@include";
  const char *p = s->in->p + strspn(s->in->p, " \t");
  const gsize blanks = g_str_has_prefix(p, word) ? strspn(p + strlen(word), " \t") : 0;
  const char *quote = p + strlen(word) + blanks;

  if (blanks == 0 || *quote != '"') {
    return FALSE;
  }
  g_autoptr(GString) name = g_string_new(NULL);
  for (p = quote + 1; strchr("\"\n", *p) == NULL; p++) {
    p += *p == '\\' && (p[1] == '\\' || p[1] == '"');
    g_string_append_c(name, *p);
  }
  if (*p != '"') {
    return FALSE;
  }
  s->in->p = p + 1;
  include(s, name->str);
  return TRUE;
}

/* --- The syntax --- */

/* Moves over blanks, comments and includes. Returns the character after them; '\0' at the end of the text and
 * after a problem. */
static char next(scenario_source *s)
{
  while (s->problem == NULL) {
    input *in = s->in;
    const char *p = in->p;
    const gboolean starts_line = p == in->octets || p[-1] == '\n';

    if (starts_line && s->folder != NULL && read_include(s)) {
      continue; /* even after a problem */
    }
    if (*p == '\0' && !in->is_text) {
      end_input(s);
    } else if (*p == '#' || (p[0] == '/' && p[1] == '/')) {
      in->p += strcspn(p, "\n");
    } else if (p[0] == '/' && p[1] == '*') {
      const char *end = strstr(p + 2, "*/");

      if (end == NULL) {
        (void)PROBLEM_HERE(s, "a comment is never closed; expected its closing '*/'");
        break;
      }
      for (; in->p < end + 2; in->p++) {
        in->line += *in->p == '\n';
      }
    } else if (*p != '\0' && strchr(" \t\r\f\n", *p) != NULL) {
      in->line += *p == '\n';
      in->p++;
    } else {
      return *p;
    }
  }
  return '\0';
}

/* Moves over `c` if it comes next. */
static gboolean accept(scenario_source *s, char c)
{
  const gboolean accepted = next(s) == c;

  s->in->p += accepted;
  return accepted;
}

/* Says why what comes next cannot stand there. Returns FALSE. */
static gboolean unexpected(scenario_source *s)
{
  const char c = next(s);
  const gboolean closes = c == '}' || c == ']' || c == ')';
  const bracket *open = s->depth > 0 ? &s->brackets[s->depth - 1] : NULL;
  const input *in = s->in;
  const char *start = in->p;
  guint line = in->line;

  if (c == '\0' && open != NULL) {
    return problem_at(s, open->path, open->line, "'%c' is never closed; expected its closing bracket",
                      open->opener);
  }
  if (in->path == s->string.path && line == s->string_end) {
    return problem_at(
        s, in->path, s->string.line,
        "a string ends in line %u, before what cannot stand there; expected its closing '\"' here", line);
  }
  if (closes && open == NULL) {
    return PROBLEM_HERE(s, "'%c' closes nothing; expected its opening bracket before it", c);
  }
  if (closes && c != closer_of(open->opener)) {
    return PROBLEM_HERE(s, "'%c' cannot close '%c'; expected the bracket that closes the '%c' in %s:%u", c,
                        open->opener, open->opener, open->path, open->line);
  }
  if (c == '"') {
    return PROBLEM_HERE(s, "a text in quotes stands where no value can; expected KEY = \"TEXT\";");
  }
  if (c == '@') {
    return PROBLEM_HERE(s, "'@' starts nothing here; expected @include \"FILE\" at the start of a line");
  }
  if ((c == '[' || c == '(') && open != NULL && open->opener == '[') {
    return PROBLEM_HERE(s,
                        "a list in [ ] holds a list; expected ( ) around lists, or each of them in quotes, "
                        "\"[1,2]\"");
  }
  /* The end of the text is missed in the last line with anything in it. */
  for (; c == '\0' && start > in->octets && g_ascii_isspace(start[-1]); start--) {
    line -= start[-1] == '\n';
  }
  while (start > in->octets && start[-1] != '\n') {
    start--;
  }
  g_autofree char *whole = g_strstrip(g_strndup(start, strcspn(start, "\n")));
  g_autofree char *shown = scenario_shown(whole);
  return problem_at(s, in->path, line,
                    "syntax error at '%s'; expected KEY = VALUE; or GROUP: { ... }; with words and values "
                    "with units in quotes",
                    shown);
}

static source_setting *add_setting(scenario_source *s, source_setting *parent, const char *name)
{
  source_setting *added = allocate(s, sizeof *added);

  *added = (source_setting){.parent = parent, .name = name, .path = s->in->path, .line = s->in->line};
  *(parent->last != NULL ? &parent->last->next : &parent->first) = added;
  parent->last = added;
  return added;
}

/* Appends to `text` what the string stands for whose opening quote comes next. */
static gboolean read_quoted(scenario_source *s, GString *text)
{
  static const char letters[] = "nrtf\\\"", meant[] = "\n\r\t\f\\\"";
  input *in = s->in;
  const guint opened = in->line;

  for (in->p++; *in->p != '"'; in->p++) {
    const char *p = in->p;
    const gboolean is_escape = p[0] == '\\' && p[1] != '\0';
    const char *letter = is_escape ? strchr(letters, p[1]) : NULL;
    const gboolean is_octet = is_escape && g_ascii_tolower(p[1]) == 'x' && g_ascii_isxdigit(p[2]) &&
                              g_ascii_isxdigit(p[3]) && !(p[2] == '0' && p[3] == '0');

    if (*p == '\0') {
      return problem_at(s, in->path, opened, "a string is never closed; expected its closing '\"'");
    }
    if (*p == '\n') {
      s->string = (bracket){'"', in->path, opened};
      s->string_end = ++in->line;
    }
    in->p += letter != NULL ? 1 : is_octet ? 3 : 0;
    g_string_append_c(text, letter != NULL ? meant[letter - letters]
                            : is_octet ? (char)(g_ascii_xdigit_value(p[2]) << 4 | g_ascii_xdigit_value(p[3]))
                                       : *p);
  }
  in->p++;
  return TRUE;
}

/* Reads a string, of which several in a row are one. */
static gboolean read_string(scenario_source *s, source_setting *setting)
{
  g_autoptr(GString) text = g_string_new(NULL);

  while (next(s) == '"') {
    if (!read_quoted(s, text)) {
      return FALSE;
    }
  }
  setting->notation = SCENARIO_NOTATION_STRING;
  setting->text = keep_text(s, text->str, text->len);
  return s->problem == NULL;
}

/* Reads a boolean or a number. */
static gboolean read_scalar(scenario_source *s, source_setting *setting)
{
  g_autofree char *problem = NULL;
  g_autofree char *text = scenario_value_scan(&s->in->p, &setting->notation, &problem);

  if (text == NULL) {
    return problem != NULL ? PROBLEM_HERE(s, "%s", problem) : unexpected(s);
  }
  setting->text = keep_text(s, text, strlen(text));
  return TRUE;
}

static gboolean read_value(scenario_source *s, source_setting *setting);

/* Reads `NAME = VALUE;` as often as it comes. */
static gboolean read_members(scenario_source *s, source_setting *group)
{
  guint count = 0;

  for (char c = next(s); g_ascii_isalpha(c) || c == '*'; c = next(s)) {
    const gsize length = strspn(s->in->p, SCENARIO_NAME_CHARACTERS);
    const char *own = keep_text(s, s->in->p, length);
    const source_setting *earlier = setting_member(group, own);
    source_setting *member = add_setting(s, group, own);

    if (earlier != NULL) {
      g_autoptr(GString) name = g_string_new(member->name);

      for (const source_setting *outer = group; outer != NULL; outer = outer->parent) {
        g_string_prepend(name, outer->name != NULL ? "." : "");
        g_string_prepend(name, outer->name != NULL ? outer->name : "");
      }
      g_autofree char *shown = scenario_shown(name->str);
      return PROBLEM_HERE(s, "duplicate key '%s'; expected it once, it is given already in %s:%u", shown,
                          earlier->path, earlier->line);
    }
    if (++count > GROUP_KEYS_MAX) {
      return PROBLEM_HERE(s, "a group has more than %d keys; expected those of docs/scenario.md",
                          GROUP_KEYS_MAX);
    }
    s->in->p += length;
    if ((!accept(s, '=') && !accept(s, ':') && !unexpected(s)) || !read_value(s, member)) {
      return FALSE;
    }
    if (!accept(s, ';')) {
      accept(s, ',');
    }
  }
  return TRUE;
}

/* Reads `VALUE, VALUE …`; those of an array are of one kind. */
static gboolean read_elements(scenario_source *s, source_setting *list)
{
  if (next(s) == (list->is_array ? ']' : ')')) {
    return TRUE;
  }
  do {
    next(s);
    source_setting *element = add_setting(s, list, NULL);
    const source_setting *first = list->first;

    if (!read_value(s, element)) {
      return FALSE;
    }
    if (list->is_array && first->notation != element->notation) {
      const gboolean starts_whole = first->notation == SCENARIO_NOTATION_INTEGER;
      const source_setting *integer = starts_whole ? first : element, *real = starts_whole ? element : first;

      return integer->notation == SCENARIO_NOTATION_INTEGER && real->notation == SCENARIO_NOTATION_REAL
                 ? problem_at(s, element->path, element->line,
                              "a list in [ ] mixes integers and reals; expected %s.0 instead of %s",
                              integer->text, integer->text)
                 : problem_at(s, element->path, element->line,
                              "a list in [ ] holds values of several types; expected ( ) around them");
    }
  } while (accept(s, ','));
  return TRUE;
}

/* Reads a group, an array or a list. */
static gboolean read_brackets(scenario_source *s, source_setting *setting)
{
  const char opener = *s->in->p;

  if (s->depth == DEPTH_MAX) {
    return PROBLEM_HERE(s, "brackets are nested deeper than %d; expected groups as in docs/scenario.md",
                        DEPTH_MAX);
  }
  s->brackets[s->depth++] = (bracket){opener, s->in->path, s->in->line};
  s->in->p++;
  setting->notation = opener == '{' ? SCENARIO_NOTATION_GROUP : SCENARIO_NOTATION_LIST;
  setting->is_array = opener == '[';
  if (!(opener == '{' ? read_members(s, setting) : read_elements(s, setting)) ||
      (!accept(s, closer_of(opener)) && !unexpected(s))) {
    return FALSE;
  }
  s->depth--;
  return TRUE;
}

static gboolean read_value(scenario_source *s, source_setting *setting)
{
  const char c = next(s);
  const gboolean opens = c == '{' || c == '[' || c == '(';

  return c == '"'                              ? read_string(s, setting)
         : opens && !setting->parent->is_array ? read_brackets(s, setting)
                                               : read_scalar(s, setting);
}

/* Reads the file at `path` (begin_file()), and what it includes, as a text. */
static gboolean read_text(scenario_source *s, const char *path, const char *name)
{
  source_setting *text = allocate(s, sizeof *text);

  text->notation = SCENARIO_NOTATION_GROUP;
  if (!begin_file(s, path, name, TRUE) || !read_members(s, text) || (next(s) != '\0' && !unexpected(s)) ||
      s->problem != NULL) {
    return FALSE;
  }
  end_input(s);
  g_ptr_array_add(s->texts, text);
  return TRUE;
}

static scenario_source *source_new(void)
{
  scenario_source *s = g_new0(scenario_source, 1);

  s->paths = g_hash_table_new(g_str_hash, g_str_equal);
  s->full_text = g_string_new(NULL);
  s->texts = g_ptr_array_new();
  s->blocks = g_ptr_array_new_with_free_func(g_free);
  return s;
}

scenario_source *scenario_source_read(const char *path, GError **error)
{
  g_autofree char *found =
      g_str_has_prefix(path, "scenarios/")
          ? program_files_path("scenarios", PROGRAM_SCENARIOS, path + strlen("scenarios/"), error)
          : g_strdup(path);

  if (found == NULL) {
    return NULL;
  }
  scenario_source *s = source_new();
  s->folder = g_path_get_dirname(found);
  if (!read_text(s, found, NULL)) {
    g_propagate_error(error, g_steal_pointer(&s->problem));
    g_clear_pointer(&s, scenario_source_free);
  }
  return s;
}

void scenario_source_free(scenario_source *s)
{
  if (s == NULL) {
    return;
  }
  while (s->in != NULL) {
    end_input(s);
  }
  g_free(s->folder);
  g_hash_table_unref(s->paths);
  g_string_free(s->full_text, TRUE);
  g_ptr_array_unref(s->texts);
  g_ptr_array_unref(s->blocks);
  g_clear_error(&s->problem);
  g_free(s);
}

const GPtrArray *scenario_source_texts(const scenario_source *s)
{
  return s->texts;
}

const char *scenario_source_full_text(const scenario_source *s)
{
  return s->full_text->str;
}

char *scenario_source_string(const char *text)
{
  scenario_source *s = source_new();
  source_setting string = {.parent = NULL};

  begin_input(s, (input){.path = "", .octets = g_strdup(text), .is_text = TRUE});
  const gboolean is_string =
      next(s) == '"' && read_string(s, &string) && next(s) == '\0' && s->problem == NULL;
  char *kept = is_string ? g_strdup(string.text) : NULL;
  scenario_source_free(s);
  return kept;
}

/* --- Settings --- */

char *setting_text(const source_setting *setting)
{
  if (setting->notation == SCENARIO_NOTATION_GROUP) {
    return g_strdup("{ ... }");
  }
  if (setting->notation != SCENARIO_NOTATION_LIST) {
    return g_strdup(setting->text);
  }
  /* A list of anything but scalars becomes a text that no key takes. */
  GString *text = g_string_new("[");
  for (const source_setting *element = setting->first; element != NULL; element = element->next) {
    g_autofree char *inner = setting_text(element);
    const char *quote = element->notation == SCENARIO_NOTATION_STRING ? "\"" : "";

    g_string_append_printf(text, "%s%s%s%s", element == setting->first ? "" : ",", quote, inner, quote);
  }
  g_string_append_c(text, ']');
  return g_string_free(text, FALSE);
}

const source_setting *setting_member(const source_setting *group, const char *name)
{
  const source_setting *member = group->first;

  while (member != NULL && strcmp(member->name, name) != 0) {
    member = member->next;
  }
  return member;
}

const char *setting_string(const source_setting *setting)
{
  return setting != NULL && setting->notation == SCENARIO_NOTATION_STRING ? setting->text : NULL;
}

char *setting_where(const source_setting *setting)
{
  return g_strdup_printf("%s:%u", setting->path, setting->line);
}

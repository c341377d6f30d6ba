/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the completions of shells, from the table of options (option_table.h). */
#include <string.h>

#include "option_table.h"

/* True if the argument of ROW is one of the words that are listed. */
static bool has_words(const struct option_row *row)
{
    return row->argument && (strchr(row->argument, '|') || row->takes == ARGUMENT_OPTIONAL);
}

/* Prints the words of the argument of ROW, with SEPARATOR between them. */
static void put_arguments(FILE *file, const struct option_row *row, char separator)
{
    for (const char *c = row->argument; *c; c++)
        fputc(*c == '|' ? separator : *c, file);
}

/* Prints TEXT as it stands within single quotes, for zsh without what has a meaning in _arguments. */
static void put_quoted(FILE *file, const char *text, bool zsh)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(zsh ? "'\\''" : "\\'", file);
        else if (zsh && strchr("[]:", *text))
            fprintf(file, "\\%c", *text);
        else
            fputc(*text, file);
    }
}

static void put_bash(FILE *file)
{
    fputs("# bash completion for pilgrim-decode, made by pilgrim-decode --completion=bash\n"
          "_pilgrim_decode()\n"
          "{\n"
          "    local cur=${COMP_LINE:0:COMP_POINT} words=\n"
          "    cur=${cur##* }\n"
          "    case $cur in\n",
          file);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (!has_words(row))
            continue;
        fprintf(file, "    --%s=*) words='", row->name);
        put_arguments(file, row, ' ');
        fputs("' ;;\n", file);
    }
    fputs("    --modules=*)\n"
          "        COMPREPLY=($(compgen -d -- \"${cur#*=}\"))\n"
          "        return ;;\n"
          "    --*=*) return ;;\n"
          "    -*)\n"
          "        compopt -o nospace 2>/dev/null\n"
          "        COMPREPLY=($(compgen -W '",
          file);
    for (size_t i = 0; i < option_row_count; i++)
        fprintf(file, "%s--%s%s", i ? " " : "", option_rows[i].name,
                option_rows[i].takes == ARGUMENT_REQUIRED ? "=" : "");
    fputs("' -- \"$cur\"))\n"
          "        return ;;\n"
          "    *)\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY=($(compgen -f -X '!*.pilgrim' -- \"$cur\") $(compgen -d -- \"$cur\"))\n"
          "        return ;;\n"
          "    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"${cur#*=}\"))\n"
          "}\n"
          "complete -F _pilgrim_decode pilgrim-decode\n",
          file);
}

static void put_zsh(FILE *file)
{
    fputs("#compdef pilgrim-decode\n"
          "# zsh completion for pilgrim-decode, made by pilgrim-decode --completion=zsh\n"
          "_arguments -s",
          file);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        static const char *const marks[] = {"", "=-", "="};
        fprintf(file, " \\\n    '--%s%s[", row->name, marks[row->takes]);
        put_quoted(file, row->help, true);
        fputc(']', file);
        if (row->argument) {
            fputs(row->takes == ARGUMENT_OPTIONAL ? "::" : ":", file);
            fputs(row->name, file);
            if (has_words(row)) {
                fputs(":(", file);
                put_arguments(file, row, ' ');
                fputc(')', file);
            } else {
                fputs(row->key == 'm' ? ":_files -/" : ": ", file);
            }
        }
        fputc('\'', file);
    }
    fputs(" \\\n    '*:trace:_files -g \"*.pilgrim\"'\n", file);
}

static void put_fish(FILE *file)
{
    fputs("# fish completion for pilgrim-decode, made by pilgrim-decode --completion=fish\n"
          "complete -c pilgrim-decode -f\n"
          "complete -c pilgrim-decode -a '(__fish_complete_suffix .pilgrim)'\n",
          file);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        fprintf(file, "complete -c pilgrim-decode -l %s", row->name);
        if (row->is_short)
            fprintf(file, " -s %c", row->key);
        if (row->takes == ARGUMENT_REQUIRED)
            fputs(" -x", file);
        if (has_words(row)) {
            fputs(" -a '", file);
            put_arguments(file, row, ' ');
            fputc('\'', file);
        }
        fputs(" -d '", file);
        put_quoted(file, row->help, false);
        fputs("'\n", file);
    }
}

bool option_completions(FILE *file, const char *shell)
{
    static const struct {
        const char *shell;
        void (*put)(FILE *file);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shell, shells[i].shell) == 0) {
            shells[i].put(file);
            return true;
        }
    }
    return false;
}

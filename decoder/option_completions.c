/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the completions of shells, from the table of options (option_table.h). */
#include <string.h>

#include "option_table.h"

/* True if the argument of ROW is one of the words that are listed. */
static bool has_words(const struct option_row *row)
{
    return row->argument && (strchr(row->argument, '|') || row->takes == ARGUMENT_OPTIONAL);
}

static bool needs_argument(const struct option_row *row)
{
    return row->takes == ARGUMENT_REQUIRED || row->takes == ARGUMENT_LIST;
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

/* Prints the options that need an argument, with SEPARATOR between them. */
static void put_required(FILE *file, const char *separator)
{
    const char *before = "";
    for (size_t i = 0; i < option_row_count; i++) {
        if (!needs_argument(&option_rows[i]))
            continue;
        fprintf(file, "%s--%s", before, option_rows[i].name);
        before = separator;
    }
}

/* The words of a line up to the cursor are taken from COMP_LINE, as COMP_WORDS is split at = and : too. What is offered
 * replaces what stands behind the last of these. */
static void put_bash(FILE *file)
{
    fputs("# bash completion for pilgrim-decode and pilgrim, made by pilgrim-decode --completion=bash\n"
          "_pilgrim_traces()\n"
          "{\n"
          "    local IFS=$'\\n'\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    COMPREPLY+=($(compgen -f -X '!*.pilgrim' -- \"$1\") $(compgen -d -- \"$1\"))\n"
          "}\n"
          "_pilgrim_decode()\n"
          "{\n"
          "    local cur before words= word list=\n"
          "    cur=${COMP_LINE:0:COMP_POINT}\n"
          "    before=${cur% *} before=${before##* } cur=${cur##* }\n"
          "    COMPREPLY=()\n"
          "    case $before in\n"
          "    ",
          file);
    put_required(file, "|");
    fputs(") [[ $cur == -* ]] || cur=$before=$cur ;;\n"
          "    esac\n"
          "    case $cur in\n",
          file);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (!has_words(row))
            continue;
        fprintf(file, "    --%s=*) words='", row->name);
        put_arguments(file, row, ' ');
        fputs(row->takes == ARGUMENT_LIST ? "' list=, ;;\n" : "' ;;\n", file);
    }
    fputs("    --modules=*)\n"
          "        local IFS=$'\\n'\n"
          "        cur=${cur#*=}\n"
          "        compopt -o filenames -o nospace 2>/dev/null\n"
          "        COMPREPLY=($(compgen -d -- \"${cur##*:}\"))\n"
          "        return ;;\n"
          "    --*=*) return ;;\n"
          "    -*)\n"
          "        compopt -o nospace 2>/dev/null\n"
          "        COMPREPLY=($(compgen -W '",
          file);
    for (size_t i = 0; i < option_row_count; i++)
        fprintf(file, "%s--%s%s", i ? " " : "", option_rows[i].name, needs_argument(&option_rows[i]) ? "=" : "");
    fputs("' -- \"$cur\"))\n"
          "        [[ ${#COMPREPLY[@]} -ne 1 || $COMPREPLY == *= ]] || COMPREPLY=(\"$COMPREPLY \")\n"
          "        return ;;\n"
          "    *)\n"
          "        _pilgrim_traces \"$cur\"\n"
          "        return ;;\n"
          "    esac\n"
          "    cur=${cur#*=}\n"
          "    if [[ $list ]]; then\n"
          "        compopt -o nospace 2>/dev/null\n"
          "        [[ $cur == *,* ]] && list=${cur%,*}, || list=\n"
          "        for word in $words; do\n"
          "            [[ ,$list == *,$word,* || ( $list && $word == path ) ]] || COMPREPLY+=($(compgen -W "
          "\"$list$word\" -- \"$cur\"))\n"
          "        done\n"
          "        return\n"
          "    fi\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "}\n"
          "_pilgrim()\n"
          "{\n"
          "    local line=${COMP_LINE:0:COMP_POINT} words cur\n"
          "    read -ra words <<<\"$line\"\n"
          "    [[ $line == *' ' ]] && words+=('')\n"
          "    cur=${words[${#words[@]}-1]}\n"
          "    COMPREPLY=()\n"
          "    case ${#words[@]}:${words[1]} in\n"
          "    2:* | 3:help)\n"
          "        words=$(compgen -c -- pilgrim- | sort -u)\n"
          "        COMPREPLY=($(compgen -W \"${words//pilgrim-/} help\" -- \"$cur\"))\n"
          "        [[ ${#words[@]} -gt 2 ]] || _pilgrim_traces \"$cur\" ;;\n"
          "    *:decode | *:*.pilgrim) _pilgrim_decode ;;\n"
          "    *) _pilgrim_traces \"$cur\" ;;\n"
          "    esac\n"
          "}\n"
          "complete -F _pilgrim_decode pilgrim-decode\n"
          "complete -F _pilgrim pilgrim\n",
          file);
}

static void put_zsh_argument(FILE *file, const struct option_row *row)
{
    fputs(row->takes == ARGUMENT_OPTIONAL ? "::" : ":", file);
    fputs(row->name, file);
    if (has_words(row)) {
        fputs(row->takes == ARGUMENT_LIST ? ":_sequence compadd - " : ":(", file);
        put_arguments(file, row, ' ');
        fputs(row->takes == ARGUMENT_LIST ? "" : ")", file);
    } else {
        fputs(row->key == 'm' ? ":_dir_list" : ": ", file);
    }
}

static void put_zsh(FILE *file)
{
    fputs("#compdef pilgrim-decode pilgrim\n"
          "# zsh completion for pilgrim-decode and pilgrim, made by pilgrim-decode --completion=zsh\n"
          "local -a names\n"
          "if [[ $service == pilgrim ]]; then\n"
          "    names=(${${(k)commands[(I)pilgrim-*]}#pilgrim-} help)\n"
          "    if (( CURRENT == 2 )); then\n"
          "        compadd -a names\n"
          "        _files -g '*.pilgrim'\n"
          "        return\n"
          "    fi\n"
          "    case $words[2] in\n"
          "    help) (( CURRENT == 3 )) && compadd -a names; return ;;\n"
          "    decode) shift words; (( CURRENT-- )) ;;\n"
          "    *.pilgrim) ;;\n"
          "    *) _files -g '*.pilgrim'; return ;;\n"
          "    esac\n"
          "fi\n"
          "_arguments -s",
          file);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        static const char *const marks[] = {"", "=-", "=", "="};
        fprintf(file, " \\\n    '--%s%s[", row->name, marks[row->takes]);
        put_quoted(file, row->help, true);
        fputc(']', file);
        if (row->argument)
            put_zsh_argument(file, row);
        fputc('\'', file);
    }
    fputs(" \\\n    '*:trace:_files -g \"*.pilgrim\"'\n", file);
}

static void put_fish(FILE *file)
{
    fputs(
        "# fish completion for pilgrim-decode and pilgrim, made by pilgrim-decode --completion=fish\n"
        "function __pilgrim_decodes\n"
        "    set -l words (commandline -opc)\n"
        "    string match -qr 'pilgrim-decode$' -- $words[1]; or string match -qr '^decode$|\\.pilgrim$' -- $words[2]\n"
        "end\n"
        "function __pilgrim_commands\n"
        "    complete -C pilgrim- | string replace -rf '^pilgrim-(\\S+).*' '$1'\n"
        "    echo help\n"
        "end\n"
        "function __pilgrim_list\n"
        "    set -l list (commandline -t | string replace -r '^--[a-z-]*=' '' | string replace -rf '(.*,).*' '$1')\n"
        "    set -l had (string split , -- \"$list\")\n"
        "    test -n \"$list\"; and set -a had path\n"
        "    for word in $argv\n"
        "        contains -- $word $had; or echo \"$list$word\"\n"
        "    end\n"
        "end\n"
        "complete -c pilgrim-decode -c pilgrim -f\n"
        "complete -c pilgrim-decode -c pilgrim -a '(__fish_complete_suffix .pilgrim)'\n"
        "complete -c pilgrim -n 'test (count (commandline -opc)) -eq 1' -a '(__pilgrim_commands)'\n"
        "complete -c pilgrim -n '__fish_seen_subcommand_from help' -a '(__pilgrim_commands)'\n",
        file);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        fprintf(file, "complete -c pilgrim-decode -c pilgrim -n __pilgrim_decodes -l %s", row->name);
        if (row->is_short)
            fprintf(file, " -s %c", row->key);
        if (needs_argument(row))
            fputs(" -x", file);
        if (has_words(row)) {
            fputs(row->takes == ARGUMENT_LIST ? " -a '(__pilgrim_list " : " -a '", file);
            put_arguments(file, row, ' ');
            fputs(row->takes == ARGUMENT_LIST ? ")'" : "'", file);
        } else if (row->key == 'm') {
            fputs(" -a '(__fish_complete_directories)'", file);
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

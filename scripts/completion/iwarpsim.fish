# Completion of iwarpsim for fish, made by scripts/manual.
set -g __iwarpsim_program @PROGRAM@
set -g __iwarpsim_table @TABLE@

function __iwarpsim_complete
    set -l words (commandline -opc)
    set -lx IWARPSIM_WORDS (string join \n -- $words[2..] | string collect)
    set -lx IWARPSIM_WORD (commandline -ct | string trim -l -c '"\'')
    for row in (printf '%s\n' $__iwarpsim_table | awk $__iwarpsim_program)
        if string match -q \t'*' -- $row
            set -l part (string replace -r '^--[^=]*=' '' -- $IWARPSIM_WORD)
            set -l head (string match -r '^--[^=]*=' -- $IWARPSIM_WORD)
            set -l extensions (string split ' ' -- (string trim -- $row))
            for path in (complete -C "'' $part")
                if test $row = \t; or string match -q '*/' -- $path
                    or contains -- (string split -r -m1 . -- $path)[-1] $extensions
                    echo "$head$path"
                end
            end
        else
            printf '%s\n' $row
        end
    end
end

complete -c iwarpsim -f -a '(__iwarpsim_complete)'

import { Argument, type Command } from 'commander'
import { exampleLines } from './commands.ts'

/** What may follow the words typed so far: subcommands and options, or the values of an option. */
type Step = { readonly path: string; readonly words: readonly string[] }

/** Instead of words: `@files`, which none begins with, completes file names; `@nothing` follows an option that takes free text. */
const files = '@files'
const nothing = '@nothing'

const takesFile = (flags: string): boolean => /<(?:file|path)>/.test(flags)

const optionWords = (command: Command): string[] =>
  command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))

const stepsOf = (command: Command, path: string, everywhere: readonly string[]): Step[] => {
  const inner = command.commands.filter((each) => each.name() !== 'help')
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const options = [...optionWords(command), ...everywhere, '--help']
  const choices = command.options.flatMap(({ long, flags, argChoices, required, optional }) => {
    if (!long || (!required && !optional)) return []
    return [{ path: `${path} ${long}`, words: argChoices ?? [takesFile(flags) ? files : nothing] }]
  })
  return [
    { path, words: [...new Set([...inner.map((each) => each.name()), ...values, ...options])] },
    ...choices,
    ...inner.flatMap((each) => stepsOf(each, `${path} ${each.name()}`, everywhere)),
  ]
}

const caseLines = (steps: readonly Step[]): string =>
  steps.map(({ path, words }) => `    "${path}") found="${words.join(' ')}" ;;`).join('\n')

// The words typed so far, without options and their values, name the step; after an option its values come first. zsh
// runs this script, too, and reserves the names `path` and `words`.
const bash = (steps: readonly Step[]): string => `_payin() {
  local place=payin found="" word previous="\${COMP_WORDS[COMP_CWORD-1]}" current="\${COMP_WORDS[COMP_CWORD]}"
  _payin_words() {
    found=""
    case "$1" in
${caseLines(steps)}
    esac
  }
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    _payin_words "$place"
    case " $found " in *" $word "*) [[ $word == -* ]] || place="$place $word" ;; esac
  done
  _payin_words "$place $previous"
  [[ $previous == -* && -n $found ]] || _payin_words "$place"
  COMPREPLY=()
  [[ $found != ${nothing} ]] || return 0
  for word in $found; do
    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done
  [[ -n "\${COMPREPLY[*]}" ]] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _payin payin
`

const zsh = (steps: readonly Step[]): string => `#compdef payin
autoload -U +X bashcompinit && bashcompinit
${bash(steps)}`

const shells: Readonly<Record<string, (steps: readonly Step[]) => string>> = { bash, zsh }

/** Adds `payin completion`, which writes a shell script that completes all commands and options of the program. */
export const addCompletion = (program: Command, write: (text: string) => void): void => {
  program
    .command('completion')
    .description('Write a script that completes commands in a shell: bash or zsh.')
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .addHelpText('after', exampleLines(['source <(payin completion bash)      (in ~/.bashrc; zsh: in ~/.zshrc)']))
    .action((shell: string) => {
      write(shells[shell]?.(stepsOf(program, 'payin', optionWords(program))) ?? '')
    })
}

// Completion in the shells themselves: what they make of a line when Tab is pressed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runPayin } from './support/run-payin.ts'

const folder = mkdtempSync(join(tmpdir(), 'payin-completion-'))
after(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'january.xml'), '')

const shells = ['bash', 'zsh'] as const
type Shell = (typeof shells)[number]

const isThere = (shell: Shell): boolean => spawnSync(shell, ['--version']).status === 0

const scriptOf = async (shell: Shell): Promise<string> => {
  const { code, out, error } = await runPayin(['completion', shell])
  assert.equal(code, 0, error)
  const file = join(folder, `payin.${shell}`)
  writeFileSync(file, out)
  return file
}

const ask = (shell: Shell, words: readonly string[]): string[] => {
  const { stdout, stderr, status } = spawnSync(shell, words, { encoding: 'utf8', cwd: folder, timeout: 60_000 })
  assert.equal(status, 0, stderr)
  return stdout.split('\n').filter((line) => line !== '')
}

// A shell in a terminal of its own: Tab completes a line, and a key prints what has become of it.
const zshInTerminal = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=''; autoload -Uz compinit && compinit -u -D; source $1
  show() { print -r -- \\"LINE[\\$BUFFER]\\"; BUFFER=''; }; zle -N show; bindkey '^X' show; print READY"
zpty -r z out '*READY*'
zpty -n -w z "$2"$'\\t'$'\\x18'
zpty -r z out '*LINE\\[*\\]*'
print -r -- "\${\${out##*LINE\\[}%%\\]*}"
zpty -d z`

/** What each shell offers for the last word of a line. */
const offers: Readonly<Record<Shell, (file: string, line: string) => string[]>> = {
  bash: (file, line) =>
    ask('bash', [
      '-c',
      `source "$1"; COMP_WORDS=($2); [[ $2 == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _payin; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ...['bash', file, line],
    ]),
  // It completes what is the only one.
  zsh: (file, line) => ask('zsh', ['-f', '-c', zshInTerminal, 'zsh', file, line]).map((made) => made.trim()),
}

const lines: [line: string, offered: string][] = [
  ['payin tra', 'transfers'],
  ['payin transfers dec', 'decide'],
  ['payin settlements list --status dr', 'draft'],
  ['payin alerts channels ema', 'email'],
  ['payin requisites add --file jan', 'january.xml'],
  ['payin transfers decide --file jan', 'january.xml'],
]

for (const shell of shells) {
  const skip = isThere(shell) ? false : `no ${shell} on this machine: install it to try its completion`
  test(`${shell} completes commands, options, their values and files`, { skip }, async () => {
    const file = await scriptOf(shell)
    // A terminal takes its time.
    for (const [line, offered] of shell === 'zsh' ? lines.slice(2, 5) : lines) {
      const made = offers[shell](file, line)
      const whole = line.replace(/\S+$/, offered)
      assert.deepEqual(made, [shell === 'zsh' ? whole : offered], line)
    }
    if (shell === 'zsh') return
    assert.deepEqual(offers[shell](file, 'payin transfers decide --reason '), [], 'nothing for a free text')
    assert.deepEqual(offers[shell](file, 'payin transfers assign bank-77 --to'), ['--to', '--token'])
  })
}

test('every command explains itself, and none gives another meaning to an option that all have', async () => {
  const visit = async (path: readonly string[]): Promise<number> => {
    const { code, out } = await runPayin([...path, '--help'])
    assert.equal(code, 0, path.join(' '))
    assert.match(out, /^Usage: payin/)
    const [own = '', inner = ''] = out.split(/^Commands:$/m)
    if (path.length > 0) {
      const [options = ''] = own.split(/^Global Options:$/m)
      assert.ok(!/^ {2}--(?:url|token|json|wide)\b/m.test(options), path.join(' '))
      assert.ok((options.split('\n')[2] ?? '') !== '', `${path.join(' ')} has no description`)
    }
    const names = [...(inner.split(/^Examples:$/m)[0]?.matchAll(/^ {2}([a-z-]+)/gm) ?? [])].map(
      ([, name]) => name ?? '',
    )
    let count = 1
    for (const name of names) if (name !== 'help') count += await visit([...path, name])
    return count
  }
  assert.ok((await visit([])) > 120)
})

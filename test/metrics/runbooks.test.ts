// Every command of payin in the guides for operators and administrators, and in the examples of its help, exists as it
// is written: people copy it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runPayin } from '../support/run-payin.ts'

const root = join(import.meta.dirname, '..', '..')

/** Commands in a page: those set as code, and lines of samples. */
const commandsIn = (page: string): string[] =>
  [
    ...page.matchAll(
      /`(?:runuser -u payin -- )?payin ([^`]+)`|^ *(?:runuser -u payin -- |(?:[A-Z_]+=\S+ )*)payin (.+)$/gm,
    ),
  ].map(([, inline, line]) => (inline ?? line ?? '').replace(/\s+#.*$/, ''))

/** What is wrong with a command, by its help. */
const faultOf = async (typed: string): Promise<string | undefined> => {
  const bare = typed.replaceAll(/"[^"]*"/g, '<text>')
  if (bare === '--version') return undefined
  const words = bare.split(/[\s=]+/)
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
  const path = end < 0 ? words : words.slice(0, end)
  const { out } = await runPayin([...path, '--help'])
  const [, found = '', given = ''] = /^Usage: payin((?: [a-z-]+)*) \[options\](.*)$/m.exec(out) ?? []
  const depth = found.trim() === '' ? 0 : found.trim().split(' ').length
  if (depth === 0) return typed
  if (depth < path.length && !/[<[](?!command)/.test(given)) return typed
  const options = words.filter((word) => word.startsWith('--'))
  const unknown = options.filter((option) => !out.includes(`${option} `) && !out.includes(`${option}\n`))
  return unknown.length > 0 ? `${typed}: ${unknown.join()}` : undefined
}

const readAll = (of: string): string[] =>
  globSync(of, { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))

const faultsOf = async (commands: readonly string[]): Promise<string[]> => {
  const faults: string[] = []
  for (const typed of new Set(commands)) {
    const fault = await faultOf(typed)
    if (fault !== undefined) faults.push(fault)
  }
  return faults
}

test('every command in the guides exists, with its options', async () => {
  const commands = readAll('docs/{,operate/}*.md')
    .flatMap(commandsIn)
    .filter((typed) => !typed.startsWith('…'))
  assert.ok(commands.length > 150, `${commands.length}`)
  assert.deepEqual(await faultsOf(commands), [])
})

test('every example of a help exists, with its options', async () => {
  const sources = readAll('src/{cli,operations}/**/*.ts')
  const examples = sources.flatMap((source) =>
    [...source.matchAll(/^ +'payin (.+)',$/gm)].map(([, typed = '']) => typed),
  )
  const commands = examples.flatMap((typed) => typed.split(' && payin ')).map((typed) => typed.replace(/ > .*/, ''))
  assert.ok(commands.length > 100, `${commands.length}`)
  assert.deepEqual(await faultsOf(commands), [])
})

test('the check finds commands and options that do not exist', async () => {
  assert.equal(await faultOf('rates lst'), 'rates lst')
  assert.equal(await faultOf('ratess list'), 'ratess list')
  assert.equal(await faultOf('disputes list --undecide'), 'disputes list --undecide: --undecide')
  assert.equal(await faultOf('doctor'), undefined)
  assert.equal(await faultOf('alerts rules set invariant-broken --enabled yes'), undefined)
})

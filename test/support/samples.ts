// Samples of the documentation: finds them in its pages, and runs them as a reader would.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeLibrary } from '../../scripts/pack.ts'
import { until } from './waiting.ts'

const root = resolve(import.meta.dirname, '..', '..')

export const sampleLanguages = ['sh', 'ts', 'python', 'php'] as const
export type SampleLanguage = (typeof sampleLanguages)[number]

/** A fenced block of a page. */
export type Block = {
  readonly language: string
  /** The file to save it as, or `run` for a command. */
  readonly file: string | undefined
  readonly source: string
  /** Whether it is one of several blocks with the same sample in different languages. */
  readonly isChoice: boolean
  /** The heading above it. */
  readonly heading: string
}

const isSample = (language: string): boolean => sampleLanguages.some((each) => each === language)

/** All fenced blocks of a page, in order. */
export const blocksOf = (markdown: string): readonly Block[] => {
  const found = [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$|^#+ (.+)$/gm)]
  let heading = ''
  const blocks = found.flatMap(({ 1: language, 2: file, 3: source = '', 4: title, index, 0: all }) => {
    if (title !== undefined) heading = title
    return language === undefined ? [] : [{ language, file, source, heading, from: index, to: index + all.length }]
  })
  return blocks.map(({ from, to, ...block }, index) => {
    const touches = (other: (typeof blocks)[number] | undefined, between: string): boolean =>
      other !== undefined && isSample(other.language) && between.trim() === ''
    const [before, after] = [blocks[index - 1], blocks[index + 1]]
    const isChoice =
      touches(before, markdown.slice(before?.to ?? 0, from)) || touches(after, markdown.slice(to, after?.from))
    return { ...block, isChoice: isSample(block.language) && isChoice }
  })
}

let sdk: string | undefined

/** The SDK as published, built once. */
export const buildSdk = (): string => {
  if (sdk !== undefined) return sdk
  sdk = mkdtempSync(join(tmpdir(), 'payin-sdk-'))
  writeLibrary(join(root, 'sdk'), sdk)
  return sdk
}

/** Removes what `buildSdk` has built. */
export const removeSdk = (): void => {
  if (sdk !== undefined) rmSync(sdk, { recursive: true, force: true })
  sdk = undefined
}

const commands: Readonly<Record<SampleLanguage, (file: string) => readonly [string, ...string[]]>> = {
  sh: (file) => ['sh', '-eu', file],
  ts: (file) => [process.execPath, file],
  python: (file) => ['python3', file],
  php: (file) => ['php', '-d', 'display_errors=stderr', file],
}
const endings: Readonly<Record<SampleLanguage, string>> = { sh: 'sh', ts: 'ts', python: 'py', php: 'php' }

/** The output of a program, and its exit code. */
export type Run = { readonly code: number | null; readonly output: string }

/**
 * Programs that run files whose names they read, one after another, and print after each whether it has ended well: to
 * start these interpreters and load what samples import takes longer than most samples.
 */
const sessions: Readonly<Partial<Record<SampleLanguage, string>>> = {
  ts: `import { createInterface } from 'node:readline'
for await (const file of createInterface({ input: process.stdin })) {
  const code = await import('./' + file).then(() => 0, (error) => (console.error(error), 1))
  console.log()
  console.log('ended with ' + code)
}`,
  python: `import runpy, sys, traceback
for file in sys.stdin:
    code = 0
    try:
        runpy.run_path(file.strip(), run_name='__main__')
    except BaseException:
        traceback.print_exc()
        code = 1
    print()
    print('ended with', code, flush=True)
`,
}

/** A program that runs, and its output so far. */
type Started = { readonly child: ChildProcess; output: string }

/** The folder in which a reader tries samples in one language, and the environment of the terminal. */
export class Reader {
  readonly folder = mkdtempSync(join(tmpdir(), 'payin-reader-'))
  readonly language: SampleLanguage
  readonly environment: Record<string, string>
  readonly #background: Started[] = []
  #session: Started | undefined
  #count = 0

  constructor(language: SampleLanguage, environment: Record<string, string>) {
    this.language = language
    // The environment contains the interpreters' settings and none of ours.
    const { PATH = '', HOME = '', PYENV_ROOT = '' } = process.env
    this.environment = { PATH, HOME, ...(PYENV_ROOT && { PYENV_ROOT }), ...environment }
    if (language !== 'ts') return
    mkdirSync(join(this.folder, 'node_modules'))
    symlinkSync(buildSdk(), join(this.folder, 'node_modules/payin-sdk'))
    writeFileSync(join(this.folder, 'package.json'), '{ "type": "module" }')
  }

  save(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.folder, name), content)
  }

  #spawn([program, ...parameters]: readonly [string, ...string[]], input: 'ignore' | 'pipe' = 'ignore'): Started {
    const child = spawn(program, parameters, {
      cwd: this.folder,
      env: this.environment,
      stdio: [input, 'pipe', 'pipe'],
    })
    const started = { child, output: '' }
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (started.output += text))
    return started
  }

  async #run(command: readonly [string, ...string[]]): Promise<Run> {
    const started = this.#spawn(command)
    const timer = setTimeout(() => started.child.kill('SIGKILL'), 60_000)
    await once(started.child, 'close')
    clearTimeout(timer)
    return { code: started.child.exitCode, output: started.output }
  }

  /** Runs a source as a file of its language. */
  run(source: string, language = this.language): Promise<Run> {
    const name = `sample-${++this.#count}.${endings[language]}`
    this.save(name, source)
    return this.#run(commands[language](name))
  }

  /** Runs a source as a file of its language, where possible in one process with the sources before it. */
  async runNext(source: string): Promise<Run> {
    const program = sessions[this.language]
    if (program === undefined) return this.run(source)
    if (this.#session === undefined || this.#session.child.exitCode !== null) {
      const name = `session.${endings[this.language]}`
      this.save(name, program)
      // What it writes keeps its order.
      this.#session = this.#spawn(['sh', '-c', 'exec "$0" "$1" 2>&1', ...commands[this.language](name)], 'pipe')
      this.#background.push(this.#session)
    }
    const session = this.#session
    const name = `sample-${++this.#count}.${endings[this.language]}`
    this.save(name, source)
    session.output = ''
    session.child.stdin?.write(`${name}\n`)
    const ended = (): RegExpExecArray | null => /^ended with (\d)\n/m.exec(session.output)
    await until('a sample has ended', () => ended() !== null || session.child.exitCode !== null, 60_000)
    return { code: session.child.exitCode ?? Number(ended()?.[1]), output: session.output }
  }

  #words(line: string): readonly [string, ...string[]] {
    const [program = '', ...rest] = line.trim().split(' ')
    return [program === 'node' ? process.execPath : program, ...rest]
  }

  /** Runs a line in the terminal. */
  type(line: string): Promise<Run> {
    return this.#run(this.#words(line))
  }

  /** Runs a line in the background; returns a function that returns its output so far. */
  start(line: string): () => string {
    const started = this.#spawn(this.#words(line))
    this.#background.push(started)
    return () => started.output
  }

  async close(): Promise<void> {
    for (const { child } of this.#background) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

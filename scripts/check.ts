// `npm run check`: every check that does not run the code, in seconds.
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const binary = (name: string) => join(root, 'node_modules', '.bin', name)

type Tool = { readonly name: string; readonly command: readonly [string, ...string[]] }

// The slowest come first, so that the two lanes end together.
const tools: readonly Tool[] = [
  { name: 'lint (oxlint)', command: [binary('oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'types (tsc)', command: [binary('tsc'), '--noEmit', '--checkers', '1'] },
  {
    name: 'types of the console (tsc)',
    command: [binary('tsc'), '--noEmit', '--checkers', '1', '--project', 'console'],
  },
  {
    name: 'house rules (test/tidy.test.ts)',
    command: [process.execPath, '--test', '--test-reporter=spec', 'test/tidy.test.ts'],
  },
  { name: 'unused code (knip)', command: [binary('knip'), '--no-progress', '--no-config-hints'] },
  { name: 'format (biome)', command: [binary('biome'), 'format', '.'] },
]
const lanes = 2

// The compiler and the linter are written in Go. Each of their threads resolves all the types that it needs, so one
// thread per lane takes half the processor time of two; and in such a short run, garbage need not be collected often.
const goSettings = { GOMAXPROCS: '1', GOGC: '400' }

type Result = { readonly tool: Tool; readonly failed: boolean; readonly output: string }

async function run(tool: Tool): Promise<Result> {
  const [program, ...args] = tool.command
  const startedAt = performance.now()
  // Inside a test runner's process, an inner test runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...ours } = process.env
  const env: NodeJS.ProcessEnv = { ...goSettings, ...ours }
  if (process.stdout.isTTY) env['FORCE_COLOR'] = '1'
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const failed = await new Promise<boolean>((done) => {
    child.on('error', (error) => {
      output += error.message
      done(true)
    })
    child.on('close', (code) => done(code !== 0))
  })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${failed ? '✖' : '✔'} ${tool.name.padEnd(34)} ${seconds} s`)
  return { tool, failed, output }
}

async function main(): Promise<void> {
  const waiting = [...tools]
  const results: Result[] = []
  const lane = async () => {
    for (let tool = waiting.shift(); tool !== undefined; tool = waiting.shift()) results.push(await run(tool))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  for (const { tool, output } of results.filter(({ failed }) => failed)) {
    console.log(`\n── ${tool.name}\n${output.trim()}`)
  }
  if (results.some(({ failed }) => failed)) process.exitCode = 1
}

await main()

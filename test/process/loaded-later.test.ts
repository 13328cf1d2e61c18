// Packages that few processes need are loaded with their first use: each takes memory and time from every start.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const later = ['undici', 'better-auth', 'nodemailer', 'imapflow', 'ssh2', 'aws4fetch', 'saxes', 'typebox/build/value']

/** Prints the addresses of all modules that loading the service loads. */
const script = `
import { registerHooks } from 'node:module'
registerHooks({
  load: (url, context, next) => {
    console.log(url)
    return next(url, context)
  },
})
await import('./src/process/start-service.ts')
process.exit()
`

const run = (text: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', text], {
    cwd: join(import.meta.dirname, '..', '..'),
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })

/** The package of the connections cannot be loaded the first time, for instance because too many files are open. */
const failingOnce = `
import { registerHooks } from 'node:module'
let loads = 0
registerHooks({
  load: (url, context, next) => {
    if (url.endsWith('/undici/index.js') && loads++ === 0) throw new Error('too many open files')
    return next(url, context)
  },
})
const { GuardedAgents } = await import('./src/gateways/guarded-agent.ts')
const agents = new GuardedAgents({ clock: Date.now, timeoutMs: 60_000 })
const send = async () => {
  const { error } = await agents.exchange('http://127.0.0.1:1/', 'loopback', { method: 'GET' }, { maxBytes: 1000 })
  return error.code ?? error.message
}
console.log(await send())
console.log(await send())
await agents.close()
console.log(await send())
`

test('connections whose package could not be loaded try again, and refuse requests after their end', () => {
  assert.deepEqual(run(failingOnce).trim().split('\n'), [
    'too many open files',
    'ECONNREFUSED',
    'the connections are closed',
  ])
})

test('a start does not load the packages that are loaded with their first use', () => {
  const output = run(script)
  assert.match(output, /node_modules\/fastify\//)
  assert.deepEqual(
    later.filter((name) => output.includes(`/node_modules/${name}/`)),
    [],
  )
})

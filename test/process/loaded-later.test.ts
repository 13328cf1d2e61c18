// Packages that few processes need are loaded with their first use: each takes memory and time from every start.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const later = ['undici', 'marked', 'highlight.js', 'better-auth', 'nodemailer', 's3mini', 'typebox/build/value']

/** Prints the addresses of all modules that loading the service loads. */
const script = `
import { registerHooks } from 'node:module'
registerHooks({
  load: (url, context, next) => {
    console.log(url)
    return next(url, context)
  },
})
await import('./src/start-service.ts')
process.exit()
`

test('a start does not load the packages that are loaded with their first use', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: join(import.meta.dirname, '..', '..'),
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
  assert.match(output, /node_modules\/fastify\//)
  assert.deepEqual(
    later.filter((name) => output.includes(`/node_modules/${name}/`)),
    [],
  )
})

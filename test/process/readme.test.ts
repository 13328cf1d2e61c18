import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { freePort, startProcess } from '../support/process.ts'
import { cloneEmbedded } from '../support/templates.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = readme
  .split('```')
  .filter((_, index) => index % 2 === 1)
  .filter((block) => block.startsWith('sh\n'))
  .map((block) => block.slice(3))

test('the commands of the README work as they stand there, from the first payment to a live merchant', async (t) => {
  const dataDir = await cloneEmbedded()
  const port = await freePort()
  const service = await startProcess({ PORT: String(port), PAYIN_DATA_DIR: dataDir })
  t.after(async () => {
    await service.end('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })
  const token = /payin_test_\w+/.exec(service.output())?.[0] ?? ''
  const env = { ...process.env, PAYIN_DATA_DIR: dataDir, PAYIN_URL: `http://127.0.0.1:${port}` }
  const sh = async (script: string): Promise<string> => {
    const here = script
      .replace(/^TOKEN=\S+/m, `TOKEN=${token}`)
      .replaceAll('localhost:8080', `127.0.0.1:${port}`)
      .replaceAll('npx payin', `'${process.execPath}' bin/payin.cjs`)
    return (await run('sh', ['-euc', here], { cwd: root, env })).stdout
  }
  const [first = '', outcome = '', live = '', ...rest] = blocks
  const payment = JSON.parse(await sh(first)) as { card: { id: string } }
  const answers = await sh(first.slice(0, first.indexOf('curl')) + outcome)
  assert.match(answers, /"status":"paid"/)
  assert.match(answers, /"acknowledgedAt"/)
  await sh(live)
  for (const block of rest) {
    await sh(block.replace('<card.id>', payment.card.id).replace('<bank-reference>', 'bank-1'))
  }
})

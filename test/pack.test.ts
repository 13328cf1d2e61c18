// What npm gets of a package works where Node.js runs no TypeScript: in node_modules, next to its dependencies only.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { pack } from '../scripts/pack.ts'
import { csvOf } from '../packages/bank-files/test/support/made-files.ts'

const root = resolve(import.meta.dirname, '..')

test('bank-files reads files as a library and as a command, in a project of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  try {
    const modules = join(folder, 'node_modules')
    mkdirSync(modules)
    pack(join(root, 'packages/bank-files'), join(modules, 'bank-files'))
    for (const name of ['csv-parse', 'saxes', 'xmlchars'])
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
    const rows = [{ minor: 5_00n, date: '2026-01-30' }]
    writeFileSync(join(folder, 'a.csv'), csvOf({ account: '40702810900000000001', rows }))
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      return stdout
    }
    assert.equal(JSON.parse(run('node_modules/bank-files/command.js', 'a.csv', '--json')).entries[0].amount, 500)
    const script = `import { readFileSync } from 'node:fs'
      import { readBankFile } from 'bank-files'
      import { formatDecimal } from 'bank-files/pure'
      const { entries } = await readBankFile(readFileSync('a.csv'))
      console.log(formatDecimal(entries[0].amount, 2))`
    assert.equal(run('--input-type=module', '--eval', script), '5.00\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('bank-messages reads messages as a library and as a command, in a project of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  try {
    const modules = join(folder, 'node_modules')
    mkdirSync(modules)
    pack(join(root, 'packages/bank-messages'), join(modules, 'bank-messages'))
    const message = {
      channel: 'sms',
      sender: 'VTB',
      text: 'Поступление 200р Счет*6826 от ИСМАИЛ Д. Баланс 9.64р 05:14',
    }
    writeFileSync(join(folder, 'a.jsonl'), JSON.stringify(message))
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      return stdout
    }
    assert.equal(JSON.parse(run('node_modules/bank-messages/command.js', '--json', 'a.jsonl')).amount, '200.00')
    const script = `import { readMessage } from 'bank-messages'
      console.log(readMessage(${JSON.stringify(message)}).balance)`
    assert.equal(run('--input-type=module', '--eval', script), '9.64\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

// The package as others use it: the examples of its README, and the command.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'

const packageFolder = resolve(import.meta.dirname, '..')
const line = (message: object): string => `${JSON.stringify(message)}\n`
const credit = { channel: 'sms', sender: '900', text: 'СЧЁТ5082 11:59 Перевод 2460р от Глеб Н. Баланс: 9 325.7р' }

describe('in a folder', () => {
  let folder = ''
  const run = (args: readonly string[], input = '') => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', input })
    return { status, stdout, stderr }
  }
  const command = (args: readonly string[], input?: string) =>
    run([join(packageFolder, 'bin/bank-messages.ts'), ...args], input)
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'bank-messages-'))
    symlinkSync(resolve(packageFolder, '../../node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'messages.jsonl'), line(credit) + line({ ...credit, sender: 'Сбер 900', title: null }))
  })
  after(() => rmSync(folder, { recursive: true }))

  test('the examples of the README do what it says', () => {
    const examples = readFileSync(join(packageFolder, 'README.md'), 'utf8').matchAll(/^```ts\n([^]*?)^```/gm)
    const [first = '', second = ''] = Array.from(examples, ([, example = '']) => example)
    writeFileSync(
      join(folder, 'first.mts'),
      first.replace('bank-messages', join(packageFolder, 'src/bank-messages.ts')),
    )
    writeFileSync(
      join(folder, 'second.mts'),
      second.replace('bank-messages', join(packageFolder, 'src/bank-messages.ts')),
    )
    assert.match(run(['first.mts']).stdout, /^\{\s+kind: 'credit',[^}]+amount: '2460.00',[^}]+\}\nunknown\n$/)
    assert.equal(run(['second.mts']).stdout, 'Вам пришло {amount} Остаток {balance}\n20000.00\n21500.00\n')
  })

  test('the command prints a line for each message, in order', () => {
    const { status, stdout, stderr } = command(['messages.jsonl'])
    assert.deepEqual([status, stderr], [0, ''])
    assert.equal(stdout, 'credit  2460.00 rub  5082  Глеб Н.  balance 9325.70\nunknown\n')
  })

  test('with --json it prints a document for each, also from the standard input', () => {
    const { status, stdout } = command(['--json'], line(credit))
    assert.equal(status, 0)
    assert.deepEqual(JSON.parse(stdout), {
      kind: 'credit',
      bank: 'sberbank',
      amount: '2460.00',
      currency: 'rub',
      account: '5082',
      balance: '9325.70',
      fee: null,
      senderName: 'Глеб Н.',
      senderBank: null,
      senderPhone: null,
      at: '11:59',
      comment: null,
    })
  })

  test('a line that is no message is unknown, and is reported', () => {
    const { status, stdout, stderr } = command(
      [],
      `{\n${line({ channel: 'post' })}null\n${line({ ...credit, title: 5 })}${line(credit)}`,
    )
    assert.deepEqual(
      [status, stdout.split('\n').map((each) => each.slice(0, 7))],
      [1, ['unknown', 'unknown', 'unknown', 'unknown', 'credit ', '']],
    )
    assert.deepEqual(stderr.trim().split('\n'), [
      'Line 1: it is not JSON',
      'Line 2: channel is not "sms" or "push"',
      'Line 3: it is not an object',
      'Line 4: sender, package, title or text is not a text',
    ])
  })

  test('what is wrong goes to the standard error, with the exit code 1', () => {
    for (const [args, reason] of [
      [['a', 'b'], /^Name one file\./],
      [['missing.jsonl'], /^ENOENT/],
      [['--cost'], /^Unknown option '--cost'/],
    ] as const) {
      const { status, stdout, stderr } = command(args)
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, reason)
    }
    assert.match(command(['--help']).stdout, /^bank-messages \[--json\]/)
  })
})

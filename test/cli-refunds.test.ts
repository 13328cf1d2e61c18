// Refunds that an operator sends with a file for the bank, at a terminal.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openRefundDesk, payerAccount } from './support/refund-desk.ts'
import { payinOf } from './support/run-payin.ts'
import { shareService } from './support/shared-service.ts'

const opened = shareService()
const folder = mkdtempSync(join(tmpdir(), 'payin-refunds-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a file for the bank is saved for its owner only, and what is not in it is shown with the reason', async () => {
  const desk = await openRefundDesk(opened())
  await desk.approved(1)
  await desk.approved(2, {}, { senderName: 'Қодиров Ўткир' })
  const payin = (words: readonly string[], environment = {}) =>
    payinOf(opened())(['refunds', 'bank-file', ...words], { folder, columns: 100, environment })
  const words = ['--from', desk.requisiteId, '--format', '1c', '--reason', 'today']
  const path = join(folder, 'refunds.txt')

  // Nothing is sent if the file cannot be written.
  writeFileSync(path, '')
  const refused = await payin([...words, '--output', 'refunds.txt'])
  assert.deepEqual(
    [refused.code, refused.error],
    [2, 'refunds.txt cannot be written: the file already exists. Give another --output.\n'],
  )
  rmSync(path)

  const { code, out, error } = await payin([...words, '--output', 'refunds.txt'])
  assert.deepEqual([code, error], [0, ''])
  assert.match(out, /^Bank file +1\n/)
  assert.match(out, /\nRefunds:\n[^]*refund-1 +[^]*\nLeft out:\n[^]*refund-2 +[^]*does not have: Қ/)
  assert.match(out, /\nNot in the file, for the reasons above: 1\.\nSaved \d+ bytes to refunds\.txt\.\n$/)
  assert.ok(!out.includes(payerAccount(1)) && !out.includes('Content'), out)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const saved = new TextDecoder('windows-1251').decode(readFileSync(path))
  assert.ok(saved.includes(`ПолучательСчет=${payerAccount(1)}\r\n`), saved)

  const again = await payin([...words, '--again', '1', '--output', 'again.txt', '--json'])
  assert.equal(JSON.parse(again.out).bankFile, 1)
  assert.deepEqual(readFileSync(join(folder, 'again.txt')), readFileSync(path))

  // Only the one that no file can have is left.
  const nothing = await payin([...words, '--output', 'nothing.txt'], { LANG: 'ru_RU.UTF-8' })
  assert.equal(nothing.code, 1, nothing.error)
  assert.match(nothing.out, / В имени есть символ, которого нет в этом\n +формате: Қ\n\nФайл не записан: /)
  assert.equal(existsSync(join(folder, 'nothing.txt')), false)
})

// What an operator reads when a command is refused: the value that is wrong and what to do next, for people and as JSON.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openDestination } from './support/destination.ts'
import { payinOf } from './support/run-payin.ts'
import { shareService } from './support/shared-service.ts'
import { openShop, payIn } from './support/shop.ts'

const opened = shareService()
const folder = mkdtempSync(join(tmpdir(), 'payin-refusals-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A command line as one types it, the exit code, the code of the refusal, and what it says. */
type Case = readonly [line: string, exitCode: 1 | 2 | 3, code: string, says: RegExp]

const toWords = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, text, word]) => text ?? word ?? '')

const assertRefusals = async (cases: readonly Case[]): Promise<void> => {
  const payin = payinOf(opened())
  for (const [line, exitCode, code, says] of cases) {
    const words = toWords(line)
    const ended = await payin(words, { folder })
    assert.deepEqual({ code: ended.code, out: ended.out }, { code: exitCode, out: '' }, `${line}\n${ended.error}`)
    assert.match(ended.error, says, line)
    assert.ok(!/\n\s+at |undefined|\[object/.test(ended.error), ended.error)
    const asJson = await payin([...words, '--json'], { folder })
    assert.equal(asJson.out, '', line)
    const problem = JSON.parse(asJson.error)
    assert.deepEqual([problem.code, problem.exitCode, typeof problem.detail], [code, exitCode, 'string'], line)
  }
}

test('what is not there is named, with the command that lists what is', async () => {
  const unknown: readonly (readonly [line: string, listedBy: string])[] = [
    ['merchants show nobody', 'merchants list'],
    ['payments show nobody', 'payments list'],
    ['payments list --merchant nobody', 'merchants list'],
    ['requisites pause nobody', 'requisites list'],
    ['transfers show nobody', 'transfers list'],
    ['transfers assign nobody --to order-1', 'transfers list'],
    ['outgoing show nobody', 'outgoing list'],
    ['outgoing-rules show nobody', 'outgoing-rules list'],
    ['reversals ignore nobody --reason x', 'reversals list'],
    ['disputes show nobody', 'disputes list'],
    ['settlements approve nobody', 'settlements list'],
    ['destinations approve nobody', 'destinations list'],
    ['adjustments post nobody', 'adjustments list'],
    ['overpayments decide nobody refund --reference x --reason x', 'payments list'],
    ['claims receipt nobody --output x', 'payments list'],
    ['endpoints test nobody', 'endpoints list'],
    ['tokens revoke nobody', 'tokens list'],
    ['statements show nobody', 'statements list'],
    ['sources rotate nobody', 'sources list'],
    ['risk unblock nobody', 'risk blocks'],
    ['risk unlimit nobody', 'risk limits'],
    ['alerts acknowledge nobody', 'alerts'],
    ['alerts channels test nobody', 'alerts channels'],
    ['rates sources remove nobody', 'rates sources'],
    ['decisions show nobody', 'decisions list'],
    ['ledger reconcile --requisite nobody', 'requisites list'],
  ]
  await assertRefusals(
    unknown.map(([line, listedBy]) => {
      const code = line.startsWith('payments show') || /overpayments|claims/.test(line) ? 'payment' : 'resource'
      return [line, 1, `${code}_not_found`, new RegExp(`"nobody"\\. payin ${listedBy}\\b.* shows what there is`)]
    }),
  )
})

test('a wrong value is named as it was typed, with the form or the values that there are', async () => {
  writeFileSync(join(folder, 'broken.json'), '[1,')
  await openShop(opened(), { name: 'Typed Shop', perMethod: 0 })
  await assertRefusals([
    ['merchants create --name x --mode test', 2, 'usage', /Allowed choices are live, sandbox/],
    ['merchants create --mode live', 2, 'usage', /required option '--name <name>' not specified/],
    ['payments show', 2, 'usage', /missing required argument 'payment'/],
    ['payments list --payer 12', 1, 'validation_failed', /--payer "12" must be four digits/],
    ['payments list --method cash', 2, 'usage', /Allowed choices are card-to-card, sbp/],
    [
      'payments list --from tuesday',
      2,
      'usage',
      /'tuesday' is invalid\. Write a day or a time, such as yesterday, 20 Nov or 2026-01-31/,
    ],
    ['payments list --limit 0', 1, 'validation_failed', /--limit "0" /],
    ['payments lst', 2, 'usage', /Did you mean list\?/],
    ['payments list --amount-from 5', 1, 'validation_failed', /currency/],
    ['rates set rub 9,5', 2, 'usage', /"9,5" is not an amount\. Write digits with a dot, such as 5000\.37/],
    ['rates set rouble 92.5', 1, 'validation_failed', /<currency> "rouble" /],
    ['rates set rub 92.5 --max-age 15', 2, 'usage', /Write a number and a unit: 90s, 30m, 24h or 7d/],
    ['terms set "Typed Shop" sbp --fee 1.23456', 2, 'usage', /at most four decimals, such as 1\.25/],
    ['terms set "Typed Shop" cash --fee 1', 2, 'usage', /Allowed choices are card-to-card, sbp/],
    ['statements import nowhere.csv', 2, 'usage', /^nowhere\.csv cannot be read: there is no such file/],
    ['requisites add --file nowhere.csv', 2, 'usage', /^nowhere\.csv cannot be read: there is no such file/],
    ['transfers decide --file broken.json', 2, 'usage', /^broken\.json is not well-formed JSON: /],
    ['requisites add --method sbp', 2, 'usage', /Give --currency, --bank, --number, or --file/],
    [
      'endpoints add "Typed Shop" http://shop.example.com/',
      1,
      'validation_failed',
      /<url> "http:.*" must start with https/,
    ],
    ['endpoints redeliver x last', 1, 'resource_not_found', /There is no endpoint "x"/],
  ])
  const columns = await payinOf(opened())(['settlements', 'list', '--columns', 'who'])
  assert.deepEqual([columns.code, columns.out], [2, ''])
  assert.match(columns.error, /no column "who"; this list has reference, status/)
})

test('what the business forbids is said with the state that forbids it and what helps', async () => {
  const service = opened()
  const shop = await openShop(service, { name: 'Refused Shop' })
  const made = await shop.create('refused-paid')
  await payIn(service, { requisiteId: made.body.card.id, minor: 5000_00n })
  const [requisite] = shop.requisiteIds
  await openDestination(service, shop.merchantId)
  await assertRefusals([
    ['payments cancel refused-paid', 1, 'invalid_state', /paid/],
    [
      'settlements create "Refused Shop" --reference S --to "Main wallet" --amount 9000',
      1,
      'balance_insufficient',
      /payin balances shows/,
    ],
    [
      `transfers record --requisite ${requisite} --amount 5 --currency usd`,
      1,
      'validation_failed',
      /--currency "usd" /,
    ],
    [
      'requisites add --method sbp --currency rub --bank nobank --holder X --number 79990001122',
      1,
      'validation_failed',
      /--bank "nobank" is not the code of a known bank issuer/,
    ],
    [
      'requisites add --method sbp --currency rub --bank bank-a --holder X --number 12',
      1,
      'validation_failed',
      /--number "12" /,
    ],
    ['alerts channels email mail --to a@example.com', 1, 'invalid_state', /PAYIN_SMTP_URL/],
    ['rates override end rub', 1, 'resource_not_found', /override/],
  ])
})

test('a service that is not there, does not know the token or is another one is called by its name', async () => {
  await assertRefusals([
    ['today --token wrong', 1, 'token_invalid', /another operator token: see --token and PAYIN_OPERATOR_TOKEN/],
    [
      'today --url http://127.0.0.1:9',
      3,
      'no_answer',
      /Nothing answers at http:\/\/127\.0\.0\.1:9 .*npm start.* --url/,
    ],
    ['today --url payin.example', 2, 'usage', /--url payin\.example is not an http\(s\) address, such as http:/],
  ])
})

test('what the role of an operator does not allow names the roles that may, and what to do', async () => {
  const token = opened().operatorTokens['vera']
  const says =
    /^role_missing: .*This needs the role .*; vera is auditor\. Another operator must do this, with their own token/s
  await assertRefusals([
    [`merchants create --name x --mode sandbox --token ${token}`, 1, 'role_missing', says],
    [`disputes reject nobody --reason x --token ${token}`, 1, 'resource_not_found', /There is no dispute/],
    [`rates set rub 92.5 --token ${token}`, 1, 'role_missing', says],
  ])
})

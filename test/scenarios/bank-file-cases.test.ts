// Bank files from public bug reports, each as an operator would bring it: upload, preview, confirm, ledger and doctor.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import type { StatementRowAnswer } from '../../src/operations/statements.ts'
import { openOperator, setAgreedRate } from '../support/operator.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'

const { onEngines } = shareEngines()

const cases = ['../../..', '../../../..']
  .map((up) => resolve(import.meta.dirname, up, 'shared/data/cases'))
  .find((path) => existsSync(path))

type Case = {
  /** The accounts that the files name; for a file that names none, its requisite is chosen. */
  readonly accounts: readonly string[]
  readonly currency?: string
  /** Why the file is refused. */
  readonly refused?: RegExp
  /** The rows of all files, as `day ±amount payer: text`; `?` marks what waits as a possible duplicate, `=` what is one. */
  readonly rows?: readonly string[]
  /** What the accounts then hold in the ledger. */
  readonly held?: readonly number[]
}

const expected: Readonly<Record<string, Case>> = {
  '01': {
    accounts: ['DE97500105170000000001'],
    rows: ['2026-01-02 +40 Payer One: Korrektur', '2026-01-02 +10 Payer Two: Normal'],
    held: [50],
  },
  '03': {
    accounts: ['DE59500105170000000006'],
    rows: ['2026-11-02 +418.2 Jan Nowak: order-940', '2026-11-24 +418.2 Ewa Lis: order-941'],
    held: [836.4],
  },
  '04': {
    accounts: ['DE32500105170000000007'],
    rows: [
      '2026-11-23 +250 Anna Berg: order-950',
      '2026-11-23 +80 Bert Cohn: order-951',
      '2026-11-24 +250 Carl Dorn: order-952',
      '2026-11-24 +90 Dora Esch: order-953',
      '2026-11-02 +250 Emil Falk: order-954',
    ],
    held: [920],
  },
  '05': {
    accounts: ['DE26500105170000000018'],
    rows: ['2026-11-23 +53 Anna Berg: order-992', '2026-11-24 +53 Bert Cohn: order-993'],
    held: [106],
  },
  '06': {
    accounts: ['DE86500105170000000102'],
    rows: ['2026-11-26 +90 :', '2026-11-26 +35 Anna Berg: q-35', '2026-11-26 +55 Bert Cohn: q-55'],
    held: [90],
  },
  '08': {
    accounts: ['DE70500105170000000002'],
    rows: [
      '2026-11-23 +12 Payer One: order-900 sent 23.11.2026T14:25:07 Konto 77',
      '2026-11-23 +13 Payer Two: order-901',
    ],
    held: [25],
  },
  '09': {
    accounts: ['DE70500105170000000002'],
    rows: [
      '2026-11-24 +12 Payer One: order-902 sent 24.11.2026T14:20:37 Konto 77',
      '2026-11-24 +13 Payer Two: order-903',
    ],
    held: [25],
  },
  '10': {
    accounts: ['DE70500105170000000002'],
    rows: ['2026-11-25 +12 Payer One: sent 25.11.2026T14:26:37 for order-904'],
    held: [12],
  },
  '11': {
    accounts: ['DE43500105170000000003'],
    rows: [
      '2026-11-23 +12 : GUTSCHRIFT FUER ORDER 910 - RATE 2 VON 3 - -REST PAYER ONE',
      '2026-11-23 +13 : ORDER 911 -AB PAYER TWO',
    ],
    held: [25],
  },
  '12': {
    accounts: ['40702810900000000091'],
    currency: 'rub',
    rows: ['2026-11-27 +1500 Петров Петр: Оплата tink-1'],
    held: [1500],
  },
  '14': {
    accounts: ['40702810900000000007'],
    currency: 'rub',
    rows: ['2026-11-24 +700 Анна: Оплата за услуги по заказу order-B5'],
    held: [700],
  },
  '15': {
    accounts: ['40702810900000000007'],
    currency: 'rub',
    rows: ['2026-11-24 +701 Анна: Оплата за услуги по заказу order-B6'],
    held: [701],
  },
  '16': {
    accounts: ['DE96500105170000000019'],
    rows: ['2026-11-23 +0.5 :', '2026-11-23 +7.25 :', '2026-11-23 +12 :', '2026-11-23 +149.87 :'],
    held: [169.62],
  },
  '17': { accounts: ['DE96500105170000000019'], refused: /closing balance is 999/ },
  '18': { accounts: ['DE91500105170000000012'], rows: ['2026-11-23 +10 Payer:', '2026-11-23 +11 Payer:'], held: [21] },
  '20': {
    accounts: ['DE10500105170000000015', 'DE58500105170000000024'],
    rows: [
      '2026-11-24 +215.4 Anna Berg: order-A3',
      '2026-11-24 +48.5 Bert Cohn: order-A4',
      '2026-11-24 +980 Anna Berg: order-970',
      '2026-11-24 +494 Bert Cohn: order-971',
    ],
    held: [1474, 263.9],
  },
  '21': { accounts: ['DE43500105170000000003'], rows: ['2026-11-25 +7 PAYER THREE: ORDER 912'], held: [7] },
  '22': {
    accounts: ['DE59500105170000000103'],
    rows: [
      '2026-11-27 +50 Anna Berg: SHOP-00306',
      '2026-11-27 +51 Anna Berg: Order SHOP-00306 thanks',
      '2026-11-27 +52 Anna Berg: SHOP00306',
      '2026-11-27 +53 Anna Berg: SHOP 00306',
      '2026-11-27 +54 Anna Berg: shop-00306',
      '2026-11-27 +55 Anna Berg: SHOP-306x',
      '2026-11-27 +56 Anna Berg: SHOP-0306',
    ],
    held: [371],
  },
  '24': { accounts: ['DE75500105170000000009'], refused: /1,650/ },
  p02: {
    accounts: [],
    rows: ['2026-11-23 +200 : Anna Berg order-C1', '2026-11-23 -60 : Weinladen', '2026-11-24 -7 : Fee'],
    held: [133],
  },
  p03: {
    accounts: [],
    rows: ['2026-11-23 +1234.56 Анна: order-C2', '2026-11-24 -2000 : счет', '2026-11-25 +12345 Борис: order-C3'],
    held: [11579.56],
  },
  p04: { accounts: [], rows: ['2026-11-23 +1511.5 Анна: order-D1', '2026-11-24 -21 : комиссия a'], held: [1490.5] },
  p05: { accounts: ['DE80500105170000000016'], rows: ['2026-11-24 +100 :', '2026-11-24 -11.84 :'], held: [88.16] },
  p06: { accounts: ['DE42500105170000000021'], rows: ['2026-11-25 +20 Anna Berg: order-996'], held: [20] },
  p07: {
    accounts: ['CH2608914000000000001'],
    currency: 'chf',
    rows: ['2026-11-24 +8412.6 Anna Berg: order-980', '2026-11-25 +8412.6 Bert Cohn: order-981'],
    held: [16825.2],
  },
  p08: {
    accounts: ['DE05500105170000000008'],
    rows: [
      '2026-11-23 +10 Anna Berg:',
      '2026-11-23 +25 Bert Cohn:',
      '2026-11-24 +40 Carl Dorn:',
      '2026-11-24 -0.3 Fee:',
    ],
    held: [74.7],
  },
  p09: {
    accounts: ['DE04500105170000000026', 'DE74500105170000000027'],
    rows: ['2026-11-24 -77 Payer:', '2026-11-24 +77 Payer:'],
    held: [-77, 77],
  },
  p10: { accounts: ['DE16500105170000000004'], rows: ['2026-11-23 +12 : ORDER 920 PAYER ONE'], held: [12] },
  p11: { accounts: ['DE16500105170000000004'], rows: ['2026-11-24 +8 : ORDER 921 PAYER ONE'], held: [8] },
  p12: {
    accounts: ['DE69500105170000000020'],
    rows: ['2026-11-25 +20 Jürgen Weiß: Bestellung für Öl order-995'],
    held: [20],
  },
  p13: { accounts: [], refused: /"-3.000" may be thousands or decimals/ },
  p14: {
    accounts: ['DE59500105170000000103'],
    rows: [
      '2026-11-27 +310 Anna Berg: pr-1',
      '2026-11-27 +320 Bert Cohn: pc-1',
      '2026-11-27 +330 Carl Dorn: pw-1',
      '2026-11-27 -110 Anna Berg: pr-1 part',
      '2026-11-27 +50 : fee back',
    ],
    held: [900],
  },
  p15: {
    accounts: [],
    rows: ['2026-11-23 +500 Anna: order-C11', '2026-11-23 ?+500 Bert: order-C12', '2026-11-23 -5.9 : charges'],
    held: [994.1],
  },
  p16: { accounts: [], rows: ['2026-11-23 +1500 Анна: order-C8', '2026-11-24 -20 : комиссия'], held: [1480] },
  p17: {
    accounts: ['40702810900000000002'],
    currency: 'rub',
    rows: ['2026-11-23 +1.5 Анна: order-B2', '2026-11-24 +3000 Борис: order-B3'],
    held: [3001.5],
  },
}

const openShops = async (service: TestService, currency: string, wanted: number) => {
  const shop = await openShop(service, { perMethod: 0 })
  return service.context.transaction(async (tx) => {
    await setLimits(tx, null, { currency, min: 1_00n, max: 10_000_00n })
    const shared = { mode: 'live', method: 'account-to-account', currency, transferScope: null } as const
    return addRequisites(
      tx,
      Array.from({ length: wanted }, () => ({
        ...{ ...shared, merchantId: shop.merchantId, bankIssuer: 'bank-a', holder: 'Shop', limits: {} },
        number: newNumber('account-to-account'),
      })),
    )
  })
}

type Operator = ReturnType<typeof openOperator>

/** Binds a file's accounts to requisites. An account that another file has used keeps its requisite. */
const openAccounts = async (service: TestService, operator: Operator, { accounts, currency = 'eur' }: Case) => {
  const ids = await openShops(service, currency, Math.max(1, accounts.length))
  for (const [index, number] of accounts.entries()) {
    const bound = await operator.call('PUT', '/statement-accounts', {
      accounts: [{ number, requisiteIds: [ids[index]] }],
    })
    const earlier = /begin with ([0-9a-f-]{36})/.exec(bound.body.detail ?? '')?.[1]
    if (earlier !== undefined) ids[index] = earlier
    else assert.equal(bound.status, 200, JSON.stringify(bound.body))
  }
  return ids
}

const signs: Readonly<Record<string, string>> = {
  booked: '+',
  'outgoing-reversal': '+',
  outgoing: '-',
  reversal: '-',
}
const marks: Readonly<Record<string, string>> = { duplicate: '=', 'possible-duplicate': '?' }

const describe = ({ bookedAt, kind, state, amount, payerName = '', text = '' }: StatementRowAnswer): string =>
  `${bookedAt.slice(0, 10)} ${marks[state] ?? ''}${signs[kind]}${amount} ${payerName}: ${text}`.trim()

const heldBy = async (operator: Operator, ids: readonly string[]): Promise<number[]> => {
  const { balances } = (await operator.get('/ledger/balances')).body
  return ids.map((id) => {
    const own = balances.find((each: { account: string }) => each.account === `bank:${id}`)
    return Number(own?.balance ?? 0)
  })
}

for (const [name, expectation] of Object.entries(expected)) {
  const files = cases === undefined ? [] : readdirSync(cases).filter((file) => file.startsWith(`${name}-`))
  const inputs = files.filter((file) => !file.endsWith('.md')).toSorted()
  if (inputs.length === 0) console.error(`NOT RUN: bank file ${name}, which is not part of the project.`)
  else
    onEngines(`bank file ${inputs[0]}`, async (service) => {
      service.clock.now = Date.parse('2026-11-28T08:00:00.000Z')
      const operator = openOperator(service)
      // Money without a price is worth more than any bound of one person, and a reversal never means such money.
      await setAgreedRate(service, expectation.currency ?? 'eur', 1)
      const ids = await openAccounts(service, operator, expectation)
      const chosen: Record<string, string> = expectation.accounts.length === 0 ? { requisiteId: ids[0] ?? '' } : {}
      const before = await heldBy(operator, ids)
      const statements: string[] = []
      for (const input of inputs) {
        const { status, body } = await uploadFile(service, readFileSync(resolve(cases ?? '', input)), chosen)
        if (expectation.refused) {
          assert.equal(status, 422)
          assert.match(body.detail, expectation.refused)
          return
        }
        assert.deepEqual([status, body.faults], [201, []], JSON.stringify(body))
        assert.equal((await operator.call('POST', `/statements/${body.id}/confirm`, {})).status, 200)
        await service.runJobs()
        const { state, accounts } = (await operator.get(`/statements/${body.id}`)).body
        assert.equal(state, 'imported')
        for (const { difference } of accounts) assert.equal(difference, undefined)
        statements.push(body.id)
      }
      const rows: string[] = []
      for (const id of statements) rows.push(...(await operator.get(`/statements/${id}/rows`)).body.rows.map(describe))
      const now = await heldBy(operator, ids)
      const held = now.map((each, index) => Math.round((each - (before[index] ?? 0)) * 100) / 100)
      assert.deepEqual({ rows, held }, { rows: expectation.rows, held: expectation.held })
      await assertHealthy(service)
    })
}

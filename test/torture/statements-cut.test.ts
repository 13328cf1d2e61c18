// A bank's bookings, cut at random into files of two formats that overlap, repeat and come in any order.
import assert from 'node:assert/strict'
import { day } from '../../src/rules/time.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { runImports } from '../../src/process/jobs/jobs.ts'
import { openOperator } from '../support/operator.ts'
import { oneOf, type Random, randomFrom } from '../support/random.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop } from '../support/shop.ts'
import { camtOf, type MadeRow, mt940Of, uploadFile } from '../support/statement-files.ts'
import { countOf, seedOf } from '../support/torture.ts'

const { onOne } = shareEngines()

type Operator = ReturnType<typeof openOperator>

/** How a bank numbers its bookings; `turn` counts them within a day. */
const numberings: readonly ((row: number, turn: number, date: string) => string | undefined)[] = [
  () => undefined,
  (_, turn) => String(turn + 1),
  (_, turn) => `A-${turn + 1}`,
  (_, turn) => `BOOKING${turn + 1}`,
  () => 'COLLECTIVE-1',
  (row) => `BANKREF-${row}`,
  (_, turn, date) => `${date.replaceAll('-', '')}${turn + 1}`,
]

/** Few amounts, payers and texts, so that they recur; every `sent`th row is money that leaves. */
const drawRow = (random: Random, date: string, sent: number): MadeRow => ({
  date,
  minor: BigInt(1 + random(3)) * (sent > 0 && random(sent) === 0 ? -100_00n : 100_00n),
  payer: oneOf(random, ['Anna Berg', 'Bert Cohn', 'Carl Dorn', 'Dora Esch']),
  text: `Order ${random(4)}`,
})

const drawDays = (random: Random, last: string): MadeRow[][] => {
  const numbering = oneOf(random, numberings)
  const sent = oneOf(random, [0, 0, 2, 4])
  let count = 0
  return [3, 2, 1, 0].map((back) => {
    const date = new Date(Date.parse(last) - back * day).toISOString().slice(0, 10)
    return Array.from({ length: random(4) }, (_, turn) => {
      const reference = numbering(++count, turn, date)
      return { ...drawRow(random, date, sent), ...(reference === undefined ? {} : { reference }) }
    })
  })
}

const due = (rows: readonly MadeRow[]): bigint => rows.reduce((all, { minor }) => all + minor, 0n)

type BankFile = { readonly render: typeof camtOf; readonly rows: readonly MadeRow[]; readonly opening: bigint }

/** One file, or two statements: the second one begins with the closing balance of the first. */
const halve = (random: Random, file: BankFile): BankFile[] => {
  const at = 1 + random(Math.max(1, file.rows.length - 1))
  const [rows, rest] = [file.rows.slice(0, at), file.rows.slice(at)]
  return rest.length === 0
    ? [file]
    : [
        { ...file, rows },
        { ...file, rows: rest, opening: file.opening + due(rows) },
      ]
}

/**
 * Files of whole days, each day in one at least, some of them twice, in any order. In half of the worlds balances go on
 * from file to file, and a bank may have cut one in two.
 */
const cut = (random: Random, days: readonly MadeRow[][]): readonly BankFile[] => {
  const files: BankFile[] = []
  const goesOn = random(2) === 0
  const render = () => oneOf<typeof camtOf>(random, [camtOf, (made) => mt940Of(made)])
  for (let from = 0; from < days.length; ) {
    const length = 1 + random(3)
    const begin = Math.max(0, from - random(2))
    const opening = goesOn ? 1_000_00n + due(days.slice(0, begin).flat()) : 0n
    const file = { render: render(), rows: days.slice(begin, from + length).flat(), opening }
    files.push(...(goesOn && random(3) === 0 ? halve(random, file) : [file]))
    from += length
  }
  for (const file of files.slice(0, 1 + random(2)))
    files.push({ ...file, render: random(2) === 0 ? file.render : render() })
  return files
    .filter(({ rows }) => rows.length > 0)
    .map((file) => ({ file, place: random(1000) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ file }) => file)
}

type Listed = {
  readonly kind?: string
  readonly state?: string
  readonly amount: number
  readonly duplicateOf?: string
}

const gone = new Set(['duplicate', 'withdrawn'])

/** How much money certainly moved, and how much of it may have been reported before. */
const weigh = (listed: readonly Listed[]) => {
  const sum = (rows: readonly Listed[]) => rows.reduce((all, { amount }) => all + amount, 0)
  const money = listed.filter(({ kind, state }) => !gone.has(kind ?? '') && !gone.has(state ?? ''))
  const isWaiting = ({ duplicateOf }: Listed) => duplicateOf !== undefined
  return { certain: sum(money.filter((each) => !isWaiting(each))), waiting: sum(money.filter(isWaiting)) }
}

/** A requisite with an account of its own, for one world. */
const openAccount = async (service: TestService, operator: Operator, merchantId: string, world: number) => {
  const number = `40702810${String(world).padStart(12, '0')}`
  const [requisiteId = ''] = await service.context.transaction((tx) =>
    addRequisites(tx, [
      {
        ...{ merchantId, mode: 'live', method: 'account-to-account', currency: 'rub', transferScope: null },
        ...{ number: newNumber('account-to-account'), bankIssuer: 'bank-a', holder: 'Shop', limits: {} },
      },
    ]),
  )
  const bound = await operator.call('PUT', '/statement-accounts', {
    accounts: [{ number, requisiteIds: [requisiteId] }],
  })
  assert.equal(bound.status, 200, JSON.stringify(bound.body))
  return { number, requisiteId }
}

onOne('of the rows of a bank, none is dropped and none counts twice, whatever files bring them', async (service) => {
  const seed = seedOf()
  const operator = openOperator(service)
  const { merchantId } = await openShop(service, { perMethod: 0 })
  const today = new Date(service.clock.now).toISOString().slice(0, 10)
  let takenBack = 0
  for (let world = 0; world < countOf(12); world++) {
    const random = randomFrom(seed * 1_000_003 + world)
    const { number, requisiteId } = await openAccount(service, operator, merchantId, world)
    const days = drawDays(random, today)
    const files = cut(random, days)
    const fileOf = new Map<string, BankFile>()
    const upload = async (file: BankFile): Promise<string[]> => {
      const made = { account: number, ...file, closedOn: file.rows.at(-1)?.date ?? today }
      const { status, body } = await uploadFile(service, file.render(made))
      // The same file again is the same statement.
      assert.ok(status < 300, JSON.stringify({ world, body }))
      if (status === 200) return []
      fileOf.set(body.id, file)
      return [body.id]
    }
    const confirm = async (id: string): Promise<void> => {
      const confirmed = await operator.call('POST', `/statements/${id}/confirm`)
      assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
      while ((await runImports(service.context)) > 0);
    }
    const imported: string[] = []
    const way = oneOf(random, ['each is confirmed before the next', 'all are read first', 'all are read at once'])
    // Of more at once, some are asked to come again.
    if (way === 'all are read at once') {
      for (let from = 0; from < files.length; from += 4)
        imported.push(...(await Promise.all(files.slice(from, from + 4).map(upload))).flat())
    } else
      for (const file of files) {
        const ids = await upload(file)
        imported.push(...ids)
        for (const id of way === 'all are read first' ? [] : ids) await confirm(id)
      }
    for (const id of imported.toSorted(() => random(3) - 1)) await confirm(id)
    // What is taken back and comes again is the same.
    const again = random(3) === 0 ? [...fileOf].slice(0, 1) : []
    for (const [first, file] of again) {
      const withdrawn = await operator.call('POST', `/statements/${first}/withdraw`, { reason: 'again' })
      // Refused while another statement reports the same money.
      assert.ok([200, 409].includes(withdrawn.status), JSON.stringify(withdrawn.body))
      if (withdrawn.status !== 200) continue
      // More money out than one operator may withdraw within a day needs another one.
      if (withdrawn.body.state === 'imported')
        await openOperator(service, 'boris').call('POST', `/statements/${first}/withdraw`, { reason: 'again' })
      takenBack++
      while ((await runImports(service.context)) > 0);
      for (const id of await upload(file)) await confirm(id)
    }
    const listed = {
      in: (await operator.get(`/transfers?requisiteId=${requisiteId}&limit=500`)).body.transfers,
      out: (await operator.get(`/outgoing?requisiteId=${requisiteId}&limit=500`)).body.outgoing,
    }
    const accounts = await Promise.all(
      imported.map(async (id) => (await operator.get(`/statements/${id}`)).body.accounts),
    )
    for (const direction of ['in', 'out'] as const) {
      const { certain, waiting } = weigh(listed[direction])
      const rows = days.flat().filter(({ minor }) => minor > 0n === (direction === 'in'))
      const wanted = Math.abs(Number(due(rows))) / 100
      const story = JSON.stringify(
        { world, seed, way, again: again.length, direction, wanted, certain, waiting, files },
        (_, value) =>
          typeof value === 'bigint' ? Number(value) / 100 : typeof value === 'function' ? value.name : value,
      )
      assert.ok(
        accounts.flat().every(({ difference }) => difference === undefined),
        `false alarm: ${story}`,
      )
      assert.ok(certain <= wanted, `counted twice: ${story}`)
      assert.ok(wanted <= certain + waiting, `dropped: ${story}`)
    }
  }
  if (countOf(12) >= 100) assert.ok(takenBack > 0, 'no statement was taken back')
})

// A bank's bookings, cut at random into files of two formats that overlap, repeat and come in any order.
import assert from 'node:assert/strict'
import { day } from '../../src/domain/time.ts'
import { addRequisites } from '../../src/requisites/add-requisites.ts'
import { importStatements } from '../../src/statements/import-statements.ts'
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

/** Few amounts, payers and texts, so that they recur. */
const drawRow = (random: Random, date: string): MadeRow => ({
  date,
  minor: BigInt(1 + random(3)) * 100_00n,
  payer: oneOf(random, ['Anna Berg', 'Bert Cohn', 'Carl Dorn', 'Dora Esch']),
  text: `Order ${random(4)}`,
})

const drawDays = (random: Random, last: string): MadeRow[][] => {
  const numbering = oneOf(random, numberings)
  let count = 0
  return [3, 2, 1, 0].map((back) => {
    const date = new Date(Date.parse(last) - back * day).toISOString().slice(0, 10)
    return Array.from({ length: random(4) }, (_, turn) => {
      const reference = numbering(++count, turn, date)
      return { ...drawRow(random, date), ...(reference === undefined ? {} : { reference }) }
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

const sum = (rows: readonly { readonly amount: number }[]): number => rows.reduce((all, { amount }) => all + amount, 0)

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
  const bound = await operator.call('PUT', '/statement-accounts', { number, requisiteIds: [requisiteId] })
  assert.equal(bound.status, 200, JSON.stringify(bound.body))
  return { number, requisiteId }
}

onOne('of the rows of a bank, none is dropped and none counts twice, whatever files bring them', async (service) => {
  const seed = seedOf()
  const operator = openOperator(service)
  const { merchantId } = await openShop(service, { perMethod: 0 })
  const today = new Date(service.clock.now).toISOString().slice(0, 10)
  for (let world = 0; world < countOf(12); world++) {
    const random = randomFrom(seed * 1_000_003 + world)
    const { number, requisiteId } = await openAccount(service, operator, merchantId, world)
    const days = drawDays(random, today)
    const files = cut(random, days)
    for (const file of files) {
      const { status, body } = await uploadFile(
        service,
        file.render({ account: number, ...file, closedOn: file.rows.at(-1)?.date ?? today }),
      )
      // The same file again is the same statement.
      if (status === 200) continue
      const confirmed = await operator.call('POST', `/statements/${body.id}/confirm`)
      assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
      while ((await importStatements(service.context)) > 0);
    }
    const { transfers } = (await operator.get(`/transfers?requisiteId=${requisiteId}&limit=500`)).body
    const money = transfers.filter(({ kind }: { kind: string }) => kind !== 'duplicate')
    const isDoubtful = ({ duplicateOf }: { duplicateOf?: string }): boolean => duplicateOf !== undefined
    const certain = sum(money.filter((each: { duplicateOf?: string }) => !isDoubtful(each)))
    const waiting = sum(money.filter(isDoubtful))
    const wanted = Number(due(days.flat())) / 100
    const story = JSON.stringify({ world, seed, wanted, certain, waiting, files }, (_, value) =>
      typeof value === 'bigint' ? Number(value) / 100 : typeof value === 'function' ? value.name : value,
    )
    assert.ok(certain <= wanted, `counted twice: ${story}`)
    assert.ok(wanted <= certain + waiting, `dropped: ${story}`)
  }
})

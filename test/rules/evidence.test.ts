// Small worlds, all of them: money goes to nobody whom something contradicts, nor to one of two with equal evidence.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Candidate, type IncomingTransfer, payerKeys } from '../../src/rules/transfers/candidate.ts'
import { isContradicted, judgeCandidates } from '../../src/rules/transfers/evidence.ts'
import { matchTransfer } from '../../src/rules/transfers/match.ts'
import { creditedStatuses, type PaymentStatus } from '../../src/rules/payments/payment.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { candidate, start } from '../support/builders.ts'
import { isTorture } from '../support/torture.ts'

/** What is known of a payment, as its payer, its merchant and the bank have said it. */
type Facts = {
  readonly amount: 'exact' | 'near' | 'far'
  readonly status: Extract<PaymentStatus, 'new' | 'canceled' | 'paid'>
  readonly typed: 'nothing' | 'sender' | 'other'
  readonly name: 'nothing' | 'sender' | 'other'
  readonly isKnown: boolean
}

/** What the bank reports of a transfer. */
type Report = {
  readonly hasNumber: boolean
  readonly hasName: boolean
  readonly names: number | null
  readonly isLate: boolean
}

/** All combinations of the values of each field. */
const allOf = <T>(fields: { readonly [K in keyof T]: readonly T[K][] }): T[] =>
  Object.entries(fields).reduce<object[]>(
    (all, [name, values]) => all.flatMap((each) => (values as unknown[]).map((value) => ({ ...each, [name]: value }))),
    [{}],
  ) as T[]

const allFacts = allOf<Facts>({
  amount: ['exact', 'near', 'far'],
  status: ['new', 'canceled', 'paid'],
  typed: ['nothing', 'sender', 'other'],
  name: ['nothing', 'sender', 'other'],
  isKnown: [false, true],
})

const allReports = allOf<Report>({
  hasNumber: [false, true],
  hasName: [false, true],
  names: [null, 0],
  isLate: [false, true],
})

const needs = { exact: 5000_00n, near: 5100_00n, far: 100_000_00n } as const
const numbers = { nothing: null, sender: 'sender', other: 'another' } as const
const names = { nothing: null, sender: 'Иван Петров', other: 'Олег Котов' } as const

const toCandidate = ({ amount, status, typed, name }: Facts, index: number): Candidate => {
  const minor = needs[amount]
  const fields = { id: `p${index}`, orderId: `ord-00${index}`, userId: `user-${index}`, userIdGiven: true } as const
  return candidate(
    { ...fields, amount: minor, status, received: status === 'paid' ? minor : 0n },
    { payerIndex: numbers[typed], payerName: names[name] },
  )
}

const toTransfer = (report: Report, facts: readonly Facts[], candidates: readonly Candidate[]): IncomingTransfer => {
  const known = candidates.filter((_, index) => facts[index]?.isKnown)
  return {
    currency: 'rub',
    amount: needs.exact,
    bookedAt: start + (report.isLate ? 2 * hour : 5 * minute),
    senderIndex: report.hasNumber ? 'sender' : null,
    senderName: report.hasName ? 'ПЕТРОВ ИВАН' : null,
    text: report.names === null ? null : `оплата ord-00${report.names}`,
    paidBefore: new Set(known.flatMap(({ payment }) => payerKeys(payment).slice(1))),
  }
}

const worthOf = (report: Report, facts: Facts, index: number) => ({
  amount: ['far', 'near', 'exact'].indexOf(facts.amount),
  number: report.hasNumber ? (facts.isKnown ? 2 : Number(facts.typed === 'sender')) : 0,
  order: Number(report.names === index),
})

/** Whether the money is certainly not for the payment. */
const isImpossible = (report: Report, facts: Facts, index: number): boolean =>
  facts.amount === 'far' ||
  (facts.status === 'paid' && facts.amount !== 'exact') ||
  (report.names !== null && report.names !== index)

/** Whether what its payer has typed says that the money is not for it. */
const isDoubted = (report: Report, facts: Facts): boolean =>
  (report.hasNumber && facts.typed === 'other' && !facts.isKnown) || (report.hasName && facts.name === 'other')

const isRuledOut = (report: Report, facts: Facts, index: number): boolean =>
  isImpossible(report, facts, index) || isDoubted(report, facts)

/** The payment that gets the money in a world; -1 if it waits. Fails if somebody gets it whom the world speaks against. */
const play = (report: Report, facts: readonly Facts[]): number => {
  const candidates = facts.map(toCandidate)
  const transfer = toTransfer(report, facts, candidates)
  const match = matchTransfer(transfer, candidates)
  // The order of the rows says nothing.
  const reversed = matchTransfer(transfer, candidates.toReversed())
  const givenTo = (each: typeof match) => ('candidate' in each ? each.candidate : undefined)
  assert.ok(givenTo(reversed) === givenTo(match), JSON.stringify({ report, facts }))
  if (!('candidate' in match)) return -1
  const index = candidates.indexOf(match.candidate)
  const own = facts[index]
  const world = (): string => JSON.stringify({ report, facts, index, match: match.outcome, reasons: match.reasons })
  assert.ok(own && !isRuledOut(report, own, index) && own.status !== 'canceled', world())
  assert.ok(
    !judgeCandidates(transfer, candidates).some((each) => each.candidate === match.candidate && isContradicted(each)),
  )
  // Money of another amount that is late is only for the payer whose number or order is known.
  const worth = worthOf(report, own, index)
  if (own.amount !== 'exact' && report.isLate) assert.ok(worth.number === 2 || worth.order === 1, world())
  facts.forEach((other, place) => {
    if (place === index || isImpossible(report, other, place)) return
    if (isDoubted(report, other) && needs[other.amount] === needs[own.amount]) {
      // Somebody else may have mistyped, so that nothing speaks against this one is not enough.
      assert.ok(worth.number > 0 || worth.order === 1, `a rival who may have mistyped: ${world()}`)
    }
    if (isDoubted(report, other)) return
    const others = worthOf(report, other, place)
    const isEqual = others.amount >= worth.amount && others.number >= worth.number && others.order >= worth.order
    assert.ok(!isEqual, `a rival of equal evidence: ${world()}`)
    // The number of another one's payer, who could be paying for that: then the amount decides nothing.
    assert.ok(
      !(others.number > worth.number && worth.order === 0 && !report.isLate),
      `its payer is another one: ${world()}`,
    )
  })
  return index
}

/** `npm test` plays every seventh pair of payments, and the torture tests every one. */
const step = isTorture ? 1 : 7

test('in every world of one or two payments nobody gets money against the evidence', () => {
  const outcomes = new Map<string, number>()
  let worlds = 0
  for (const report of allReports) {
    for (const [place, one] of allFacts.entries()) {
      const alone = play(report, [one])
      for (const other of allFacts.slice(place)) {
        if (worlds++ % step !== 0) continue
        const both = play(report, [one, other])
        // A further payment may get the money or leave it in doubt; it never gives it to a third one.
        const kind = both === -1 ? 'waits' : both === 0 ? 'first' : 'second'
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
        assert.ok(both !== 0 || alone === 0, JSON.stringify({ report, one, other }))
      }
    }
  }
  assert.equal(worlds, allReports.length * ((allFacts.length * (allFacts.length + 1)) / 2))
  for (const kind of ['waits', 'first', 'second']) assert.ok((outcomes.get(kind) ?? 0) > 50, kind)
})

test('in many worlds of three payments nobody gets money against the evidence', () => {
  let state = 7
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  let given = 0
  for (let world = 0; world < (isTorture ? 2_000_000 : 12_000); world++) {
    const report = { ...(allReports[random(allReports.length)] as Report) }
    const facts = Array.from({ length: 3 }, () => allFacts[random(allFacts.length)] as Facts)
    if (play(report, facts) !== -1) given++
  }
  assert.ok(given > 400, String(given))
})

test('a payment that is paid already gets money only as paid again', () => {
  for (const report of allReports) {
    for (const facts of allFacts) {
      const match = matchTransfer(toTransfer(report, [facts], [toCandidate(facts, 0)]), [toCandidate(facts, 0)])
      if (!('candidate' in match)) continue
      assert.equal(match.outcome === 'paid-again', creditedStatuses.has(match.candidate.payment.status))
    }
  }
})

// One dishonest person: an owner, an operator, somebody of finance or support, in league with a merchant and its payers,
// does over HTTP whatever the role allows, in random order. No merchant is ever worth more than what the bank has
// reported, plus what one person may do alone within a day.
import assert from 'node:assert/strict'
import { bigint, query } from '../../src/database/query.ts'
import { withAccountKey } from '../../src/domain/bank-details.ts'
import { hour, minute } from '../../src/domain/time.ts'
import { openDestination } from '../support/destination.ts'
import { openFeed } from '../support/push.ts'
import { oneOf, type Random, randomFrom } from '../support/random.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, send } from '../support/shop.ts'
import { camtOf, uploadFile } from '../support/statement-files.ts'
import { countOf, openSightings, repeat, seedOf } from '../support/torture.ts'

const tokenOf = (name: string): string => `payin_ops_token_of_${name}_0123456789abcdefghij`
const roles = { olga: 'owner', otto: 'operator', fima: 'finance', sara: 'support', vera: 'auditor' } as const
type Insider = Exclude<keyof typeof roles, 'vera'>
const insiders: readonly Insider[] = ['olga', 'otto', 'fima', 'sara']

/** What one person may do alone within 24 hours, in USDT. */
const bound = 100
/** The rate on which two have agreed. A person alone may move it by a fifth. */
const price = 92.5
const [lowest, highest] = [price * 0.8, price * 1.2]

const { onOne } = shareEngines({
  PAYIN_SECOND_PERSON_ABOVE: String(bound),
  // Unset, as in most installations: the bound of settlements applies, because several people move money.
  PAYIN_LONE_REPORTS_ABOVE: '',
  PAYIN_OPERATOR_TOKENS: Object.entries(roles)
    .map(([name, role]) => `${name}/${role}:${tokenOf(name)}`)
    .join(),
})

/** What all live merchants are and were owed, in millionths of USDT: available, held, and paid out. */
const sumWorth = query('test_sum_worth_of_merchants', {
  row: { worth: bigint, paidOut: bigint },
  text: `select coalesce(sum(balance), 0)::bigint as worth,
      coalesce(sum(balance) filter (where account like '%paid-out'), 0)::bigint as paid_out
    from ledger_balances where account like 'merchant:%' and currency = 'USDT'`,
})

/** Money that the bank itself has reported, in minor units, and that no merchant was credited with. */
const sumUnspent = query('test_sum_unspent', {
  row: { amount: bigint },
  text: `select coalesce(sum(parts.amount), 0)::bigint as amount from transfer_parts as parts
    join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
    left join payments on payments.merchant_id = parts.merchant_id and payments.id = parts.payment_id
    where transfers.reported_by is null and parts.replaced_at is null and parts.kind <> 'reversed'
      and not (parts.kind = 'payment' and payments.status in ('paid', 'disput-paid'))`,
})

type Known = {
  readonly payments: { id: string; amount: number; requisiteId: string; orderId: string }[]
  readonly transfers: { requisiteId: string; id: string }[]
  readonly disputes: { id: string; amount: number }[]
  readonly drafts: string[]
  readonly diverted: string[]
}

/** A shop with a rate on which two have agreed, and a feed of its bank whose key two people know. */
const openWorld = async (service: TestService) => {
  const call = (name: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    send(service, `/api/v1/operator${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tokenOf(name)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const must = async (...given: Parameters<typeof call>): Promise<void> => {
    const answer = await call(...given)
    assert.ok(answer.status < 300, `${given[1]} ${given[2]}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  const shop = await openShop(service, { perMethod: 3, terms: { feePpm: 0 }, settings: { maxOpenPayments: null } })
  const bank = await openFeed(service, 'the bank', shop.requisiteIds)
  await must('olga', 'POST', `/statement-sources/${bank.sourceId}/key/approve`, { keyPrefix: bank.keyPrefix })
  return { service, shop, bank, call, must, destinationId: await openDestination(service, shop.merchantId) }
}

type World = Awaited<ReturnType<typeof openWorld>>

const amounts = [500, 990, 2500, 5000, 9200, 20_000, 250_000]

/** What a dishonest person tries; each answers how the service took it. */
const openTricks = (world: World, who: Insider, random: Random, known: Known) => {
  const { service, shop, call, destinationId } = world
  const merchantId = shop.merchantId
  const now = (): string => new Date(service.clock.now).toISOString()
  const act = (method: string, path: string, body?: unknown): Promise<Answer> => call(who, method, path, body)
  const some = <T>(list: readonly T[]): T | undefined => list[random(list.length)]
  let count = 0
  const reference = (): string => `${who}-${service.clock.now}-${++count}`
  const learn = (answer: Answer): Answer => {
    for (const each of answer.body?.transfers ?? [])
      if (each.requisiteId !== undefined) known.transfers.push({ requisiteId: each.requisiteId, id: each.id })
    return answer
  }
  const report = () => {
    const payment = random(4) === 0 ? undefined : known.payments.at(-1 - random(3))
    const requisiteId = payment?.requisiteId ?? shop.requisiteIds[0] ?? ''
    const amount = payment && random(3) > 0 ? payment.amount : oneOf(random, amounts)
    return { requisiteId, amount, currency: 'rub', bookedAt: now(), bankReference: reference() }
  }
  const shares = () => {
    const payment = some(known.payments)
    return [{ merchantId, paymentId: payment?.id ?? merchantId }]
  }
  const decide = (decision: string): Promise<Answer> | undefined => {
    const transfer = random(3) === 0 ? some(known.transfers) : known.transfers.at(-1)
    if (!transfer) return undefined
    const more = decision === 'assign' ? { shares: shares() } : { note: 'a mistake' }
    return act('POST', '/transfers/decide', { transfers: [{ ...transfer, decision, ...more }] })
  }
  const settle = async (step: string): Promise<Answer | undefined> => {
    const id = known.drafts.at(-1 - random(2))
    const body = { pay: { externalReference: reference() }, fail: { reason: 'later' } }[step]
    return id === undefined ? undefined : act('POST', `/settlements/${merchantId}/${id}/${step}`, body)
  }
  const rates = [60, lowest + 1, 80, price, 110, highest - 1, 0.9]
  return {
    create: async () => {
      const amount = oneOf(random, amounts)
      const orderId = reference()
      const made = await shop.create(orderId, { amount, userId: `user-${random(5)}` })
      const { payment, card } = made.body
      if (made.status === 201) known.payments.push({ id: payment.id, amount, requisiteId: card.id, orderId })
      return made
    },
    typeIn: async () => learn(await act('POST', '/transfers', { transfers: [report()] })),
    accept: () => decide('accept'),
    assign: () => decide('assign'),
    ignore: () => decide('ignore'),
    otherMoney: () => decide('other-money'),
    find: async () => learn(await act('GET', '/transfers?unmatched=true&limit=20')),
    unassign: () => {
      const transfer = some(known.transfers)
      const path = transfer && `/transfers/${transfer.requisiteId}/${transfer.id}/unassign`
      return path && act('POST', path, { reason: 'to assign it again' })
    },
    upload: async () => {
      const { amount, bankReference } = report()
      const rows = [{ minor: BigInt(amount) * 100n, date: now().slice(0, 10), reference: bankReference }]
      const own = { url: service.url, operatorToken: tokenOf(who) }
      const requisiteId = known.payments.at(-1)?.requisiteId ?? shop.requisiteIds[0] ?? ''
      const uploaded = await uploadFile(own, camtOf({ account: '40702810000000000001', rows }), { requisiteId })
      if (uploaded.status !== 201) return uploaded
      const confirmed = await act('POST', `/statements/${uploaded.body.id}/confirm`)
      await service.runJobs()
      return confirmed
    },
    pushWithOwnKey: async () => {
      const added = await act('POST', '/statement-sources', { name: reference(), requisiteIds: shop.requisiteIds })
      if (added.status !== 201) return added
      const feed = await openFeed({ ...service, operatorToken: tokenOf(who) }, reference(), shop.requisiteIds)
      await act('POST', `/statement-sources/${feed.sourceId}/key/approve`, { keyPrefix: feed.keyPrefix })
      return feed([report()])
    },
    setRate: () => act('PUT', '/rates/rub', { price: oneOf(random, rates), outsideBand: random(2) === 0 }),
    override: () => {
      const until = new Date(service.clock.now + hour).toISOString()
      const wish = { price: oneOf(random, rates), until, reason: 'a favour', outsideBand: random(2) === 0 }
      return act('PUT', '/rates/rub/override', wish)
    },
    endOverride: () => act('DELETE', '/rates/rub/override'),
    addRates: async () => {
      const fixed = oneOf(random, rates)
      const steps = { maxStepPpm: 200_000, maxDayPpm: 200_000, rank: 1 + random(3) }
      const wish = { currency: 'rub', kind: 'fixed', name: reference(), price: fixed, ...steps }
      const added = await act('POST', '/rate-sources', wish)
      if (added.status !== 201) return added
      await service.runJobs()
      const path = `/rate-sources/${added.body.id}`
      await act('POST', `${path}/accept`, { price: fixed })
      return act('DELETE', path)
    },
    dispute: async () => {
      const payment = some(known.payments)
      if (!payment) return undefined
      const body = { amount: oneOf(random, [payment.amount, ...amounts]), note: 'it came' }
      const opened = await act('POST', `/payments/${merchantId}/${payment.id}/disputes`, body)
      if (opened.status === 201) known.disputes.push({ id: opened.body.id, amount: body.amount })
      return opened
    },
    claim: async () => {
      const payment = some(known.payments)
      if (!payment) return undefined
      const body = { amount: payment.amount }
      const claimed = await shop.post(`/payments/byOrderId/${payment.orderId}/dispute`, body)
      if (claimed.status === 201) known.disputes.push({ id: claimed.body.id, amount: body.amount })
      return claimed
    },
    acceptDispute: () => {
      const dispute = known.disputes.at(-1)
      const transfer = known.transfers.at(-1)
      if (!dispute) return undefined
      const transfers = transfer && random(2) === 0 ? { transfers: [transfer] } : {}
      const wanted = random(2) === 0 ? { amount: dispute.amount } : {}
      return act('POST', `/disputes/${merchantId}/${dispute.id}/decision`, {
        ...{ decision: 'accept', note: 'seen' },
        ...transfers,
        ...wanted,
      })
    },
    confirmDispute: () => {
      const dispute = known.disputes.at(-1)
      return dispute && act('POST', `/disputes/${merchantId}/${dispute.id}/confirm`, { amount: dispute.amount })
    },
    overpayment: async () => {
      const [from, to] = [some(known.payments), some(known.payments)]
      if (!from || !to) return undefined
      const decision = oneOf(random, ['assign', 'write-off'])
      return act('POST', `/overpayments/${merchantId}/${from.id}/decisions`, {
        ...{ reference: reference(), decision, reason: 'mine' },
      })
    },
    adjust: async () => {
      const accounts = {
        debitAccount: oneOf(random, ['fees', 'suspense', 'corrections']),
        creditAccount: 'merchant:available',
      }
      const wish = {
        merchantId,
        reference: reference(),
        ...accounts,
        currency: 'USDT',
        amount: 5000,
        reason: 'a favour',
      }
      const drafted = await act('POST', '/ledger/adjustments', wish)
      if (drafted.status >= 300) return drafted
      return act('POST', `/ledger/adjustments/${merchantId}/${drafted.body.id}/post`)
    },
    terms: () =>
      act('PUT', `/merchants/${merchantId}/terms/sbp`, { feePpm: 0, creditCapPpm: 100_000_000, ratePolicy: 'locked' }),
    draft: async () => {
      const all = random(2) === 0 ? {} : { amount: oneOf(random, [10, 60, 99, 5000]) }
      const drafted = await act('POST', '/settlements', {
        merchantId,
        reference: reference(),
        destinationId: random(4) === 0 ? (known.diverted.at(-1) ?? destinationId) : destinationId,
        ...all,
      })
      if (drafted.status < 300) known.drafts.push(drafted.body.id)
      return drafted
    },
    divert: async () => {
      const account = withAccountKey(`40702810000000${String(100_000 + random(900_000))}`, '044525225')
      const own = { merchantId, kind: 'ru-account', address: `${account}/044525225`, label: `Own ${account}` }
      const proposed = await act('POST', '/destinations', own)
      if (proposed.status >= 300) return proposed
      known.diverted.push(proposed.body.id)
      const approved = await act('POST', `/destinations/${merchantId}/${proposed.body.id}/approve`)
      assert.equal(approved.status, 403, 'nobody approves a destination of one’s own')
      return approved
    },
    approve: () => settle('approve'),
    pay: () => settle('pay'),
    fail: () => settle('fail'),
    late: async () => {
      service.clock.advance(hour)
      await service.runJobs()
      return undefined
    },
    wait: async () => {
      service.clock.advance((1 + random(40)) * minute)
      await service.runJobs()
      return undefined
    },
  }
}

const worthOf = async ({ service }: World) => {
  const [{ worth, paidOut } = { worth: 0n, paidOut: 0n }] = await service.context.query(sumWorth, {})
  const [{ amount } = { amount: 0n }] = await service.context.query(sumUnspent, {})
  return {
    worth: Math.abs(Number(worth)) / 1e6,
    paidOut: Math.abs(Number(paidOut)) / 1e6,
    unspent: Number(amount) / 100,
  }
}

type Trick = keyof ReturnType<typeof openTricks>

/** Ways in which money was made by one person before; what else comes to mind may come between their steps. */
const schemes: readonly (readonly Trick[])[] = [
  ['create', 'typeIn', 'accept', 'draft', 'approve', 'pay'],
  ['create', 'late', 'dispute', 'typeIn', 'acceptDispute', 'confirmDispute'],
  ['create', 'late', 'claim', 'acceptDispute', 'confirmDispute'],
  ['setRate', 'create', 'typeIn', 'setRate', 'draft', 'approve', 'pay'],
  ['override', 'create', 'typeIn', 'endOverride'],
  ['addRates', 'addRates', 'addRates', 'create', 'typeIn'],
  ['create', 'upload', 'find', 'assign', 'draft', 'approve', 'pay'],
  ['create', 'pushWithOwnKey', 'find', 'accept'],
  ['draft', 'fail', 'draft', 'approve', 'fail', 'draft', 'approve', 'pay', 'draft', 'approve', 'pay'],
  ['typeIn', 'create', 'assign', 'unassign', 'assign', 'overpayment'],
  ['divert', 'draft', 'approve', 'pay'],
  ['adjust', 'terms', 'create', 'typeIn', 'overpayment'],
]

/** One sequence, in a day of its own: the bank reports some money, and the insider does what comes to mind. */
const play = async (world: World, seed: number, seen: ReturnType<typeof openSightings>): Promise<void> => {
  const { service, bank } = world
  const random = randomFrom(seed)
  const who = oneOf(random, insiders)
  service.clock.advance(25 * hour)
  await service.runJobs()
  const known: Known = {
    payments: [],
    transfers: [],
    disputes: [],
    drafts: [],
    diverted: [],
  }
  const tricks = openTricks(world, who, random, known)
  const before = await worthOf(world)
  let reported = 0
  const story: string[] = []
  await tricks.create()
  const plan = [...oneOf(random, schemes)]
  for (let steps = 4 + random(16); steps > 0; steps--) {
    const payment = known.payments.at(-1)
    if (payment && random(8) === 0) {
      // The bank's own report.
      const amount = random(2) === 0 ? payment.amount : oneOf(random, amounts)
      const pushed = await bank([
        {
          ...{ requisiteId: payment.requisiteId, amount, currency: 'rub' },
          ...{ bookedAt: new Date(service.clock.now).toISOString(), bankReference: `bank-${seed}-${steps}` },
        },
      ])
      if (pushed.status === 200) reported += amount
      story.push(`bank ${amount}`)
      continue
    }
    const planned = random(3) > 0 ? plan.shift() : undefined
    const name = planned ?? oneOf(random, Object.keys(tricks) as Trick[])
    const answer = await tricks[name]()
    if (!answer) continue
    assert.ok(answer.status < 500, `seed ${seed}: ${name} ${answer.status} ${JSON.stringify(answer.body)}`)
    const state = answer.body?.transfers?.[0]?.state ?? answer.body?.status ?? ''
    story.push(`${name} ${answer.status} ${answer.body?.code ?? state}`)
    if (answer.status < 300) seen.note(`${roles[who]} ${name}`)
    seen.note(answer.body?.code === 'second_person_required' ? 'refused alone' : 'answered')
  }
  const after = await worthOf(world)
  // What was typed in counts at the last rate, and is credited at the rate of its payment.
  const alone = bound * (highest / lowest)
  const allowed = (before.unspent + reported) / lowest + alone
  const gained = after.worth - before.worth
  const tale = `seed ${seed}, ${who}: ${JSON.stringify({ before, after, reported, story }, null, 1)}`
  assert.ok(gained <= allowed + 0.01, `more credited than reported; ${tale}`)
  assert.ok(after.paidOut - before.paidOut <= bound + 0.01, `more paid out than one person may; ${tale}`)
  if (gained > 1) seen.note('gained')
}

const run = async (service: TestService, count: number): Promise<void> => {
  const seen = openSightings()
  const world = await openWorld(service)
  const first = seedOf() * 1_000_000
  await repeat(
    'insiders',
    count,
    (index) => play(world, first + index, seen),
    () => seen.text(),
  )
  await assertHealthy(service)
  if (count >= 100)
    seen.assertSeen('refused alone', 'gained', 'operator typeIn', 'finance setRate', 'owner pushWithOwnKey')
  const { body } = await world.call('vera', 'GET', '/audit/verify')
  assert.equal(body.isWhole, true)
}

onOne('whoever is dishonest alone gains at most what one person may', (service) => run(service, countOf(60)))

// What a dishonest operator does over HTTP: the shop, the tricks, and the list of the acts that were accepted.
import assert from 'node:assert/strict'
import { query, uuid } from 'payin-database'
import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { openDestination } from './destination.ts'
import type { Act } from './insider-audit.ts'
import { openOperator } from './operator.ts'
import { openFeed } from './push.ts'
import { oneOf, type Random } from './random.ts'
import { actingJobs, type TestService } from './service.ts'
import { type Answer, newNumber, openShop, send } from './shop.ts'
import { camtOf, uploadFile } from './statement-files.ts'

/** The token of an operator of the world. */
export const tokenOf = (name: string): string => `payin_ops_token_of_${name}_0123456789abcdefghij`

/** The rate on which two have agreed. A person alone may move it by a fifth. */
const price = 92.5
/** The lowest and the highest rate that one person alone can set within a day. */
export const [lowest, highest] = [price * 0.8, price * 1.2]

const listLoneReports = query('test_list_lone_reports', {
  row: { requisiteId: uuid, id: uuid },
  text: `select distinct transfers.requisite_id, transfers.id from transfers
    join transfer_parts as parts on parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
    where transfers.reported_by is not null and parts.kind = 'suspense' and parts.replaced_at is null`,
})

const moneyJobs = new Set([
  ...['expire-payments', 'open-service-disputes', 'open-claimed-disputes'],
  ...['import-statements', 'carry-out-early-reversals', 'fetch-rates'],
])

/** Runs the jobs that change what somebody is worth; the others take most of the time of a round. */
export const runMoneyJobs = async ({ context }: TestService): Promise<void> => {
  for (let done = 1; done > 0; ) {
    done = 0
    for (const job of actingJobs) if (moneyJobs.has(job.name)) done += await job.run(context)
  }
}

/** What a dishonest person has met in a sequence. */
export type Known = {
  readonly payments: { id: string; amount: number; requisiteId: string; orderId: string }[]
  readonly transfers: { requisiteId: string; id: string }[]
  readonly disputes: { id: string; amount: number }[]
  readonly drafts: string[]
  readonly refunds: string[]
  readonly diverted: string[]
  readonly requisiteIds: string[]
  /** What the service has accepted and that is no reading. */
  readonly acts: Act[]
}

/** A shop with a rate on which two have agreed, and a feed of its bank whose key two people know. */
export const openWorld = async (service: TestService) => {
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
  await must('olaf', 'POST', `/statement-sources/${bank.sourceId}/approve`, { version: bank.version })
  const honest = openOperator(service)
  let isAgreed = false
  return {
    ...{ service, shop, bank, call, destinationId: await openDestination(service, shop.merchantId) },
    /** Two people agree on the usual rate again, unless nobody has touched it since. */
    agreeOnRate: async (): Promise<void> => {
      if (isAgreed) return
      for (const one of ['olaf', 'operator']) await call(one, 'DELETE', '/rates/rub/override')
      await must('olaf', 'PUT', '/rates/rub', { price, outsideBand: true })
      const agreed = await honest.call('PUT', '/rates/rub', { price, outsideBand: true })
      assert.deepEqual([agreed.status, agreed.body.proposed], [200, undefined], JSON.stringify(agreed.body))
      isAgreed = true
    },
    /**
     * An honest person ends what would change further sequences. What one insider has reported is ignored: if another
     * one accepted it, they would be two.
     */
    tidyUp: async ({ requisiteIds, acts }: Pick<Known, 'requisiteIds' | 'acts'>): Promise<void> => {
      if (acts.some(({ call: made }) => made.includes('/rate'))) isAgreed = false
      for (const id of requisiteIds) await honest.call('PATCH', `/requisites/${id}`, { status: 'retired' })
      const waiting = await service.context.query(listLoneReports, {})
      if (waiting.length === 0) return
      const ignored = waiting.map((each) => ({ ...each, decision: 'ignore' }))
      const { status } = await honest.call('POST', '/transfers/decide', { transfers: ignored, note: 'nobody knows it' })
      assert.equal(status, 200)
    },
    /** An honest person rejects the claims that wait: their reminders would take most of the time. */
    rejectClaims: async (): Promise<void> => {
      const { disputes } = (await honest.get('/disputes?state=undecided&limit=500')).body
      if (disputes.length === 0) return
      const rejected = disputes.map(({ id }: { id: string }) => ({
        ...{ merchantId: shop.merchantId, id, decision: 'reject' },
      }))
      const { status } = await honest.call('POST', '/disputes/decide', { disputes: rejected, note: 'nothing came' })
      assert.equal(status, 200)
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Amounts in rub. */
export const amounts = [500, 990, 2500, 5000, 9200, 20_000, 250_000]

/** What a dishonest person tries; each answers how the service took it. */
export const openTricks = (world: World, who: string, random: Random, known: Known) => {
  const { service, shop, call, destinationId } = world
  const merchantId = shop.merchantId
  const now = (): string => new Date(service.clock.now).toISOString()
  const note = (method: string, path: string, answer: Answer, body?: unknown): Answer => {
    const fields = { ...(body as object | undefined), ...answer.body }
    if (answer.status < 300 && method !== 'GET') known.acts.push({ call: `${method} ${path}`, fields })
    return answer
  }
  const act = async (method: string, path: string, body?: unknown): Promise<Answer> =>
    note(method, path, await call(who, method, path, body), body)
  const some = <T>(list: readonly T[]): T | undefined => list[random(list.length)]
  let count = 0
  const reference = (): string => `${who}-${service.clock.now}-${++count}`
  const learn = (answer: Answer): Answer => {
    for (const each of answer.body?.transfers ?? [])
      if (each.requisiteId !== undefined) known.transfers.push({ requisiteId: each.requisiteId, id: each.id })
    return answer
  }
  const learnPayment = (made: Answer, order: { readonly amount: number; readonly orderId: string }): Answer => {
    const { payment, card } = made.body
    if (made.status === 201) known.payments.push({ id: payment.id, requisiteId: card.id, ...order })
    return made
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
      const order = { amount: oneOf(random, amounts), orderId: reference() }
      return learnPayment(await shop.create(order.orderId, { ...order, userId: `user-${random(5)}` }), order)
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
      const date = now().slice(0, 10)
      const rows = [
        { minor: BigInt(amount) * 100n, date, reference: bankReference },
        { minor: -BigInt(oneOf(random, amounts)) * 100n, date, reference: reference() },
      ]
      const own = { url: service.url, operatorToken: tokenOf(who) }
      const requisiteId = known.payments.at(-1)?.requisiteId ?? shop.requisiteIds[0] ?? ''
      const uploaded = await uploadFile(own, camtOf({ account: `of ${requisiteId}`, rows }), { requisiteId })
      note('POST', '/statements', uploaded)
      if (uploaded.status !== 201) return uploaded
      const confirmed = await act('POST', `/statements/${uploaded.body.id}/confirm`)
      await runMoneyJobs(service)
      return confirmed
    },
    pushWithOwnKey: async () => {
      const added = await act('POST', '/statement-sources', { name: reference(), requisiteIds: shop.requisiteIds })
      if (added.status !== 201) return added
      const feed = await openFeed(service, reference(), shop.requisiteIds, {
        call: act,
        get: (path) => act('GET', path),
      })
      await act('POST', `/statement-sources/${feed.sourceId}/approve`, { version: feed.version })
      const pushed = await feed([report()])
      return note('POST', `/feeds/${feed.sourceId}`, pushed)
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
      await runMoneyJobs(service)
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
      const payment = some(known.payments)
      if (!payment) return undefined
      const decision = oneOf(random, ['assign', 'write-off', 'refund'])
      return act('POST', `/overpayments/${merchantId}/${payment.id}/decisions`, {
        ...{ reference: reference(), decision, reason: 'mine' },
        ...(decision === 'refund' ? { requisiteId: payment.requisiteId } : {}),
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
      act('PATCH', `/merchants/${merchantId}/terms/sbp`, {
        feePpm: 0,
        creditCapPpm: 100_000_000,
        ratePolicy: 'locked',
      }),
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
    askForSettlement: async () => {
      const to = random(4) === 0 ? (known.diverted.at(-1) ?? destinationId) : destinationId
      const all = random(2) === 0 ? {} : { amount: oneOf(random, [10, 60, 99, 5000]) }
      const asked = await shop.post('/settlements', { reference: reference(), destinationId: to, ...all })
      if (asked.status < 300) known.drafts.push(asked.body.id)
      return asked
    },
    cancelSettlement: () => {
      const id = known.drafts.at(-1 - random(2))
      return id === undefined ? undefined : shop.post(`/settlements/${id}/cancel`, {})
    },
    askForRefund: async () => {
      const payment = some(known.payments)
      if (!payment) return undefined
      const part = random(2) === 0 ? {} : { amount: 1 + random(payment.amount) }
      const to = random(3) === 0 ? { payTo: '40817810099910004312' } : {}
      const wish = { reference: reference(), ...part, ...to }
      const asked = await shop.post(`/payments/byOrderId/${payment.orderId}/refunds`, wish)
      if (asked.status === 201) known.refunds.push(asked.body.id)
      return asked
    },
    refund: async () => {
      const id = known.refunds.at(-1 - random(2))
      const step = oneOf(random, ['approve', 'approve', 'send', 'send', 'refuse', 'fail'])
      const body = step === 'send' ? {} : step === 'approve' ? undefined : { reason: 'later' }
      return id === undefined ? undefined : act('POST', `/refunds/${merchantId}/${id}/${step}`, body)
    },
    divert: async () => {
      const account = withAccountKey(`40702810000000${String(100_000 + random(900_000))}`, '044525225')
      const own = { kind: 'ru-account', address: `${account}/044525225`, label: `Own ${account}` }
      const isAsked = random(2) === 0
      const begun = await (isAsked
        ? shop.post('/destinations', own)
        : act('POST', '/destinations', { merchantId, ...own }))
      if (begun.status >= 300) return begun
      known.diverted.push(begun.body.id)
      const path = `/destinations/${merchantId}/${begun.body.id}/approve`
      // Who takes up what the merchant asks for is its author.
      if (isAsked && (await act('POST', path)).status >= 300) return undefined
      const approved = await act('POST', path)
      assert.equal(approved.status, 403, 'nobody approves a destination of one’s own')
      return approved
    },
    outgoing: async () => {
      const { body } = await act('GET', '/outgoing?limit=5')
      const money = some<{ requisiteId: string; id: string; state: string }>(body.outgoing)
      if (!money) return undefined
      const path = `/outgoing/${money.requisiteId}/${money.id}`
      if (money.state === 'booked') return act('POST', `${path}/unbook`, { reason: 'a mistake' })
      const [payment, settlementId] = [some(known.payments), some(known.drafts)]
      if (random(2) === 0) return act('POST', `${path}/confirm`, payment ? { merchantId, paymentId: payment.id } : {})
      const settlement = settlementId === undefined ? {} : { merchantId, settlementId }
      const purpose = oneOf(random, ['fee', 'settlement', 'own-account', 'other'])
      return act('POST', `${path}/book`, {
        ...{ purpose, reason: 'as I say' },
        ...(purpose === 'settlement' ? settlement : {}),
      })
    },
    openBalance: () => {
      const requisiteId = known.requisiteIds.at(-1) ?? some(shop.requisiteIds) ?? ''
      const wish = { requisiteId, day: now().slice(0, 10), balance: oneOf(random, amounts), currency: 'rub' }
      return act('PUT', '/ledger/opening-balances', { balances: [wish], reason: 'it was there' })
    },
    addRequisite: async () => {
      const own = { merchantId, method: 'sbp', currency: 'rub', bankIssuer: 'bank-a', holder: 'Ivan Petrov' }
      const added = await act('POST', '/requisites', { requisites: [{ ...own, number: newNumber('sbp') }] })
      if (added.status === 201) known.requisiteIds.push(...added.body.ids)
      return added
    },
    changeRequisite: () =>
      act('PATCH', `/requisites/${known.requisiteIds.at(-1) ?? shop.requisiteIds[0]}`, { label: reference() }),
    changeMerchant: () =>
      act('PATCH', `/merchants/${merchantId}`, {
        settings: { maxHeldPerUser: oneOf(random, [null, 10]), ownRequisitesOnly: random(2) === 0 },
      }),
    useOwnToken: async () => {
      const issued = await act('POST', `/merchants/${merchantId}/tokens`, { name: reference() })
      if (issued.status !== 201) return issued
      const order = {
        type: 'direct',
        amount: oneOf(random, amounts),
        orderId: reference(),
        currency: 'rub',
        method: 'sbp',
      }
      const made = await send(service, '/api/v1/merchant/payments', {
        method: 'POST',
        headers: { authorization: `Bearer ${issued.body.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(order),
      })
      learnPayment(made, order)
      return act('POST', `/tokens/${issued.body.id}/revoke`)
    },
    invite: async () => {
      const name = `friend-${service.clock.now}-${++count}`
      const friend = { name, email: `${name}@example.com`, role: 'owner' }
      const invited = await act('POST', '/members/invitations', friend)
      return invited.status === 201 ? act('DELETE', `/members/invitations/${name}`) : invited
    },
    approve: () => settle('approve'),
    pay: () => settle('pay'),
    fail: () => settle('fail'),
    late: async () => {
      service.clock.advance(hour)
      await runMoneyJobs(service)
      return undefined
    },
    wait: async () => {
      service.clock.advance((1 + random(40)) * minute)
      await runMoneyJobs(service)
      return undefined
    },
  }
}

// Sends requests made from docs/openapi.json: half good, a quarter one mutation away, a quarter raw bytes, with chains that
// create a payment and follow it to its end. Collects every answer that its operation does not declare.
import { oneOf, type Random } from '../../support/random.ts'
import type { TestService } from '../../support/service.ts'
import type { Sightings } from '../../support/torture.ts'
import { openKnown } from './known.ts'
import { jsonOf, type Made, makeRequest, mutate, type Source } from './make-request.ts'
import { type Operation, operations, type Received, wrongAnswer, wrongWithoutOperation } from './operations.ts'
import { openClient, signFeed, targetOf } from './send-request.ts'
import { openCredentials, tend } from './tend.ts'

/** An answer that is not as declared, with the request that got it. */
export type Finding = { readonly what: string; readonly request: string; readonly answer: string }

/** A fuzzer of one service. */
export type Fuzzer = {
  /** Sends one request, or the requests of one chain; gives how many. */
  step(): Promise<number>
  /** Creates a payment, pays it exactly and acknowledges it. */
  payOne(): Promise<void>
  /** A good request of an operation. */
  make(operation: Operation): Made
  /** Sends a request of an operation; its own `authorization` replaces the fuzzer's. */
  send(operation: Operation, made: Made): Promise<Received>
  /** Renews what the fuzzer needs. */
  tend(): Promise<void>
  /** The first finding of each kind. */
  readonly findings: ReadonlyMap<string, Finding>
  close(): void
}

/** What reads the whole database, or grows what every node keeps in memory, comes rarely. */
const rare = new Set(['checkInvariants', 'exportJournal', 'createMerchant', 'verifyAudit'])

const shownBody = (body: Made['body']): string => String(body ?? '').slice(0, 2000)

const spoilBytes = (bytes: Buffer, random: Random): Buffer => {
  const at = random(bytes.length)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (random(7)) {
    case 0:
      return before
    case 1:
      return Buffer.concat([before, Buffer.from([random(256)]), after])
    case 2: {
      const copy = Buffer.from(bytes)
      copy[at] = (copy[at] ?? 0) ^ (1 << random(8))
      return copy
    }
    case 3:
      return Buffer.concat([bytes, bytes])
    case 4:
      return Buffer.concat([before, after.subarray(1 + random(20))])
    case 5: {
      const lines = [
        'Transfer-Encoding: chunked',
        'Host: b',
        'Content-Length: 5',
        'Authorization: Bearer x',
        ': x',
        ' x: y',
        'Connection: upgrade',
      ]
      return Buffer.from(bytes.toString('latin1').replace('\r\n', `\r\n${oneOf(random, lines)}\r\n`), 'latin1')
    }
    default:
      return Buffer.concat([before, Buffer.from(Array.from({ length: random(40) }, () => random(256))), after])
  }
}

/** Opens a fuzzer; `seen` counts what it meets. */
export const openFuzzer = async (service: TestService, random: Random, seen: Sightings): Promise<Fuzzer> => {
  const known = openKnown(random)
  const source: Source = { random, known, now: () => service.clock.now }
  const credentials = await openCredentials(service, known)
  const client = openClient(service.url)
  const findings = new Map<string, Finding>()
  const pages: string[] = []
  let orders = 0

  const report = (what: string, request: string, answer: Received): void => {
    seen.note('finding')
    const key = what.slice(0, 120)
    if (findings.has(key)) return
    const finding = { what, request, answer: `${answer.status} ${JSON.stringify(answer.body).slice(0, 1000)}` }
    findings.set(key, finding)
    console.log('found:', finding)
  }

  const authorize = (operation: Operation, made: Made): Made => {
    const own: Record<string, string> =
      operation.security === 'operator'
        ? {
            authorization: `Bearer ${oneOf(random, [service.operatorToken, service.operatorToken, service.operatorTokens['anna'] ?? '', service.operatorTokens['boris'] ?? ''])}`,
          }
        : operation.security === 'merchant'
          ? { authorization: `Bearer ${credentials.token}` }
          : operation.security === 'feed'
            ? signFeed(credentials.feedKey, made.body, service.clock.now)
            : {}
    return { ...made, headers: { ...own, ...made.headers } }
  }

  const note = (operation: Operation, { status, body }: Received): void => {
    const { code } = (body ?? {}) as { code?: string }
    seen.note(`${status}`)
    if (code !== undefined) seen.note(code)
    if (status < 300) seen.note(`${operation.id} ${status}`)
    const segments = operation.path.split('/').filter((each) => !each.startsWith('{'))
    const collection = [
      'payments',
      'merchants',
      'endpoints',
      'deliveries',
      'requisites',
      'transfers',
      'disputes',
      'settlements',
      'destinations',
      'statements',
      'statement-sources',
      'tokens',
      'adjustments',
      'blocks',
      'rules',
      'outgoing',
      'overpayments',
      'reversals',
      'bank-issuers',
    ].findLast((each) => segments.includes(each))
    if (status < 300) known.learn(collection ?? segments.at(-1) ?? '', body, { merchantId: credentials.merchantId })
  }

  const send = async (operation: Operation, made: Made, isOfOperation = true): Promise<Received> => {
    const whole = authorize(operation, made)
    const answer = await client.send(whole)
    const declared = isOfOperation && answer.status !== 404 && answer.status !== 405
    const wrong = declared ? wrongAnswer(operation, answer) : wrongWithoutOperation(answer)
    const shown = `${whole.method} ${targetOf(whole)} ${JSON.stringify(whole.headers)} ${shownBody(whole.body)}`
    if (wrong !== undefined) report(`${operation.id}: ${wrong}`, shown, answer)
    if (isOfOperation) note(operation, answer)
    else seen.note(`${answer.status}`)
    return answer
  }

  const find = (id: string): Operation => {
    const found = operations.find((each) => each.id === id)
    if (!found) throw new Error(`no operation ${id}`)
    return found
  }

  const call = (id: string, path: string, body?: unknown): Promise<Received> => {
    const operation = find(id)
    const filled = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(path))
    const json = { headers: { 'content-type': 'application/json' }, body: jsonOf(body ?? null) }
    const made = {
      method: operation.method,
      path: filled,
      query: [],
      ...(body === undefined ? { headers: {}, body: undefined } : json),
    }
    return send(operation, made)
  }

  // Other lanes may have revoked the token or suspended the merchant, and a 503 that is honest was judged where it came.
  const expect = (isTrue: boolean, what: string, answer: Received): void => {
    if (!isTrue && ![401, 403, 503].includes(answer.status)) report(`chain: ${what}`, '', answer)
  }

  /** A payment from its creation to its acknowledgement, with as much more money than its amount, or less, as `offset` says. */
  const chain = async (offset: (amount: number) => number): Promise<number> => {
    const orderId = `chain-${++orders}`
    const amount = 1000 + random(2_000_000) / 100
    const request = { type: 'direct', amount, orderId, currency: 'rub', method: 'sbp' }
    const created = await call('createPayment', '', request)
    if (created.status !== 201) return 1
    const { payment, card, redirectUrl } = created.body as {
      payment: { id: string }
      card: { id: string }
      redirectUrl: string
    }
    if (pages.length > 100) pages.shift()
    pages.push(new URL(redirectUrl).pathname)
    const again = await call('createPayment', '', request)
    // Another lane may have canceled it, or time may have ended it.
    const isSame = (again.body as { payment?: { id: string } }).payment?.id === payment.id
    expect(again.status === 200 && isSame, 'a replay is another payment', again)
    const paid = amount + offset(amount)
    const bookedAt = new Date(service.clock.now).toISOString()
    const transfer = {
      requisiteId: card.id,
      amount: Math.round(paid * 100) / 100,
      currency: 'rub',
      bookedAt,
      bankReference: `chain-${orders}`,
    }
    const recorded = await call('recordTransfers', '', { transfers: [transfer] })
    expect(recorded.status === 200, 'a transfer is refused', recorded)
    const status = await call('getPaymentStatus', orderId)
    const isPaid = ['paid', 'disput-paid'].includes((status.body as { status: string }).status)
    // Another lane may have canceled it.
    const isWaiting = (status.body as { status: string }).status === 'new'
    // A report that was answered 401, 403 or 503 brought no money.
    if (recorded.status === 200 && isWaiting && transfer.amount === amount)
      report('chain: the exact amount does not pay', `${orderId} is new; its transfer, as recorded:`, recorded)
    if (status.status !== 200) return 4
    const acknowledged = await call('acknowledgePayment', '', { orderId })
    if (acknowledged.status === 200 && !isPaid) {
      // Another lane may have turned the clock since, so that the part that came was credited; then its history says so.
      const { events = [] } = (await call('getOwnPaymentTimeline', orderId)).body as { events?: { status: string }[] }
      const isCredited = events.some(({ status: each }) => ['paid', 'disput-paid'].includes(each))
      expect(isCredited, 'an acknowledgement of what was not credited', acknowledged)
      seen.note('chain credited meanwhile')
    } else expect(acknowledged.status === (isPaid ? 200 : 409), 'an acknowledgement', acknowledged)
    const detail = await call('getPayment', orderId)
    expect((detail.body as { id: string }).id === payment.id, 'the detail is of another payment', detail)
    seen.note(isPaid ? 'chain paid' : 'chain not paid')
    return 6
  }

  const anyOperation = (): Operation => {
    const operation = oneOf(random, operations)
    return rare.has(operation.id) && random(20) > 0 ? anyOperation() : operation
  }

  const bytesOf = (operation: Operation): Buffer => {
    const isPage = pages.length > 0 && random(4) === 0
    const made = isPage
      ? { method: 'GET', path: oneOf(random, pages), query: [], headers: {}, body: undefined }
      : authorize(operation, makeRequest(operation, source))
    const lines = Object.entries(made.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const body = Buffer.from(made.body ?? '')
    const length = body.length > 0 ? `content-length: ${body.length}\r\n` : ''
    const head = `${made.method} ${targetOf(made)} HTTP/1.1\r\nhost: payin.test\r\n${lines.join('')}${length}\r\n`
    return Buffer.concat([Buffer.from(head), body])
  }

  const sendBytes = async (): Promise<number> => {
    const bytes = spoilBytes(bytesOf(anyOperation()), random)
    // A client that closes its side is answered only where the answer needs no waiting: as with Node.js everywhere.
    const answers = await client.sendBytes(bytes, random(4) === 0)
    seen.note(answers.length === 0 ? 'bytes without an answer' : `bytes ${answers[0]?.status}`)
    for (const answer of answers) {
      const wrong = wrongWithoutOperation(answer)
      if (wrong !== undefined)
        report(`bytes: ${wrong}`, JSON.stringify(bytes.toString('latin1').slice(0, 3000)), answer)
    }
    return 1
  }

  return {
    step: async () => {
      const kind = random(40)
      if (kind < 10) return sendBytes()
      if (kind === 39) return chain((amount) => oneOf(random, [0, 0, 0, -1, 1, -amount / 2]))
      const operation = anyOperation()
      const made = makeRequest(operation, source)
      const { made: sent, isOfOperation } = kind < 20 ? mutate(made, random) : { made, isOfOperation: true }
      await send(operation, sent, isOfOperation)
      return 1
    },
    payOne: async () => void (await chain(() => 0)),
    make: (operation) => makeRequest(operation, source),
    send,
    tend: () => tend(service, credentials, known, random(20) * 60_000),
    findings,
    close: () => client.close(),
  }
}

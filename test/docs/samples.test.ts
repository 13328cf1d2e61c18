// Every sample of the documentation is run, in each language, against a service as `npm start` runs it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildSite } from '../../site/build-site.ts'
import { readMerchantApi } from '../../site/openapi-document.ts'
import { openPlace, type Place } from '../support/cluster.ts'
import { withoutInterpreter } from '../support/interpreters.ts'
import { freePort, type StartedProcess, startProcess } from '../support/process.ts'
import {
  type Block,
  blocksOf,
  Reader,
  removeSdk,
  type Run,
  type SampleLanguage,
  sampleLanguages,
} from '../support/samples.ts'
import { usualEngine } from '../support/service.ts'
import { destinationRules } from '../../src/rules/money/destination.ts'

const operatorToken = 'payin_ops_test_operator_token_0123456789abcdef'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

let place: Place | undefined
let url = ''
let started: StartedProcess | undefined

before(async () => {
  await buildSite()
  place = await openPlace(usualEngine())
  const port = String(await freePort())
  url = `http://localhost:${port}`
  started = await startProcess({
    ...place.environment,
    PORT: port,
    PUBLIC_URL: url,
    PAYIN_OPERATOR_TOKEN: operatorToken,
    // As step 1 of the quick start says.
    PAYIN_NOTIFICATION_LOOPBACK: 'on',
  })
})

after(async () => {
  await started?.end('SIGKILL')
  await place?.drop()
  removeSdk()
})

// oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies freely; a wrong name fails an assertion
const call = async (token: string, path: string, body?: unknown): Promise<any> => {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert.ok(answer.ok, `${path}: ${text}`)
  return JSON.parse(text)
}

let merchants = 0

/** A sandbox merchant of its own, as the operator of the reader's Payin makes one. */
const openMerchant = async (): Promise<{ id: string; token: string }> => {
  const merchant = await call(operatorToken, '/operator/merchants', { name: `Reader ${++merchants}`, mode: 'sandbox' })
  const { token } = await call(operatorToken, `/operator/merchants/${merchant.id}/tokens`, { name: 'server' })
  return { id: merchant.id, token }
}

const read = async (page: string): Promise<string> => (await fetch(`${url}/docs/${page}.md`)).text()

const listPages = async (): Promise<string[]> => {
  const text = await (await fetch(`${url}/llms.txt`)).text()
  return [...text.matchAll(/\/docs\/([\w-]+)\.md\)/g)].map(([, slug = '']) => slug)
}

const assertRan = ({ code, output }: Run, what: string): string => {
  assert.equal(code, 0, `${what}\n${output}`)
  // curl ends with 0 whatever is answered.
  assert.doesNotMatch(output, /urn:payin:problem/, what)
  return output
}

const until = async (isDone: () => boolean | Promise<boolean>, what: () => string): Promise<void> => {
  for (let waited = 0; !(await isDone()); waited += 100) {
    assert.ok(waited < 30_000, what())
    await sleep(100)
  }
}

const helpersOf = async (language: SampleLanguage): Promise<readonly Block[]> =>
  blocksOf(await read('quick-start')).filter((block) => block.language === language && block.file?.startsWith('payin.'))

const openReader = async (language: SampleLanguage, token: string): Promise<Reader> => {
  const reader = new Reader(language, { PAYIN_URL: url, PAYIN_TOKEN: token })
  reader.save('receipt.png', png)
  for (const { file = '', source } of await helpersOf(language)) reader.save(file, source)
  return reader
}

const create = { type: 'direct', method: 'sbp', amount: 1000.01, currency: 'rub' }

const createPaid = async (token: string, orderId: string): Promise<void> => {
  await call(token, '/merchant/payments', { ...create, orderId })
  const { status } = await call(token, `/merchant/payments/byOrderId/${orderId}/status?wait=25`)
  assert.equal(status, 'paid')
}

for (const language of sampleLanguages) {
  // Most of their time they wait for simulated money.
  describe(`samples in ${language}`, { skip: withoutInterpreter(language) ?? false, concurrency: true }, () => {
    test('the quick start works word by word, from the token to a server that credits each order once', async (t) => {
      const { token } = await openMerchant()
      const reader = new Reader(language, {})
      t.after(() => reader.close())
      const port = String(await freePort())
      let server: (() => string) | undefined
      let printed = ''
      for (const block of blocksOf(await read('quick-start'))) {
        const source = block.source
          .replaceAll('payin_test_…', token)
          .replaceAll('whsec_…', /whsec_[\w+/=]+/.exec(printed)?.[0] ?? 'none')
          .replaceAll('3000', port)
        const isMine = block.language === language || (block.language === 'sh' && !block.isChoice)
        if (!isMine) continue
        if (source.startsWith('export ')) {
          for (const [, name = '', value = ''] of source.matchAll(/^export (\w+)=(.+)$/gm))
            reader.environment[name] = value
        } else if (block.file === 'run' && source.includes('server')) {
          server = reader.start(source)
          await until(
            async () => (await fetch(`http://localhost:${port}/`).catch(() => undefined)) !== undefined,
            server,
          )
        } else if (block.file === 'run') {
          printed += assertRan(await reader.type(source), source)
        } else if (block.file === undefined) {
          const isWatching = server !== undefined && source.includes('order-2/simulate')
          if (isWatching)
            await until(
              () => /credit order-2/.test(server?.() ?? ''),
              () => server?.() ?? '',
            )
          printed += assertRan(await reader.run(source, 'sh'), source)
        } else {
          reader.save(block.file, source)
        }
      }
      assert.match(printed, /paid/)
      assert.match(printed, /redirectUrl|payment-sbp/)
      if (server) await tryServer(server, token, port)
    })

    test('those of all other pages run', async (t) => {
      const pages = (await listPages()).filter((page) => page !== 'quick-start' && !page.startsWith('api-'))
      const { token } = await openMerchant()
      await createPaid(token, 'order-1001')
      const reader = await openReader(language, token)
      t.after(() => reader.close())
      for (const page of pages) {
        for (const { source, file, language: own } of blocksOf(await read(page))) {
          if (own !== language || file !== undefined) continue
          if (source.includes('.listen(3000)')) await tryToStart(reader, source)
          else assertRan(await reader.runNext(source), `${page}:\n${source}`)
        }
      }
    })

    // The reference shows curl and the SDK.
    if (language === 'python' || language === 'php') return

    test('those of the reference run, one for each operation', async (t) => {
      const merchant = await openMerchant()
      const reader = await openReader(language, merchant.token)
      t.after(() => reader.close())
      const put = await openWorld(merchant)
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as object
      const { operations, tags } = readMerchantApi(document)
      const failures: string[] = []
      for (const tag of tags.keys()) {
        for (const { language: own, source, heading } of blocksOf(await read(`api-${tag}`))) {
          const id = operations.find(({ summary }) => summary === heading)?.id ?? ''
          if (own !== language) continue
          const run = await reader.runNext(await put(id, source))
          if (run.code !== 0 || run.output.includes('urn:payin:problem'))
            failures.push(`${id}: ${source}\n${run.output}`)
        }
      }
      assert.equal(failures.length, 0, failures.join('\n\n'))
    })
  })
}

/** Starts a server that is shown as a whole, and sees that it answers. */
const tryToStart = async (reader: Reader, source: string): Promise<void> => {
  const port = String(await freePort())
  reader.save('shown.ts', source.replace('3000', port))
  const printed = reader.start('node shown.ts')
  const answers = async (): Promise<boolean> => {
    const answer = await fetch(`http://localhost:${port}`, { method: 'POST', body: '{}' }).catch(() => undefined)
    return answer?.status === 400
  }
  await until(answers, printed)
}

/** What the samples of the reference act upon: gives each the order, endpoint, event or settlement that suits it. */
const openWorld = async ({ token }: { token: string }) => {
  const addEndpoint = async (): Promise<string> =>
    (await call(token, '/merchant/endpoints', { url: 'http://localhost:9/payin', kinds: ['payment.paid'] })).id
  const endpointId = await addEndpoint()
  await createPaid(token, 'order-1001')
  const deliveries = `/merchant/endpoints/${endpointId}/deliveries`
  await until(
    async () => (await call(token, deliveries)).deliveries.length > 0,
    () => 'no delivery',
  )
  const [{ eventId }] = (await call(token, deliveries)).deliveries
  const link = await call(token, '/merchant/links', { title: 'Course', amount: 1000, currency: 'rub' })
  const [logged] = (await call(token, '/merchant/requests')).requests
  await call(token, '/merchant/payments', { ...create, orderId: 'order-settled' })
  await call(token, '/sandbox/payments/byOrderId/order-settled/simulate', { event: 'settled' })
  const listSettlements = async () => (await call(token, '/merchant/settlements')).settlements
  await until(
    async () => (await listSettlements()).length > 0,
    () => 'no settlement',
  )
  const [settlement] = await listSettlements()
  // Its money covers the fees of refunds.
  await createPaid(token, 'order-of-fees')
  let refunds = 0
  const refund = async (): Promise<string> => {
    const wanted = { reference: `refund-${++refunds}`, amount: 1 }
    return (await call(token, '/merchant/payments/byOrderId/order-of-fees/refunds', wanted)).id
  }
  const open = (orderId: string) => call(token, '/merchant/payments', { ...create, amount: 6000, orderId })
  const cancel = async (orderId: string): Promise<void> => {
    await open(orderId)
    await call(token, '/merchant/payments/byOrderId/cancel', { orderId })
  }
  const dispute = async (orderId: string): Promise<void> => {
    await cancel(orderId)
    await call(token, `/merchant/payments/byOrderId/${orderId}/dispute`, { amount: 1000, reason: 'paid-not-credited' })
  }
  const orders: Readonly<Record<string, (orderId: string) => unknown>> = {
    createPayment: () => undefined,
    cancelPayment: open,
    simulatePayment: open,
    requestRefund: (orderId) => createPaid(token, orderId),
    openDispute: cancel,
    getDispute: dispute,
    withdrawDispute: dispute,
    addDisputeEvidence: dispute,
  }
  // What changes an endpoint gets one of its own.
  const endpoints: Readonly<Record<string, () => Promise<string>>> = {
    removeEndpoint: addEndpoint,
    updateEndpoint: addEndpoint,
    takeDeliveries: async () => (await call(token, '/merchant/listeners', {})).id,
  }
  const askFor = async (kind: 'iban' | 'tron', label: string): Promise<string> =>
    (await call(token, '/merchant/destinations', { kind, address: destinationRules[kind].example, label })).id
  const destination = () => askFor('tron', 'Main wallet')
  let settlements = 0
  const asked = async (): Promise<string> => {
    await createPaid(token, `order-asked-${++settlements}`)
    const wanted = { reference: `asked-${settlements}`, amount: 1, destinationId: await destination() }
    return (await call(token, '/merchant/settlements', wanted)).id
  }
  const documents: Readonly<Record<string, () => Promise<string>>> = {
    getRefund: refund,
    cancelRefund: refund,
    requestSettlement: destination,
    cancelSettlement: asked,
    retireOwnDestination: () => askFor('iban', 'Account'),
  }
  return async (operation: string, source: string): Promise<string> => {
    const prepare = orders[operation]
    const order = prepare ? `order-${operation}` : 'order-1001'
    await prepare?.(order)
    const own = await endpoints[operation]?.()
    const document = await documents[operation]?.()
    return source
      .replaceAll('order-1001', order)
      .replaceAll('019a9c3e-7d5e-7b52-9f0c-00000000e001', own ?? endpointId)
      .replaceAll('019a9c3e-7d5e-7b52-9f0c-00000000e002', eventId)
      .replaceAll(/(requests\/|requests\.get\(')019a9c3e-7d5e-7b52-9f0c-00000000e003/g, `$1${logged.id}`)
      .replaceAll('019a9c3e-7d5e-7b52-9f0c-00000000e003', document ?? settlement.id)
      .replaceAll('019a9c3e-7d5e-7b52-9f0c-00000000e004', link.id)
      .replaceAll('019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10', document ?? settlement.id)
  }
}

/** Pays an order for a reader's server, and plays it what it must not fall for. */
const tryServer = async (printed: () => string, token: string, port: string): Promise<void> => {
  const credits = (): number => printed().match(/credit order-2 /g)?.length ?? 0
  // Paid, and then corrected to 900 by the last step of the quick start.
  await until(() => printed().includes('credit order-2 -600.01'), printed)
  assert.match(printed(), /credit order-2 1500\.01/)
  const open = async (): Promise<number> => (await call(token, '/merchant/payments?acknowledged=false')).payments.length
  await until(async () => (await open()) === 0, printed)
  const forged = await fetch(`http://localhost:${port}/payin`, {
    method: 'POST',
    headers: {
      'webhook-id': 'forged',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    },
    body: '{"type":"payment.paid","data":{"orderId":"order-3"}}',
  })
  assert.equal(forged.status, 400)
  const { endpoints } = await call(token, '/merchant/endpoints')
  const deliveries = `/merchant/endpoints/${endpoints[0].id}/deliveries`
  const { deliveries: sent } = await call(token, deliveries)
  await call(token, `${deliveries}/${sent[0].eventId}/redeliver`, {})
  await until(async () => (await call(token, `${deliveries}/${sent[0].eventId}`)).attempts === 2, printed)
  assert.equal(credits(), 2)
}

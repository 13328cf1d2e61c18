// Files from payers: nobody blocks the others, broken forms are refused as such, slow ones end.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import multipart from '@fastify/multipart'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import type { Context } from '../../src/engine/context.ts'
import { storeInTurn } from '../../src/engine/disputes/claims/receive-proof.ts'
import { addressGroup } from '../../src/http/access/address-group.ts'
import { takeFiles } from '../../src/http/answers/receipt-files.ts'
import { answerClientError } from '../../src/http/server/answer-requests.ts'
import { limitBodyTime } from '../../src/http/server/check-requests.ts'
import { readUpload } from '../../src/http/payment-page/read-upload.ts'
import { limitUploads } from '../../src/http/access/uploads.ts'
import { createStatePage, openBookshop, sendForm } from '../support/page-states.ts'
import { onOneEngine, openTestService, usualEngine } from '../support/service.ts'
import { send } from '../support/shop.ts'

const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR and more', 'latin1')
const receipt = (content: Buffer = png): FormData => {
  const form = new FormData()
  form.set('receipt', new Blob([new Uint8Array(content)]), 'receipt.png')
  return form
}

/** Begins to send a receipt and stops in the middle. */
const stall = async (url: string, path: string): Promise<Socket> => {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(
    `POST ${path}/receipt HTTP/1.1\r\nHost: ${host}\r\nContent-Type: multipart/form-data; boundary=x\r\n` +
      'Content-Length: 1000000\r\n\r\n--x\r\nContent-Disposition: form-data; name="receipt"; filename="a"\r\n\r\nabc',
  )
  await sleep(50)
  return socket
}

test('429: a payer who stalls many files blocks no one else', async () => {
  const service = await openTestService(usualEngine())
  const shop = await openBookshop(service)
  const [slow, other] = await Promise.all(['slow', 'other'].map((name) => createStatePage(shop, name)))
  assert.ok(slow && other)
  for (const { path } of [slow, other]) await sendForm(service, `${path}/claim`, {})
  const sockets: Socket[] = []
  for (let count = 0; count < 10; count++) sockets.push(await stall(service.url, slow.path))
  assert.equal((await sendForm(service, `${slow.path}/receipt`, receipt())).status, 429)
  assert.equal((await sendForm(service, `${other.path}/receipt`, receipt())).status, 303)
  assert.match((await send(service, `/en${other.path}`)).body, /We have your receipt/)
  for (const socket of sockets) socket.destroy()
  let status = 0
  for (let waited = 0; waited < 400 && status !== 303; waited++) {
    await sleep(50)
    status = (await sendForm(service, `${slow.path}/receipt`, receipt())).status
  }
  assert.equal(status, 303, 'a closed connection no longer counts')
  await service.stop()
})

test('files are stored one after the other, also after one that cannot be', async () => {
  const context = {} as Context
  const order: string[] = []
  const store = (name: string) => async () => {
    order.push(`${name} begins`)
    await sleep(1)
    order.push(`${name} ends`)
    if (name === 'bad') throw new Error(name)
    return name
  }
  const [first, bad, last] = await Promise.allSettled(
    ['first', 'bad', 'last'].map((name) => storeInTurn(context, store(name))),
  )
  assert.deepEqual([first?.status, bad?.status, last?.status], ['fulfilled', 'rejected', 'fulfilled'])
  assert.deepEqual(order, ['first begins', 'first ends', 'bad begins', 'bad ends', 'last begins', 'last ends'])
})

test('uploads at once: one per payment, six per address, 24 in all; each is released once', () => {
  const uploads = limitUploads()
  const code = (take: () => unknown) => assert.throws(take, { code: 'rate_limited' })
  const first = uploads.take('192.0.2.1', 'a')
  code(() => uploads.take('192.0.2.2', 'a'))
  const more = ['b', 'c', 'd', 'e', 'f'].map((id) => uploads.take('192.0.2.1', id))
  code(() => uploads.take('192.0.2.1', 'g'))
  first()
  first()
  const again = uploads.take('192.0.2.1', 'a')
  code(() => uploads.take('192.0.2.1', 'g'))
  for (const release of [...more, again]) release()
  for (let index = 0; index < 24; index++) uploads.take(`198.51.100.${index}`, String(index))
  assert.throws(() => uploads.take('192.0.2.9', 'z'), { code: 'overloaded' })
})

test('an upload whose connection is gone before it is counted is refused', async () => {
  const app = Fastify()
  const refused = Promise.withResolvers<Error>()
  app.addHook('onRequest', async ({ raw }) => {
    raw.socket.destroy()
    await sleep(20)
  })
  takeFiles(app.withTypeProvider<TypeBoxTypeProvider>(), () => 'payment')
  app.setErrorHandler((error: Error) => refused.resolve(error))
  app.post('/', async () => 'never')
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  await assert.rejects(fetch(url, { method: 'POST', headers: { 'content-type': 'image/png' }, body: png }))
  assert.equal((await refused.promise).message, 'The upload was cut off.')
  await app.close()
})

test('limits count the addresses of one connection as one', () => {
  const groups: [address: string, group: string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7::/64'],
    ['2001:db8:0:7::9', '2001:db8:0:7::/64'],
    ['2001:DB8:0:7::', '2001:db8:0:7::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ]
  for (const [address, group] of groups) assert.equal(addressGroup(address), group)
})

onOneEngine('4xx: answers a broken form with a page, not with a server error', async (service) => {
  const shop = await openBookshop(service)
  const { path } = await createStatePage(shop, 'broken')
  await sendForm(service, `${path}/claim`, {})
  const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n`
  const cases: [what: string, type: string, body: string, status: number][] = [
    ['no boundary', 'multipart/form-data', 'x', 400],
    ['an early end', 'multipart/form-data; boundary=x', `${part('receipt')}abc`, 400],
    ['nothing at all', 'multipart/form-data; boundary=x', '', 422],
    ['two files', 'multipart/form-data; boundary=x', `${part('receipt')}a\r\n${part('more')}b\r\n--x--\r\n`, 413],
  ]
  for (const [what, type, body, status] of cases) {
    const answer = await send(service, `/en${path}/receipt`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    assert.equal(answer.status, status, what)
    assert.match(
      answer.body,
      status === 422 ? /Choose a file first|can’t open this type|larger than/ : /That didn’t work|too large/,
    )
  }
  assert.equal((await sendForm(service, `${path}/receipt`, receipt())).status, 303)
})

onOneEngine('303: a sixth receipt is not even read, and the page says that there are enough', async (service) => {
  const shop = await openBookshop(service)
  const { path } = await createStatePage(shop, 'six')
  await sendForm(service, `${path}/claim`, {})
  for (let index = 0; index < 5; index++) {
    assert.match((await send(service, `/en${path}`)).body, /name="receipt"/)
    await sendForm(service, `${path}/receipt`, receipt(Buffer.concat([png, Buffer.from([index])])))
  }
  const { body } = await send(service, `/en${path}`)
  assert.match(body, /We have enough receipts, thank you/)
  assert.doesNotMatch(body, /name="receipt"/)
  // Not a file at all: it was not read.
  assert.equal((await sendForm(service, `${path}/receipt`, receipt(Buffer.from('x')))).status, 303)
})

test('408: a body that does not come in time is refused, later where files are taken', async () => {
  const app = Fastify({
    clientErrorHandler: (error, socket) => answerClientError(error, { endWith: (text) => void socket.end(text) }, 'id'),
  })
  limitBodyTime(app.withTypeProvider<TypeBoxTypeProvider>())
  app.addContentTypeParser('multipart/form-data', { parseAs: 'string' }, async () => undefined)
  app.post('/short/receipt', { config: { bodyWithinMs: 50 } }, () => 'taken')
  app.post('/long/receipt', { config: { bodyWithinMs: 60_000 } }, () => 'taken')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const short = await stall(url, '/short')
  const answer = String(Buffer.concat((await short.toArray()) as Buffer[]))
  assert.match(answer, /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"code":"request_timeout"/)
  const long = await stall(url, '/long')
  await sleep(100)
  assert.equal(long.read(), null, 'still waiting')
  long.destroy()
  // A body that comes in time is answered, and its connection is left alone afterwards.
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const taken = await fetch(`${url}/short/receipt`, { method: 'POST', headers, body: 'x' })
  assert.deepEqual([taken.status, await taken.text()], [200, 'taken'])
  await app.close()
})

test('408: gives up on a form that comes too slowly or takes too long', async () => {
  const app = Fastify()
  await app.register(multipart)
  const paces = {
    slow: { windowMs: 50, bytes: 1000, withinMs: 5000 },
    long: { windowMs: 5000, bytes: 1, withinMs: 50 },
  }
  for (const [name, pace] of Object.entries(paces)) {
    app.post(`/${name}/receipt`, (request) => readUpload(request as never, pace).catch((error) => error.code))
  }
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  for (const name of Object.keys(paces)) {
    const socket = await stall(url, `/${name}`)
    const [chunk] = (await socket.take(1).toArray()) as [Buffer]
    assert.match(String(chunk), /request_timeout/)
    socket.destroy()
  }
  await app.close()
})

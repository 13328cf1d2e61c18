// Clients that do not read their answers, or send on after the last of them, with limits small enough to be reached.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionLimits, ServerConnections, usualLimits } from '../../src/http/server/limit-connections.ts'
import { shareService } from '../support/shared-service.ts'
import { goesOn, within } from '../support/waiting.ts'

const opened = shareService()

/** More than the system keeps for a connection whose client does not read. */
const answerBytes = 8 * 1024 * 1024
const answer = Buffer.alloc(answerBytes, 'x')
const megabyte = 1024 * 1024

/**
 * A server behind the limits, which answers `/large` with much, `/never` not at all, and everything else at once; `/last`
 * with its last answer.
 */
const withServer = async (
  limits: Partial<ConnectionLimits>,
  run: (ask: (path: string, ...lines: string[]) => Promise<Socket>, served: readonly string[]) => Promise<void>,
): Promise<void> => {
  const served: string[] = []
  const serve = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    served.push(url)
    if (url === '/last') response.setHeader('connection', 'close')
    if (url === '/large') response.end(answer)
    else if (url !== '/never') response.end('small')
  }
  const connections = new ServerConnections(opened().context, { ...usualLimits, lookEveryMs: 20, ...limits })
  const server: Server = connections.open(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets: Socket[] = []
  const ask = async (path: string, ...lines: string[]): Promise<Socket> => {
    const { port } = server.address() as { port: number }
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.pause()
    await once(socket, 'connect')
    const method = lines.length > 0 ? 'POST' : 'GET'
    socket.write(`${[`${method} ${path} HTTP/1.1`, 'Host: payin.test', ...lines].join('\r\n')}\r\n\r\n`)
    return socket
  }
  try {
    await run(ask, served)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

/** A cut client learns of it when it reads: by a reset, or by the end of what the system still had. */
const receivedBytes = (socket: Socket, before = 0): Promise<number> =>
  new Promise((done) => {
    let bytes = before
    socket.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes >= answerBytes) done(bytes)
    })
    socket.on('close', () => done(bytes))
    socket.resume()
  })

test('a client that reads nothing for its time is cut off; one that has nothing to read may wait', async () => {
  await withServer({ readWithinMs: 300 }, async (ask) => {
    const waiting = await ask('/never')
    const unread = await ask('/large')
    await sleep(1500)
    assert.ok((await receivedBytes(unread)) < answerBytes, 'the whole answer came')
    assert.equal(waiting.closed, false)
  })
})

test('control: with the time of the service it is not cut off, and gets the whole answer when it reads', async () => {
  await withServer({}, async (ask) => {
    const unread = await ask('/large')
    await sleep(1500)
    assert.ok((await receivedBytes(unread)) >= answerBytes)
  })
})

test('a client that reads slowly is not one that reads nothing', async () => {
  await withServer({ readWithinMs: 2500 }, async (ask) => {
    const slow = await ask('/large')
    let bytes = 0
    const none = () => undefined
    slow.on('readable', none)
    for (let turns = 0; turns < 70; turns++) {
      await sleep(50)
      bytes += ((slow.read() as Buffer | null) ?? '').length
    }
    assert.ok(bytes > 64 * 1024 && bytes < answerBytes, `${bytes}`)
    slow.off('readable', none)
    assert.ok((await within('all of it came, or it is cut off', receivedBytes(slow, bytes))) >= answerBytes, 'cut off')
  })
})

test('answers that wait for all clients together have a bound: who reads nothing is cut off, who reads is not', async () => {
  await withServer({ waitingBytesInAll: 20 * megabyte }, async (ask) => {
    const unread = await Promise.all(Array.from({ length: 8 }, () => ask('/large')))
    await sleep(300)
    const reader = await ask('/large')
    assert.ok((await receivedBytes(reader)) >= answerBytes, 'the reader was cut off')
    const whole = (await Promise.all(unread.map(receivedBytes))).filter((bytes) => bytes >= answerBytes)
    assert.ok(whole.length <= 4, `${whole.length} of 8 answers were kept`)
    assert.ok(whole.length >= 1, 'more were cut off than needed')
  })
})

test('control: without the bound all of them are kept', async () => {
  await withServer({ waitingBytesInAll: Number.POSITIVE_INFINITY }, async (ask) => {
    const unread = await Promise.all(Array.from({ length: 8 }, () => ask('/large')))
    await sleep(300)
    const bytes = await Promise.all(unread.map(receivedBytes))
    assert.ok(bytes.every((each) => each >= answerBytes))
  })
})

// --- the end of a connection whose client is still writing

/** Whether it ends by a reset or not: `once` would reject. */
const closeOf = (socket: Socket): Promise<void> => new Promise((done) => socket.once('close', () => done()))

/** How many bytes a client can send, `piece` every few milliseconds, until it is cut off. */
const sendUntilCut = async (socket: Socket, piece: Buffer): Promise<number> => {
  const closed = closeOf(socket)
  let bytes = 0
  const feed = setInterval(() => {
    if (socket.write(piece)) bytes += piece.length
  }, 5)
  // It keeps its side open after the end of ours.
  socket.allowHalfOpen = true
  socket.resume()
  await closed
  clearInterval(feed)
  return bytes
}

test('who sends on slowly after the last answer is cut off when the time is over', async () => {
  const sendSlowly = async (ask: (path: string, ...lines: string[]) => Promise<Socket>) =>
    sendUntilCut(await ask('/last', `Content-Length: ${megabyte}`), Buffer.from('x'))
  await withServer({ linger: { bytes: megabyte, ms: 60_000 } }, async (askPatient) => {
    const control = sendSlowly(askPatient)
    await withServer({ linger: { bytes: megabyte, ms: 300 } }, async (ask) => {
      const sending = sendSlowly(ask)
      assert.ok(await goesOn(sending, 250), 'cut at once')
      await within('it is cut off', sending)
    })
    assert.ok(await goesOn(control, 0), 'with more time it is not cut off')
  })
})

test('who sends on much after the last answer is cut off at the most bytes', async () => {
  await withServer({ linger: { bytes: 64 * 1024, ms: 60_000 } }, async (ask) => {
    const socket = await ask('/last', 'Transfer-Encoding: chunked')
    const bytes = await sendUntilCut(socket, Buffer.from(`2000\r\n${'x'.repeat(8192)}\r\n`))
    assert.ok(bytes < megabyte, `${bytes} bytes`)
  })
})

test('a request that comes after the last answer is not begun', async () => {
  await withServer({ linger: { bytes: megabyte, ms: 300 } }, async (ask, served) => {
    const socket = await ask('/last', 'Content-Length: 4')
    socket.allowHalfOpen = true
    const closed = closeOf(socket)
    socket.resume()
    await once(socket, 'data')
    socket.end('restGET /small HTTP/1.1\r\nHost: payin.test\r\n\r\n')
    await closed
    assert.deepEqual(served, ['/last'])
  })
})

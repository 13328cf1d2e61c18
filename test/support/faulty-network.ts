import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { oneOf, type Random } from './random.ts'

/** The faults of a network: it delays what is sent, sends single bytes, loses connections, or falls silent. */
export const networkFaults = ['none', 'delay', 'trickle', 'cut', 'silence'] as const
export type NetworkFault = (typeof networkFaults)[number]

/** A network between a client and a server, to which a test can add faults. */
export type FaultyNetwork = {
  /** The port for the client. */
  readonly port: number
  /** Sets the fault from now on. Connections that were silent are cut when the fault changes. */
  set(fault: NetworkFault): void
  close(): Promise<void>
}

type Target = { readonly host: string; readonly port: number } | { readonly path: string }

const delayMs = 40
const trickledBytes = 64

/** Resets a connection; a Unix socket, which cannot be reset, is just closed. */
const cut = (socket: Socket): void => {
  if (socket.localAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** Opens a network in front of a server. */
export const openFaultyNetwork = async (target: Target, random: Random): Promise<FaultyNetwork> => {
  let fault: NetworkFault = 'none'
  const pairs = new Set<Socket>()
  const silent = new Set<Socket>()
  const pass = (from: Socket, to: Socket): void => {
    let queue = Promise.resolve()
    const send = async (chunk: Buffer): Promise<void> => {
      if (fault === 'delay') await new Promise((done) => setTimeout(done, delayMs))
      if (fault === 'cut' && random(4) === 0) return cut(from)
      if (fault === 'silence') return void silent.add(from)
      const step = fault === 'trickle' ? trickledBytes : chunk.length
      for (let at = 0; at < chunk.length && !to.destroyed; at += step) {
        to.write(chunk.subarray(at, at + step))
        if (step < chunk.length) await new Promise((done) => setTimeout(done, 1))
      }
    }
    from.on('data', (chunk: Buffer) => {
      queue = queue.then(() => send(chunk))
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      pairs.delete(from)
      silent.delete(from)
      void queue.then(() => to.destroy())
    })
  }
  const server = createServer((from) => {
    const to = connect(target)
    for (const socket of [from, to]) pairs.add(socket)
    pass(from, to)
    pass(to, from)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    port,
    set: (next) => {
      if (fault === 'silence') for (const socket of silent) cut(socket)
      fault = next
    },
    close: async () => {
      for (const socket of pairs) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A fault that is not `none`. */
export const anyFault = (random: Random): NetworkFault => oneOf(random, networkFaults.slice(1))

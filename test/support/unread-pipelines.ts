// What a server does for clients that pipeline requests and read nothing, in counts: these do not depend on how fast or how
// busy the machine is.
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

/** A connection to a server, which ends when the client or the server ends it. */
export const openSocket = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends a request on a connection that has no other, and reads its answer, which must have a length; returns its size. */
export const askOnce = (socket: Socket, request: string): Promise<number> =>
  new Promise((done, fail) => {
    let head = ''
    let bytes = 0
    const take = (piece: Buffer): void => {
      bytes += piece.length
      if (!head.includes('\r\n\r\n')) head += piece.toString('latin1')
      const headBytes = head.indexOf('\r\n\r\n') + 4
      const [, bodyBytes = '0'] = /^content-length: (\d+)/im.exec(head) ?? []
      if (headBytes < 4 || bytes < headBytes + Number(bodyBytes)) return
      stop()
      done(bytes)
    }
    const cut = (): void => {
      stop()
      fail(new Error(`the connection was cut after ${bytes} bytes`))
    }
    const stop = (): void => void socket.off('data', take).off('close', cut)
    socket.on('data', take).on('close', cut)
    socket.write(request)
  })

/** What a server did for clients that do not read. */
export type Served = {
  /** The answers that it built for them. */
  readonly built: number
  /** The most of these that it built while one poll of an honest client waited. */
  readonly mostAhead: number
  /** The most bytes of answers that it kept for one of them. */
  readonly mostKept: number
  /** Bytes of memory that it used more than before, garbage aside, once it built no more. */
  readonly memory: number
}

/** Counts what the server does for the clients with these ports. */
const watch = (server: Server, ports: ReadonlySet<number | undefined>) => {
  const openOf = new Map<Socket, Set<ServerResponse>>()
  let built = 0
  const note = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    if (!ports.has(socket.remotePort)) return
    const open = openOf.get(socket) ?? new Set()
    openOf.set(socket, open.add(response))
    response.on('close', () => open.delete(response))
    const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse
    response.writeHead = (...given: unknown[]) => {
      built++
      return writeHead(...given)
    }
  }
  server.prependListener('request', note)
  const keptFor = (socket: Socket, open: ReadonlySet<ServerResponse>): number => {
    let bytes = socket.writableLength
    // A response gets the socket when those before it are sent, and keeps its bytes until then.
    for (const response of open) if (response.socket === null) bytes += response.writableLength
    return bytes
  }
  return {
    built: () => built,
    mostKept: () => Math.max(0, ...[...openOf].map(([socket, open]) => keptFor(socket, open))),
    stop: () => server.off('request', note),
  }
}

const usedMemory = (): number => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** After this many polls in which the server built nothing for the others, it builds nothing more. */
const quietPolls = 20

/** Polls next to clients that each send all of `requests` at once and read nothing, until the server does no more for them. */
export const serveUnread = async (
  server: Server,
  url: string,
  given: { readonly clients: number; readonly requests: string; readonly poll: string },
): Promise<Served> => {
  const sockets: Socket[] = []
  for (let count = 0; count < given.clients; count++) sockets.push(await openSocket(url))
  const honest = await openSocket(url)
  const watched = watch(server, new Set(sockets.map(({ localPort }) => localPort)))
  try {
    await askOnce(honest, given.poll)
    const before = usedMemory()
    let [mostAhead, mostKept] = [0, 0]
    for (const socket of sockets) {
      socket.pause()
      socket.write(given.requests)
    }
    for (let quiet = 0; quiet < quietPolls; ) {
      const built = watched.built()
      await askOnce(honest, given.poll)
      const ahead = watched.built() - built
      quiet = ahead === 0 ? quiet + 1 : 0
      mostAhead = Math.max(mostAhead, ahead)
      mostKept = Math.max(mostKept, watched.mostKept())
    }
    return { built: watched.built(), mostAhead, mostKept, memory: usedMemory() - before }
  } finally {
    watched.stop()
    for (const socket of [honest, ...sockets]) socket.destroy()
  }
}

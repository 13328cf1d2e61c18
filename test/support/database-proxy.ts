import { createServer, connect, type Server, type Socket } from 'node:net'
import pg from 'pg'

/** A TCP proxy in front of a PostgreSQL, whose connections a test can cut. */
export type DatabaseProxy = {
  /** The database's address through the proxy. */
  readonly url: string
  /** Drops every connection and refuses new ones. */
  cut(): Promise<void>
  /** Lets connections through again, on the same port. */
  restore(): Promise<void>
  /** Cuts each of the next `times` connections on which this text is sent, instead of forwarding it. */
  cutAt(text: string, times: number): void
  /** Forwards the messages that `isLost` chooses, and cuts the connection instead of forwarding the answer. */
  loseAnswers(isLost: (sent: Buffer) => boolean): void
  /** Replaces what the database answers by a text of the same length. */
  rewrite(pattern: RegExp, replacement: string): void
  /** Accepts the next `times` connections, and answers nothing on them. */
  ignore(times: number): void
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })

/** Opens a proxy to the database that `databaseUrl` names, over TCP or a Unix socket. */
export const openDatabaseProxy = async (databaseUrl: string): Promise<DatabaseProxy> => {
  const { host, port, user, password, database } = new pg.Client({ connectionString: databaseUrl })
  const sockets = new Set<Socket>()
  let fatal = { text: '', times: 0 }
  let isLost: (sent: Buffer) => boolean = () => false
  let answerOf: ((answer: Buffer) => Buffer) | undefined
  let ignored = 0
  const cutIfFatal = (from: Socket, chunk: Buffer): void => {
    if (fatal.times === 0 || !chunk.includes(fatal.text)) return
    fatal.times--
    from.resetAndDestroy()
  }
  const open = async (wanted: number): Promise<{ server: Server; port: number }> => {
    const server = createServer((from) => {
      if (ignored > 0) {
        ignored--
        sockets.add(from.on('error', () => undefined))
        return
      }
      const to = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
      from.on('data', (chunk: Buffer) => {
        cutIfFatal(from, chunk)
        if (!isLost(chunk)) return
        to.unpipe(from)
        to.once('data', () => from.resetAndDestroy())
        to.resume()
      })
      for (const [socket, other] of [
        [from, to],
        [to, from],
      ] as const) {
        sockets.add(socket)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
        if (socket === to && answerOf) socket.on('data', (chunk: Buffer) => other.write(answerOf?.(chunk) ?? chunk))
        else socket.pipe(other)
      }
    })
    return { server, port: await listen(server, wanted) }
  }
  let current: { server: Server; port: number } = await open(0)
  const secret = password ? `:${encodeURIComponent(password)}` : ''
  return {
    url: `postgresql://${encodeURIComponent(user ?? '')}${secret}@127.0.0.1:${current.port}/${database}`,
    cut: async () => {
      const closed = new Promise<void>((resolve) => current.server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    restore: async () => {
      current = await open(current.port)
    },
    cutAt: (text, times) => {
      fatal = { text, times }
    },
    loseAnswers: (choose) => {
      isLost = choose
    },
    rewrite: (pattern, replacement) => {
      answerOf = (answer) => Buffer.from(answer.toString('latin1').replace(pattern, replacement), 'latin1')
    },
    ignore: (times) => {
      ignored = times
    },
  }
}

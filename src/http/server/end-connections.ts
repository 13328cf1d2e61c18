import type { Socket } from 'node:net'
import type { Context } from '../../context.ts'
import { second } from '../../domain/time.ts'
import type { App } from '../app.ts'

/** A client that has connected just now has this long to send its request. */
const speakWithinMs = 250
/** How long a client in the middle of a request may delay the end of the service. */
const stopWithinMs = 5 * second

/**
 * Lets the server end soon. Node.js counts a connection that has not sent anything yet as busy and would wait for it, and
 * an answer under way would leave its connection open for the next request.
 */
export const endConnections = (app: App, context: Context): void => {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (context.changes.closed()) void reply.header('connection', 'close')
    done()
  })
  app.addHook('preClose', async () => {
    const endSilent = (): void => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    setTimeout(endSilent, speakWithinMs).unref()
    setTimeout(() => app.server.closeAllConnections(), stopWithinMs).unref()
  })
}

import type { App } from './app.ts'

/**
 * Warns once when a peer that is not trusted forwards requests: all its users would count as one address for every limit
 * and allow-list.
 */
export const warnOfProxy = (app: App): void => {
  let warned = false
  app.addHook('onRequest', (request, _reply, done) => {
    const { remoteAddress } = request.raw.socket
    if (!warned && request.headers['x-forwarded-for'] !== undefined && request.ip === remoteAddress) {
      warned = true
      request.log.warn(
        { peer: remoteAddress },
        'X-Forwarded-For of a peer that is not trusted is ignored; if it is your proxy, name it in PAYIN_TRUST_PROXY',
      )
    }
    done()
  })
}

import { matchAddresses } from '../address-list.ts'
import type { App } from '../app.ts'

/**
 * Warns once when an untrusted peer forwards requests: all its users would count as one address in limits and allow-lists.
 */
export const warnOfProxy = (app: App, trustProxy: readonly string[]): void => {
  const isTrusted = matchAddresses(trustProxy)
  let warned = false
  app.addHook('onRequest', (request, _reply, done) => {
    const { remoteAddress } = request.raw.socket
    const isForwarded = request.headers['x-forwarded-for'] !== undefined && remoteAddress !== undefined
    if (!warned && isForwarded && !isTrusted(remoteAddress)) {
      warned = true
      request.log.warn(
        { peer: remoteAddress },
        'X-Forwarded-For of an untrusted peer is ignored; if it is your proxy, name it in PAYIN_TRUST_PROXY',
      )
    }
    done()
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../domain/refusal.ts'
import type { App } from '../app.ts'

type SendRefusal = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => FastifyReply

/** Answers 405 with `Allow` where the address exists for other methods, else 404. */
export const answerUnknown = (app: App, sendRefusal: SendRefusal): void => {
  const patterns = new Map<string, { match: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', (route) => {
    // The page for unknown links matches every address, so it says nothing about which exist.
    if (route.url === '/*') return
    const source = route.url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')
    const entry = patterns.get(route.url) ?? { match: new RegExp(`^${source}$`), methods: new Set<string>() }
    for (const method of [route.method].flat()) entry.methods.add(method)
    patterns.set(route.url, entry)
  })
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?')
    const methods = [...patterns.values()]
      .filter((entry) => entry.match.test(path))
      .flatMap((entry) => [...entry.methods])
    // A pattern may allow the method and still not match the route: a parameter is too long.
    if (methods.length === 0 || methods.includes(request.method))
      return sendRefusal(request, reply, new Refusal('route_not_found', 'There is nothing at this address.'))
    const allow = [...new Set(methods)].toSorted().join(', ')
    void reply.header('allow', allow)
    return sendRefusal(request, reply, new Refusal('method_not_allowed', `This address allows ${allow}.`))
  })
}

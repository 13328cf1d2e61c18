import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../routes/app.ts'

/** Requests that one caller may have running at once. */
const mostAtOnce = 4

/** Begins a request; false if its client is gone. */
type Begin = () => boolean

/** Counts each caller's running requests and queues those that wait. */
const openTurns = (most: number) => {
  const callers = new Map<string, { running: number; readonly waiting: Begin[] }>()
  const next = (name: string): void => {
    const turns = callers.get(name)
    if (!turns) return
    while (turns.running < most) {
      const begin = turns.waiting.shift()
      if (!begin) break
      if (begin()) turns.running++
    }
    if (turns.running === 0) callers.delete(name)
  }
  return {
    /** Calls `begin` as soon as fewer than `most` are running. */
    wait: (name: string, begin: Begin): void => {
      const turns = callers.get(name) ?? { running: 0, waiting: [] }
      callers.set(name, turns)
      turns.waiting.push(begin)
      next(name)
    },
    /** Ends one that has begun. */
    end: (name: string): void => {
      const turns = callers.get(name)
      if (turns) turns.running--
      next(name)
    },
  }
}

const isGone = ({ raw }: FastifyReply): boolean => raw.destroyed || raw.closed

/**
 * Whose turn an operator's request takes. Changes have turns of their own, so that reads do not hold them up; those that
 * are only previewed, or decide about many things, cost as much.
 */
export const operatorTurn = ({ routeOptions, operator }: FastifyRequest): string | undefined =>
  operator === undefined ? undefined : `${routeOptions.config.duty === 'read' ? 'reads' : 'changes'} of ${operator}`

/**
 * Runs `most` requests of each caller at a time; the others wait for their turn. `callerOf` names the caller of a
 * request that takes a turn, and returns undefined for others. Lists, exports, previews and reports cost hundreds of
 * times what a poll does, and must not hold up payments. `at` is when the caller is known: the body of a signed request
 * is read before.
 */
export const takeTurns = (
  app: App,
  callerOf: (request: FastifyRequest) => string | undefined,
  { most = mostAtOnce, at = 'onRequest' }: { readonly most?: number; readonly at?: 'onRequest' | 'preHandler' } = {},
): void => {
  const turns = openTurns(most)
  const works = new WeakMap<FastifyRequest, unknown>()
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const work: unknown = handler.call(this, request, reply)
      works.set(request, work)
      return work
    }
  })
  const wait = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const caller = callerOf(request)
    if (caller === undefined) return done()
    turns.wait(caller, () => {
      if (isGone(reply)) return false
      // Who hangs up does not end what was begun for it.
      reply.raw.once('close', () => {
        void Promise.allSettled([works.get(request)]).then(() => turns.end(caller))
      })
      done()
      return true
    })
  }
  if (at === 'onRequest') app.addHook('onRequest', wait)
  else app.addHook('preHandler', wait)
}

type Reporter = { readonly id: string; readonly changedBy: string | null }

/**
 * Runs one request of each phone or source at a time; those that stand on the word of one operator alone share a turn,
 * as the operator may add any number of them.
 */
export const takeReporterTurns = (app: App, reporterOf: (request: FastifyRequest) => Reporter | undefined): void =>
  takeTurns(
    app,
    (request) => {
      const reporter = reporterOf(request)
      return reporter?.changedBy ?? reporter?.id
    },
    { most: 1, at: 'preHandler' },
  )

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'

/** Requests to look at things that one operator may have under way at once. */
const mostReads = 4

/** Begins a request; false where nobody waits for its answer any more. */
type Begin = () => boolean

/** How many requests each operator has under way, and those that wait. */
const openTurns = (most: number) => {
  const operators = new Map<string, { running: number; readonly waiting: Begin[] }>()
  const next = (name: string): void => {
    const turns = operators.get(name)
    if (!turns) return
    while (turns.running < most) {
      const begin = turns.waiting.shift()
      if (!begin) break
      if (begin()) turns.running++
    }
    if (turns.running === 0) operators.delete(name)
  }
  return {
    /** Calls `begin` as soon as fewer than `most` are under way. */
    wait: (name: string, begin: Begin): void => {
      const turns = operators.get(name) ?? { running: 0, waiting: [] }
      operators.set(name, turns)
      turns.waiting.push(begin)
      next(name)
    },
    /** Ends one that has begun. */
    end: (name: string): void => {
      const turns = operators.get(name)
      if (turns) turns.running--
      next(name)
    },
  }
}

const isGone = ({ raw }: FastifyReply): boolean => raw.destroyed || raw.closed

/**
 * Lets each operator look at a few things at a time; what is asked for beyond that waits for its turn. Lists, exports and
 * previews cost hundreds of times what a merchant's poll does, and no role may hold up payments by them.
 */
export const takeTurns = (app: App): void => {
  const turns = openTurns(mostReads)
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    if (request.routeOptions.config.duty !== 'read') return done()
    const { operator } = request
    turns.wait(operator, () => {
      if (isGone(reply)) return false
      reply.raw.once('close', () => turns.end(operator))
      done()
      return true
    })
  })
}

import { Type } from '../../operations/schema.ts'
import type { Context } from '../../engine/context.ts'
import type { App } from '../routes/app.ts'
import { serverCodes } from '../../rules/error-codes.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'

const Answer = Type.Titled('Health', { status: Type.String({ examples: ['ok'] }) })

/** `Retry-After` of responses while the process is not ready, in seconds. */
const askAgainSeconds = 2

/** Why the process accepts no requests; undefined if it does. */
const readUnreadiness = async (context: Context): Promise<string | undefined> => {
  if (context.changes.closed()) return 'stopping'
  if (!context.isWritable()) return 'database cannot write'
  try {
    context.catalog.invalidate()
    await context.catalog.get(merchantDirectory)
    return undefined
  } catch {
    return 'no database'
  }
}

/** `GET /healthz`: the process answers. `GET /readyz`: it accepts requests, so its database can be read and written. */
export const registerHealth = (app: App, context: Context): void => {
  const config = { refusals: new Set(serverCodes) }
  const response = { 200: Answer, 503: Answer }
  const schema = (operationId: string, summary: string, description: string) => ({
    ...{ operationId, tags: ['health'], security: [], summary, description, response },
  })
  app.get(
    '/healthz',
    {
      config,
      schema: schema(
        'checkAlive',
        'Check that the process is alive',
        'For the health check of a process manager: restart a process that does not answer.',
      ),
    },
    () => ({ status: 'ok' }),
  )
  app.get(
    '/readyz',
    {
      config,
      schema: schema(
        'checkReady',
        'Check that the process accepts requests',
        'For load balancers: 503 while it is stopping or its database cannot be read and written.',
      ),
    },
    async (_request, reply) => {
      const problem = await readUnreadiness(context)
      if (problem === undefined) return { status: 'ready' }
      return reply.code(503).header('retry-after', askAgainSeconds).send({ status: problem })
    },
  )
}

import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import type { App } from '../app.ts'

const Answer = Type.Object({ status: Type.String() })

/** `GET /healthz`: the process answers; `GET /readyz`: it may be given work. */
export const registerHealth = (app: App, context: Context): void => {
  const schema = (summary: string) => ({ tags: ['health'], summary, response: { 200: Answer, 503: Answer } })
  app.get('/healthz', { schema: schema('Whether the process lives') }, () => ({ status: 'ok' }))
  app.get('/readyz', { schema: schema('Whether the process takes requests') }, async (_request, reply) => {
    if (context.changes.closed()) return reply.code(503).send({ status: 'stopping' })
    try {
      context.catalog.invalidate()
      await context.catalog.get(merchantDirectory)
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ status: 'no database' })
    }
  })
}

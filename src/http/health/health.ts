import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import type { App } from '../app.ts'
import { serverProblems } from '../problems.ts'

const Answer = Type.Object({ status: Type.String() })

/** `GET /healthz`: the process answers. `GET /readyz`: it accepts requests, so its database can be read and written. */
export const registerHealth = (app: App, context: Context): void => {
  const response = { 200: Answer, 503: Answer, ...serverProblems() }
  const schema = (summary: string) => ({ tags: ['health'], summary, response })
  app.get('/healthz', { schema: schema('Check that the process is alive') }, () => ({ status: 'ok' }))
  app.get('/readyz', { schema: schema('Check that the process accepts requests') }, async (_request, reply) => {
    if (context.changes.closed()) return reply.code(503).send({ status: 'stopping' })
    if (!context.isWritable()) return reply.code(503).send({ status: 'database cannot write' })
    try {
      context.catalog.invalidate()
      await context.catalog.get(merchantDirectory)
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ status: 'no database' })
    }
  })
}

import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { checkInvariants } from '../../operators/check-invariants.ts'
import type { App } from '../app.ts'
import { operation, refusals } from './fields.ts'

/** `GET /doctor`: runs every invariant (domain rules §12). */
export const registerDoctor = (app: App, context: Context): void => {
  app.get(
    '/doctor',
    {
      schema: {
        ...operation('checkInvariants', 'Check every invariant', 'Reads the whole database: not for every minute.'),
        response: {
          200: Type.Object({
            healthy: Type.Boolean(),
            checks: Type.Array(
              Type.Object({
                name: Type.String(),
                broken: Type.Integer({ description: 'Rows that break it; 0 is healthy.' }),
                examples: Type.Array(Type.String()),
              }),
            ),
          }),
          ...refusals,
        },
      },
    },
    async () => {
      const checks = await checkInvariants(context)
      return { healthy: checks.every((check) => check.broken === 0), checks }
    },
  )
}

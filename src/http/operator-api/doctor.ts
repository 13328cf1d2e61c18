import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { checkInvariants, type InvariantCheck, verifyLedger } from '../../invariants/check-invariants.ts'
import type { App } from '../app.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'

const DiagnosisAnswer = Type.Object({
  healthy: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      broken: Type.Integer({ description: 'Rows that violate it; 0 is healthy.' }),
      examples: Type.Array(Type.String()),
    }),
  ),
})

/** Which invariants hold, and which rows break the others. */
export type DiagnosisAnswer = Static<typeof DiagnosisAnswer>

const response = { 200: DiagnosisAnswer, ...problems() }

const diagnose = (checks: readonly InvariantCheck[]) => ({
  healthy: checks.every((check) => check.broken === 0),
  checks: [...checks],
})

/** `GET /doctor` runs every invariant (docs/domain.md §12), `GET /ledger/verify` those of the books. */
export const registerDoctor = (app: App, context: Context): void => {
  const all = operation(
    'checkInvariants',
    'Check every invariant',
    'Reads the whole database: not to be called every minute.',
  )
  app.get('/doctor', { schema: { ...all, response } }, async () => diagnose(await checkInvariants(context)))

  const books = operation('verifyLedger', 'Check the ledger', 'Reads the whole ledger: not to be called every minute.')
  app.get('/ledger/verify', { schema: { ...books, response } }, async () => diagnose(await verifyLedger(context)))
}

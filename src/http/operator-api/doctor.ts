import { type Static, Type } from 'typebox'
import { checkInvariants, type InvariantCheck, verifyLedger } from '../../invariants/check-invariants.ts'
import { routesForOperators } from '../routes.ts'

const DiagnosisAnswer = Type.Object(
  {
    healthy: Type.Boolean(),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        broken: Type.Integer({ description: 'Rows that violate it; 0 is healthy.' }),
        examples: Type.Array(Type.String()),
      }),
    ),
  },
  { title: 'Diagnosis' },
)

/** Which invariants hold, and which rows break the others. */
export type DiagnosisAnswer = Static<typeof DiagnosisAnswer>

const diagnose = (checks: readonly InvariantCheck[]) => ({
  healthy: checks.every((check) => check.broken === 0),
  checks: [...checks],
})

/** Checks of all invariants (docs/domain.md §12), or of those of the books. */
export const doctorRoutes = routesForOperators()

doctorRoutes.get('/doctor', {
  id: 'checkInvariants',
  duty: 'read',
  summary: 'Check every invariant',
  description: 'Reads the whole database: not to be called every minute.',
  answer: DiagnosisAnswer,
  handle: async (context) => diagnose(await checkInvariants(context)),
})

doctorRoutes.get('/ledger/verify', {
  id: 'verifyLedger',
  duty: 'read',
  summary: 'Check the ledger',
  description: 'Reads the whole ledger: not to be called every minute.',
  answer: DiagnosisAnswer,
  handle: async (context) => diagnose(await verifyLedger(context)),
})

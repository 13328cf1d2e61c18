import { type Static, Type } from 'typebox'
import { examineArchive } from '../../archive/read.ts'
import { mainTenant } from '../../domain/tenant.ts'
import { checkChanges, type Diagnosis, verifyLedger } from '../../invariants/check-changes.ts'
import type { InvariantCheck } from '../../invariants/check-invariants.ts'
import { adviseOnKeys } from '../../key-rotation/read.ts'
import { OneOf, Time, Titled, wireTime } from '../fields.ts'
import { adviseOnNumbers } from '../../tenants/free-stale-numbers.ts'
import { adviseOnInterrupted } from '../../tenants/list-interrupted.ts'
import { routesForOperators } from '../routes.ts'

const DiagnosisAnswer = Titled('Diagnosis', {
  healthy: Type.Boolean(),
  // Absent where everything was read.
  since: Type.Optional(Time),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      broken: Type.Integer({ description: 'Rows that violate it; 0 is healthy.' }),
      examples: Type.Array(Type.String()),
    }),
  ),
  notes: Type.Optional(
    Type.Array(Type.String({ examples: ['The key k1 is not needed any more: remove it.'] }), {
      description: 'What is not broken, and is to be done, such as removing an old key.',
    }),
  ),
})

/** Which invariants hold, and which rows break the others. */
export type DiagnosisAnswer = Static<typeof DiagnosisAnswer>

const diagnose = ({ since, checks }: Diagnosis) => ({
  healthy: checks.every((check) => check.broken === 0),
  ...(since === null ? {} : { since: wireTime(since) }),
  checks: [...checks],
})

const DiagnosisQuery = {
  full: Type.Optional(OneOf(['true', 'false'], { description: 'Read everything, also what was verified before.' })),
}

const lacksFiles = (missing: readonly string[]): InvariantCheck => ({
  name: 'archive-files-stored',
  meaning: 'Every file of the archive is in the storage of files.',
  broken: missing.length,
  examples: missing.slice(0, 20),
})

/** Checks of all invariants (docs/domain.md §12), or of those of the books. */
export const doctorRoutes = routesForOperators()

doctorRoutes.get('/doctor', {
  id: 'checkInvariants',
  duty: 'read',
  summary: 'Check every invariant',
  description: 'Reads what has changed since everything was last found in order; with `full` the whole database.',
  query: DiagnosisQuery,
  answer: DiagnosisAnswer,
  handle: async (context, { query: { full } }) => {
    const { missing, notes: ofArchive } = await examineArchive(context)
    const ofTenants = context.tenant === mainTenant ? await adviseOnInterrupted(context) : []
    const ofNumbers = await adviseOnNumbers(context)
    const notes = [...ofTenants, ...ofNumbers, ...(await adviseOnKeys([context])), ...ofArchive]
    const { since, checks } = await checkChanges(context, { full: full === 'true' })
    return {
      ...diagnose({ since, checks: missing.length === 0 ? checks : [...checks, lacksFiles(missing)] }),
      ...(notes.length > 0 ? { notes } : {}),
    }
  },
})

doctorRoutes.get('/ledger/verify', {
  id: 'verifyLedger',
  duty: 'read',
  summary: 'Check the ledger',
  description: 'Reads what has changed since everything was last found in order; with `full` the whole ledger.',
  query: DiagnosisQuery,
  answer: DiagnosisAnswer,
  handle: async (context, { query: { full } }) => diagnose(await verifyLedger(context, full === 'true')),
})

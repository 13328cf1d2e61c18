import { bankFilesBy } from '../../engine/members/auth/limits.ts'
import { exportBankStatement } from '../../engine/statements/export-bank-statement.ts'
import { Day } from '../../operations/fields.ts'
import { RevealReason } from '../../operations/reveals.ts'
import { Type } from '../../operations/schema.ts'
import { bankStatementFiles, bankStatementFormats } from '../../rules/statements/bank-statement.ts'
import { maskNumbers } from '../../rules/values/masking.ts'
import { actOnNamed } from '../access/act-on-behalf.ts'
import { routesForOperators } from '../routes/routes.ts'
import { limitReveals } from './reveal.ts'

const mediaTypes = Object.values(bankStatementFiles).map(({ type }) => type.replace(/;.*/, ''))

/** What is known of a bank account, for accounting programs. */
export const bankStatementRoute = routesForOperators()

bankStatementRoute.get('/requisites/:id/bank-statement', 'reveal', {
  id: 'exportBankStatement',
  summary: 'Export the statement of a bank account',
  description:
    'All that the bank has booked on the days of a span, as far as it is known here, with whole names, numbers and texts: in 1CClientBankExchange, camt.053 or CSV. What only the ledger has, such as a refund that the bank has not reported, is left out. Without an opening balance (`setOpeningBalances`), 1C and CSV have no balances, and camt.053 is refused. The audit has who exported what and why.',
  query: {
    from: { ...Day, description: 'The first day, in the time zone of the account.' },
    to: { ...Day, description: 'The last day, inclusive; at most 366 days after `from`.' },
    format: Type.OneOf(bankStatementFormats, '`1c`: 1CClientBankExchange in windows-1251, of accounts in roubles.'),
    reason: RevealReason,
  },
  answerContent: {
    content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  },
  refusals: ['rate_limited'],
  takesTurns: true,
  handle: async (context, request, reply) => {
    const { operator, params, query } = request
    const { reason, ...wanted } = query
    await limitReveals(context, bankFilesBy(operator), `${operator} has written too many files; wait 15 minutes.`)
    const { fileName, type, content, entries } = await exportBankStatement(context, params.id, wanted)
    const details = { ...wanted, entries, reason: maskNumbers(reason) }
    await actOnNamed(context, request, 'requisite.export', async () => undefined, details)
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(Buffer.from(content))
  },
})

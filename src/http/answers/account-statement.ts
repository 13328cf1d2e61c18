import { type Static, Type } from '../../operations/schema.ts'
import type { FastifyReply } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { statementToCamt, statementToCsv } from '../../rules/money/account-statement.ts'
import { refuseField } from '../../rules/refusal.ts'
import { day } from '../../rules/time.ts'
import { openAccountStatement } from '../../engine/ledger/export-journal.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { QuoteCurrency, Time, wire } from '../../operations/fields.ts'
import { quoteCode, usdt } from '../../rules/values/currency.ts'
import { streamLines } from '../routes/lists.ts'
import { readSpan, untilHeader, untilHeaders } from '../routes/spans.ts'

/** Longest span of an account statement. */
const maxSpanMs = 366 * day

export const StatementQuery = Type.Exact({
  from: { ...Time, description: 'Start of the statement, inclusive.' },
  to: {
    ...Time,
    description:
      'End of the statement, exclusive; at most 366 days after `from`. The statement never covers the last two minutes, in which entries may still be posted; the header `payin-until` and the closing balance say where it ends.',
  },
  'format?': Type.OneOf(['csv', 'camt.053'], 'Default: `csv`.'),
  'currency?': Type.String({
    pattern: '^[A-Z]{3}$',
    description: 'Code to write for USDT in camt.053, which allows only three letters. Default: `USD`.',
  }),
  'balance?': QuoteCurrency('Currency of the balance. Default: the quote currency of the merchant.'),
})

/** Response schema of an account statement. */
export const StatementFile = {
  description: 'The account statement.',
  headers: untilHeaders,
  content: {
    'text/csv': { schema: Type.Unsafe<string>({ type: 'string' }) },
    'application/xml': { schema: Type.Unsafe<string>({ type: 'string' }) },
  },
}

/** Sends a merchant's account statement. Refuses `resource_not_found`, `validation_failed`. */
export const sendAccountStatement = async (
  context: Context,
  reply: FastifyReply,
  id: string,
  query: Static<typeof StatementQuery>,
): Promise<FastifyReply> => {
  const span = readSpan(query, context.clock())
  if (span.to - span.from > maxSpanMs) throw refuseField('to', 'is more than 366 days after from.')
  const { merchant } = await getProfile(context, id)
  const of = { merchantId: merchant.id, currency: query.balance ?? merchant.settings.quoteCurrency }
  const { movements, ...balances } = await openAccountStatement(context, of, span)
  const statement = { ...of, merchantName: merchant.name, ...span, ...balances }
  const code = of.currency === usdt ? (query.currency ?? 'USD') : quoteCode(of.currency)
  const isCamt = query.format === 'camt.053'
  const body = isCamt ? statementToCamt(statement, movements, code) : statementToCsv(statement, movements)
  return reply
    .type(isCamt ? 'application/xml; charset=utf-8' : 'text/csv; charset=utf-8')
    .header(untilHeader, wire.time(span.to))
    .header('content-disposition', `attachment; filename="statement.${isCamt ? 'xml' : 'csv'}"`)
    .send(streamLines(body))
}

import type { FastifyReply } from 'fastify'
import type { Context } from '../../engine/context.ts'
import { readReport } from '../../engine/ledger/reports/read-reports.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { QuoteCurrency, wire } from '../../operations/fields.ts'
import { type Static, Type } from '../../operations/schema.ts'
import { reportToCsv } from '../../rules/money/merchant-report.ts'
import { reportLanguages, reportStyle, reportToHtml } from '../../rules/money/report-page.ts'
import { hashBytes } from '../../secrets/hashes.ts'
import { untilHeader, untilHeaders } from '../routes/spans.ts'

export const ReportQuery = Type.Exact({
  period: Type.Pattern('must be a day or a month, such as 2026-01-31 or 2026-01.', {
    pattern: '^[2-9][0-9]{3}-[0-9]{2}(-[0-9]{2})?$',
    description: 'A day or a month in UTC. One that has not ended is reported up to two minutes ago (`payin-until`).',
    examples: ['2026-01'],
  }),
  'format?': Type.OneOf(['html', 'csv'], 'Default: `html`, a page to read, print or keep.'),
  'language?': Type.OneOf(reportLanguages, 'Of the page. Default: `en`.'),
  'balance?': QuoteCurrency('Currency of the balance. Default: the quote currency of the merchant.'),
})

/** Response schema of a report. */
export const ReportFile = {
  description: 'The report.',
  headers: untilHeaders,
  content: {
    'text/html': { schema: Type.Unsafe<string>({ type: 'string' }) },
    'text/csv': { schema: Type.Unsafe<string>({ type: 'string' }) },
  },
}

const styleHash = hashBytes(Buffer.from(reportStyle)).toString('base64')

/** Sends a merchant's report of a day or a month. Refuses `resource_not_found`, `validation_failed`. */
export const sendReport = async (
  context: Context,
  reply: FastifyReply,
  id: string,
  { period, format = 'html', language = 'en', balance }: Static<typeof ReportQuery>,
): Promise<FastifyReply> => {
  const { merchant } = await getProfile(context, id)
  const currency = balance ?? merchant.settings.quoteCurrency
  const report = await readReport(context, { merchant, currency, period })
  const isPage = format === 'html'
  return reply
    .type(isPage ? 'text/html; charset=utf-8' : 'text/csv; charset=utf-8')
    .headers({
      [untilHeader]: wire.time(report.until),
      'content-disposition': `${isPage ? 'inline' : 'attachment'}; filename="report-${period}.${format}"`,
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`,
    })
    .send(isPage ? reportToHtml([report], language) : reportToCsv(report))
}

import type { CsvRow } from '../rules/statements/csv-table.ts'
import { methodRules, paymentMethods, type TransferScope } from '../rules/values/payment-method.ts'
import { type Inputs, option, argument, flag } from './inputs.ts'
import { digits, exactNumber, hours, orNone, span, wholeNumber } from './read-arguments.ts'
import { RecipientFields } from '../operations/requisites.ts'
import { command } from './commands.ts'
import { inputsOfFields } from './noun-commands.ts'
import { printAccount, printRows, printSections } from './print-table.ts'
import { atLine, namingLines, readCsv } from './read-csv.ts'
import { resolveId } from './resolve-name.ts'
import type { Session } from './session.ts'

/** How to read the limits of a requisite, under their names in the request. */
const limitReaders = {
  minAmount: orNone(exactNumber),
  maxAmount: orNone(exactNumber),
  dayAmount: orNone(exactNumber),
  dayCount: orNone(wholeNumber),
  monthAmount: orNone(exactNumber),
  monthCount: orNone(wholeNumber),
  openPayments: orNone(wholeNumber),
  workingMinutes: orNone(hours),
  pauseAfter: orNone(wholeNumber),
  lateWindowMs: orNone(span),
  coolDownMs: orNone(span),
  utcOffsetMinutes: Number,
} satisfies Readonly<Record<string, (typed: string) => unknown>>

/** The options of these limits. */
export const limitInputs = {
  minAmount: option('--min-amount <amount>', 'smallest transfer, or none', limitReaders.minAmount),
  maxAmount: option('--max-amount <amount>', 'largest transfer, or none', limitReaders.maxAmount),
  dayAmount: option('--day-amount <amount>', 'sum per day, or none', limitReaders.dayAmount),
  dayCount: option('--day-count <count>', 'payments per day, or none', limitReaders.dayCount),
  monthAmount: option('--month-amount <amount>', 'sum per month, or none', limitReaders.monthAmount),
  monthCount: option('--month-count <count>', 'payments per month, or none', limitReaders.monthCount),
  openPayments: option('--open-payments <count>', 'payments open at the same time, or none', limitReaders.openPayments),
  workingMinutes: option(
    '--working-hours <hours>',
    'hours in which it is allocated, such as 09:00-21:00, or none',
    limitReaders.workingMinutes,
  ),
  pauseAfter: option(
    '--pause-after <count>',
    'consecutive expired payments or unmatched transfers that pause it, or none',
    limitReaders.pauseAfter,
  ),
  lateWindowMs: option(
    '--late-window <span>',
    "how long the exact amount still counts after the grace, such as 2h; none for the merchant's terms",
    limitReaders.lateWindowMs,
  ),
  coolDownMs: option(
    '--cool-down <span>',
    "how long the slot of a credited payment stays closed, such as 10m; none for the merchant's terms",
    limitReaders.coolDownMs,
  ),
  utcOffsetMinutes: option('--utc-offset <minutes>', 'time zone of its days and hours, such as 180', Number),
} satisfies Inputs

/** The options for what banks and payers see of a recipient, under their names in the request. */
export const recipientInputs = inputsOfFields(RecipientFields)

/** The only transfer scope of a method; undefined if it has none, or is unknown, which the service refuses. */
export const scopeOf = (method: string | undefined): TransferScope | undefined => {
  const known = paymentMethods.find((each) => each === method)
  return (known && methodRules[known].transferScope) ?? undefined
}

const needed = ['method', 'currency', 'bank', 'holder', 'number']
const recipientColumns = Object.keys(recipientInputs)
const optional = ['label', 'merchant', 'mode', ...recipientColumns, ...Object.keys(limitReaders)]

const toRequisite = async (session: Session, row: CsvRow, merchants: Map<string, Promise<string>>): Promise<object> => {
  const { method = '', currency = '', bank = '', holder = '', number = '', label, merchant, mode } = row.cells
  return atLine(row, async () => {
    if (merchant !== undefined && !merchants.has(merchant)) {
      merchants.set(merchant, resolveId(session, 'merchant', merchant))
    }
    const limits = Object.entries(limitReaders).flatMap(([name, read]) => {
      const typed = row.cells[name]
      return typed === undefined ? [] : [[name, read(typed)]]
    })
    const recipient = recipientColumns.flatMap((name) => {
      const typed = row.cells[name]
      return typed === undefined ? [] : [[name, typed]]
    })
    return {
      ...{ method, currency, bankIssuer: bank, holder, number: digits(number), label, mode },
      merchantId: merchant === undefined ? undefined : await merchants.get(merchant),
      transferScope: scopeOf(method),
      recipient: recipient.length === 0 ? undefined : Object.fromEntries(recipient),
      limits: limits.length === 0 ? undefined : Object.fromEntries(limits),
    }
  })
}

export const importRequisites = command({
  description:
    'Add the requisites of a CSV file, all or none. The first line names the columns: method, currency, bank, holder, number; optional: label, merchant, mode, recipient details for banks and payers (givenName, familyName, shownAs, inn, kpp, bic, correspondentAccount, purpose), and limits as named in the API (dayAmount, dayCount …).',
  inputs: {
    file: argument('<file>', 'CSV of at most 1000 requisites; - for standard input'),
    dryRun: flag('--dry-run', 'only let the service check the file and show what it would add'),
  },
  run: async (session, { file, dryRun }) => {
    const rows = await readCsv(session.surroundings, file, needed, optional)
    const merchants = new Map<string, Promise<string>>()
    const requisites: object[] = []
    for (const row of rows) requisites.push(await toRequisite(session, row, merchants))
    const answer = await session
      .call<{ ids: string[] }>('POST /requisites', {}, { body: { requisites, dryRun } })
      .catch((error: unknown) => {
        throw namingLines(error, 'requisites', rows)
      })
    session.show(answer, ({ ids }) =>
      printSections(
        printRows(
          rows.map(({ line, cells }, index) => ({ line, cells, id: ids[index] })),
          {
            'LINE>': 'line',
            'REQUISITE~': ({ cells: { label, method = '', bank = '', number = '' } }) =>
              printAccount({
                method,
                bankIssuer: bank,
                number: `•${digits(number).slice(-4)}`,
                ...(label && { label }),
              }),
            'HOLDER~': ({ cells: { holder } }) => holder,
            'OWNER~': ({ cells: { merchant } }) => merchant ?? 'shared',
            'ID#': ({ id }) => (dryRun ? undefined : id),
          },
        ),
        dryRun ? `${ids.length} would be added; nothing was added.` : `Added ${ids.length} requisites.`,
      ),
    )
  },
})

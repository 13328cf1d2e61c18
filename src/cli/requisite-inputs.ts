import type { CsvRow } from '../rules/statements/csv-table.ts'
import { methodRules, paymentMethods, type TransferScope } from '../rules/values/payment-method.ts'
import { argument, flag } from './inputs.ts'
import { digits } from './read-arguments.ts'
import { NewRequisite, RecipientFields, WantedLimits } from '../operations/requisites.ts'
import { fieldsOf } from '../operations/field.ts'
import { command } from './commands.ts'
import { readField } from './field-inputs.ts'
import { bodyOf } from './noun-commands.ts'
import { printAccount, printRows, printSections } from './print-table.ts'
import { atLine, namingLines, readCsv } from './read-csv.ts'
import { resolveId } from './resolve-name.ts'
import type { Session } from './session.ts'

/** The only transfer scope of a method; undefined if it has none, or is unknown, which the service refuses. */
export const scopeOf = (method: string | undefined): TransferScope | undefined => {
  const known = paymentMethods.find((each) => each === method)
  return (known && methodRules[known].transferScope) ?? undefined
}

const needed = ['method', 'currency', 'bank', 'holder', 'number']
const detailFields = [...fieldsOf(RecipientFields), ...fieldsOf(WantedLimits)]
const optional = ['label', 'merchant', 'mode', ...detailFields.map(({ name }) => name)]

const toRequisite = async (session: Session, row: CsvRow, merchants: Map<string, Promise<string>>): Promise<object> => {
  const { method = '', currency = '', bank = '', holder = '', number = '', label, merchant, mode } = row.cells
  return atLine(row, async () => {
    if (merchant !== undefined && !merchants.has(merchant)) {
      merchants.set(merchant, resolveId(session, 'merchant', merchant))
    }
    const details = detailFields.flatMap((field) => {
      const typed = row.cells[field.name]
      return typed === undefined ? [] : [[field.name, readField(field, typed)]]
    })
    return {
      ...bodyOf(fieldsOf(NewRequisite), Object.fromEntries(details) as Record<string, unknown>),
      ...{ method, currency, bankIssuer: bank, holder, number: digits(number), label, mode },
      merchantId: merchant === undefined ? undefined : await merchants.get(merchant),
      transferScope: scopeOf(method),
    }
  })
}

export const importRequisites = command({
  description:
    'Add the requisites of a CSV file, all or none. The first line names the columns: method, currency, bank, holder, number; optional: label, merchant, mode, recipient details for banks and payers (givenName, familyName, shownAs, inn, kpp, bic, correspondentAccount, purpose, sbpLink), and limits as named in the API (dayAmount, dayCount …).',
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

import { csvDateOrders, csvDelimiters, type CsvRole, csvRoles, statementCharsets } from 'bank-files/pure'
import { Type, type Static } from './schema.ts'

const Column = Type.Union([Type.Printable(200), Type.Bounded(1, 1000)])
const Words = Type.Array(Type.Printable(100), { maxItems: 100 })

export const Mapping = Type.Exact(
  {
    'charset?': Type.OneOf(statementCharsets),
    'delimiter?': Type.OneOf(csvDelimiters),
    'headerLine?': Type.Bounded(0, 1000, 'Line with the column names, from 1; 0 if there is none.'),
    'columns?': Type.Exact(
      Object.fromEntries(csvRoles.map((role) => [`${role}?`, Column])) as Record<`${CsvRole}?`, typeof Column>,
      {
        description:
          'Column for each role, by its name or its number from 1. `date`, and `amount` or `credit`, are required.',
        examples: [{ date: 'Дата операции', amount: 'Сумма', text: 'Назначение платежа' }],
      },
    ),
    'dateOrder?': Type.OneOf(csvDateOrders),
    'decimalMark?': Type.OneOf([',', '.']),
    'directions?': Type.Exact(
      { credit: Words, debit: Words },
      {
        description: "The bank's own words for money in and money out, besides the known ones.",
        examples: [{ credit: ['Перевод СБП'], debit: ['Перевод клиенту'] }],
      },
    ),
    'allCredits?': Type.Flag('The operator confirms that amounts without a sign or a word are credits.'),
  },
  { title: 'StatementMapping', description: 'How the tables of a bank (CSV) are read.', kind: 'document' },
)
export type Mapping = Static<typeof Mapping>

/** All that a mapping says: `columns.amount: "Сумма"`. A text has quotation marks, the number of a column has none. */
export const sayMapping = (mapping: object, within = ''): string[] =>
  Object.entries(mapping).flatMap(([name, value]) => {
    const isGroup = typeof value === 'object' && !Array.isArray(value)
    return isGroup ? sayMapping(value, `${name}.`) : [`${within}${name}: ${JSON.stringify(value)}`]
  })

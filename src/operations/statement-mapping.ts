import { csvDateOrders, csvDelimiters, type CsvRole, csvRoles, statementCharsets } from 'bank-files/pure'
import { Type, type Static } from './schema.ts'

const Column = Type.Union([Type.Printable(200), Type.Integer({ minimum: 1, maximum: 1000 })])
const Words = Type.Array(Type.Printable(100), { maxItems: 100 })

export const Mapping = Type.Exact(
  {
    charset: Type.Optional(Type.OneOf(statementCharsets)),
    delimiter: Type.Optional(Type.OneOf(csvDelimiters)),
    headerLine: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description: 'Line with the column names, from 1; 0 if there is none.',
      }),
    ),
    columns: Type.Optional(
      Type.Exact(
        Object.fromEntries(csvRoles.map((role) => [role, Type.Optional(Column)])) as Record<
          CsvRole,
          ReturnType<typeof Type.Optional<typeof Column>>
        >,
        {
          description:
            'Column for each role, by its name or its number from 1. `date`, and `amount` or `credit`, are required.',
          examples: [{ date: 'Дата операции', amount: 'Сумма', text: 'Назначение платежа' }],
        },
      ),
    ),
    dateOrder: Type.Optional(Type.OneOf(csvDateOrders)),
    decimalMark: Type.Optional(Type.OneOf([',', '.'])),
    directions: Type.Optional(
      Type.Exact(
        { credit: Words, debit: Words },
        {
          description: "The bank's own words for money in and money out, besides the known ones.",
          examples: [{ credit: ['Перевод СБП'], debit: ['Перевод клиенту'] }],
        },
      ),
    ),
    allCredits: Type.Optional(Type.Flag('The operator confirms that amounts without a sign or a word are credits.')),
  },
  { title: 'StatementMapping', description: 'How the tables of a bank (CSV) are read.', kind: 'document' },
)
export type Mapping = Static<typeof Mapping>

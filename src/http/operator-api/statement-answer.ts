import { type Static, Type } from 'typebox'
import { csvRoles, type CsvRole } from '../../domain/csv-columns.ts'
import {
  csvDateOrders,
  csvDelimiters,
  directionBases,
  directionBasis,
  type GivenMapping,
} from '../../domain/csv-mapping.ts'
import { statementCharsets } from '../../domain/statement.ts'
import { statementFormats } from '../../domain/statement-format.ts'
import { noCounts, type Statement, type StatementAccount, statementStates } from '../../domain/statement-import.ts'
import { Exact, Group, Id, OneOf, PrintableText, Time, Titled, wireAmount, wireFields } from '../fields.ts'
import { ofRequisite } from './operator-fields.ts'

const Column = Type.Union([PrintableText(200), Type.Integer({ minimum: 1, maximum: 1000 })])
const Words = Type.Array(PrintableText(100), { maxItems: 100 })

/** Schema of how the columns of a table are read. What is left out is found in the file. */
export const Mapping = Exact(
  {
    charset: Type.Optional(OneOf(statementCharsets)),
    delimiter: Type.Optional(OneOf(csvDelimiters)),
    headerLine: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description: "Line of the columns' names, from 1; 0 where nothing names them.",
      }),
    ),
    columns: Type.Optional(
      Exact(
        Object.fromEntries(csvRoles.map((role) => [role, Type.Optional(Column)])) as Record<
          CsvRole,
          ReturnType<typeof Type.Optional<typeof Column>>
        >,
        {
          description:
            'Column of each role, by its name or its number from 1. `date`, and `amount` or `credit`, are required.',
          examples: [{ date: 'Дата операции', amount: 'Сумма', text: 'Назначение платежа' }],
        },
      ),
    ),
    dateOrder: Type.Optional(OneOf(csvDateOrders)),
    decimalMark: Type.Optional(OneOf([',', '.'])),
    directions: Type.Optional(
      Exact(
        { credit: Words, debit: Words },
        {
          description: "The bank's own words for money in and money out, next to those that are known.",
          examples: [{ credit: ['Перевод СБП'], debit: ['Перевод клиенту'] }],
        },
      ),
    ),
    allCredits: Type.Optional(
      Type.Boolean({ description: "The operator's word that amounts without a sign or a word are credits." }),
    ),
  },
  { title: 'StatementMapping', description: 'How the tables of a bank (CSV) are read.' },
)

const Account = Titled('StatementAccount', {
  number: Type.String({ description: 'Masked.', examples: ['•••• 4821'] }),
  ...ofRequisite,
  currency: Type.String(),
  opening: Type.Optional(Type.Number()),
  closing: Type.Optional(Type.Number()),
  credits: Type.Number({ description: 'Sum of incoming money.' }),
  debits: Type.Number({ description: 'Sum of outgoing money.' }),
  creditRows: Type.Integer({ description: 'Number of incoming rows.' }),
  debitRows: Type.Integer({ description: 'Number of outgoing rows.' }),
})

/** Schema of an uploaded statement. */
export const StatementAnswer = Titled('Statement', {
  id: Id,
  state: OneOf(statementStates, { description: 'State of the import.', examples: ['ready'] }),
  fileName: Type.String(),
  sourceId: Type.Optional(Id),
  size: Type.Optional(Type.Integer({ description: 'Bytes.' })),
  format: Type.Optional(OneOf(statementFormats, { description: 'Recognised by the content of the file.' })),
  charset: Type.Optional(Type.String()),
  mapping: Type.Optional(Mapping),
  direction: Type.Optional(
    Group('What said which rows are credits, and which are debits.', {
      decidedBy: OneOf(directionBases, {
        description:
          '`format`: the format says it of every row. `columns`: credits and debits are apart. `words`: those of a column. `sign`: that of the amount. `operator`: `allCredits` for what has no sign.',
      }),
      columns: Type.Array(Type.Union([Type.String(), Type.Integer()])),
    }),
  ),
  accounts: Type.Array(Account),
  counts: Type.Object(
    {
      rows: Type.Integer(),
      new: Type.Integer(),
      alreadyKnown: Type.Integer({ description: 'Reported before; they change nothing.' }),
      duplicates: Type.Integer({
        description: 'The same money as transfers that another channel reported; they move nothing.',
      }),
      possibleDuplicates: Type.Integer({
        description:
          'New rows that may be the same money as transfers that were reported before: they wait in the inbox.',
      }),
      reversals: Type.Integer(),
      pending: Type.Integer({ description: 'Not booked yet; ignored.' }),
      zero: Type.Integer({ description: 'Rows of 0.00; ignored.' }),
      notes: Type.Integer({ description: 'Lines that are no rows, such as a footer; not counted as rows.' }),
      beforeOpening: Type.Integer({
        description: 'Booked before the opening balance of their account, which has their money; not recorded.',
      }),
      outgoing: Type.Integer({ description: 'Outgoing money, and such that the bank gave back.' }),
      errors: Type.Integer(),
    },
    {
      description:
        'Numbers of rows. Before the import new and known ones, and duplicates, are as found when the file was read; afterwards as they were recorded, and decided since.',
    },
  ),
  faults: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() }), {
    description: 'Why it was refused.',
  }),
  progress: Type.Integer({ description: 'The last row that was recorded or, during a withdrawal, taken back.' }),
  uploadedBy: Type.String(),
  uploadedAt: Time,
  confirmedBy: Type.Optional(Type.String()),
  confirmedAt: Type.Optional(Time),
  importedAt: Type.Optional(Time),
  withdrawnBy: Type.Optional(Type.String()),
  withdrawnAt: Type.Optional(Time),
  withdrawalReason: Type.Optional(Type.String()),
  withdrawalFailure: Type.Optional(Type.String({ description: 'Why the last withdrawal failed.' })),
})

const toAccount = ({ currency, ...account }: StatementAccount): Static<typeof Account> => {
  const amount = (minor: string | null): number | null => (minor === null ? null : wireAmount(BigInt(minor), currency))
  return wireFields({
    ...account,
    currency,
    opening: amount(account.opening),
    closing: amount(account.closing),
    credits: wireAmount(BigInt(account.credits), currency),
    debits: wireAmount(BigInt(account.debits), currency),
  })
}

/** An uploaded statement. */
export type StatementAnswer = Static<typeof StatementAnswer>

/** A mapping in the words of the wire. */
export const toWireMapping = (mapping: GivenMapping): Static<typeof Mapping> =>
  wireFields({
    charset: mapping.charset ?? null,
    delimiter: mapping.delimiter ?? null,
    headerLine: mapping.headerLine ?? null,
    columns: mapping.columns ? { ...mapping.columns } : null,
    dateOrder: mapping.dateOrder ?? null,
    decimalMark: mapping.decimalMark ?? null,
    directions: mapping.directions
      ? { credit: [...mapping.directions.credit], debit: [...mapping.directions.debit] }
      : null,
    allCredits: mapping.allCredits ?? null,
  })

const toDirection = (statement: Statement): NonNullable<StatementAnswer['direction']> => {
  const { by, columns } = directionBasis(statement.mapping)
  return { decidedBy: by, columns: [...columns] }
}

/** A statement in the words of the wire. */
export const toStatementAnswer = (statement: Statement): StatementAnswer =>
  wireFields({
    ...statement,
    size: statement.size === null ? null : Number(statement.size),
    mapping: statement.mapping === null ? null : toWireMapping(statement.mapping),
    direction: statement.format === null ? null : toDirection(statement),
    accounts: statement.accounts.map(toAccount),
    // A statement of an earlier version has not counted everything.
    counts: { ...noCounts, ...statement.counts, errors: statement.faults.length },
    faults: [...statement.faults],
    progress: statement.state === 'withdrawing' ? statement.withdrawnTo : statement.importedTo,
  })

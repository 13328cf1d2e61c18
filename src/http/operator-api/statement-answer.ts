import { type Static, Type } from 'typebox'
import { csvDateOrders, csvDelimiters, csvRoles } from '../../domain/csv-mapping.ts'
import { statementCharsets, statementFormats } from '../../domain/statement.ts'
import { type Statement, type StatementAccount, statementStates } from '../../domain/statement-import.ts'
import { formatInstant, type Instant } from '../../domain/time.ts'
import { wireAmount } from '../amounts.ts'
import { OneOf, PrintableText, Time } from '../fields.ts'
import { Id } from '../ids.ts'

/** Schema of how the columns of a CSV are read. */
export const Mapping = Type.Object(
  {
    charset: OneOf(statementCharsets),
    delimiter: OneOf(csvDelimiters),
    headerLine: Type.Integer({ minimum: 1, maximum: 1000, description: "Line of the columns' names, from 1." }),
    columns: Type.Object(
      Object.fromEntries(csvRoles.map((role) => [role, Type.Optional(PrintableText(200))])) as Record<
        (typeof csvRoles)[number],
        ReturnType<typeof Type.Optional<ReturnType<typeof PrintableText>>>
      >,
      {
        additionalProperties: false,
        description: 'Name of the column of each role: `date`, and `amount` or `credit`, are needed.',
        examples: [{ date: 'Дата операции', amount: 'Сумма', text: 'Назначение платежа' }],
      },
    ),
    dateOrder: OneOf(csvDateOrders),
    decimalMark: OneOf([',', '.']),
  },
  { additionalProperties: false, description: 'How the CSV files of a bank are read.' },
)

const Account = Type.Object({
  number: Type.String({ description: 'Masked.', examples: ['•••• 4821'] }),
  requisiteId: Id,
  currency: Type.String(),
  opening: Type.Optional(Type.Number()),
  closing: Type.Optional(Type.Number()),
  credits: Type.Number({ description: 'Sum of all that came in.' }),
  debits: Type.Number({ description: 'Sum of all that went out.' }),
})

/** Schema of an uploaded statement. */
export const StatementAnswer = Type.Object({
  id: Id,
  state: OneOf(statementStates, { description: 'Where it is.', examples: ['ready'] }),
  fileName: Type.String(),
  sourceId: Type.Optional(Id),
  size: Type.Optional(Type.Integer({ description: 'Bytes.' })),
  format: Type.Optional(OneOf(statementFormats, { description: 'As the content of the file tells.' })),
  charset: Type.Optional(Type.String()),
  mapping: Type.Optional(Mapping),
  accounts: Type.Array(Account),
  counts: Type.Object(
    {
      rows: Type.Integer(),
      new: Type.Integer(),
      duplicate: Type.Integer(),
      possibleRepeats: Type.Integer({
        description:
          'Of the new ones those that may be the same money as transfers that came another way: they wait in the inbox.',
      }),
      reversals: Type.Integer(),
      pending: Type.Integer({ description: 'Not booked yet: passed over.' }),
      others: Type.Integer({ description: 'Money that left: only for the balance.' }),
      errors: Type.Integer(),
    },
    { description: 'Rows by sort; new and duplicate as they were when the file was read.' },
  ),
  faults: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() }), {
    description: 'Why it was refused.',
  }),
  progress: Type.Integer({ description: 'The last row that was recorded, or while it is undone taken back.' }),
  uploadedBy: Type.String(),
  uploadedAt: Time,
  confirmedBy: Type.Optional(Type.String()),
  confirmedAt: Type.Optional(Time),
  importedAt: Type.Optional(Time),
  undoneBy: Type.Optional(Type.String()),
  undoneAt: Type.Optional(Time),
  undoReason: Type.Optional(Type.String()),
  undoFailure: Type.Optional(Type.String({ description: 'Why the last attempt at undoing it was given up.' })),
})

const given = <K extends string, T>(key: K, value: T | null): Partial<Record<K, T>> =>
  value === null ? {} : ({ [key]: value } as Record<K, T>)
const time = <K extends string>(key: K, at: Instant | null) => given(key, at === null ? null : formatInstant(at))

const toAccount = ({ currency, ...account }: StatementAccount): Static<typeof Account> => {
  const amount = (minor: string | null): number | null => (minor === null ? null : wireAmount(BigInt(minor), currency))
  return {
    number: account.number,
    requisiteId: account.requisiteId,
    currency,
    ...given('opening', amount(account.opening)),
    ...given('closing', amount(account.closing)),
    credits: amount(account.credits) ?? 0,
    debits: amount(account.debits) ?? 0,
  }
}

/** A statement in the words of the wire. */
export const toStatementAnswer = (statement: Statement): Static<typeof StatementAnswer> => ({
  id: statement.id,
  state: statement.state,
  fileName: statement.fileName,
  ...given('sourceId', statement.sourceId),
  ...given('size', statement.size === null ? null : Number(statement.size)),
  ...given('format', statement.format),
  ...given('charset', statement.charset),
  ...given('mapping', statement.mapping),
  accounts: statement.accounts.map(toAccount),
  counts: {
    ...statement.counts,
    possibleRepeats: statement.counts.possibleRepeats ?? 0,
    errors: statement.faults.length,
  },
  faults: [...statement.faults],
  progress: statement.state === 'undoing' ? statement.undoneTo : statement.importedTo,
  uploadedBy: statement.uploadedBy,
  uploadedAt: formatInstant(statement.uploadedAt),
  ...given('confirmedBy', statement.confirmedBy),
  ...time('confirmedAt', statement.confirmedAt),
  ...time('importedAt', statement.importedAt),
  ...given('undoneBy', statement.undoneBy),
  ...time('undoneAt', statement.undoneAt),
  ...given('undoReason', statement.undoReason),
  ...given('undoFailure', statement.undoFailure),
})

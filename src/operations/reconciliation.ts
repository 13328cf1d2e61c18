import { movementKinds } from '../rules/money/reconciliation.ts'
import { Currency, Day, Id, Time, idOf, ofMerchant, ofRequisite, Person, Reason } from './fields.ts'
import { ModeQuery, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

const Balance = Type.Number({ description: 'Exact amount; below zero for an overdraft.', examples: [125000.5] })

const DayAnswer = Type.Titled('ReconciledDay', {
  ...ofRequisite,
  day: Type.String(),
  currency: Type.String(),
  closing: Type.Number({ description: 'According to the bank.', heading: 'Bank' }),
  ledger: Type.Number({ description: 'What the ledger held on `bank:{requisite}` when the day ended.' }),
  difference: Type.Number(),
  possibleDuplicates: Type.Number({
    description:
      'The share of `ledger` that waits in the inbox because it may be a duplicate. Without it the difference would be greater by this amount.',
  }),
  unproven: Type.Number({
    description:
      'The share of `ledger` that only messages on phones have reported. What is left of it once the statement of the day is imported, the bank has not booked.',
    heading: 'Not proven yet',
  }),
  inTransit: Type.Number({
    description:
      'Refunds and announced reversals of the last seven days that have left `ledger`, and that the bank has not reported yet: so much more it has.',
  }),
  overdue: Type.Number({
    description:
      'Refunds and reversals that operators recorded more than seven days before, and that no statement since has reported.',
  }),
  even: Type.Flag('Whether nothing is left to explain: the difference is what is in transit, and nothing is overdue.'),
  'statementId?': presented(Id, 'The statement that reported it; absent if an operator set it.'),
  source: Type.String(),
  recordedAt: Time,
  'reportedBy?': presented(Person, 'Who alone says so: who entered it, or confirmed its file alone.'),
})
export type DayAnswer = Static<typeof DayAnswer>

const OpenedBalance = Type.Object({
  ...ofRequisite,
  day: Type.String(),
  balance: Type.Number(),
  currency: Type.String(),
  'proposed?': Type.Flag('It waits: another operator sets the same balance.'),
})
export type OpenedBalance = Static<typeof OpenedBalance>

const Which = {
  'requisiteId?': presented(idOf('requisite'), 'Only of this requisite, whatever its mode.'),
  ...ModeQuery,
  'day?': presented(Day, 'Only closing balances of this day.'),
}

const WholeDay = Type.Object({
  ...ofRequisite,
  day: Type.String(),
  currency: Type.String(),
  opening: Type.Number({ description: 'What the ledger held on `bank:{requisite}` when the day began.' }),
  movements: Type.Rows('What the bank booked on that day, according to the ledger.', {
    kind: Type.OneOf(movementKinds, '`given-back`: outgoing money that the bank gave back.'),
    count: Type.Integer(),
    amount: Type.Number({ description: 'Positive for money in, negative for money out.' }),
  }),
  ledger: DayAnswer.properties.ledger,
  possibleDuplicates: DayAnswer.properties.possibleDuplicates,
  unproven: DayAnswer.properties.unproven,
  inTransit: DayAnswer.properties.inTransit,
  overdue: DayAnswer.properties.overdue,
  refundsInTransit: Type.Rows('The refunds in `inTransit` and `overdue`, the oldest first; at most 100.', {
    ...ofMerchant,
    paymentId: Id,
    orderId: Type.String(),
    reference: Type.String(),
    amount: Type.Number(),
    bookedAt: Time,
  }),
  reversalsInTransit: Type.Rows(
    'The announced reversals in `inTransit` and `overdue`, the oldest first; at most 100.',
    { transferId: Id, amount: Type.Number(), bookedAt: Time, announcedBy: Person },
  ),
  closings: Type.Array(DayAnswer, { description: 'The closing balances from statements and operators.' }),
  'openingBalance?': Type.Group('What the account held before its first day here, if set.', {
    day: Type.String(),
    balance: Type.Number(),
    reason: Type.String(),
    setBy: Type.String(),
    setAt: Time,
    'proposedDay?': Type.String(),
    'proposedBalance?': Type.Number({ description: 'A balance that waits until another operator sets the same.' }),
    'proposedBy?': Type.String(),
  }),
})
export type WholeDay = Static<typeof WholeDay>

export const reconciliation = {
  about: 'The books: trial balance, journal, comparison with banks.',
  examples: [
    'payin ledger trial-balance',
    'payin ledger journal --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z > journal.csv',
    'payin ledger statement "Demo Shop" --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z > statement.csv',
    'payin ledger open --requisite "Main account" --day 2026-01-01 --balance 1000 --currency rub --reason "statement 1"',
    'payin ledger open --file balances.csv --reason "statements of January" --dry-run',
    'payin ledger close "sberbank 4821" 2026-01-31 --balance 125000.50 --currency rub',
  ],
  operations: {
    open: operation('PUT /ledger/opening-balances', 'reconcile', {
      id: 'setOpeningBalances',
      summary: 'Set what requisites held before their first day here',
      description:
        'All or none. Each is the balance at the start of the first day whose transfers are recorded, in the time zone of the requisite; an earlier day with its balance replaces the one that was set. It includes everything booked before, which is not recorded. Sending the same again changes nothing. Refused for a day after a payment first waited for money on this requisite. Where two people move money, a balance that replaces one, or is below zero, waits until another operator sets the same.',
      bodyLimit: 256 * 1024,
      body: {
        balances: Type.Array(
          Type.Exact({
            requisiteId: idOf('requisite'),
            day: { ...Day, description: 'The first day whose transfers are here.' },
            balance: Balance,
            currency: Currency,
          }),
          { minItems: 1, maxItems: 500 },
        ),
        reason: Reason,
        'dryRun?': Type.Flag('Only check them and set none.'),
      },
      answer: { balances: Type.Array(OpenedBalance, { description: 'In the order of the request.' }) },
      refusals: ['already_exists', 'second_person_required'],
      command: {
        about: 'Set what one requisite held before its first day here, or many of a file, all or none.',
        list: 'balances',
        columns: ['requisiteId', 'day', 'balance', 'proposed'],
        note: (_, __, { dryRun }) => (dryRun === true ? 'Nothing was set.' : undefined),
      },
    }),
    close: operation('PUT /requisites/{id}/closing-balances/{day}', 'reconcile', {
      id: 'setClosingBalance',
      summary: 'Set what a requisite held at the end of a day',
      description:
        'According to the bank, for a day in the time zone of the requisite; replaces a balance that the same operator has set before. Imported statements set theirs automatically.',
      params: { day: { ...Day, description: 'A day in the time zone of the requisite.' } },
      body: {
        balance: Balance,
        currency: Currency,
        'source?': Type.Printable(200, 'Where the balance comes from.'),
      },
      answer: { requisiteId: Id, day: Type.String() },
      command: { says: ({ day }) => `Recorded for ${day}.` },
    }),
    reconcile: operation('GET /ledger/reconciliation', 'read', {
      id: 'listReconciliations',
      summary: 'Compare closing balances of banks with the ledger',
      description:
        'Balances from imported statements and from operators; the latest days first; the export has at most 10,000 of them. `difference` is how much more the bank has than the ledger.',
      query: { ...Which, 'limit?': PageQuery['limit?'] },
      answer: { days: Type.Array(DayAnswer) },
      exports: { rows: 'days', most: 10_000 },
      command: {
        about:
          'Compare closing balances of banks with the ledger; exits with 1 if one differs by anything but what is in transit. A difference may be what an account held before its first day here (set it with payin ledger open), or rows that were not imported or were counted twice.',
        columns: [
          ...([
            'day',
            'requisiteId',
            'closing',
            'ledger',
            'difference',
            'inTransit',
            'possibleDuplicates',
            'unproven',
          ] as const),
          { heading: 'Requisite id', show: ({ requisiteId }) => requisiteId, kind: 'id' },
        ],
        empty:
          'No closing balances yet. Statements bring them; by hand: payin ledger close <requisite> <day> --balance <amount> --currency rub',
        fails: ({ days }) => days.some(({ even }) => !even),
      },
    }),
    day: operation('GET /ledger/reconciliation/{id}/{day}', 'read', {
      id: 'getReconciliation',
      summary: 'Read a day of a requisite: its opening, movements and closing',
      description: 'Works for days without a known closing balance, too.',
      params: { id: idOf('requisite'), day: { ...Day, description: 'A day in the time zone of the requisite.' } },
      answer: WholeDay,
    }),
  },
} satisfies Noun<unknown>

import { postingKinds } from '../rules/money/ledger.ts'
import { agedKinds, ages } from '../rules/notices/waiting.ts'
import { ExactSum, Id, Time, accountNames, ofAnyMerchant, OrderOf, ofRequisite } from './fields.ts'
import { ModeQuery, OwnerQuery, pageOf, PageQuery } from './lists.ts'
import { operation } from './operation.ts'
import { type Forms, presented, type Static, Type } from './schema.ts'

const BalancesAnswer = Type.Object({
  balances: Type.Array(
    Type.Object({
      account: Type.String({ examples: ['suspense'] }),
      currency: Type.String(),
      balance: ExactSum,
      'unproven?': presented(ExactSum, {
        description:
          'Of what a merchant was credited: for payments with money that only messages on phones have reported.',
        heading: 'Not proven yet',
      }),
      'waiting?': presented(ExactSum, {
        description: 'How much of that settlements leave until it is proven, by the terms of its payments.',
        heading: 'Waits for a proof',
      }),
      ...ofAnyMerchant('Whose account it is.'),
      'requisiteId?': Id,
      'requisite?': ofRequisite['requisite?'],
    }),
  ),
})
export type BalancesAnswer = Static<typeof BalancesAnswer>

const TrialBalanceAnswer = Type.Object({
  balanced: Type.Boolean(),
  rows: Type.Array(
    Type.Object({
      kind: Type.String({ examples: ['bank'], kind: 'word' }),
      currency: Type.String(),
      accounts: Type.Integer(),
      debit: presented(Type.Text('Exact decimal text.', '5000.00'), { kind: 'number' }),
      credit: Type.String({ examples: ['0.00'], kind: 'number' }),
    }),
  ),
  totals: Type.Rows('Sums of the rows of each currency: all debit balances, and all credit balances.', {
    currency: Type.String(),
    debit: presented(Type.Text('Exact decimal text.', '5000.00'), { kind: 'number' }),
    credit: Type.String({ kind: 'number' }),
  }),
})
export type TrialBalanceAnswer = Static<typeof TrialBalanceAnswer>

const AgeingAnswer = Type.Object({
  rows: Type.Rows('The youngest of each kind and currency first.', {
    kind: Type.OneOf(agedKinds),
    currency: Type.String(),
    age: Type.OneOf(ages, 'Booked within the last day, week or 30 days, or longer ago.'),
    count: Type.Integer({ minimum: 1 }),
    amount: Type.Number(),
  }),
})
export type AgeingAnswer = Static<typeof AgeingAnswer>

export const LedgerEntryAnswer = Type.Titled('LedgerEntry', {
  'merchantId?': presented(Id, { description: 'The book. Absent: that of the service.', absent: 'service' }),
  'merchantName?': ofAnyMerchant()['merchantName?'],
  id: Id,
  transactionId: Id,
  kind: Type.OneOf(postingKinds),
  debit: Type.String({ examples: ['suspense'] }),
  credit: Type.String({ examples: ['fx:rub'] }),
  ...accountNames,
  currency: Type.String(),
  amount: Type.Number(),
  'paymentId?': Id,
  'orderId?': OrderOf,
  'transferId?': Id,
  'documentId?': presented(Id, 'The settlement, decision, reversal or adjustment.'),
  postedAt: Time,
})
export type LedgerEntryAnswer = Static<typeof LedgerEntryAnswer>

/** A ledger account, with the name of its merchant or requisite. */
const nameAccount = (row: BalancesAnswer['balances'][number], { account: nameRequisite }: Forms): string => {
  const { account, merchantId, requisiteId } = row
  if (merchantId !== undefined) return account.replace(merchantId, row.merchantName ?? merchantId)
  return requisiteId === undefined
    ? account
    : account.replace(requisiteId, nameRequisite(row.requisite, requisiteId) ?? '')
}

/** What the balance of suspense consists of, if there is one. */
const explainSuspense = (accounts: readonly string[]): string | undefined =>
  accounts.includes('suspense') ? 'Suspense is the money in the inbox: payin transfers list --unmatched' : undefined

export const balances = {
  balances: operation('GET /ledger/balances', 'read', {
    id: 'listBalances',
    summary: 'List the balances of the ledger',
    description:
      'Debits minus credits: what is owed to a merchant is negative. The balances of a currency add up to zero.',
    query: OwnerQuery,
    answer: BalancesAnswer,
    exports: 'balances',
    command: {
      columns: [{ heading: 'Account', show: nameAccount }, 'balance', 'unproven', 'waiting'],
      empty: 'The ledger is empty: no money has arrived yet.',
      note: ({ balances: rows }) => explainSuspense(rows.map(({ account }) => account)),
    },
  }),
}

export const journal = {
  'trial-balance': operation('GET /ledger/trial-balance', 'read', {
    id: 'getTrialBalance',
    summary: 'Read the trial balance',
    description: 'Positive and negative balances by kind of account; debits and credits of a currency are equal.',
    query: ModeQuery,
    answer: TrialBalanceAnswer,
    exports: 'rows',
    command: {
      note: ({ balanced, rows }) =>
        balanced
          ? ['Debits and credits of each currency are equal.', explainSuspense(rows.map(({ kind }) => kind)) ?? '']
              .join('\n')
              .trimEnd()
          : 'NOT BALANCED: run payin doctor.',
    },
  }),
  ageing: operation('GET /ledger/ageing', 'read', {
    id: 'getAgeing',
    summary: 'Read how long money has waited',
    description:
      'Transfers in the inbox, overpayments and unexplained outgoing money, by the time at which the bank booked it.',
    query: ModeQuery,
    answer: AgeingAnswer,
    exports: 'rows',
    command: { empty: 'No money waits.' },
  }),
  journal: operation('GET /ledger/journal', 'read', {
    id: 'listJournal',
    summary: 'List the entries of the ledger',
    description:
      'Newest first, of all books of a mode or of one. With `account` or `kind` but without `from`: only the last 31 days.',
    query: {
      ...PageQuery,
      ...OwnerQuery,
      'account?': Type.Printable(120, {
        description: 'Only entries that debit or credit this account.',
        examples: ['suspense'],
      }),
      'kind?': Type.OneOf(postingKinds, 'Only entries of this kind.'),
      'from?': presented(Time, 'Posted at this time or later.'),
      'to?': presented(Time, 'Posted before this time.'),
    },
    answer: pageOf('entries', LedgerEntryAnswer),
    exports: null,
  }),
}

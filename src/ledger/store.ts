import { array, bigint, instant, nullable, statement, text, uuid } from '../database/statement.ts'

const postingRow = {
  merchantId: uuid,
  id: uuid,
  transactionId: uuid,
  kind: text,
  debitAccount: text,
  creditAccount: text,
  currency: text,
  amount: bigint,
  paymentId: nullable(uuid),
  transferId: nullable(uuid),
  postedAt: instant,
}

/** Appends postings. */
export const insertPostings = statement({
  name: 'insert_postings',
  parameters: {
    merchantIds: array(uuid),
    ids: array(uuid),
    transactionIds: array(uuid),
    kinds: array(text),
    debitAccounts: array(text),
    creditAccounts: array(text),
    currencies: array(text),
    amounts: array(bigint),
    paymentIds: array(nullable(uuid)),
    transferIds: array(nullable(uuid)),
    postedAt: instant,
  },
  row: {},
  text: `insert into ledger_postings (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency,
      amount, payment_id, transfer_id, posted_at)
    select merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount, payment_id,
      transfer_id, :postedAt
    from unnest(:merchantIds, :ids, :transactionIds, :kinds, :debitAccounts, :creditAccounts, :currencies, :amounts,
        :paymentIds, :transferIds)
      as input (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount, payment_id,
        transfer_id)`,
})

/** Adds movements to balances, creating those that are missing. */
export const addToBalances = statement({
  name: 'add_to_balances',
  parameters: { merchantIds: array(uuid), accounts: array(text), currencies: array(text), changes: array(bigint) },
  row: {},
  // The caller sorts the rows by key, so that two transactions never wait for each other in a circle.
  text: `insert into ledger_balances (merchant_id, account, currency, balance)
    select * from unnest(:merchantIds, :accounts, :currencies, :changes)
    on conflict (merchant_id, account, currency) do update
      set balance = ledger_balances.balance + excluded.balance`,
})

/** A payment's postings in order. */
export const listPostings = statement({
  name: 'list_postings_of_payment',
  parameters: { merchantId: uuid, paymentId: uuid },
  row: postingRow,
  text: `select merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount, payment_id,
      transfer_id, posted_at
    from ledger_postings where merchant_id = :merchantId and payment_id = :paymentId order by id`,
})

/** Balances of one book, or of all together. */
export const listBalances = statement({
  name: 'list_balances',
  parameters: { merchantId: nullable(uuid) },
  row: { account: text, currency: text, balance: bigint },
  text: `select account, currency, sum(balance)::bigint as balance from ledger_balances
    where :merchantId is null or merchant_id = :merchantId
    group by account, currency order by account, currency`,
})

import { wordsOfPayment, wordsOfTransfer } from '../../src/domain/search.ts'
import { searchTokens } from '../../src/search/search-tokens.ts'
import { insertEntries } from '../../src/search/store.ts'
import type { Bench, Database } from './open-bench.ts'
import { openPayin } from './payin.ts'

const perStatement = 20_000

type Row = {
  readonly owner_id: string
  readonly id: string
  readonly amount: string
  readonly code: string
  readonly other: string
}

/** What the search stores for a row of a table: the columns of `Row`, and the words that find it. */
const kinds = {
  payment: {
    columns: 'merchant_id as owner_id, id, amount, order_id as code, user_id as other',
    table: 'payments',
    wordsOf: ({ amount, code, other }: Row) =>
      wordsOfPayment({ orderId: code, userId: other, amount: BigInt(amount), decimals: 2 }),
  },
  transfer: {
    columns: 'requisite_id as owner_id, id, amount, bank_reference as code, sender_masked as other',
    table: 'transfers',
    wordsOf: ({ amount, code, other }: Row) =>
      wordsOfTransfer({
        ...{ amount: BigInt(amount), decimals: 2 },
        ...{ reference: code, masked: other, name: null, text: null, number: null },
      }),
  },
} as const

/**
 * Indexes all payments and transfers of a database for the search, with the same words and keys as its job, but in
 * large sets, and with the index of the words built at the end.
 */
export const growSearchEntries = async (
  { signal, say }: Pick<Bench, 'signal' | 'say'>,
  database: Database,
): Promise<void> => {
  const service = await openPayin(database, { PAYIN_ROLES: 'web' })
  try {
    const [index] = await database.query<{ indexdef: string }>(
      `select indexdef from pg_indexes where indexname = 'search_entries_tokens'`,
    )
    await database.query('drop index search_entries_tokens')
    for (const [kind, { columns, table, wordsOf }] of Object.entries(kinds)) {
      const owner = columns.slice(0, columns.indexOf(' '))
      const none = '00000000-0000-0000-0000-000000000000'
      let after = `('${none}', '${none}')`
      for (let count = 0; ; count += perStatement) {
        signal.throwIfAborted()
        say(`P13: indexing ${table} for the search: ${count}`)
        const rows = await database.query<Row>(
          `select ${columns} from ${table} where (${owner}, id) > ${after} order by ${owner}, id limit ${perStatement}`,
        )
        const last = rows.at(-1)
        if (!last) break
        after = `('${last.owner_id}', '${last.id}')`
        const tokensOf = searchTokens.storing(service.context.vault)
        await service.context.query(insertEntries, {
          kind: kind as keyof typeof kinds,
          rows: rows.map((row) => ({
            ownerId: row.owner_id,
            id: row.id,
            tokens: tokensOf(wordsOf(row)),
          })),
        })
      }
    }
    say('P13: indexing the words of the search')
    await database.query(index?.indexdef ?? '')
    await database.query('update search_progress set complete_until = now(), seen_until = now()')
  } finally {
    await service.stop()
  }
  await database.query('vacuum (analyze) search_entries')
}

import { wordsOfTransfer } from '../../src/rules/search/search.ts'
import { searchTokens } from '../../src/engine/transfers/words/search-tokens.ts'
import { insertEntries } from '../../src/engine/transfers/words/store.ts'
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

const columns = 'requisite_id as owner_id, id, amount, bank_reference as code, sender_masked as other'

const wordsOf = ({ amount, code, other }: Row): string[] =>
  wordsOfTransfer({
    ...{ amount: BigInt(amount), decimals: 2 },
    ...{ reference: code, masked: other, name: null, text: null, number: null },
  })

/**
 * Indexes all transfers of a database for the search, with the same words and keys as intake, but in large
 * sets, and with the index of the words built at the end.
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
    const none = '00000000-0000-0000-0000-000000000000'
    let after = `('${none}', '${none}')`
    for (let count = 0; ; count += perStatement) {
      signal.throwIfAborted()
      say(`P13: indexing transfers for the search: ${count}`)
      const rows = await database.query<Row>(
        `select ${columns} from transfers where (requisite_id, id) > ${after} order by requisite_id, id limit ${perStatement}`,
      )
      const last = rows.at(-1)
      if (!last) break
      after = `('${last.owner_id}', '${last.id}')`
      const tokensOf = searchTokens.storing(service.context.vault)
      await service.context.query(insertEntries, {
        kind: 'transfer',
        rows: rows.map((row) => ({ ownerId: row.owner_id, id: row.id, tokens: tokensOf(wordsOf(row)) })),
      })
    }
    say('P13: indexing the words of the search')
    await database.query(index?.indexdef ?? '')
  } finally {
    await service.stop()
  }
  await database.query('vacuum (analyze) search_entries')
}

import { query, text, uuid, word } from 'payin-database'
import type { SearchKind } from '../../../rules/search/search.ts'

const entry = { ownerId: uuid, id: uuid, tokens: text }

export const insertEntries = query('insert_search_entries', {
  parameters: { kind: word<SearchKind>() },
  rows: entry,
  text: `insert into search_entries (kind, owner_id, id, tokens) select :kind, owner_id, id, tokens::bigint[] from :rows`,
})

/** Writes other hashes; returns the entries that changed. */
export const updateTokens = query('update_search_tokens', {
  parameters: { kind: word<SearchKind>() },
  rows: entry,
  row: { id: uuid },
  // An inner query reads the text, kept separate by `offset`: Citus does not allow such a cast of a column in an
  // update.
  text: `update search_entries as known set tokens = renewed.tokens
    from (select owner_id, id, input.tokens::bigint[] as tokens from :rows offset 0) as renewed
    where known.kind = :kind and known.owner_id = renewed.owner_id and known.id = renewed.id and known.tokens <> renewed.tokens
    returning known.id`,
})

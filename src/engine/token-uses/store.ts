import { array, instant, query, text } from 'payin-database'

/** Records that tokens were used; if several nodes do, the latest use stays. */
export const upsertUses = query('note_token_uses', {
  parameters: { tokens: array(text), usedAt: instant },
  // In a fixed order, so that nodes that write the same tokens cannot deadlock.
  text: `insert into token_uses (token, last_used_at)
    select token, :usedAt from unnest(:tokens) as token order by token
    on conflict (token) do update set last_used_at = greatest(token_uses.last_used_at, excluded.last_used_at)`,
})

/** When tokens were last used; those that never were have no row. */
export const selectUses = query('list_token_uses', {
  parameters: { tokens: array(text) },
  row: { token: text, lastUsedAt: instant },
  text: `select token, last_used_at from token_uses where token = any(:tokens)`,
})

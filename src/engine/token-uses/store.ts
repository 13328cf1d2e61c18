import { array, instant, query, text } from 'payin-database'

/** Records that a token was used; if several nodes do, the latest use stays. */
export const upsertUse = query('note_token_use', {
  parameters: { token: text, usedAt: instant },
  text: `insert into token_uses (token, last_used_at) values (:token, :usedAt)
    on conflict (token) do update set last_used_at = greatest(token_uses.last_used_at, excluded.last_used_at)`,
})

/** When tokens were last used; those that never were have no row. */
export const selectUses = query('list_token_uses', {
  parameters: { tokens: array(text) },
  row: { token: text, lastUsedAt: instant },
  text: `select token, last_used_at from token_uses where token = any(:tokens)`,
})

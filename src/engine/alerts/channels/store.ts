import { boolean, given, instant, jsonb, nullable, query, text, uuid, word } from 'payin-database'
import type { ChannelKind, ChannelTarget, QuietHours } from '../../../rules/notices/alert.ts'

const wish = {
  name: text,
  target: jsonb<ChannelTarget>(),
  secretSealed: nullable(text),
  quietHours: nullable(jsonb<QuietHours>()),
  enabled: boolean,
}

const channelRow = {
  id: uuid,
  kind: word<ChannelKind>(),
  ...wish,
  createdAt: instant,
  lastSentAt: nullable(instant),
  /** Since when every attempt has failed, and why the last one did. */
  failingSince: nullable(instant),
  lastError: nullable(text),
}

export const selectChannels = query('list_alert_channels', {
  row: channelRow,
  text: `select :row from alert_channels where removed_at is null order by id`,
})

/** All channels, locked: one transaction at a time decides what is queued and sent through them. */
export const lockChannels = query('lock_alert_channels', {
  row: channelRow,
  text: `select :row from alert_channels where removed_at is null order by id for no key update`,
})

/** Adds a channel; no row if another one has its name, even if that is being added at the moment. */
export const insertChannel = query('insert_alert_channel', {
  parameters: { id: uuid, kind: text, ...wish, createdAt: instant },
  row: { id: uuid },
  text: `insert into alert_channels (:fields) values (:values)
    on conflict (name) where removed_at is null do nothing returning id`,
})

export const updateChannelRow = query('update_alert_channel', {
  parameters: { id: uuid, ...wish },
  text: `update alert_channels set ${given(wish)}, failing_since = null, last_error = null
    where id = :id and removed_at is null`,
})

export const markRemoved = query('remove_alert_channel', {
  parameters: { id: uuid, now: instant },
  text: `update alert_channels set removed_at = :now, enabled = false, secret_sealed = null where id = :id`,
})

/** Writes the results of attempts to send through channels; `error` is null if the message was accepted. */
export const updateHealth = query('update_alert_channel_health', {
  parameters: { now: instant },
  rows: { id: uuid, error: nullable(text) },
  text: `update alert_channels set last_error = input.error,
      failing_since = case when input.error is null then null else coalesce(failing_since, :now) end,
      last_sent_at = case when input.error is null then :now else last_sent_at end
    from :rows where alert_channels.id = input.id`,
})

import { formatInstant, type Instant } from '../domain/time.ts'

/** The text of an audit entry that its hash covers. */
export const auditEntryContent = (entry: {
  readonly sequence: bigint
  readonly at: Instant
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly details: string
}): string =>
  JSON.stringify([
    String(entry.sequence),
    formatInstant(entry.at),
    entry.actor,
    entry.action,
    entry.subject,
    entry.details,
  ])

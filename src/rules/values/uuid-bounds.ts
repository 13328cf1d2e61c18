import type { Instant } from '../time.ts'

/** The smallest identifier (UUID version 7) that can be created at a time, for searches by time along a primary key. */
export const leastIdAt = (at: Instant): string => {
  const hex = Math.max(0, at).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

/** When an identifier (UUID version 7) was created. */
export const instantOfId = (id: string): Instant => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

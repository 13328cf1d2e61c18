import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import { personName } from '../../parts/field-values.tsx'

/** What a person did to a transfer that waits: who, when and why. */
type Act = { readonly what: string; readonly by: string; readonly at?: string; readonly why: string | undefined }

/** Who parked a transfer or returned it to the inbox, and why; `undefined` if nobody did. */
export const lastActOf = ({ parked, parts }: Pick<ListedTransfer, 'parked' | 'parts'>): Act | undefined => {
  if (parked !== undefined) return { what: 'Parked', by: personName(parked.by), at: parked.at, why: parked.why }
  const returned = parts.find(({ kind, by }) => kind === 'suspense' && by !== 'service')
  return returned && { what: 'Returned', by: personName(returned.by), why: returned.note }
}

/** An act in a line of the queue. */
export const describeAct = ({ what, by, why }: Act): string =>
  `${what.toLowerCase()} by ${by}${why === undefined ? '' : `: ${why}`}`

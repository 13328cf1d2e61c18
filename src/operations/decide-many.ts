import { Type } from './schema.ts'

export const KeyHeader = { 'idempotency-key?': Type.Printable(128, 'Your own key for the request.') }

type Decided = { readonly state: string }

/** Whether a decision was refused. */
export const hasRefused = (decided: readonly Decided[]): boolean => decided.some(({ state }) => state === 'refused')

/** A sentence that counts the decided and the refused ones. */
export const countDecided = (decided: readonly Decided[]): string => {
  const count = (state: string): number => decided.filter((each) => each.state === state).length
  const refused = count('refused')
  if (count('possible') > 0) return `${count('possible')} can be decided, ${refused} refused. Nothing was changed.`
  const proposed = count('proposed')
  const waiting = proposed === 0 ? '' : ` ${proposed} only proposed: another operator must confirm them.`
  return `${count('done')} decided, ${refused} refused.${waiting}`
}

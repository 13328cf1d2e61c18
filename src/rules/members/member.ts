import type { Duty, Scope } from './access.ts'
import { minute } from '../time.ts'

/** A member as events and the audit name it. */
export const memberActor = ({ role, name }: { readonly role?: string; readonly name: string }): string =>
  `${role === 'merchant' ? 'member' : 'operator'}:${name}`

/** Shortest and longest password of a member. */
export const passwordLength = { least: 12, most: 200 }

/** After this time, changes to merchants' money, settings or access and reveals ask for the second factor again. */
export const verifiedForMs = 15 * minute

/** Whether changes by this duty of operators, or scope of merchants, do; also whether reading does. */
export const needsFreshVerification = (subject: Duty | Scope, isChange: boolean): boolean =>
  subject === 'reveal' ||
  (isChange && (subject === 'account' || subject === 'configure' || subject === 'settlements:write'))

import type { Duty } from './role.ts'
import { minute } from './time.ts'

/** The fewest and the most characters of a member's password. */
export const passwordLength = { least: 12, most: 200 }

/** What changes money of merchants, settings or a way in asks members for the second factor again after this long. */
export const verifiedForMs = 15 * minute

/** Whether a change of this duty does. */
export const needsFreshVerification = (duty: Duty): boolean => duty === 'account' || duty === 'configure'

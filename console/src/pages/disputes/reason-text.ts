import { say } from '../../language.ts'
/** What a claimant says is wrong, in words. */
export const reasonText = (reason: string): string => say(reason.replaceAll('-', ' '))

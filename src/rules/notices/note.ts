import { Refusal } from '../refusal.ts'

/** Most notes about one payment or transfer: all are read with it. */
export const maxNotes = 500

/** The refusal of a note beyond the limit. */
export const tooManyNotes = (): Refusal => new Refusal('invalid_state', `There are already ${maxNotes} notes about it.`)

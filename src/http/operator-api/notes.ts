import { type Static, Type } from 'typebox'
import type { Instant } from '../../domain/time.ts'
import { PrintableText, Time, wireTime } from '../fields.ts'

/** Body of a request that writes a note. */
export const NoteBody = { text: PrintableText(1000) }

/** Schema of the notes about something. */
export const Notes = Type.Array(Type.Object({ text: Type.String(), by: Type.String(), at: Time }), {
  description: 'What operators wrote about it, the oldest first.',
})

/** The notes about something. */
export type Notes = Static<typeof Notes>

/** Notes in the words of the wire. */
export const toNotes = (
  notes: readonly { readonly text: string; readonly writtenBy: string; readonly writtenAt: Instant }[],
) => notes.map(({ text, writtenBy, writtenAt }) => ({ text, by: writtenBy, at: wireTime(writtenAt) }))

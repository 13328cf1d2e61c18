import { text, uuid } from './query.ts'

/** Parameters of a query by a shortened id; see `readTypedName`. */
export const typedId = { least: uuid, greatest: uuid, ending: text }

/** The same, for what has another name, too. */
export const typedName = { typed: text, ...typedId }

/** Enough rows to show that a name is ambiguous; also the most that is read of what one owner has. */
export const fewRows = 'limit 6'

/** The condition that the id of a table is in the span. */
export const inSpan = (table: string): string =>
  `${table}.id between :least and :greatest and right(${table}.id::text, char_length(:ending)) = :ending`

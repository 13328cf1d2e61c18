import { text, uuid } from './query.ts'

/** Parameters of a query by a shortened id; see `readTypedName`. */
export const typedId = { least: uuid, greatest: uuid, ending: text }

/** The same, for what also has another name. */
export const typedName = { typed: text, ...typedId }

/** Enough rows to show that a name is ambiguous; also the most that are read for one owner. */
export const fewRows = 'limit 6'

/** The condition that a table's id is in the span. */
export const inSpan = (table: string): string =>
  `${table}.id between :least and :greatest and right(${table}.id::text, char_length(:ending)) = :ending`

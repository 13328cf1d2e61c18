/**
 * SQL of a time that is `:byMs` milliseconds before the one in a column. An interval is taken from the time in UTC: from a time with
 * a zone it may depend on the session, and a Citus allows that in no update.
 */
export const sooner = (column: string): string =>
  `((${column} at time zone 'UTC') - :byMs * interval '1 millisecond') at time zone 'UTC'`

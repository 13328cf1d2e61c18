/**
 * SQL of a time that is an interval after the one in a column. The interval is added to the time in UTC: from a time with a zone it
 * may depend on the session, which a Citus allows in no update, and of which it makes broken SQL in an insert from a query.
 */
export const later = (column: string, interval: string): string =>
  `((${column} at time zone 'UTC') + ${interval}) at time zone 'UTC'`

/** SQL of a time that is `:byMs` milliseconds before the one in a column. */
export const sooner = (column: string): string => later(column, `:byMs * interval '-1 millisecond'`)

/**
 * SQL for the time that is an interval after the one in a column. The interval is added to the UTC time: added to a
 * time with a zone, the result may depend on the session. Citus does not allow that in an update, and generates broken
 * SQL for it in an insert from a query.
 */
export const later = (column: string, interval: string): string =>
  `((${column} at time zone 'UTC') + ${interval}) at time zone 'UTC'`

/** SQL for the time that is `:byMs` milliseconds before the one in a column. */
export const sooner = (column: string): string => later(column, `:byMs * interval '-1 millisecond'`)

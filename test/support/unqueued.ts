/** Counts the merchants of a schema with notifications that are not queued for their endpoints yet. */
export const countUnqueued = (schema = 'public'): string =>
  `select count(*)::integer from ${schema}.event_counters as counters
    left join ${schema}.queued_notifications as queued using (merchant_id)
    where counters.position > coalesce(queued.position, 0)`

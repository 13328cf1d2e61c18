/** The name of a metric, what it counts, and the labels of its series. */
export type MetricDescriptor = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly group: string
  readonly labels: readonly string[]
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[]
  /** One sentence: the meaning of the value, and what a reader must know. */
  readonly help: string
}

const short = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

const counter = <const Names extends readonly string[]>(labels: Names, help: string) =>
  ({ type: 'counter', labels, help }) as const
const gauge = <const Names extends readonly string[]>(labels: Names, help: string) =>
  ({ type: 'gauge', labels, help }) as const
const histogram = <const Names extends readonly string[]>(labels: Names, buckets: readonly number[], help: string) =>
  ({ type: 'histogram', labels, buckets, help }) as const

const inGroup = <Metrics extends Readonly<Record<string, Omit<MetricDescriptor, 'group'>>>>(
  group: string,
  metrics: Metrics,
) =>
  Object.fromEntries(Object.entries(metrics).map(([name, each]) => [name, { ...each, group }])) as {
    readonly [Name in keyof Metrics]: Metrics[Name] & { readonly group: string }
  }

/**
 * The only list of metrics: the measurements, `docs/operate/metrics.md`, and the test of the alerts and the dashboard
 * come from it. Every label has few values, none of which comes from a request.
 */
export const metricDescriptors = {
  ...inGroup('Process', {
    payin_build_info: gauge(
      ['version', 'node', 'engine', 'roles'],
      'Always 1; the labels say what runs: version of the service, of Node.js, engine of the database, roles.',
    ),
    payin_ready: gauge([], '1 while the process accepts work, 0 while it is stopping or its database takes no writes.'),
  }),
  ...inGroup('Requests', {
    payin_http_request_duration_seconds: histogram(
      ['route', 'method', 'status'],
      [0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      'Requests by route template and class of status (2xx, 4xx …), and how long they took. Waiting for a change (`wait=`) counts; streams do not.',
    ),
    payin_http_refusals_total: counter(
      ['code'],
      'Requests that were refused, by the error code of the answer (docs/errors.md).',
    ),
  }),
  ...inGroup('Batches', {
    payin_batch_calls: histogram(
      ['batch'],
      [1, 2, 5, 10, 50, 100, 500, 1000],
      'How many requests one batch answered: requests of the same kind go to the database together.',
    ),
    payin_batch_wait_seconds: histogram(
      ['batch'],
      short,
      'How long the first request of a batch had waited when the batch was sent.',
    ),
    payin_batch_duration_seconds: histogram(['batch'], short, 'How long a batch took, its transaction included.'),
  }),
  ...inGroup('Database', {
    payin_database_connections: gauge(['state'], 'Connections of the pool of this process, `in-use` and `idle`.'),
    payin_database_connections_max: gauge([], 'Most connections that the pool opens (PAYIN_DATABASE_POOL).'),
    payin_database_waiters: gauge([], 'Queries that wait for a connection of the pool.'),
    payin_database_writable: gauge([], '0 while the database takes no writes, for example because its disk is full.'),
  }),
  ...inGroup('Jobs', {
    payin_job_rounds_total: counter(
      ['job_name', 'result'],
      'Rounds of a job, `done` or `failed`; a failed one is tried again.',
    ),
    payin_job_items_total: counter(
      ['job_name'],
      'Items that a job has processed: payments expired, notifications sent, and others.',
    ),
    payin_job_round_duration_seconds: histogram(['job_name'], [0.01, 0.1, 1, 10, 60, 600], 'How long a round took.'),
    payin_job_last_success_timestamp_seconds: gauge(
      ['job_name'],
      'When a round of the job last ended without failing in this process.',
    ),
    payin_job_lag_seconds: gauge(
      ['job_name'],
      'By how much the next successful round is overdue in this process; a long round counts, too.',
    ),
  }),
  ...inGroup('Queues', {
    payin_queue_items: gauge(
      ['queue'],
      'Items due in a queue that all processes share, counted up to 10,000: `events` (the outbox), `deliveries`, `statements`, `alert-messages`.',
    ),
    payin_queue_oldest_timestamp_seconds: gauge(
      ['queue'],
      'When the oldest item in a queue became due; no series while nothing is due.',
    ),
  }),
  ...inGroup('Notifications', {
    payin_delivery_attempts_total: counter(
      ['result'],
      'Attempts to deliver a notification: `delivered`, `retried` (failed, and is tried again) or `given-up`.',
    ),
    payin_delivery_attempt_duration_seconds: histogram(
      [],
      [0.05, 0.1, 0.5, 1, 5, 15],
      'How long receivers took to answer.',
    ),
  }),
  ...inGroup('Waiting', {
    payin_waiting_items: gauge(
      ['kind'],
      'What waits for an operator or a merchant, as the console shows it: `transfers` (money in the inbox), `disputes`, `reversals`, `unacknowledged`, `troubled-endpoints` and others. Also `part-paid`: payments that have received a part and wait for their payers.',
    ),
    payin_waiting_oldest_timestamp_seconds: gauge(
      ['kind'],
      'Since when the oldest item of a kind waits; no series while nothing waits, or if that is not known.',
    ),
    payin_waiting_deadline_timestamp_seconds: gauge(
      ['kind'],
      'The next deadline of what waits; no series without one.',
    ),
    payin_waiting_amount: gauge(
      ['kind', 'currency'],
      'The money that waits, in units of the currency (12.34, not 1234).',
    ),
  }),
  ...inGroup('Checks', {
    payin_incidents_open: gauge(['rule'], "Open incidents of the service's own alerts, by rule (docs/alerts.md)."),
    payin_invariant_broken: gauge(
      ['invariant'],
      '1 for an invariant that the last check of the books found broken, by name; `payin doctor` lists them.',
    ),
    payin_invariants_checked_timestamp_seconds: gauge(
      [],
      'When the last check of all invariants began, on any process.',
    ),
  }),
  ...inGroup('Rates', {
    payin_rate_timestamp_seconds: gauge(['currency'], 'When the rate in use was set.'),
    payin_rate_valid_until_timestamp_seconds: gauge(
      ['currency'],
      'When the rate in use ends; no series for a rate without an end.',
    ),
    payin_rate_source_priced_timestamp_seconds: gauge(
      ['currency', 'source'],
      'When a source of rates last gave a price that may be used.',
    ),
    payin_rate_source_failing: gauge(['currency', 'source'], '1 while a source of rates fails.'),
  }),
  ...inGroup('Readings', {
    payin_readings_timestamp_seconds: gauge(
      [],
      'When the values of the groups Queues, Waiting, Checks and Rates were read from the database: at most every 30 seconds, by processes that run jobs.',
    ),
    payin_readings_failed_total: counter(
      [],
      'How often these values could not be read; they then keep their last values.',
    ),
  }),
} satisfies Record<string, MetricDescriptor>

export type MetricName = keyof typeof metricDescriptors

type OfType<T> = { [N in MetricName]: (typeof metricDescriptors)[N]['type'] extends T ? N : never }[MetricName]
export type CounterName = OfType<'counter'>
export type GaugeName = OfType<'gauge'>
export type HistogramName = OfType<'histogram'>

export type Labels<N extends MetricName> = Readonly<Record<(typeof metricDescriptors)[N]['labels'][number], string>>

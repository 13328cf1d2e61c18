import { collectDefaultMetrics, Registry } from '@prometheus-io/client'
import { type MetricDescriptor, metricDescriptors } from '../src/metrics/descriptors.ts'

const library = new Registry()
collectDefaultMetrics({ register: library })

/** The library's metrics of the process and of Node.js. */
export const processMetricNames: readonly string[] = library.getMetricsAsArray().map(({ name }) => name)

const descriptors: readonly (readonly [string, MetricDescriptor])[] = Object.entries(metricDescriptors)

const intro = `# Metrics

Generated from \`src/metrics/descriptors.ts\`: each metric with its type and labels. Alerts and a dashboard are in
\`deploy/observe/\`.

## Scrape

- \`PAYIN_METRICS_PORT\` serves \`/metrics\`, \`/healthz\` and \`/readyz\` on a separate port, also for a process without the web role.
- \`PAYIN_METRICS_HOST\` is the address of that port, by default 127.0.0.1. If Prometheus is on another machine, use the private address of this one.
- \`PAYIN_METRICS_TOKEN\` is the token that \`/metrics\` requires (\`Authorization: Bearer …\`); with it, \`/metrics\` is on the main port as well.

\`\`\`yaml
scrape_configs:
  - job_name: payin
    scrape_interval: 30s
    authorization: { credentials_file: /etc/prometheus/payin-token } # where PAYIN_METRICS_TOKEN is set
    static_configs:
      - targets: ["10.0.0.1:9464", "10.0.0.2:9464"] # PAYIN_METRICS_HOST of each node
\`\`\`

Without the port and the token, no metrics are served. Each process counts what it does itself; sum over the processes. The
groups _Queues_, _Waiting_, _Checks_ and _Rates_ are read from the database, are the same on every process that shows
them, and may be 30 seconds old: take the maximum, as in \`max by (kind) (payin_waiting_items)\`. Times are Unix times
in seconds: \`time() - payin_waiting_oldest_timestamp_seconds\` is an age. No label value comes from a request, a payer or a merchant.
`

const describe = ([name, { type, labels, help }]: readonly [string, MetricDescriptor]): string =>
  `- \`${name}\` (${[type, ...labels.map((label) => `\`${label}\``)].join(', ')}): ${help}`

/** The text of `docs/operate/metrics.md`. */
export const metricsDocument = (): string => {
  const groups = [...Map.groupBy(descriptors, ([, { group }]) => group)].map(
    ([group, members]) => `## ${group}\n\n${members.map(describe).join('\n')}\n`,
  )
  const own = processMetricNames.map((name) => `\`${name}\``).join(', ')
  const outro = `## Of the process and Node.js\n\nThey come from the library \`@prometheus-io/client\`; \`nodejs_eventloop_lag_p99_seconds\` is the delay of the event loop: ${own}.\n`
  return [intro, ...groups, outro].join('\n')
}

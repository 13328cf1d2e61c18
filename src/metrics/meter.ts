import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type Labels,
  type MetricDescriptor,
  type MetricName,
  metricDescriptors,
} from './descriptors.ts'

export type SampleOf<N extends GaugeName> = { readonly name: N; readonly labels: Labels<N>; readonly value: number }
export type Sample = { readonly [N in GaugeName]: SampleOf<N> }[GaugeName]

/** Where the process counts its work, and what a scrape reads. */
export type Meter = {
  count<N extends CounterName>(name: N, labels: Labels<N>, by?: number): void
  observe<N extends HistogramName>(name: N, labels: Labels<N>, value: number): void
  set<N extends GaugeName>(name: N, labels: Labels<N>, value: number): void
  /** Records a batch: how many calls it had, how long the first had waited and how long the batch took. */
  noteBatch(batch: string, calls: number, waitedMs: number, ms: number): void
  /**
   * Calls `look` at each scrape until the returned function is called. Of the gauges that looks return, exactly the
   * series of the last scrape are shown. It must not fail.
   */
  onScrape(look: Look): () => void
  /** Starts measuring the process itself, too: memory, event loop, garbage collection. */
  measureProcess(): void
  /** The text of a scrape. */
  render(): Promise<string>
}

type Look = () => readonly Sample[] | Promise<readonly Sample[]>

/** The media type of `render`. */
export const scrapeType: string = Registry.PROMETHEUS_CONTENT_TYPE

type Instruments = ReadonlyMap<string, Counter<string> | Gauge<string> | Histogram<string>>

const createInstruments = (registry: Registry): Instruments => {
  const descriptors: [string, MetricDescriptor][] = Object.entries(metricDescriptors)
  const create = (name: string, { type, labels, help, buckets }: MetricDescriptor) => {
    const options = { name, help, labelNames: [...labels], registers: [registry] }
    if (type === 'counter') return new Counter(options)
    return type === 'gauge' ? new Gauge(options) : new Histogram({ ...options, buckets: [...(buckets ?? [])] })
  }
  return new Map(descriptors.map(([name, descriptor]) => [name, create(name, descriptor)]))
}

/** A gauge without series; one without labels would start at 0. */
const empty = (gauge: Gauge<string>): void => {
  gauge.reset()
  gauge.remove({})
}

/** Opens the meter of a process. */
export const openMeter = (): Meter => {
  const registry = new Registry()
  const instruments = createInstruments(registry)
  const counter = (name: MetricName): Counter<string> => instruments.get(name) as Counter<string>
  const gauge = (name: MetricName): Gauge<string> => instruments.get(name) as Gauge<string>
  const histogram = (name: MetricName): Histogram<string> => instruments.get(name) as Histogram<string>
  for (const each of instruments.values()) if (each instanceof Gauge) empty(each)
  // Prometheus sees no increase in a series that begins with 1: series for which a single event is an alert begin with
  // 0.
  counter('payin_delivery_attempts_total').inc({ result: 'given-up' }, 0)
  const looks = new Set<Look>()
  let shown = new Set<GaugeName>()
  let measuresProcess = false
  return {
    count: (name, labels, by = 1) => counter(name).inc(labels, by),
    observe: (name, labels, value) => histogram(name).observe(labels, value),
    set: (name, labels, value) => gauge(name).set(labels, value),
    noteBatch: (batch, calls, waitedMs, ms) => {
      const labels = { batch }
      histogram('payin_batch_calls').observe(labels, calls)
      histogram('payin_batch_wait_seconds').observe(labels, waitedMs / 1000)
      histogram('payin_batch_duration_seconds').observe(labels, ms / 1000)
    },
    onScrape: (look) => {
      looks.add(look)
      return () => looks.delete(look)
    },
    measureProcess: () => {
      if (!measuresProcess) collectDefaultMetrics({ register: registry })
      measuresProcess = true
    },
    render: async () => {
      const samples = (await Promise.all([...looks].map(async (look) => look()))).flat()
      for (const name of shown) empty(gauge(name))
      shown = new Set(samples.map(({ name }) => name))
      for (const { name, labels, value } of samples) gauge(name).set(labels, value)
      return registry.metrics()
    },
  }
}

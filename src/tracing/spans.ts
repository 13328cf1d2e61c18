import {
  context as contextApi,
  type Context,
  type Link,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  type SpanContext,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import type { Database, Queryable } from 'payin-database'

/**
 * The attributes of a span: words of the code, ids and numbers; never a secret, a body, or the address of a request or
 * a person.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export type OpenSpan = {
  /** Runs `work` with this span as the parent of its spans. */
  enter(work: () => void): void
  /** Ends it; `failure` is the code of its failure. */
  end(attributes: SpanAttributes, failure?: string): void
}

/** OpenTelemetry traces; exists only if an SDK is registered. */
export type Spans = {
  /** Begins the span of a request, within the trace named in `headers`, if any. */
  openRequest(name: string, attributes: SpanAttributes, headers: Readonly<Record<string, unknown>>): OpenSpan
  /** Runs `work` in a span within the open one; without an open span there is none. */
  within<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>
  /** The open span, for a batch to link to. */
  current(): SpanContext | undefined
  /** Runs a batch for several requests in its own span, which links to theirs. */
  batch<T>(name: string, calls: readonly (SpanContext | undefined)[], work: () => Promise<T>): Promise<T>
  /** Records work that has ended; with a `traceparent`, a call to another service in that trace, which is linked. */
  note(name: string, attributes: SpanAttributes, span: PastSpan): void
}

type PastSpan = { readonly ms: number; readonly failure?: string; readonly traceparent?: string }

/** A batch of hundreds links to only this many of its requests, so that its span stays small. */
const mostLinks = 32

/** Only the names of the trace: baggage may contain anything that a caller has written. */
const carriers = ['traceparent', 'tracestate'] as const

const failed = (span: Span, error: unknown): void => {
  const code = (error as { code?: unknown } | null)?.code
  span.setAttribute('error.type', typeof code === 'string' ? code : error instanceof Error ? error.name : 'error')
  // The message of an error may quote what was sent.
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const runIn = async <T>(span: Span, work: () => Promise<T>): Promise<T> => {
  try {
    return await contextApi.with(trace.setSpan(contextApi.active(), span), work)
  } catch (error) {
    failed(span, error)
    throw error
  } finally {
    span.end()
  }
}

const remoteContext = (headers: Readonly<Record<string, unknown>>): Context => {
  const carried = carriers.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []))
  if (carried.length === 0) return contextApi.active()
  return propagation.extract(contextApi.active(), Object.fromEntries(carried))
}

const linkTo = (traceparent: string): Link[] => {
  const [, traceId = '', spanId = ''] = traceparent.split('-')
  return [{ context: { traceId, spanId, traceFlags: 1, isRemote: true } }]
}

const createSpans = (tracer: Tracer, clock: () => number): Spans => {
  return {
    openRequest: (name, attributes, headers) => {
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, remoteContext(headers))
      const inside = trace.setSpan(contextApi.active(), span)
      return {
        enter: (work) => contextApi.with(inside, work),
        end: (more, failure) => {
          span.setAttributes(more)
          if (failure !== undefined) failed(span, { code: failure })
          span.end()
        },
      }
    },
    within: (name, attributes, work) => {
      if (!trace.getActiveSpan()) return work()
      return runIn(tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }), work)
    },
    current: () => trace.getActiveSpan()?.spanContext(),
    batch: (name, calls, work) => {
      const known = calls.flatMap((each) => each ?? []).slice(0, mostLinks)
      const links = known.map((context) => ({ context }))
      const attributes = { 'payin.batch.calls': calls.length }
      return runIn(tracer.startSpan(`batch ${name}`, { attributes, links, root: true }), work)
    },
    note: (name, attributes, { ms, failure, traceparent }) => {
      const endTime = clock()
      const [kind, links] = traceparent === undefined ? [SpanKind.INTERNAL, []] : [SpanKind.CLIENT, linkTo(traceparent)]
      const span = tracer.startSpan(name, { kind, attributes, links, root: true, startTime: endTime - ms })
      if (failure !== undefined) failed(span, { code: failure })
      span.end(endTime)
    },
  }
}

/** The traces of this process; undefined, and so without any cost, if no SDK was registered before. */
export const openSpans = (version: string, clock: () => number): Spans | undefined => {
  const provider = trace.getTracerProvider()
  const tracer =
    provider instanceof ProxyTracerProvider
      ? provider.getDelegateTracer('payin', version)
      : provider.getTracer('payin', version)
  return tracer && createSpans(tracer, clock)
}

const system = { 'db.system.name': 'postgresql' }

const traceQueries = (sql: Queryable, spans: Spans): Queryable => ({
  query: (asked, parameters) =>
    spans.within(`query ${asked.name}`, { ...system, 'db.query.summary': asked.name }, () =>
      sql.query(asked, parameters),
    ),
})

/** A database whose queries and transactions are spans of the calling request or batch, named after the query. */
export const traceDatabase = (database: Database, spans: Spans): Database => ({
  ...database,
  ...traceQueries(database, spans),
  transaction: (work) =>
    spans.within('transaction', system, () =>
      database.transaction((tx) => work({ ...tx, ...traceQueries(tx, spans) })),
    ),
})

import type { ErrorCode } from './api.ts'

/** A field that was refused. */
export type FieldError = { readonly field: string; readonly code: string; readonly message: string }

type Problem = {
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly requestId?: string
  readonly errors?: readonly FieldError[]
  readonly reason?: string
}

/** Payin refused a request: decide by `code`, show `message` to people. */
export class PayinError extends Error {
  override readonly name = 'PayinError'
  /** The reason, one of the documented codes; `unknown` if something between you and Payin answered. */
  readonly code: ErrorCode
  /** The HTTP status. */
  readonly status: number
  /** Name it when you ask for help. */
  readonly requestId: string | undefined
  /** The fields that were refused. */
  readonly errors: readonly FieldError[]
  /** With `requisites_unavailable`: why no receiving account is free, such as `slot-taken`. */
  readonly reason: string | undefined
  /** How long to wait before the same request, according to the answer; undefined if waiting does not help. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, problem: Problem, retryAfterMs?: number) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`)
    this.code = problem.code ?? 'unknown'
    this.status = status
    this.requestId = problem.requestId
    this.errors = problem.errors ?? []
    this.reason = problem.reason
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * No answer came: the network failed, or the time was over. A request that changes something may have been carried out;
 * repeating a create, an acknowledgement or a read does no harm.
 */
export class PayinConnectionError extends Error {
  override readonly name = 'PayinConnectionError'
}

/** The time of `waitFor` was over before the payment had an outcome; `status` is the last one read. */
export class PayinTimeoutError extends Error {
  override readonly name = 'PayinTimeoutError'
  readonly status: string

  constructor(orderId: string, status: string) {
    super(`order ${orderId} is still ${status}`)
    this.status = status
  }
}

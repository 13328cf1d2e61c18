import type { ErrorCode } from './api.ts'

/** A field that was refused. */
export type FieldError = { readonly field: string; readonly code: string; readonly message: string }

/** A request that would succeed instead, by the field to change. */
export type Alternative = { readonly field: string; readonly value: string | number }

type Problem = {
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly requestId?: string
  readonly errors?: readonly FieldError[]
  readonly alternatives?: readonly Alternative[]
}

/** Payin refused a request: decide by `code`, show `message` to people. */
export class PayinError extends Error {
  override readonly name = 'PayinError'
  /** The reason, one of the documented codes; `unknown` where something between you and Payin answered. */
  readonly code: ErrorCode
  /** The HTTP status. */
  readonly status: number
  /** What to name when you ask for help. */
  readonly requestId: string | undefined
  /** The fields that were refused. */
  readonly errors: readonly FieldError[]
  /** With `requisites_unavailable`: changes of the request that would find a requisite now. */
  readonly alternatives: readonly Alternative[]
  /** How long to wait before the same request, as the answer says; undefined where it does not help. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, problem: Problem, retryAfterMs?: number) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`)
    this.code = problem.code ?? 'unknown'
    this.status = status
    this.requestId = problem.requestId
    this.errors = problem.errors ?? []
    this.alternatives = problem.alternatives ?? []
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * No answer came: the network failed, or the time was over. A request that changes something may have been carried out;
 * creating, acknowledging and reading may be repeated without harm.
 */
export class PayinConnectionError extends Error {
  override readonly name = 'PayinConnectionError'
}

/** `waitFor` was over before the payment had an outcome; `status` is the last that was seen. */
export class PayinTimeoutError extends Error {
  override readonly name = 'PayinTimeoutError'
  readonly status: string

  constructor(orderId: string, status: string) {
    super(`order ${orderId} is still ${status}`)
    this.status = status
  }
}

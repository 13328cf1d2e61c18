/** Who an interface is for; the health checks need no token. */
export type Security = 'merchant' | 'operator' | 'feed'

/** When the same request may be sent again. */
type Retry = 'after Retry-After' | 'at once'

/** What there is to know about a code of refusals. */
export type ErrorCode = {
  readonly status: number
  readonly title: string
  /** When it occurs. */
  readonly when: string
  /** When the same request may be sent again. Default: not before something has changed. */
  readonly retry?: Retry
  /** What the caller does next. */
  readonly remedy: string
  /** How that is done with `payin`. */
  readonly cli?: string
  /**
   * Where it may occur: `server` for all requests, also those without a token; the interfaces whose operations may all
   * refuse with it. Default: the operations that declare it.
   */
  readonly where?: 'server' | readonly Security[]
}

/** Who an interface is for, and so how its callers authenticate. */
export type Security = 'merchant' | 'operator' | 'feed' | 'phone'

/** When the same request may be sent again. */
type Retry = 'after Retry-After' | 'at once'

/** What a refusal code means, in the status and texts of responses, documents and the command line. */
export type ErrorCode = {
  readonly status: number
  readonly title: string
  /** When it occurs. */
  readonly when: string
  /** When the same request may be sent again. Default: not before something has changed. */
  readonly retry?: Retry
  /** What the caller does next. */
  readonly remedy: string
  /** The remedy for users of `payin`, if it differs. */
  readonly cli?: string
  /**
   * Where it may occur: `server` for every request, even without a token; or the interfaces on which every operation
   * may refuse with it. Default: only the operations that declare it.
   */
  readonly where?: 'server' | readonly Security[]
}

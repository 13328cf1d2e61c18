const withToken: readonly Security[] = ['merchant', 'operator']

/** Errors for callers that may not do what they ask for. */
export const accessErrorCodes = {
  token_missing: {
    status: 401,
    title: 'An access token is required',
    when: 'the request has no bearer token (every 401 has `WWW-Authenticate`)',
    remedy: 'Send `Authorization: Bearer <token>`.',
    cli: 'See --token and PAYIN_OPERATOR_TOKEN.',
    where: withToken,
  },
  token_invalid: {
    status: 401,
    title: 'The access token is not valid',
    remedy: 'Use the token as it was issued, or ask for a new one.',
    cli: 'The service expects another operator token: see --token and PAYIN_OPERATOR_TOKEN.',
    where: withToken,
  },
  token_expired: {
    status: 401,
    title: 'The access token has expired',
    remedy: 'Use the new token, or ask the operator for one.',
    cli: 'Give a new one: see --token and PAYIN_OPERATOR_TOKEN.',
    where: ['merchant'],
  },
  token_revoked: {
    status: 401,
    title: 'The access token was revoked',
    remedy: 'Use the new token, or ask the operator for one.',
    cli: 'Give a new one: see --token and PAYIN_OPERATOR_TOKEN.',
    where: ['merchant'],
  },
  signature_invalid: {
    status: 401,
    title: 'The signature is not valid',
    when: 'a push is not signed with the key of its source, its timestamp is too far off, or a phone does not have its secret',
    remedy:
      'Sign the bytes that you send with the key of the source, and set your clock right; on a phone, enter its address and secret again.',
    where: ['feed', 'phone'],
  },
  scope_missing: {
    status: 403,
    title: 'The access token does not allow this operation',
    when: "the token, or the grant of a merchant's member, lacks the scope of this operation",
    remedy: 'Ask the operator for a token or a grant with the scope that `detail` names.',
    where: ['merchant'],
  },
  sandbox_only: {
    status: 403,
    title: 'Only for sandbox merchants',
    when: 'the merchant is live: its money and time are real and cannot be simulated',
    remedy: 'Use the token of a sandbox merchant.',
  },
  role_missing: {
    status: 403,
    title: "The caller's role does not allow this operation",
    when: "the operator's role does not allow this operation; or a member of a merchant calls an operation for operators, or the reverse",
    remedy: 'Ask an operator with a role that `detail` names.',
    cli: 'Another operator must do this, with their own token, in a file that PAYIN_OPERATOR_TOKEN_FILE names.',
    where: withToken,
  },
  session_missing: {
    status: 401,
    title: 'Nobody is signed in',
    when: 'a console request has no session, or its session has ended',
    remedy: 'Sign in.',
    where: withToken,
  },
  second_factor_missing: {
    status: 403,
    title: 'The account has no second factor yet',
    when: 'the account is new and can do nothing until its second factor is set up',
    remedy: 'Set up the second factor.',
    where: withToken,
  },
  verification_required: {
    status: 403,
    title: 'A fresh second-factor code is required',
    when: 'a console session changes settings or money, or reveals a number, and its last second-factor code is older than 15 minutes',
    remedy: 'Enter a code, and send the request again.',
    where: withToken,
  },
  address_not_allowed: {
    status: 403,
    title: 'The access token is not allowed from this address',
    when: 'the token works from listed addresses only, and this is not one of them',
    remedy: 'Send from an allowed address, or ask the operator to allow this one.',
    where: ['merchant'],
  },
} as const satisfies Readonly<Record<string, ErrorCode>>

/** Who an interface is for, and so how its callers authenticate. */
export type Security = 'merchant' | 'operator' | 'feed' | 'phone'

/** When the same request may be sent again. */
type Retry = 'after Retry-After' | 'at once'

/** What a refusal code means, in the status and texts of responses, documents and the command line. */
export type ErrorCode = {
  readonly status: number
  readonly title: string
  readonly when?: string
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

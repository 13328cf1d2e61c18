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

const withToken: readonly Security[] = ['merchant', 'operator']
const authenticated: readonly Security[] = ['merchant', 'operator', 'feed', 'phone']

const codes = {
  malformed_json: {
    status: 400,
    title: 'The body is not well-formed JSON',
    when: 'the body is not well-formed JSON in UTF-8, is nested too deeply or has a key twice',
    remedy: 'Send JSON in UTF-8 without a byte order mark.',
    where: 'server',
  },
  validation_failed: {
    status: 400,
    title: 'The request is not valid',
    when: 'a field is missing, unknown or wrong; `errors` names all of them',
    remedy: 'Correct the fields that `errors` names.',
    where: 'server',
  },
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
  merchant_suspended: {
    status: 403,
    title: 'The merchant is suspended',
    remedy: 'Ask the operator.',
    where: ['merchant'],
  },
  browser_not_allowed: {
    status: 403,
    title: 'Requests from a browser are not allowed',
    when: 'a browser sent the request (`Origin` or `Sec-Fetch-Site`)',
    remedy: 'Call from a server: a token in a browser is a stolen token.',
    where: authenticated,
  },
  debt_too_large: {
    status: 403,
    title: 'The debt is too large',
    when: 'the balance of the merchant is further below zero than agreed',
    remedy: 'Ask the operator: payments can be created again once the balance is settled.',
  },
  second_person_required: {
    status: 403,
    title: 'Another operator must confirm this',
    when: 'the same operator proposed it',
    remedy: 'Another operator must do this, with their own token.',
    cli: 'Another operator must run this command, with their own token, in a file that PAYIN_OPERATOR_TOKEN_FILE names.',
  },
  payment_not_found: {
    status: 404,
    title: 'There is no such payment',
    remedy: 'Check the `orderId`, and that the token belongs to the merchant that created the payment.',
  },
  resource_not_found: {
    status: 404,
    title: 'There is no such resource',
    when: 'nothing of this kind has this id, or the caller may not see it',
    remedy: 'Look the id up in a list.',
  },
  route_not_found: {
    status: 404,
    title: 'There is no such address',
    remedy: 'Compare the address with the OpenAPI document.',
    cli: 'This payin and the service have different versions: run the payin of the service.',
    where: authenticated,
  },
  method_not_allowed: {
    status: 405,
    title: 'The address does not allow this method',
    when: 'the address has only the methods that `Allow` lists',
    remedy: 'Use a method that `Allow` names.',
    where: authenticated,
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    when: 'the headers or the body did not arrive in time; nothing was done',
    retry: 'at once',
    remedy: 'Send it again, over a better connection.',
    where: 'server',
  },
  order_conflict: {
    status: 409,
    title: 'The orderId belongs to another request',
    when: 'the `orderId` was used for a request with other values, which `errors` names',
    remedy: 'Send exactly the first request again, or use a new `orderId`.',
  },
  payment_not_paid: {
    status: 409,
    title: 'The payment is not paid',
    remedy: 'Acknowledge a payment when it is `paid` or `disput-paid`.',
  },
  status_changed: {
    status: 409,
    title: 'The status has changed',
    when: 'the request names a status or amount that is no longer the current one',
    remedy: 'Read it again and decide by its current state.',
    cli: 'Look at it again before you decide.',
  },
  invalid_state: {
    status: 409,
    title: 'The current state does not allow this',
    when: 'the current state does not allow this; `detail` names it',
    remedy: 'Read it again, and do what `detail` says.',
  },
  dispute_exists: {
    status: 409,
    title: 'There is already an open dispute',
    remedy: 'Add evidence to the open dispute, or withdraw it.',
  },
  already_exists: {
    status: 409,
    title: 'It already exists',
    when: 'the name, number or reference belongs to something else',
    remedy: 'Use the existing one, or another name.',
  },
  ambiguous: {
    status: 409,
    title: 'Several things have this name',
    when: 'several things have this name; `candidates` lists them',
    remedy: 'Send the id of one of the `candidates`.',
  },
  balance_insufficient: {
    status: 409,
    title: 'The balance is too small',
    when: 'the request asks for more than is available or owed',
    remedy: 'Ask for less, or wait until there is more.',
    cli: 'payin balances shows what is available.',
  },
  rate_outside_band: {
    status: 409,
    title: 'The rate differs too much from the last one',
    remedy: 'Check the price; if it is right, send it with `outsideBand`.',
    cli: 'Here the option is --outside-band.',
  },
  requisites_unavailable: {
    status: 409,
    title: 'No receiving account is free',
    when: 'no requisite is free for this amount: `reason` says why',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`, or try another amount or method.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    remedy: 'Send less at a time, or a smaller file.',
    where: 'server',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    remedy: 'Send `application/json`, or a file of a type that the operation accepts.',
    where: 'server',
  },
  expectation_failed: {
    status: 417,
    title: 'The expectation cannot be met',
    when: '`Expect` is not `100-continue`',
    remedy: 'Leave `Expect` out.',
    where: 'server',
  },
  amount_below_min: {
    status: 422,
    title: 'The amount is too small',
    when: "the amount is below the currency's `min`; 0 or less only where a payment is created, elsewhere that is `validation_failed`",
    remedy: 'Send an amount within the limits.',
  },
  amount_above_max: {
    status: 422,
    title: 'The amount is too large',
    when: "the amount is above the currency's `max`, or too large for any currency",
    remedy: 'Send an amount within the limits.',
  },
  amount_precision: {
    status: 422,
    title: 'The amount has too many decimals',
    remedy: 'Round the amount to the decimals of the currency.',
  },
  currency_not_supported: {
    status: 422,
    title: 'The currency is not supported',
    when: 'no limits are set for the currency',
    remedy: 'Use a currency from the list of currencies.',
    cli: 'payin limits list shows the supported currencies.',
  },
  statement_refused: {
    status: 422,
    title: 'The statement cannot be imported',
    when: 'a statement file has errors; `errors` lists each with its line',
    remedy: 'Correct the file, or send the mapping that it needs.',
    cli: 'Add what the file lacks with --requisite, --mapping, --charset or --all-credits, or bind its account with payin statements bind.',
  },
  bank_issuer_unknown: {
    status: 422,
    title: 'The bank issuer is unknown',
    remedy: 'Use a code from the list of bank issuers.',
    cli: 'payin banks list shows the codes.',
  },
  transfer_scope_required: {
    status: 422,
    title: 'transferScope is required',
    when: '`by-phone` was sent without `transferScope`',
    remedy: 'Send `transferScope`.',
  },
  transfer_scope_not_allowed: {
    status: 422,
    title: 'transferScope is not allowed',
    when: '`transferScope` was sent with a method other than `by-phone`',
    remedy: 'Leave `transferScope` out.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`, and fewer at a time.',
    cli: 'Wait and try again.',
    where: ['merchant'],
  },
  too_many_open_payments: {
    status: 429,
    title: 'Too many open payments',
    when: "the merchant's limit of open payments is reached, or that of the amounts that its user holds",
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`, or ask the operator for a higher limit.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    remedy: 'Send fewer or shorter headers.',
    where: 'server',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    retry: 'at once',
    remedy: 'Send it again; report the `requestId` if that does not help.',
    cli: "The service's log has the reason, under the requestId that --json shows.",
    where: authenticated,
  },
  rate_unavailable: {
    status: 503,
    title: 'There is no current rate',
    when: 'the currency has no recent enough rate',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`.',
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    when: 'the service has more requests than it can handle; nothing was changed',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`.',
    cli: 'Wait a few seconds and try again.',
    where: authenticated,
  },
  database_unavailable: {
    status: 503,
    title: 'The service cannot reach its database',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`.',
    cli: 'Wait a few seconds and try again; payin doctor shows when it is back.',
    where: authenticated,
  },
} as const satisfies Readonly<Record<string, ErrorCode>>

/** Every reason for which the service refuses a request, in wire words (docs/errors.md). */
export type RefusalCode = keyof typeof codes

/** The one table of refusal codes: responses, the OpenAPI document, docs/errors.md and the hints of `payin` use it. */
export const errorCodes: Readonly<Record<RefusalCode, ErrorCode>> = codes

const codesWhere = (isWanted: (where: ErrorCode['where']) => boolean): readonly RefusalCode[] =>
  (Object.keys(errorCodes) as RefusalCode[]).filter((code) => isWanted(errorCodes[code].where))

/** The codes with which any request may be refused, even one that needs no token. */
export const serverCodes = codesWhere((where) => where === 'server')

/** The codes with which each operation of an interface may refuse. */
export const codesOf = (security: Security): readonly RefusalCode[] =>
  codesWhere((where) => where === 'server' || (typeof where === 'object' && where.includes(security)))

/** What is wrong with the form of a field. Fields that are wrong in another way have a refusal code. */
export const fieldCodes = ['required', 'unknown_field', 'invalid'] as const

import type { RefusalCode } from '../domain/refusal.ts'

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
   * refuse with it; `named` for the operations that declare it.
   */
  readonly where: 'server' | 'named' | readonly Security[]
}

const authenticated: readonly Security[] = ['merchant', 'operator', 'feed']
const withToken: readonly Security[] = ['merchant', 'operator']

/** The one table of error codes: answers, the OpenAPI document, docs/errors.md and the hints of `payin` come from it. */
export const errorCodes: Readonly<Record<RefusalCode, ErrorCode>> = {
  malformed_json: {
    status: 400,
    title: 'The body is not well-formed JSON',
    when: 'the body is not well-formed JSON in UTF-8, is nested too deep or has a key twice',
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
    when: 'there is no bearer token (`WWW-Authenticate` is on every 401)',
    remedy: 'Send `Authorization: Bearer <token>`.',
    cli: 'See --token and PAYIN_OPERATOR_TOKEN.',
    where: withToken,
  },
  token_invalid: {
    status: 401,
    title: 'The access token is not valid',
    when: 'the token is not known',
    remedy: 'Use the token as it was issued, or ask for a new one.',
    cli: 'The service has another operator token: see --token and PAYIN_OPERATOR_TOKEN.',
    where: withToken,
  },
  token_expired: {
    status: 401,
    title: 'The access token has expired',
    when: "the token's time is over",
    remedy: 'Use the new token, or ask the operator for one.',
    cli: 'Give a new one: see --token and PAYIN_OPERATOR_TOKEN.',
    where: ['merchant'],
  },
  token_revoked: {
    status: 401,
    title: 'The access token was revoked',
    when: 'the token was revoked',
    remedy: 'Use the new token, or ask the operator for one.',
    cli: 'Give a new one: see --token and PAYIN_OPERATOR_TOKEN.',
    where: ['merchant'],
  },
  signature_invalid: {
    status: 401,
    title: 'The signature is not valid',
    when: 'a push is not signed with the key of its source, or its time is off',
    remedy: 'Sign the bytes that are sent, with the key of the source and a clock that is right.',
    where: ['feed'],
  },
  scope_missing: {
    status: 403,
    title: 'The access token does not allow this operation',
    when: 'the token lacks the scope of this operation, or simulates for a live merchant',
    remedy: 'Ask the operator for a token with the scope that `detail` names.',
    where: ['merchant'],
  },
  role_missing: {
    status: 403,
    title: "The operator's role does not allow this operation",
    when: "the operator's role does not allow this operation",
    remedy: 'Ask an operator with a role that `detail` names.',
    cli: 'Another operator does this, with --token and a token of their own.',
    where: ['operator'],
  },
  address_not_allowed: {
    status: 403,
    title: 'The access token is not allowed from this address',
    when: 'the token has a list of addresses, and this is not one of them',
    remedy: 'Send from an allowed address, or ask the operator to allow this one.',
    where: ['merchant'],
  },
  merchant_suspended: {
    status: 403,
    title: 'The merchant is suspended',
    when: 'the operator has suspended the merchant',
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
  second_person_required: {
    status: 403,
    title: 'Another operator must confirm this',
    when: 'the same operator proposed it',
    remedy: 'Another operator does this, with a token of their own.',
    cli: 'Another operator runs this command, with --token and a token of their own.',
    where: 'named',
  },
  payment_not_found: {
    status: 404,
    title: 'There is no such payment',
    when: 'no payment of this merchant has this identifier',
    remedy: 'Check the `orderId`, and that the token is of the merchant that created the payment.',
    where: 'named',
  },
  resource_not_found: {
    status: 404,
    title: 'There is no such resource',
    when: 'nothing of this kind has this id, or the caller may not see it',
    remedy: 'Look the id up in a list.',
    where: 'named',
  },
  route_not_found: {
    status: 404,
    title: 'There is no such address',
    when: 'no operation has this address',
    remedy: 'Compare the address with the OpenAPI document.',
    cli: 'This payin and the service have different versions: run the payin of the service.',
    where: authenticated,
  },
  method_not_allowed: {
    status: 405,
    title: 'The address does not allow this method',
    when: 'the address has other methods (`Allow`)',
    remedy: 'Use a method that `Allow` names.',
    where: authenticated,
  },
  request_timeout: {
    status: 408,
    title: 'The request came too slowly',
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
    where: 'named',
  },
  payment_not_paid: {
    status: 409,
    title: 'The payment is not paid',
    when: 'there is nothing to acknowledge',
    remedy: 'Acknowledge a payment when it is `paid` or `disput-paid`.',
    where: 'named',
  },
  status_changed: {
    status: 409,
    title: 'The status has changed',
    when: 'the request names another status or amount than there is by now',
    remedy: 'Read it again, and decide by what it is now.',
    cli: 'Look at it again before you decide.',
    where: 'named',
  },
  invalid_state: {
    status: 409,
    title: 'The current state does not allow this',
    when: 'the present state does not allow this; `detail` says which it is',
    remedy: 'Read it again, and do what `detail` says.',
    where: 'named',
  },
  dispute_exists: {
    status: 409,
    title: 'There is already an open dispute',
    when: 'the payment is in dispute',
    remedy: 'Add evidence to the open dispute, or withdraw it.',
    where: 'named',
  },
  already_exists: {
    status: 409,
    title: 'It already exists',
    when: 'the name, number or reference belongs to something else',
    remedy: 'Use what is there, or another name.',
    where: 'named',
  },
  ambiguous: {
    status: 409,
    title: 'Several things have this name',
    when: 'several things have this name; `candidates` lists them',
    remedy: 'Send the id of one of the `candidates`.',
    where: 'named',
  },
  balance_insufficient: {
    status: 409,
    title: 'The balance is too small',
    when: 'more is wanted than is available or owed',
    remedy: 'Ask for less, or wait until there is more.',
    cli: 'payin balances shows what there is.',
    where: 'named',
  },
  rate_outside_band: {
    status: 409,
    title: 'The rate differs too much from the last one',
    when: 'the price differs too much from the last one',
    remedy: 'Check the price; where it is right, send it with `outsideBand`.',
    cli: 'Here the option is --outside-band.',
    where: 'named',
  },
  requisites_unavailable: {
    status: 409,
    title: 'No receiving account is free',
    when: 'no requisite is free for this amount; `alternatives` may list requests that would find one',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`, or one of the `alternatives`.',
    where: 'named',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    when: 'the body is larger than the operation accepts',
    remedy: 'Send less at once, or a smaller file.',
    where: 'server',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    when: 'the content type, or the kind of the file, is not accepted',
    remedy: 'Send `application/json`, or a file of a kind that the operation names.',
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
    when: "the amount is below the currency's `min`, or no more than 0",
    remedy: 'Send an amount within the limits.',
    where: 'named',
  },
  amount_above_max: {
    status: 422,
    title: 'The amount is too large',
    when: "the amount is above the currency's `max`, or larger than any amount",
    remedy: 'Send an amount within the limits.',
    where: 'named',
  },
  amount_precision: {
    status: 422,
    title: 'The amount has too many decimals',
    when: 'the amount has more decimals than the currency',
    remedy: 'Round the amount to the decimals of the currency.',
    where: 'named',
  },
  currency_not_supported: {
    status: 422,
    title: 'The currency is not supported',
    when: 'no limits are set for the currency',
    remedy: 'Use a currency of the list of currencies.',
    cli: 'payin limits list shows what there is.',
    where: 'named',
  },
  combination_not_supported: {
    status: 422,
    title: 'The combination of fields is not supported',
    when: '`sbpEnabled: false` with `sbp`',
    remedy: 'Leave `sbpEnabled` out, or use another method.',
    where: 'named',
  },
  statement_refused: {
    status: 422,
    title: 'The statement cannot be imported',
    when: 'a statement file has faults; `errors` names each with its line',
    remedy: 'Correct the file, or give the mapping that it needs.',
    cli: 'What a file lacks is said by --requisite, --mapping, --charset or --all-credits.',
    where: 'named',
  },
  bank_issuer_unknown: {
    status: 422,
    title: 'The bank issuer is unknown',
    when: 'no bank has this code',
    remedy: 'Use a code of the list of bank issuers.',
    cli: 'payin banks list shows what there is.',
    where: 'named',
  },
  transfer_scope_required: {
    status: 422,
    title: 'transferScope is required',
    when: '`by-phone` comes without `transferScope`',
    remedy: 'Send `transferScope`.',
    where: 'named',
  },
  transfer_scope_not_allowed: {
    status: 422,
    title: 'transferScope is not allowed',
    when: '`transferScope` comes with another method than `by-phone`',
    remedy: 'Leave `transferScope` out.',
    where: 'named',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    when: 'there were too many requests within a second',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`, and fewer at a time.',
    cli: 'Wait a few seconds and try again.',
    where: ['merchant'],
  },
  too_many_open_payments: {
    status: 429,
    title: 'Too many open payments',
    when: "the merchant's limit of open payments is reached",
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`, or ask the operator for a higher limit.',
    where: 'named',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    when: 'the headers are too large',
    remedy: 'Send fewer or shorter headers.',
    where: 'server',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    when: 'the service has a fault',
    retry: 'at once',
    remedy: 'Send it again; report the `requestId` if that does not help.',
    cli: 'The log of the service has the reason, under the requestId that --json shows.',
    where: authenticated,
  },
  rate_unavailable: {
    status: 503,
    title: 'There is no current rate',
    when: 'the currency has no rate that is young enough',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`.',
    where: 'named',
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    when: 'more is asked than the service can do; nothing was done',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`.',
    cli: 'Wait a few seconds and try again.',
    where: authenticated,
  },
  database_unavailable: {
    status: 503,
    title: 'The service cannot reach its database',
    when: 'the database is out of reach',
    retry: 'after Retry-After',
    remedy: 'Send the same request after `Retry-After`.',
    cli: 'Wait a few seconds and try again; payin doctor says when it is back.',
    where: authenticated,
  },
}

const codesWhere = (isWanted: (where: ErrorCode['where']) => boolean): readonly RefusalCode[] =>
  (Object.keys(errorCodes) as RefusalCode[]).filter((code) => isWanted(errorCodes[code].where))

/** The codes with which any request may be refused, also one that needs no token. */
export const serverCodes = codesWhere((where) => where === 'server')

/** The codes with which each operation of an interface may refuse. */
export const codesOf = (security: Security): readonly RefusalCode[] =>
  codesWhere((where) => where === 'server' || (typeof where === 'object' && where.includes(security)))

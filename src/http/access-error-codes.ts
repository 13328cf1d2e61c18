import type { RefusalCode } from '../domain/refusal.ts'
import type { ErrorCode, Security } from './error-code.ts'

const withToken: readonly Security[] = ['merchant', 'operator']

/** The errors of those who may not do what they ask for. */
export const accessErrorCodes = {
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
    when: "the token, or the grant of a merchant's member, lacks the scope of this operation",
    remedy: 'Ask the operator for a token or a grant with the scope that `detail` names.',
    where: ['merchant'],
  },
  sandbox_only: {
    status: 403,
    title: 'Only for sandbox merchants',
    when: 'the merchant is live: its money and its time are real, and nothing simulates them',
    remedy: 'Use the token of a sandbox merchant.',
  },
  role_missing: {
    status: 403,
    title: "The caller's role does not allow this operation",
    when: "the operator's role does not allow this operation; or a member of a merchant calls an operator's, or the reverse",
    remedy: 'Ask an operator with a role that `detail` names.',
    cli: 'Another operator does this, with --token and a token of their own.',
    where: withToken,
  },
  tenant_retired: {
    status: 403,
    title: 'The tenant is retired',
    when: 'the tenant is retired: it can be read, and not changed',
    remedy: 'Make the change in another tenant. A retired one is only read.',
    where: ['operator'],
  },
  session_missing: {
    status: 401,
    title: 'Nobody is signed in',
    when: 'a request of the console has no session, or its session has ended',
    remedy: 'Sign in.',
    where: withToken,
  },
  second_factor_missing: {
    status: 403,
    title: 'The account has no second factor yet',
    when: 'a member has signed in with a new account, which can only set up a second factor',
    remedy: 'Set up the second factor.',
    where: withToken,
  },
  verification_required: {
    status: 403,
    title: 'A fresh code of the second factor is required',
    when: 'a session of the console changes settings or money of merchants, and its last code is older than 15 minutes',
    remedy: 'Enter a code, and send the request again.',
    where: withToken,
  },
  address_not_allowed: {
    status: 403,
    title: 'The access token is not allowed from this address',
    when: 'the token has a list of addresses, and this is not one of them',
    remedy: 'Send from an allowed address, or ask the operator to allow this one.',
    where: ['merchant'],
  },
} as const satisfies Partial<Record<RefusalCode, ErrorCode>>

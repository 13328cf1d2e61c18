import assert from 'node:assert/strict'
import { hour } from '../../src/rules/time.ts'
import type { Operator } from './operator.ts'
import type { TestService } from './service.ts'
import { send } from './shop.ts'

/** The phone that payers enter by default. */
export const phone = '+79261234567'

/** Blocks a payer as an operator. */
export const block = async (operator: Operator, body: object) => {
  const answer = await operator.call('POST', '/risk/blocks', { reason: 'Chargebacks', ...body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

/** Adds a velocity rule, by default for one hour. */
export const limit = async (operator: Operator, body: object) => {
  const answer = await operator.call('POST', '/risk/rules', { windowMs: hour, reason: 'New users', ...body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

/** The decisions about a payment's payer, the newest first. */
export const decisionsOf = async (operator: Operator, paymentId: string) =>
  (await operator.get(`/risk/decisions?paymentId=${paymentId}`)).body.decisions

/** Enters the payer's phone on the page, and a name, if the page asks for it. */
export const tellPhone = (service: TestService, redirectUrl: string, given = phone) =>
  send(service, `${new URL(redirectUrl).pathname}/details`, {
    method: 'POST',
    body: new URLSearchParams({ phone: given, name: 'Ivan P.' }),
  })

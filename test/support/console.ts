// What a browser does to sign in to the console: cookies, the origin, and codes of the second factor.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { array, query, text } from 'payin-database'
import type { MerchantGrant, MemberRole } from '../../src/rules/members/access.ts'
import { openOperator } from './operator.ts'
import type { TestService } from './service.ts'
import { type Answer, send } from './shop.ts'

/** Somebody who uses the console, signed in or not. */
export type Visitor = {
  /** A request of the page: JSON with this browser's cookies. */
  call(path: string, body?: unknown, method?: string): Promise<Answer>
  /** A request to the operator API with this browser's session. */
  operate(path: string, body?: unknown, method?: string): Promise<Answer>
  /** A request to the merchant API with this session. */
  trade(path: string, body?: unknown, method?: string): Promise<Answer>
  readonly cookies: Map<string, string>
  /** Every `Set-Cookie` header that the browser got. */
  readonly cookieLines: string[]
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const bytesOf = (secret: string): Buffer => {
  const bits = [...secret.replace(/=+$/, '')].map((each) => base32.indexOf(each).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code that an authenticator shows for an `otpauth:` address, `steps` half minutes after `now` (RFC 6238). */
export const codeOf = (uri: string, steps = 0, now = Date.now()): string => {
  const secret = bytesOf(new URL(uri).searchParams.get('secret') ?? '')
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000) + steps))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

let browsers = 0

/**
 * Opens a browser without cookies and with its own IP address, for a service whose public address is `origin` and which
 * trusts its proxy (`PAYIN_TRUST_PROXY=127.0.0.1`).
 */
export const visit = (service: { readonly url: string }, origin = 'http://payin.test'): Visitor => {
  const cookies = new Map<string, string>()
  const cookieLines: string[] = []
  const address = `203.0.113.${++browsers % 250}`
  const request = async (path: string, body: unknown, method: string, headers: Record<string, string>) => {
    const answer = await send(service, path, {
      method,
      headers: {
        'x-forwarded-for': address,
        origin,
        'sec-fetch-site': 'same-origin',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      cookieLines.push(line)
      const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
      assert.match(rest, /HttpOnly/i)
      assert.match(rest, /SameSite=Strict/i)
      if (value === '' || /Max-Age=0/i.test(rest)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  return {
    cookies,
    cookieLines,
    call: (path, body, method = body === undefined ? 'GET' : 'POST') => request(`/console${path}`, body, method, {}),
    operate: (path, body, method = body === undefined ? 'GET' : 'POST') =>
      request(`/api/v1/operator${path}`, body, method, { 'x-payin-console': '1' }),
    trade: (path, body, method = body === undefined ? 'GET' : 'POST') =>
      request(`/api/v1/merchant${path}`, body, method, { 'x-payin-console': '1' }),
  }
}

const olderMembers = query('test_make_members_older', {
  parameters: { names: array(text) },
  text: `update members set created_at = created_at - interval '8 days', vouched_at = vouched_at - interval '8 days'
    where name = any(:names)`,
})

/** Lets accounts of the console be old enough to count as a second person. */
export const growOlder = async (service: TestService, ...names: string[]): Promise<void> => {
  await service.context.query(olderMembers, { names })
}

/** The password of everybody that `enrolMember` invites. */
export const memberPassword = 'correct horse battery staple'

let members = 0

/** A member who is signed in to the console; `uri` is the address that the authenticator stores. */
export type Enrolled = Visitor & { readonly name: string; readonly email: string; readonly uri: string }

/** Invites somebody, by default with the operator's token; the invited one accepts, sets up a second factor and signs in. */
export const enrolMember = async (
  service: TestService,
  position: { readonly role: MemberRole; readonly merchantId?: string; readonly grant?: MerchantGrant },
  origin?: string,
  by?: Enrolled,
): Promise<Enrolled> => {
  const name = `member-${service.engine}-${process.pid}-${++members}`
  const email = `${name}@example.com`
  const invitation = { name, email, ...position }
  const invited = by
    ? await by.operate('/members/invitations', invitation)
    : await openOperator(service).call('POST', '/members/invitations', invitation)
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const visitor = visit(service, origin)
  const link = invited.body.link as string
  const accepted = await visitor.call('/invitations/accept', {
    token: link.slice(link.indexOf('#') + 1),
    password: memberPassword,
  })
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
  await visitor.call('/auth/sign-in/email', { email, password: memberPassword })
  const { body } = await visitor.call('/auth/two-factor/enable', { password: memberPassword })
  const verified = await visitor.call('/auth/two-factor/verify-totp', { code: codeOf(body.totpURI) })
  assert.equal(verified.status, 200, JSON.stringify(verified.body))
  return { ...visitor, name, email, uri: body.totpURI as string }
}

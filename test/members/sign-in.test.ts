// Accounts of the console: by invitation, with a second factor on every way in, ended by whoever may end them.
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { day, hour, minute } from '../../src/rules/time.ts'
import { limitPasswordWork, mayTry } from '../../src/engine/members/auth/limits.ts'
import { authOf } from '../../src/engine/members/find-member.ts'
import { inviteFirstOwner } from '../../src/engine/members/invite-member.ts'
import { insertInvitation } from '../../src/engine/members/store.ts'
import { codeOf, visit, type Visitor } from '../support/console.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'

/** The token of a link that leaves name and address open, as the first start prints one. */
const openLink = (service: TestService, invitedBy = 'service'): Promise<string> =>
  service.context.transaction(async (tx) => {
    const token = randomBytes(32).toString('base64url')
    await tx.query(insertInvitation, {
      memberId: null,
      name: '',
      email: '',
      role: 'owner',
      merchantId: null,
      merchantGrant: null,
      invitedBy,
      tokenHash: hash('sha256', token, 'base64url'),
      createdAt: tx.now,
      expiresAt: tx.now + minute,
    })
    return token
  })

const { onEngines, onOne } = shareEngines({ PAYIN_TRUST_PROXY: '127.0.0.1' })

const password = 'correct horse battery staple'

const tokenOf = (link: string): string => link.slice(link.indexOf('#') + 1)

let people = 0

/** Somebody with an account but without a second factor, in front of the console, not signed in. */
const join = async (service: TestService, role = 'operator') => {
  const name = `member-${service.engine}-${++people}`
  const email = `${name}@example.com`
  const invited = await openOperator(service).call('POST', '/members/invitations', { name, email, role })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const visitor = visit(service)
  const accepted = await visitor.call('/invitations/accept', { token: tokenOf(invited.body.link), password })
  assert.deepEqual([accepted.status, accepted.body], [200, { name, email, role }])
  assert.equal(visitor.cookies.size, 0, 'a link signs nobody in')
  return { name, email, visitor, link: invited.body.link as string }
}

const signIn = (visitor: Visitor, email: string, given = password) =>
  visitor.call('/auth/sign-in/email', { email, password: given })

/** As `join`, with a second factor and signed in; `uri` is what an authenticator keeps. */
const enrol = async (service: TestService, role = 'operator') => {
  const member = await join(service, role)
  await signIn(member.visitor, member.email)
  const { body } = await member.visitor.call('/auth/two-factor/enable', { password })
  const verified = await member.visitor.call('/auth/two-factor/verify-totp', { code: codeOf(body.totpURI) })
  assert.equal(verified.status, 200, JSON.stringify(verified.body))
  return { ...member, uri: body.totpURI as string, backupCodes: body.backupCodes as string[] }
}

onEngines(
  'a new account can do nothing but set up its second factor, and then what its role allows',
  async (service) => {
    const { name, email, visitor } = await join(service)
    assert.equal((await signIn(visitor, email)).status, 200)
    assert.deepEqual(await codeOfRefusal(visitor.operate('/me')), [403, 'second_factor_missing'])
    const { body } = await visitor.call('/auth/two-factor/enable', { password })
    assert.equal(body.backupCodes.length, 10)
    assert.deepEqual(await codeOfRefusal(visitor.operate('/me')), [403, 'second_factor_missing'])
    await visitor.call('/auth/two-factor/verify-totp', { code: codeOf(body.totpURI) })
    assert.deepEqual((await visitor.operate('/me')).body, { name, role: 'operator' })
    assert.deepEqual(await codeOfRefusal(visitor.operate('/merchants', { name: 'Shop' })), [403, 'role_missing'])
  },
)

const codeOfRefusal = async (answer: Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await answer
  return [status, body.code]
}

onEngines('every way in asks for the second factor; a recovery code is good once', async (service) => {
  const { email, uri, backupCodes } = await enrol(service)
  const visitor = visit(service)
  assert.deepEqual((await signIn(visitor, email)).body, { twoFactorRedirect: true, twoFactorMethods: ['totp'] })
  assert.deepEqual(await codeOfRefusal(visitor.operate('/me')), [401, 'session_missing'])
  const code = codeOf(uri, 1)
  const trusting = { code, trustDevice: true }
  assert.deepEqual(await codeOfRefusal(visitor.call('/auth/two-factor/verify-totp', trusting)), [
    400,
    'validation_failed',
  ])
  assert.equal((await visitor.call('/auth/two-factor/verify-totp', { code: '000000' })).status, 401)
  assert.equal((await visitor.call('/auth/two-factor/verify-totp', { code })).status, 200)
  assert.equal((await visitor.operate('/me')).status, 200)
  for (const expected of [200, 401]) {
    const other = visit(service)
    await signIn(other, email)
    const used = await other.call('/auth/two-factor/verify-backup-code', { code: backupCodes[0] })
    assert.equal(used.status, expected, JSON.stringify(used.body))
    assert.equal((await other.operate('/me')).status, expected)
  }
})

onEngines('a code of the second factor is good once, also for many at once', async (service) => {
  const { email, uri, visitor } = await enrol(service)
  const others = [visit(service), visit(service), visit(service), visit(service)]
  for (const other of others) await signIn(other, email)
  const code = codeOf(uri, 1)
  const answers = await Promise.all(others.map((other) => other.call('/auth/two-factor/verify-totp', { code })))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 401, 401, 401],
  )
  const signedIn = await Promise.all(others.map(async (other) => (await other.operate('/me')).status))
  assert.deepEqual(
    signedIn.toSorted((a, b) => a - b),
    [200, 401, 401, 401],
  )
  assert.deepEqual(await codeOfRefusal(visitor.call('/auth/two-factor/verify-totp', { code })), [401, 'INVALID_CODE'])
})

onOne('codes and passwords are not guessed in a session that was stolen: it ends', async (service) => {
  for (const [path, body] of [
    ['two-factor/verify-totp', { code: '000000' }],
    ['two-factor/verify-backup-code', { code: 'aaaaa-aaaaa' }],
    ['two-factor/enable', { password: 'wrong password' }],
  ] as const) {
    const { visitor } = await enrol(service)
    const answers = await Promise.all(Array.from({ length: 12 }, () => visitor.call(`/auth/${path}`, body)))
    const wrong = answers.filter(({ body: { code } }) => /^INVALID_(CODE|BACKUP_CODE|PASSWORD)$/.test(code))
    assert.ok(wrong.length <= 10, `${path}: ${wrong.length} were looked at`)
    assert.deepEqual(await codeOfRefusal(visitor.operate('/me')), [401, 'session_missing'])
  }
})

onOne('whatever is sent to the sign-in is answered, and is no fault of the service', async (service) => {
  const { visitor } = await enrol(service)
  const bytes = 'AAAA'
  const credential = { id: bytes, rawId: bytes, type: 'public-key' }
  const texts = ['', 'a\u0000b', 'abc', '00000000-0000-0000-0000-000000000000', {}, null]
  const attestation = { clientDataJSON: bytes, attestationObject: bytes }
  const assertion = { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }
  const bodies: readonly (readonly [string, unknown])[] = [
    ...texts.flatMap((text) => [
      ['end-session', { id: text }] as const,
      ['passkey/delete-passkey', { id: text }] as const,
      ['passkey/verify-registration', { response: text }] as const,
      ['passkey/verify-registration', { response: { ...credential, response: attestation }, name: text }] as const,
      ['passkey/verify-authentication', { response: { ...credential, id: text, response: assertion } }] as const,
    ]),
    ['passkey/verify-registration', { response: { ...credential, response: attestation } }],
    ['passkey/verify-authentication', { response: { ...credential, response: assertion } }],
  ]
  for (const [path, body] of bodies) {
    await visitor.call('/auth/passkey/generate-register-options')
    if (path.endsWith('authentication')) await visitor.call('/auth/passkey/generate-authenticate-options')
    const { status, body: answer } = await visitor.call(`/auth/${path}`, body)
    const isUnknown = path === 'passkey/delete-passkey'
    assert.ok(status >= 400 || isUnknown, `${path} ${JSON.stringify(body)}: ${status}`)
    assert.ok(status < 500, `${path} ${JSON.stringify(body)}: ${status} ${JSON.stringify(answer)}`)
  }
})

onOne('what changes money or settings asks for a fresh code', async (service) => {
  const { visitor, uri } = await enrol(service, 'owner')
  assert.equal((await visitor.operate('/merchants', { name: 'Shop', mode: 'live' })).status, 201)
  service.clock.advance(16 * minute)
  assert.equal((await visitor.operate('/merchants')).status, 200)
  const refused = visitor.operate('/merchants', { name: 'Another shop', mode: 'live' })
  assert.deepEqual(await codeOfRefusal(refused), [403, 'verification_required'])
  assert.equal((await visitor.call('/auth/two-factor/verify-totp', { code: codeOf(uri, 1) })).status, 200)
  assert.equal((await visitor.operate('/merchants', { name: 'Another shop', mode: 'live' })).status, 201)
})

onOne('a session of the console serves its own pages only', async (service) => {
  const { visitor } = await enrol(service)
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const from = async (headers: Record<string, string>) => {
    const answer = await fetch(`${service.url}/api/v1/operator/me`, { headers: { cookie, ...headers } })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  assert.deepEqual(await from({}), [401, 'token_missing'])
  assert.deepEqual(await from({ 'x-payin-console': '1' }), [200, undefined])
  assert.deepEqual(await from({ 'sec-fetch-site': 'same-origin' }), [200, undefined], 'a download')
  assert.deepEqual(await from({ 'sec-fetch-site': 'same-site' }), [403, 'browser_not_allowed'])
  const foreign = { 'x-payin-console': '1', origin: 'https://evil.example' }
  assert.deepEqual(await from(foreign), [403, 'browser_not_allowed'])
  assert.deepEqual(await from({ 'x-payin-console': '1', 'sec-fetch-site': 'cross-site' }), [403, 'browser_not_allowed'])
  const signOut = await fetch(`${service.url}/console/auth/sign-out`, {
    method: 'POST',
    headers: { cookie, origin: 'https://evil.example', 'content-type': 'application/json' },
    body: '{}',
  })
  assert.equal(signOut.status, 403)
  const forged = cookie.replace(/=[^.]+/, '=another')
  assert.deepEqual(await from({ 'x-payin-console': '1', cookie: forged }), [401, 'session_missing'])
})

onEngines('whoever manages members ends their sessions at once; the last owner stays', async (service) => {
  const owner = await enrol(service, 'owner')
  const other = await enrol(service, 'support')
  const changed = await owner.visitor.operate(`/members/${other.name}`, { role: 'auditor' }, 'PATCH')
  assert.deepEqual(changed.body, { role: 'auditor', isDisabled: false })
  assert.deepEqual(await codeOfRefusal(other.visitor.operate('/me')), [401, 'session_missing'])
  const again = visit(service)
  await signIn(again, other.email)
  await again.call('/auth/two-factor/verify-totp', { code: codeOf(other.uri, 1) })
  assert.equal((await again.operate('/me')).body.role, 'auditor')

  const { body } = await owner.visitor.operate(`/members/${other.name}/password-link`, {})
  assert.deepEqual(await codeOfRefusal(again.operate('/me')), [401, 'session_missing'])
  const accepted = await again.call('/invitations/accept', { token: tokenOf(body.link), password: `new ${password}` })
  assert.equal(accepted.status, 200)
  assert.equal((await signIn(again, other.email)).status, 401, 'the old password')
  assert.equal((await signIn(again, other.email, `new ${password}`)).body.twoFactorRedirect, true)

  await owner.visitor.operate(`/members/${other.name}`, { isDisabled: true }, 'PATCH')
  const disabled = signIn(visit(service), other.email, `new ${password}`)
  assert.deepEqual(await codeOfRefusal(disabled), [403, 'MEMBER_DISABLED'])
  const listed = (await owner.visitor.operate('/members')).body.members as { name: string; role: string }[]
  for (const { name, role } of listed) {
    if (role === 'owner' && name !== owner.name)
      await openOperator(service).call('PATCH', `/members/${name}`, { role: 'auditor' })
  }
  const last = owner.visitor.operate(`/members/${owner.name}`, { isDisabled: true }, 'PATCH')
  assert.deepEqual(await codeOfRefusal(last), [409, 'invalid_state'])
})

onOne(
  'an owner who is disabled or demoted lets nobody in by a link, nor does a token that was removed',
  async (service) => {
    const colleague = await enrol(service, 'support')
    const tokens = [await openLink(service, 'former-token')]
    for (const change of [{ isDisabled: true }, { role: 'auditor' }]) {
      const owner = await enrol(service, 'owner')
      const again = { name: `${owner.name}-again`, email: `again-${owner.email}`, role: 'owner' }
      const invited = await owner.visitor.operate('/members/invitations', again)
      const reset = await owner.visitor.operate(`/members/${colleague.name}/password-link`, {})
      for (const { body } of [invited, reset]) tokens.push(tokenOf(body.link))
      assert.equal((await openOperator(service).call('PATCH', `/members/${owner.name}`, change)).status, 200)
      await openOperator(service).call('PATCH', `/members/${owner.name}`, { isDisabled: false, role: 'owner' })
    }
    for (const token of tokens) {
      const accepted = visit(service).call('/invitations/accept', {
        token,
        password,
        name: 'x',
        email: 'x@example.com',
      })
      assert.deepEqual(await codeOfRefusal(accepted), [404, 'resource_not_found'])
    }
  },
)

onOne('the audit has who accepts an invitation or sets a password by a link', async (service) => {
  const { name } = await join(service)
  const act = async () => {
    const { actor, action, subject, details } = await openOperator(service).lastAudit()
    return [actor, action, subject, details]
  }
  const by = { linkBy: 'operator' }
  assert.deepEqual(await act(), [`operator:${name}`, 'member.invitation_accepted', `member:${name}`, by])
  const { body } = await openOperator(service).call('POST', `/members/${name}/password-link`, {})
  await visit(service).call('/invitations/accept', { token: tokenOf(body.link), password })
  assert.deepEqual(await act(), [`operator:${name}`, 'member.password_set', `member:${name}`, by])
})

onEngines('a member sees and ends the own sessions; a new password ends the others', async (service) => {
  const { visitor, email, backupCodes, name } = await enrol(service)
  const enter = async (code: string | undefined) => {
    const other = visit(service)
    await signIn(other, email)
    assert.equal((await other.call('/auth/two-factor/verify-backup-code', { code })).status, 200)
    return other
  }
  const [second, third] = [await enter(backupCodes[0]), await enter(backupCodes[1])]
  const sessions = async () => (await visitor.call('/auth/list-sessions')).body as { id: string }[]
  const { session } = (await second.call('/auth/get-session')).body
  assert.equal((await sessions()).length, 3)
  for (const path of ['get-session', 'list-sessions'])
    assert.doesNotMatch(JSON.stringify((await visitor.call(`/auth/${path}`)).body), /"token"/, path)
  service.clock.advance(2 * minute)
  await second.operate('/me')
  const listed = (await openOperator(service).get('/members')).body.members as { name: string; lastSeenAt: string }[]
  const seen = listed.find((each) => each.name === name)
  assert.equal(Date.parse(seen?.lastSeenAt ?? ''), service.clock.now)
  assert.deepEqual(await codeOfRefusal(third.call('/auth/end-session', { id: unknownId })), [404, 'SESSION_NOT_FOUND'])
  const stranger = await enrol(service)
  const foreign = stranger.visitor.call('/auth/end-session', { id: session.id })
  assert.deepEqual(await codeOfRefusal(foreign), [404, 'SESSION_NOT_FOUND'])
  assert.equal((await visitor.call('/auth/end-session', { id: session.id })).status, 200)
  assert.deepEqual(await codeOfRefusal(second.operate('/me')), [401, 'session_missing'])
  const change = (fields: object) =>
    visitor.call('/auth/change-password', { currentPassword: password, newPassword: `new ${password}`, ...fields })
  assert.deepEqual(await codeOfRefusal(change({ revokeOtherSessions: true })), [400, 'validation_failed'])
  assert.equal((await change({ currentPassword: 'another one entirely' })).status, 400)
  assert.equal((await third.operate('/me')).status, 200)
  assert.equal((await change({})).status, 200)
  assert.deepEqual(await codeOfRefusal(third.operate('/me')), [401, 'session_missing'])
  assert.equal((await visitor.operate('/me')).status, 200)
  assert.equal((await signIn(visit(service), email)).status, 401)
  assert.equal((await openOperator(service).lastAudit()).subject, `member:${name}`)
  service.clock.advance(16 * minute)
  for (const [path, body] of [
    ['/auth/passkey/update-passkey', { id: session.id, name: 'Phone' }],
    ['/auth/two-factor/generate-backup-codes', { password }],
  ] as const)
    assert.deepEqual(await codeOfRefusal(visitor.call(path, body)), [403, 'VERIFICATION_REQUIRED'])
})

onOne("a session ends twelve hours after it began, by the service's clock", async (service) => {
  const { visitor } = await enrol(service)
  service.clock.advance(11 * hour)
  assert.equal((await visitor.operate('/me')).status, 200)
  service.clock.advance(2 * hour)
  assert.deepEqual(await codeOfRefusal(visitor.operate('/me')), [401, 'session_missing'])
})

onEngines('another authenticator takes the place of the old one once it has shown a code', async (service) => {
  const { visitor, email, uri, name } = await enrol(service)
  const confirm = (code: string) => visitor.call('/auth/two-factor/confirm-renewed', { code })
  assert.deepEqual(await codeOfRefusal(confirm('000000')), [400, 'NOTHING_TO_CONFIRM'])
  const { body } = await visitor.call('/auth/two-factor/renew', {})
  assert.match(body.totpURI, /^otpauth:/)
  assert.deepEqual(await codeOfRefusal(confirm(codeOf(uri, 0, service.clock.now))), [401, 'INVALID_CODE'])
  const enter = async (key: string) => {
    const other = visit(service)
    await signIn(other, email)
    return (await other.call('/auth/two-factor/verify-totp', { code: codeOf(key, 1) })).status
  }
  assert.equal(await enter(uri), 200, 'until then the old one')
  assert.equal((await confirm(codeOf(body.totpURI, 0, service.clock.now))).status, 200)
  assert.deepEqual([await enter(uri), await enter(body.totpURI)], [401, 200])
  const acts = (await openOperator(service).get(`/audit/entries?subject=member:${name}&action=member.auth`)).body
    .entries
  assert.equal(acts.length, 1)
  service.clock.advance(16 * minute)
  const late = visitor.call('/auth/two-factor/renew', {})
  assert.deepEqual(await codeOfRefusal(late), [403, 'VERIFICATION_REQUIRED'])
})

onOne('a link is good once, and a wrong password locks the address out, known or not', async (service) => {
  const { link, email, name, visitor } = await join(service)
  const library = await (await authOf(service.context)).$context
  const { hash: hashPassword } = library.password
  library.password.hash = () => assert.fail('a password takes work that only a good link is worth')
  const used = visit(service).call('/invitations/accept', { token: tokenOf(link), password })
  assert.deepEqual(await codeOfRefusal(used), [404, 'resource_not_found'])
  library.password.hash = hashPassword
  const invite = (fields: object) => openOperator(service).call('POST', '/members/invitations', fields)
  const again = await invite({ name, email: 'new@example.com', role: 'support' })
  assert.deepEqual([again.status, again.body.code], [409, 'already_exists'])
  for (const address of [email, `nobody-${service.engine}@example.com`]) {
    const stranger = visit(service)
    for (let tries = 0; tries < 10; tries++)
      assert.deepEqual(await codeOfRefusal(signIn(stranger, address, 'wrong password')), [
        401,
        'INVALID_EMAIL_OR_PASSWORD',
      ])
    assert.deepEqual(await codeOfRefusal(signIn(stranger, address)), [429, 'LOCKED_OUT'])
  }
  assert.equal((await signIn(visit(service), email)).status, 200, 'from elsewhere: nobody locks out others')
  service.clock.advance(16 * minute)
  const others = Array.from({ length: 12 }, () => signIn(visitor, email, 'wrong password'))
  const atOnce = (await Promise.all(others)).map(({ body }) => body.code)
  assert.equal(
    atOnce.filter((code) => code === 'INVALID_EMAIL_OR_PASSWORD').length,
    10,
    'many at once are counted, too',
  )
})

onOne('attempts that were counted while the clock was ahead lock nobody out for as long', async (service) => {
  const { context, clock } = service
  const tryThrice = async () => {
    const tried = []
    for (let tries = 0; tries < 3; tries++) tried.push(await mayTry(context, [{ key: 'counted ahead', most: 2 }]))
    return tried
  }
  const now = clock.now
  clock.advance(day)
  assert.deepEqual(await tryThrice(), [true, true, false])
  clock.now = now
  assert.deepEqual(await tryThrice(), [true, true, false])
})

onOne('the first owner says name and address, and takes over no other account', async (service) => {
  const visitor = visit(service)
  assert.equal(await inviteFirstOwner(service.context), undefined, 'somebody has an account already')
  const taken = await join(service)
  const token = await openLink(service)
  const accept = (fields: object) => codeOfRefusal(visitor.call('/invitations/accept', { token, password, ...fields }))
  assert.deepEqual(await accept({}), [400, 'validation_failed'])
  assert.deepEqual(await accept({ name: taken.name, email: 'a@example.com' }), [409, 'already_exists'])
  assert.deepEqual(await accept({ name: 'first', email: taken.email }), [409, 'already_exists'])
  assert.deepEqual(await accept({ name: 'first', email: 'First@Example.com' }), [200, undefined])
  assert.deepEqual(await accept({ name: 'second', email: 'second@example.com' }), [404, 'resource_not_found'])
  assert.equal((await signIn(visitor, 'first@example.com')).status, 200)
})

test('passwords that many strangers send at once are worked on one after the other, and not without end', async () => {
  const { hash: hashInTurn, verify } = limitPasswordWork(3)
  const hashed = await hashInTurn(password)
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => verify({ hash: hashed, password })))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  assert.equal(refused.length, 2)
  assert.ok(refused.every(({ reason }) => (reason as { code?: string }).code === 'overloaded'))
  assert.equal(await verify({ hash: hashed, password: 'another' }), false, 'a turn comes again')
})

onEngines('a member chooses the language of the console for the own account only', async (service) => {
  const [{ visitor, email }, other] = [await enrol(service), await enrol(service)]
  const languageOf = async ({ call }: Pick<typeof visitor, 'call'>) =>
    (await call('/auth/get-session')).body.user.language
  assert.equal(await languageOf(visitor), null)
  assert.equal((await visitor.call('/auth/update-user', { language: 'ru' })).status, 200)
  assert.equal(await languageOf(visitor), 'ru')
  assert.equal(await languageOf(other.visitor), null)
  assert.equal((await visitor.call('/auth/update-user', { language: null })).status, 200)
  assert.equal(await languageOf(visitor), null)
  for (const body of [{ language: 'russian' }, { language: 'ru', name: 'boss' }, { role: 'owner' }, {}])
    assert.equal((await visitor.call('/auth/update-user', body)).status, 400, JSON.stringify(body))
  const withoutCode = visit(service)
  await signIn(withoutCode, email)
  const refused = withoutCode.call('/auth/update-user', { language: 'ru' })
  assert.deepEqual(await codeOfRefusal(refused), [403, 'SECOND_FACTOR_MISSING'])
})

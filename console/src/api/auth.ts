import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { askForVerification } from '../verification.ts'
import { ApiProblem } from './client.ts'

/** Calls of the operations of the authentication library; they throw an `ApiProblem`. */
const call = async <Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> => {
  const response = await fetch(`/console${path}`, {
    method,
    ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) }),
  }).catch(() => {
    throw new ApiProblem(0, 'The service did not answer.')
  })
  const text = await response.text()
  const answer = (text === '' ? null : JSON.parse(text)) as Answer & {
    code?: string
    message?: string
    detail?: string
  }
  if (response.ok) return answer
  if (answer?.code === 'VERIFICATION_REQUIRED' && (await askForVerification())) return call(method, path, body)
  const message = answer?.detail ?? answer?.message ?? `The service responded with status ${response.status}.`
  throw new ApiProblem(response.status, message, answer?.code === undefined ? undefined : { code: answer.code })
}

/** The step after a password or a passkey. */
export type NextStep = 'code' | 'set-up'

type SignedIn = { readonly twoFactorRedirect?: boolean }

const nextOf = ({ twoFactorRedirect }: SignedIn): NextStep => (twoFactorRedirect === true ? 'code' : 'set-up')

/** Whom an invitation is for; name and address are empty if the link leaves them open. */
export type Invited = { readonly name: string; readonly email: string; readonly role: string }

/** What an authenticator app needs, and the recovery codes for a time without it. */
export type NewFactor = { readonly totpURI: string; readonly backupCodes: readonly string[] }

/** Where somebody is signed in. */
export type MemberSession = {
  readonly id: string
  readonly ipAddress?: string | null
  readonly userAgent?: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

type OwnSession = {
  readonly session: MemberSession
  readonly user: { readonly name: string; readonly email: string; readonly language?: string | null }
}

/** A passkey as its owner knows it. */
export type MemberPasskey = {
  readonly id: string
  readonly name?: string | null
  readonly createdAt?: string | null
  readonly backedUp: boolean
}

/** Signing in and out, and everything that proves who somebody is. */
export const auth = {
  signIn: async (email: string, password: string): Promise<NextStep> =>
    nextOf(await call<SignedIn>('POST', '/auth/sign-in/email', { email, password })),
  signInWithPasskey: async (): Promise<NextStep> => {
    const optionsJSON = await call<Parameters<typeof startAuthentication>[0]['optionsJSON']>(
      'GET',
      '/auth/passkey/generate-authenticate-options',
    )
    const response = await startAuthentication({ optionsJSON })
    return nextOf(await call<SignedIn>('POST', '/auth/passkey/verify-authentication', { response }))
  },
  addPasskey: async (name: string): Promise<void> => {
    const optionsJSON = await call<Parameters<typeof startRegistration>[0]['optionsJSON']>(
      'GET',
      '/auth/passkey/generate-register-options',
    )
    const response = await startRegistration({ optionsJSON })
    await call('POST', '/auth/passkey/verify-registration', { response, name })
  },
  verifyCode: (code: string) => call<unknown>('POST', '/auth/two-factor/verify-totp', { code }),
  verifyRecoveryCode: (code: string) => call<unknown>('POST', '/auth/two-factor/verify-backup-code', { code }),
  newFactor: (password: string) => call<NewFactor>('POST', '/auth/two-factor/enable', { password }),
  signOut: () => call<unknown>('POST', '/auth/sign-out'),
  ownSession: () => call<OwnSession>('GET', '/auth/get-session'),
  setLanguage: (language: string) => call<unknown>('POST', '/auth/update-user', { language }),
  sessions: () => call<readonly MemberSession[]>('GET', '/auth/list-sessions'),
  endSession: (id: string) => call<unknown>('POST', '/auth/end-session', { id }),
  endOtherSessions: () => call<unknown>('POST', '/auth/revoke-other-sessions'),
  changePassword: (currentPassword: string, newPassword: string) =>
    call<unknown>('POST', '/auth/change-password', { currentPassword, newPassword }),
  newRecoveryCodes: async (password: string) =>
    (await call<Pick<NewFactor, 'backupCodes'>>('POST', '/auth/two-factor/generate-backup-codes', { password }))
      .backupCodes,
  newAuthenticator: async () => (await call<Pick<NewFactor, 'totpURI'>>('POST', '/auth/two-factor/renew')).totpURI,
  confirmAuthenticator: (code: string) => call<unknown>('POST', '/auth/two-factor/confirm-renewed', { code }),
  passkeys: () => call<readonly MemberPasskey[]>('GET', '/auth/passkey/list-user-passkeys'),
  namePasskey: (id: string, name: string) => call<unknown>('POST', '/auth/passkey/update-passkey', { id, name }),
  removePasskey: (id: string) => call<unknown>('POST', '/auth/passkey/delete-passkey', { id }),
  readInvitation: (token: string) => call<Invited>('POST', '/invitations/show', { token }),
  acceptInvitation: (given: { token: string; password: string; name?: string; email?: string }) =>
    call<Invited>('POST', '/invitations/accept', given),
}

/** Whether this browser knows passkeys. */
export const knowsPasskeys = browserSupportsWebAuthn()

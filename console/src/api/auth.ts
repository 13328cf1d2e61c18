import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
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
  const message = answer?.detail ?? answer?.message ?? `The answer was ${response.status}.`
  throw new ApiProblem(response.status, message, answer?.code === undefined ? undefined : { code: answer.code })
}

/** What comes after a password or a passkey. */
export type NextStep = 'code' | 'set-up'

type SignedIn = { readonly twoFactorRedirect?: boolean }

const nextOf = ({ twoFactorRedirect }: SignedIn): NextStep => (twoFactorRedirect === true ? 'code' : 'set-up')

/** Who a link of an invitation is for; name and address are empty where the link leaves them open. */
export type Invited = { readonly name: string; readonly email: string; readonly role: string }

/** What an authenticator needs, and what helps without one. */
export type NewFactor = { readonly totpURI: string; readonly backupCodes: readonly string[] }

/** Signing in and out, and what proves who one is. */
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
  readInvitation: (token: string) => call<Invited>('POST', '/invitations/show', { token }),
  acceptInvitation: (given: { token: string; password: string; name?: string; email?: string }) =>
    call<Invited>('POST', '/invitations/accept', given),
}

/** Whether this browser knows passkeys. */
export const knowsPasskeys = browserSupportsWebAuthn()

import { useQuery } from '@tanstack/react-query'
import { type Scope, type Duty, type MemberRole, mayDo } from '../../src/rules/members/access.ts'
import type { MerchantCallerAnswer } from '../../src/http/merchant-api/own-merchant.ts'
import type { OperatorAnswer } from '../../src/operations/own-account.ts'
import { ApiProblem, api } from './api/client.ts'
import { own } from './api/portal.ts'

/** Who uses the console. */
export type Person = {
  readonly name: string
  readonly role: MemberRole
  /** The merchant whose member the person is; absent for operators. */
  readonly merchant?: MerchantCallerAnswer
}

/**
 * The state of the session: loading, signed in, signed out, without a second factor yet, or the service is out of
 * reach.
 */
export type Session =
  | { readonly state: 'loading' }
  | { readonly state: 'signed-in'; readonly person: Person }
  | { readonly state: 'signed-out' }
  | { readonly state: 'unfinished' }
  | { readonly state: 'failed'; readonly error: Error; readonly retry: () => void }

const readMerchant = async (): Promise<Person> => {
  const merchant = await api.get<MerchantCallerAnswer>(own('/me'))
  return { name: merchant.member ?? '', role: 'merchant', merchant }
}

const isMissingRole = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'role_missing'

/** Asks as an operator first, which is refused for members of a merchant. */
const readPerson = async (): Promise<Person> => {
  try {
    return await api.get<OperatorAnswer>('/me')
  } catch (error) {
    if (!isMissingRole(error)) throw error
    return await readMerchant()
  }
}

const refusals: ReadonlySet<unknown> = new Set(['second_factor_missing', 'merchant_suspended', 'role_missing'])

/**
 * The person, or why there is none. A refusal is a result, not an error: it stays while the session is read again, so
 * that the form that it shows keeps what was typed. Only a lost connection or a fault of the service is an error.
 */
const readSession = async (): Promise<Person | ApiProblem> => {
  try {
    return await readPerson()
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 401 || refusals.has(error.code))) return error
    throw error
  }
}

/** The session, read again every minute, so that one that has ended leads to the sign-in page. */
export const useSession = (): Session => {
  const { data, error, refetch } = useQuery({
    queryKey: ['me'],
    queryFn: readSession,
    staleTime: 30_000,
    refetchInterval: 60_000,
    // An error is an instance of a class, which the default would compare field by field.
    structuralSharing: false,
  })
  const retry = (): void => void refetch()
  if (data instanceof ApiProblem) {
    if (data.status === 401) return { state: 'signed-out' }
    return data.code === 'second_factor_missing' ? { state: 'unfinished' } : { state: 'failed', error: data, retry }
  }
  if (data !== undefined) return { state: 'signed-in', person: data }
  return error === null ? { state: 'loading' } : { state: 'failed', error, retry }
}

/** Whether the person's role has a duty; what they may not do is not offered. */
export const useMay = (duty: Duty): boolean => {
  const session = useSession()
  if (session.state !== 'signed-in') return false
  const { role } = session.person
  return role !== 'merchant' && mayDo(role, duty)
}

/** Whether a member of a merchant has this scope. */
export const useScope = (scope: Scope): boolean => {
  const session = useSession()
  return session.state === 'signed-in' && (session.person.merchant?.scopes ?? []).includes(scope)
}

import { useQuery } from '@tanstack/react-query'
import type { OperatorAnswer } from '../../src/http/operator-api/own-account.ts'
import { type Duty, mayDo } from '../../src/domain/role.ts'
import { ApiProblem, api } from './api/client.ts'

/** Who uses the console. */
export type Person = OperatorAnswer

/** The state of the session: being asked for, signed in, signed out, without a second factor yet, or out of reach. */
export type Session =
  | { readonly state: 'loading' }
  | { readonly state: 'signed-in'; readonly person: Person }
  | { readonly state: 'signed-out' }
  | { readonly state: 'unfinished'; readonly finish: () => void }
  | { readonly state: 'failed'; readonly error: Error; readonly retry: () => void }

/** Who is signed in. Asked again every minute, so that a session that has ended shows the sign-in page. */
export const useSession = (): Session => {
  const { data, error, refetch } = useQuery({
    queryKey: ['me'],
    queryFn: () => api.get<OperatorAnswer>('/me'),
    staleTime: 30_000,
    refetchInterval: 60_000,
  })
  if (error instanceof ApiProblem && error.status === 401) return { state: 'signed-out' }
  if (error instanceof ApiProblem && error.code === 'second_factor_missing')
    return { state: 'unfinished', finish: () => void refetch() }
  if (data !== undefined) return { state: 'signed-in', person: data }
  if (error !== null) return { state: 'failed', error, retry: () => void refetch() }
  return { state: 'loading' }
}

/** Whether the person may do what belongs to a duty; what they may not do is not offered. */
export const useMay = (duty: Duty): boolean => {
  const session = useSession()
  return session.state === 'signed-in' && mayDo(session.person.role, duty)
}

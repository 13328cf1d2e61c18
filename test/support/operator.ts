import type { TestService } from './service.ts'
import { type Answer, send } from './shop.ts'

/** A client of the operator API with a token. */
export type Operator = {
  get(path: string): Promise<Answer>
  /** Sends a body: a value, or JSON text unchanged. */
  call(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer>
  /** The newest audit entry. */
  lastAudit(): Promise<{
    actor: string
    action: string
    subject: string
    details: Record<string, unknown>
    credential?: string
    sessionId?: string
  }>
}

const prefix = '/api/v1/operator'

/** A client of a service's operator API, as the operator with this name. */
export const openOperator = (
  service: Pick<TestService, 'url' | 'operatorToken'> & Partial<Pick<TestService, 'operatorTokens'>>,
  name?: 'anna' | 'boris' | 'vera',
): Operator => {
  const authorization = `Bearer ${(name && service.operatorTokens?.[name]) ?? service.operatorToken}`
  const own = { authorization }
  const get: Operator['get'] = (path) => send(service, prefix + path, { headers: own })
  return {
    get,
    call: (method, path, body) =>
      send(service, prefix + path, {
        method,
        headers: { ...own, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    lastAudit: async () => (await get('/audit?limit=1')).body.entries[0],
  }
}

/** An id that nothing has. */
export const unknownId = '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10'

/** Sets a rate that no single operator may set: one outside the band, or the first of a currency. */
export const setAgreedRate = async (service: TestService, currency: string, price: number | string): Promise<void> => {
  for (const name of ['anna', 'boris'] as const) {
    const set = await openOperator(service, name).call(
      'PUT',
      `/rates/${currency}`,
      `{"price":${price},"outsideBand":true}`,
    )
    if (set.status !== 200) throw new Error(JSON.stringify(set.body))
  }
}

import type { Endpoint } from '../../rules/notices/endpoint.ts'
import type { EndpointAnswer } from '../../operations/endpoints.ts'
import { wire } from '../../operations/fields.ts'

/** The wire form of an endpoint. */
export const toEndpointAnswer = (endpoint: Endpoint, now: number): EndpointAnswer => {
  const { id, merchantId, url, description, kinds, status, disabledReason, disabledAt, createdAt } = endpoint
  const { failingSince, listeningUntil, previousSecretUntil: until } = endpoint
  return wire.fields({
    ...{ id, merchantId, url, description, kinds: [...kinds], disabledReason, disabledAt, createdAt },
    enabled: status === 'enabled',
    failingSince: wire.time(failingSince),
    listeningUntil: wire.time(listeningUntil),
    previousSecretUntil: until === null || until <= now ? null : wire.time(until),
  })
}

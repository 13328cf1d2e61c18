import type { Endpoint } from '../../engine/notifications/endpoints/read.ts'

/** An endpoint as people see it. */
export const toEndpointAnswer = (endpoint: Endpoint, now: number) => {
  const { status, previousSecretUntil: until } = endpoint
  return {
    ...endpoint,
    enabled: status === 'enabled',
    previousSecretUntil: until === null || until <= now ? null : until,
  }
}

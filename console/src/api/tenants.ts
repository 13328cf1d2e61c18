import { queryOptions } from '@tanstack/react-query'
import type { TenantsAnswer } from '../../../src/http/operator-api/tenants.ts'
import { api } from './client.ts'

/** The names of the tenants in which the person has a role. */
export const ownTenants = queryOptions({
  queryKey: ['tenants'],
  queryFn: async () => {
    const { tenants } = await api.get<TenantsAnswer>('/tenants')
    return tenants.filter(({ role }) => role !== undefined).map(({ name }) => name)
  },
  staleTime: 60_000,
})

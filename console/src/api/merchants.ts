import { queryOptions } from '@tanstack/react-query'
import type { MerchantAnswer } from '../../../src/http/operator-api/merchants.ts'
import { api } from './client.ts'

/** All merchants. */
export const merchants = queryOptions({
  queryKey: ['merchants'],
  queryFn: async () => (await api.get<{ merchants: MerchantAnswer[] }>('/merchants')).merchants,
  staleTime: 60_000,
})

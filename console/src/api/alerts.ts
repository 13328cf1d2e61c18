import { queryOptions } from '@tanstack/react-query'
import type { ChannelAnswer } from '../../../src/operations/alert-channels.ts'
import type { AlertRuleAnswer } from '../../../src/operations/alerts.ts'
import { api } from './client.ts'

export const alertChannels = queryOptions({
  queryKey: ['alerts', 'channels'],
  queryFn: async () => (await api.get<{ channels: ChannelAnswer[] }>('/alert-channels')).channels,
})

export const alertRules = queryOptions({
  queryKey: ['alerts', 'rules'],
  queryFn: async () => (await api.get<{ rules: AlertRuleAnswer[] }>('/alert-rules')).rules,
})

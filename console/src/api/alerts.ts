import { queryOptions } from '@tanstack/react-query'
import type { AlertRuleAnswer, ChannelAnswer } from '../../../src/http/operator-api/alerts.ts'
import { api } from './client.ts'

/** Channels for alerts. */
export const alertChannels = queryOptions({
  queryKey: ['alerts', 'channels'],
  queryFn: async () => (await api.get<{ channels: ChannelAnswer[] }>('/alert-channels')).channels,
})

/** Rules for alerts. */
export const alertRules = queryOptions({
  queryKey: ['alerts', 'rules'],
  queryFn: async () => (await api.get<{ rules: AlertRuleAnswer[] }>('/alert-rules')).rules,
})

import { MultiSelect, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AlertRuleAnswer } from '../../../../src/operations/alerts.ts'
import { alertChannels, alertRules } from '../../api/alerts.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { CsvButton } from '../../parts/csv-button.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { formatSpan, parseSpan } from '../../span.ts'
import { AlertTabs } from './alert-tabs.tsx'
import { typedInto } from '../../parts/typed.ts'
import { say } from '../../language.ts'

const thresholdText = ({ threshold, unit }: AlertRuleAnswer): string => {
  if (threshold === undefined) return ''
  return unit === 'percent' ? `${threshold}%` : formatSpan(threshold)
}

const parseThreshold = (text: string, unit: AlertRuleAnswer['unit']): number | undefined => {
  if (unit !== 'percent') return parseSpan(text)
  const [, percent] = /^(\d{1,3}) ?%?$/.exec(text.trim()) ?? []
  return percent === undefined ? undefined : Number(percent)
}

type Given = {
  readonly enabled: boolean
  readonly threshold: string
  readonly urgent: boolean
  readonly remind: string
  readonly channelIds: readonly string[]
}

const givenOf = (rule: AlertRuleAnswer): Given => ({
  enabled: rule.enabled,
  threshold: thresholdText(rule),
  urgent: rule.urgent,
  remind: rule.remindAfterMs === undefined ? '' : formatSpan(rule.remindAfterMs),
  channelIds: rule.channelIds ?? [],
})

const ChangeRule = ({ rule }: { readonly rule: AlertRuleAnswer }) => {
  const [given, setGiven] = useState(givenOf(rule))
  const field = typedInto(given, setGiven)
  const { data: channels = [] } = useQuery(alertChannels)
  const threshold = rule.unit === undefined ? undefined : parseThreshold(given.threshold, rule.unit)
  const remindAfterMs = given.remind === '' ? null : parseSpan(given.remind)
  const isReady = (rule.unit === undefined || threshold !== undefined) && remindAfterMs !== undefined
  const { enabled, urgent, channelIds } = given
  return (
    <ActButton
      text="Change…"
      title={`Change ${say(rule.name)}`}
      confirm="Save the rule"
      isReady={isReady}
      run={() =>
        api.patch(`/alert-rules/${rule.name}`, {
          ...{ enabled, urgent, remindAfterMs, channelIds: channelIds.length === 0 ? null : channelIds },
          ...(threshold === undefined ? {} : { threshold }),
        })
      }
      changes={['alerts', 'incidents']}
      done={`${say(rule.name)} is changed`}
      onOpen={() => setGiven(givenOf(rule))}
    >
      <p>{say(rule.meaning)}</p>
      <Switch
        label="On"
        description="Switched off, its open incidents close without a message."
        checked={enabled}
        onChange={(event) => setGiven({ ...given, enabled: event.currentTarget.checked })}
      />
      {rule.unit !== undefined && (
        <TextInput
          label="Threshold"
          description={rule.unit === 'percent' ? 'In percent' : 'Such as 30m, 4h or 1d'}
          error={threshold === undefined}
          {...field('threshold')}
        />
      )}
      <Switch
        label="Urgent"
        description="Its messages are sent even in quiet hours."
        checked={urgent}
        onChange={(event) => setGiven({ ...given, urgent: event.currentTarget.checked })}
      />
      <TextInput
        label="Reported again after"
        description="While it is open and nobody has acknowledged it; empty: never"
        error={remindAfterMs === undefined}
        {...field('remind')}
      />
      <MultiSelect
        label="Channels"
        description="None chosen: all"
        size="xs"
        data={channels.map(({ id, name }) => ({ value: id, label: name }))}
        value={[...channelIds]}
        onChange={(chosen) => setGiven({ ...given, channelIds: chosen })}
      />
    </ActButton>
  )
}

/** What is watched, and how strictly. */
export const AlertRules = () => {
  const { data = [], error, refetch } = useQuery(alertRules)
  const { data: channels = [] } = useQuery(alertChannels)
  const mayChange = useMay('configure')
  const namesOf = (ids: readonly string[] | undefined): string =>
    ids === undefined
      ? 'all channels'
      : channels
          .filter(({ id }) => ids.includes(id))
          .map(({ name }) => name)
          .join(', ')
  return (
    <>
      <PageHead title="Alerts" about={`${data.filter(({ enabled }) => enabled).length} rules are on`}>
        <CsvButton path="/alert-rules" />
      </PageHead>
      <AlertTabs />
      {error !== null && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      <ul className="panel setting-rows" aria-label="Rules">
        {data.map((rule) => (
          <li key={rule.name}>
            <span className="setting-about">
              <span className="strong">
                {say(rule.name)} {!rule.enabled && <Badge tone="over">off</Badge>}
                {rule.urgent && rule.enabled && <Badge tone="bad">urgent</Badge>}
              </span>
              <span className="quiet small">{say(rule.meaning)}</span>
            </span>
            <span className="setting-value figures">{thresholdText(rule)}</span>
            <span className="setting-more quiet small">
              {rule.remindAfterMs === undefined ? 'said once' : `again after ${formatSpan(rule.remindAfterMs)}`}, to{' '}
              {namesOf(rule.channelIds)}
            </span>
            {mayChange && <ChangeRule rule={rule} />}
          </li>
        ))}
      </ul>
    </>
  )
}

import { Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { formatMinuteOfDay } from '../../../../src/rules/time.ts'
import type { ChannelAnswer, ChannelTestAnswer, ChannelWithSecret } from '../../../../src/operations/alert-channels.ts'
import { alertChannels } from '../../api/alerts.ts'
import { api } from '../../api/client.ts'
import { useLiveQuery } from '../../live.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { AlertTabs } from './alert-tabs.tsx'
import { channelBody, ChannelFields, emptyChannel, givenOf } from './channel-form.tsx'
import { say } from '../../language.ts'

const AddChannel = () => {
  const [given, setGiven] = useState(emptyChannel)
  return (
    <ActButton
      text="Add a channel…"
      variant="filled"
      title="Add a channel"
      confirm="Add the channel"
      isReady={given.name.trim() !== ''}
      run={() => api.post<ChannelWithSecret>('/alert-channels', channelBody(given))}
      changes={['alerts']}
      onOpen={() => setGiven(emptyChannel)}
      result={({ name, secret }: ChannelWithSecret) => (
        <div className="act-form">
          <p>
            <strong>{name}</strong> is added. Send a test to check that it arrives.
          </p>
          {secret !== undefined && (
            <>
              <p>This signs its calls, and is not shown again:</p>
              <CopyText text={secret} />
            </>
          )}
        </div>
      )}
    >
      <ChannelFields given={given} onChange={setGiven} />
    </ActButton>
  )
}

/** A channel keeps its kind, and its bot token unless another one is typed. */
const ChangeChannel = ({ channel }: { readonly channel: ChannelAnswer }) => {
  const [given, setGiven] = useState(() => givenOf(channel))
  const { kind: _, ...body } = channelBody(given)
  return (
    <ActButton
      text="Change…"
      title={`Change ${channel.name}`}
      confirm="Save the channel"
      isReady={given.name.trim() !== ''}
      run={() => api.patch(`/alert-channels/${channel.id}`, body)}
      changes={['alerts']}
      done={`${given.name.trim()} is changed`}
      onOpen={() => setGiven(givenOf(channel))}
    >
      <ChannelFields given={given} onChange={setGiven} isKnown />
    </ActButton>
  )
}

const testChannel = async ({ id, name }: ChannelAnswer): Promise<string> => {
  const { delivered, error } = await api.post<ChannelTestAnswer>(`/alert-channels/${id}/test`, undefined)
  if (!delivered) throw new Error(`${name} did not accept it: ${error ?? 'no reason was given'}`)
  return `${name} accepted the test`
}

const OnSwitch = ({ channel: { id, name, enabled } }: { readonly channel: ChannelAnswer }) => {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (isOn: boolean) => api.patch(`/alert-channels/${id}`, { enabled: isOn }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
    onError: (error) => notifications.show({ color: 'red', title: 'Not done', message: say(error.message) }),
  })
  return (
    <Switch
      aria-label={`${name} is on`}
      checked={enabled}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  )
}

const ChannelActs = ({ channel }: { readonly channel: ChannelAnswer }) => (
  <span className="acts">
    <OnSwitch channel={channel} />
    <ChangeChannel channel={channel} />
    <ActButton
      text="Test…"
      title={`Send a test to ${channel.name}?`}
      confirm="Send the test"
      run={() => testChannel(channel)}
      changes={['alerts']}
      done={(said: string) => said}
    >
      <p>A test message is sent immediately, even in quiet hours.</p>
    </ActButton>
    <ActButton
      text="Remove…"
      title={`Remove ${channel.name}?`}
      confirm="Remove the channel"
      run={() => api.delete(`/alert-channels/${channel.id}`)}
      changes={['alerts']}
      done={`${channel.name} is removed`}
      isGrave
    >
      <p>Messages that still wait for it are not sent.</p>
    </ActButton>
  </span>
)

const stateOf = ({ enabled, failingSince, lastSentAt }: ChannelAnswer) => {
  if (!enabled) return <Badge tone="over">off</Badge>
  if (failingSince !== undefined) return <Badge tone="bad">fails</Badge>
  return lastSentAt === undefined ? <Badge tone="wait">unused</Badge> : <Badge tone="good">works</Badge>
}

/** The channels that alerts go to. */
export const AlertChannels = () => {
  const { data, error, refetch } = useLiveQuery(alertChannels)
  const mayChange = useMay('configure')
  return (
    <>
      <PageHead title="Alerts">
        {mayChange && <AddChannel />}
        <CsvButton path="/alert-channels" />
      </PageHead>
      <AlertTabs />
      {error !== null && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <section className="panel">
          <EmptyState title="Alerts go nowhere yet">
            Incidents are still listed on the first tab. To receive them, add a channel: e-mail through the server of{' '}
            <code>PAYIN_SMTP_URL</code>, a chat of Telegram, or a webhook.
          </EmptyState>
        </section>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className="panel setting-rows" aria-label="Channels">
          {data.map((channel) => (
            <li key={channel.id}>
              <span className="setting-about">
                <span className="strong">
                  {channel.name} {stateOf(channel)}
                </span>
                <span className="quiet small">
                  {channel.kind}: {channel.to?.join(', ') ?? channel.chatId ?? channel.url}
                </span>
                {channel.lastError !== undefined && channel.failingSince !== undefined && (
                  <span className="small overdue">{channel.lastError}</span>
                )}
              </span>
              <span className="setting-more quiet small">
                {channel.quietHours === undefined
                  ? 'no quiet hours'
                  : `quiet ${formatMinuteOfDay(channel.quietHours.from)}–${formatMinuteOfDay(channel.quietHours.to)} ${channel.quietHours.zone}`}
                , last sent <Moment at={channel.lastSentAt} show="relative" />
              </span>
              {mayChange && <ChannelActs channel={channel} />}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

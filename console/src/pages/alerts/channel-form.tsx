import { Group, PasswordInput, Select, Textarea, TextInput } from '@mantine/core'
import { formatMinuteOfDay } from '../../../../src/rules/time.ts'
import type { ChannelAnswer } from '../../../../src/operations/alert-channels.ts'
import { typedInto } from '../../parts/typed.ts'
import { say } from '../../language.ts'

/** The fields of a channel as they were typed. */
export type GivenChannel = {
  readonly kind: ChannelAnswer['kind']
  readonly name: string
  readonly to: string
  readonly chatId: string
  readonly botToken: string
  readonly url: string
  readonly from: string
  readonly until: string
  readonly zone: string
}

/** A channel with nothing typed yet. */
export const emptyChannel: GivenChannel = {
  ...{ kind: 'email', name: '', to: '', chatId: '', botToken: '', url: '', from: '', until: '' },
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
}

/** A known channel, as it would be typed. */
export const givenOf = ({ kind, name, to = [], chatId = '', url = '', quietHours }: ChannelAnswer): GivenChannel => ({
  ...emptyChannel,
  ...{ kind, name, to: to.join(', '), chatId, url },
  ...(quietHours === undefined
    ? {}
    : { from: formatMinuteOfDay(quietHours.from), until: formatMinuteOfDay(quietHours.to), zone: quietHours.zone }),
})

const minuteOf = (text: string): number | undefined => {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/** The channel as the API takes it. */
export const channelBody = ({ kind, name, to, chatId, botToken, url, from, until, zone }: GivenChannel) => {
  const [start, end] = [minuteOf(from), minuteOf(until)]
  const targets = {
    email: {
      to: to.split(/[\s,;]+/).filter(Boolean),
    },
    telegram: { chatId, ...(botToken === '' ? {} : { botToken }) },
    webhook: { url },
  }
  const quietHours = start === undefined || end === undefined ? null : { from: start, to: end, zone }
  return { kind, name: name.trim(), ...targets[kind], quietHours }
}

type Props = {
  readonly given: GivenChannel
  readonly onChange: (given: GivenChannel) => void
  /** Whether the channel exists: then its kind is fixed. */
  readonly isKnown?: boolean
}

/** The fields of a channel. */
export const ChannelFields = ({ given, onChange, isKnown = false }: Props) => {
  const field = typedInto(given, onChange)
  return (
    <>
      <Select
        label="Kind"
        data={[
          { value: 'email', label: 'E-mail' },
          { value: 'telegram', label: 'Telegram' },
          { value: 'webhook', label: 'Webhook' },
        ]}
        value={given.kind}
        onChange={(kind) => onChange({ ...given, kind: kind ?? 'email' })}
        allowDeselect={false}
        disabled={isKnown}
      />
      <TextInput label="Name" placeholder="on call" maxLength={100} data-autofocus {...field('name')} />
      {given.kind === 'email' && (
        <Textarea label="To" description="Addresses, separated by commas" autosize {...field('to')} />
      )}
      {given.kind === 'telegram' && (
        <>
          <TextInput
            label="Chat"
            description="A number, or @ and a name"
            placeholder="-1001234567890"
            {...field('chatId')}
          />
          <PasswordInput
            label="Token of the bot"
            description={
              isKnown ? 'Stored sealed and never shown; leave empty to keep it' : 'Stored sealed and never shown'
            }
            size="xs"
            autoComplete="off"
            {...field('botToken')}
          />
        </>
      )}
      {given.kind === 'webhook' && (
        <TextInput label="Address" placeholder="https://pager.example.com/payin" type="url" {...field('url')} />
      )}
      <Group grow align="end">
        <TextInput label="Quiet from" type="time" {...field('from')} />
        <TextInput label={say('to')} type="time" {...field('until')} />
        <TextInput label="Time zone" {...field('zone')} />
      </Group>
      <p className="quiet small">In quiet hours only urgent messages are sent. Leave empty for none.</p>
    </>
  )
}

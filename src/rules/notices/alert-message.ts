import type { AlertFinding, AlertRuleName } from './alert.ts'
import { day, formatInstant, hour, type Instant, minute, second } from '../time.ts'

/** What a message reports about an incident. */
export const noticeKinds = ['opened', 'reminder', 'closed'] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** One incident in a message, fixed when the message was queued. */
export type AlertNotice = AlertFinding & {
  readonly incidentId: string
  readonly rule: AlertRuleName
  readonly kind: NoticeKind
  readonly at: Instant
}

/** A message as people read it. */
export type AlertText = { readonly subject: string; readonly text: string }

/** Longest text of the incidents in a message; Telegram limits messages to 4096 characters. */
const longestText = 3400

/** A time for people, to the minute. */
export const describeTime = (instant: Instant): string => `${formatInstant(instant).slice(0, 16).replace('T', ' ')} UTC`

/** A span for people by its two largest units, such as `2 h 5 min`. */
export const describeSpan = (ms: number): string => {
  const parts = [
    [Math.floor(ms / day), 'd'],
    [Math.floor(ms / hour) % 24, 'h'],
    [Math.floor(ms / minute) % 60, 'min'],
    [Math.floor(ms / second) % 60, 's'],
  ] as const
  const first = parts.findIndex(([value]) => value > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ')
}

/** Says an English text in the language of whoever reads the message. */
export type Say = (text: string) => string

const inEnglish: Say = (text) => text

const beginning = { opened: '', reminder: 'STILL:', closed: 'OVER:' } as const

const describeSummary = ({ kind, summary }: AlertNotice, say: Say): string =>
  `${say(beginning[kind])} ${say(summary)}`.trimStart()

const describeNotice = (notice: AlertNotice, say: Say): string => {
  const { kind, since, at, command } = notice
  const about = describeSummary(notice, say)
  if (kind === 'closed') return `${about}\n${say(`It lasted from ${describeTime(since)} to ${describeTime(at)}.`)}`
  const lasted = at > since ? ` (${say(describeSpan(at - since))})` : ''
  return `${about}\n${say(`Since ${describeTime(since)}`)}${lasted}. ${say('See:')} ${command}`
}

const countOf = (notices: readonly AlertNotice[], say: Say): string => {
  const over = notices.filter(({ kind }) => kind === 'closed').length
  const open = notices.length - over
  return [...(open > 0 ? [say(`${open} open`)] : []), ...(over > 0 ? [say(`${over} over`)] : [])].join(', ')
}

const shorten = (text: string): string => (text.length > 150 ? `${text.slice(0, 149)}…` : text)

const subjectOf = (notices: readonly AlertNotice[], say: Say): string => {
  const [only] = notices
  if (!only || notices.length > 1) return `[Payin] ${say(`${notices.length} alerts`)}: ${countOf(notices, say)}`
  return `[Payin] ${shorten(describeSummary(only, say))}`
}

/** The text of a message: new incidents first, then ongoing and closed ones, as many as fit. */
export const composeAlert = (
  notices: readonly AlertNotice[],
  messageId: string,
  serviceUrl: string,
  say = inEnglish,
): AlertText => {
  const ordered = noticeKinds.flatMap((kind) => notices.filter((notice) => notice.kind === kind))
  const shown: string[] = []
  let length = 0
  for (const notice of ordered) {
    const text = describeNotice(notice, say)
    if (shown.length > 0 && length + text.length > longestText) break
    shown.push(text.slice(0, longestText))
    length += text.length + 2
  }
  const left = ordered.length - shown.length
  if (left > 0) shown.push(`${say(`And ${left} more.`)} ${say('See:')} payin alerts`)
  const everything = say(`Everything open: payin alerts, or ${serviceUrl}/console/alerts`)
  return {
    subject: subjectOf(ordered, say),
    text: [...shown, `${everything}\n${say(`Message ${messageId}`)}`].join('\n\n'),
  }
}

/** The message that tests a channel. */
export const testAlert = (channelName: string, messageId: string, serviceUrl: string, say = inEnglish): AlertText => ({
  subject: `[Payin] ${say('Test')}`,
  text: [
    say(`This is a test of the channel ${channelName}. Alerts reach it.`),
    `${say(`Payin at ${serviceUrl}`)}\n${say(`Message ${messageId}`)}`,
  ].join('\n\n'),
})

/** The body of a message to a webhook, in the form of notifications. */
export const alertBody = (
  messageId: string,
  { subject, text }: AlertText,
  notices: readonly AlertNotice[],
  at: Instant,
): string =>
  JSON.stringify({
    type: notices.length === 0 ? 'alert.test' : 'alert',
    timestamp: formatInstant(at),
    data: {
      id: messageId,
      subject,
      text,
      incidents: notices.map(({ incidentId, rule, kind, subject: about, summary, since, at: noticedAt, command }) => ({
        id: incidentId,
        rule,
        kind,
        subject: about,
        summary,
        since: formatInstant(since),
        at: formatInstant(noticedAt),
        command,
      })),
    },
  })

import { day, hour, type Instant, minute, planBounds } from '../time.ts'

type RuleKind = {
  /** What it watches, in one sentence. */
  readonly meaning: string
  /** What the threshold counts; `null` for a rule without one. */
  readonly unit: 'ms' | 'percent' | null
  readonly threshold: number
  /** Urgent messages wait neither for others nor for the end of quiet hours. */
  readonly urgent: boolean
  /** Checked no more often than this, because it reads much or changes slowly. */
  readonly everyMs: number
}

/** A kind of rule; by default it is not urgent, and is checked at every round. */
const kind = (meaning: string, of: Partial<RuleKind> = {}): RuleKind => ({
  ...{ meaning, unit: null, threshold: 0, urgent: false, everyMs: 0 },
  ...of,
})

const kinds = {
  'inbox-waiting': kind('Money of a live merchant has waited in the inbox longer than the threshold.', {
    unit: 'ms',
    threshold: hour,
  }),
  'dispute-deadline': kind('The deadline of an undecided dispute is within the threshold, or has passed.', {
    unit: 'ms',
    threshold: 4 * hour,
    urgent: true,
  }),
  'endpoint-failing': kind(
    'An endpoint of a live merchant has failed longer than the threshold, or was disabled because of that.',
    { unit: 'ms', threshold: 15 * minute },
  ),
  'rate-stale': kind(
    'The rate of a currency of active requisites is no longer valid, was set longer ago than the threshold, or is more than 20 % off that of a day before.',
    { unit: 'ms', threshold: day, urgent: true },
  ),
  'rate-source': kind(
    'A price from a source of rates waits for an operator, or the source has failed longer than the threshold.',
    { unit: 'ms', threshold: 10 * minute, urgent: true },
  ),
  'paid-by-rate': kind(
    'The payments of a live merchant are paid more often, by this many percentage points, when the rate has moved in the payer’s favour.',
    { unit: 'percent', threshold: 20, everyMs: 6 * hour },
  ),
  'requisite-limit': kind('An active live requisite has used this share of a daily or monthly limit.', {
    unit: 'percent',
    threshold: 90,
    everyMs: 5 * minute,
  }),
  'requisite-paused': kind(
    'A live requisite was paused automatically, or its money is credited by persons only, because a statement does not add up.',
  ),
  'reconciliation-difference': kind('The last closing balance of a live requisite differs from the ledger.', {
    everyMs: minute,
  }),
  'invariant-broken': kind('An invariant of the data is broken (payin doctor).', { urgent: true, everyMs: 6 * hour }),
  'acknowledgement-overdue': kind(
    'A live merchant has not acknowledged credited payments for longer than the threshold.',
    { unit: 'ms', threshold: hour },
  ),
  'merchant-indebted': kind(
    'A live merchant owes more than its settings allow, and cannot create payments meanwhile.',
    { urgent: true },
  ),
  'statement-missing': kind(
    'A source, or an account without one, has reported nothing for longer than the threshold.',
    { unit: 'ms', threshold: 3 * day, everyMs: 10 * minute },
  ),
  'pickup-waiting': kind(
    'For longer than the threshold, the place of a source has not been readable, or a file that was picked up has waited for a person.',
    { unit: 'ms', threshold: 10 * minute },
  ),
  'report-unsent': kind(
    'For longer than the threshold, the report of a live merchant has not been accepted by the mail server, or is not sent any more.',
    { unit: 'ms', threshold: hour },
  ),
  'phone-silent': kind('A phone that forwards messages has sent nothing for longer than it may.', { urgent: true }),
  'message-waiting': kind('A message of a bank has waited for a person longer than the threshold.', {
    unit: 'ms',
    threshold: 10 * minute,
  }),
  'balance-gap': kind(
    'For longer than the threshold, the balance in a message has not followed from the one before: a message was lost, or one is forged.',
    { unit: 'ms', threshold: 10 * minute, urgent: true },
  ),
  'clock-differs': kind(
    'The clock of a process is more than two minutes off the database’s, or that of the database has jumped: payments do not expire meanwhile.',
    { urgent: true },
  ),
}

export type AlertRuleName = keyof typeof kinds

/** The fixed properties of each rule. */
export const alertRuleKinds: Readonly<Record<AlertRuleName, RuleKind>> = kinds

export const alertRuleNames = Object.keys(kinds) as AlertRuleName[]

/** The settings of a rule that operators may change. */
export type AlertRuleSettings = {
  readonly enabled: boolean
  /** In the rule's unit. */
  readonly threshold: number
  readonly urgent: boolean
  /** How long after a message an open incident is reported again; `null` for never. */
  readonly remindAfterMs: number | null
  /** The channels that receive it; `null` for all. */
  readonly channelIds: readonly string[] | null
}

/** A rule with its current settings. */
export type AlertRule = AlertRuleSettings & { readonly name: AlertRuleName }

/** Bounds of a threshold, by its unit. */
export const thresholdBounds = { ms: [minute, 366 * day], percent: [1, 100] } as const

/** Shortest time between two messages about an incident. */
export const shortestReminderMs = 5 * minute

/** A rule with defaults for everything that operators have not set. */
export const withDefaults = (name: AlertRuleName, set: Partial<AlertRuleSettings>): AlertRule => {
  const { threshold, urgent } = alertRuleKinds[name]
  return { name, enabled: true, threshold, urgent, remindAfterMs: day, channelIds: null, ...set }
}

/** Something that a rule found. */
export type AlertFinding = {
  /** What it is about, such as `transfer:{id}`: only one incident at a time is open for it. */
  readonly subject: string
  /** What is wrong, in one sentence with the name and amount. */
  readonly summary: string
  readonly since: Instant
  /** The command that shows it. */
  readonly command: string
}

/** A finding that lasts until `closedAt`. */
export type AlertIncident = AlertFinding & {
  readonly id: string
  readonly rule: AlertRuleName
  readonly openedAt: Instant
  readonly closedAt: Instant | null
  /** When an operator acknowledged it: no more reminders. */
  readonly acknowledgedAt: Instant | null
  readonly acknowledgedBy: string | null
  /** When the next reminder is due; `null` for none. */
  readonly remindAt: Instant | null
}

/** Most open incidents of a rule: nobody would read more of them one by one. */
export const mostFindings = 500

/** Compares what a rule found with its open incidents. */
export const compareFindings = (
  open: readonly AlertIncident[],
  findings: readonly AlertFinding[],
): {
  readonly opened: readonly AlertFinding[]
  readonly closed: readonly AlertIncident[]
  /** Open incidents, updated with the current findings. */
  readonly kept: readonly AlertIncident[]
} => {
  const found = new Map(findings.map((finding) => [finding.subject, finding]))
  const known = new Set(open.map(({ subject }) => subject))
  return {
    opened: [...found.values()].filter(({ subject }) => !known.has(subject)),
    closed: open.filter(({ subject }) => !found.has(subject)),
    kept: open.flatMap((incident) => {
      const finding = found.get(incident.subject)
      // The original `since` is kept: a cause that changes later does not open a new incident.
      return finding ? [{ ...incident, summary: finding.summary, command: finding.command }] : []
    }),
  }
}

/**
 * Whether a reminder of an open incident is due. One that is planned for later than `remindAfterMs` from now was planned by
 * a clock that was ahead.
 */
export const isReminderDue = (
  { acknowledgedAt, remindAt }: Pick<AlertIncident, 'acknowledgedAt' | 'remindAt'>,
  remindAfterMs: number | null,
  now: Instant,
): boolean => {
  if (acknowledgedAt !== null || remindAt === null) return false
  return remindAt <= now || (remindAfterMs !== null && remindAt > planBounds(now, remindAfterMs).latest)
}

/** Hours in which only urgent messages are sent: minutes of the day in a time zone, such as `Europe/Moscow`. */
export type QuietHours = { readonly from: number; readonly to: number; readonly zone: string }

/** Whether a time zone with this name exists. */
export const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const localMinute = (instant: Instant, zone: string): number => {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
  const [hours = 0, minutes = 0] = parts.format(instant).split(':').map(Number)
  return (hours % 24) * 60 + minutes
}

const minutesUntil = (from: number, to: number): number => (to - from + 1440) % 1440

/** When the quiet hours that contain `now` end; `null` when none do. */
export const quietEnd = ({ from, to, zone }: QuietHours, now: Instant): Instant | null => {
  const local = localMinute(now, zone)
  const isQuiet = from <= to ? from <= local && local < to : local >= from || local < to
  if (!isQuiet) return null
  const end = now - (now % minute) + minutesUntil(local, to) * minute
  // A change to or from summer time before it moves the end.
  const offBy = minutesUntil(to, localMinute(end, zone))
  return end - (offBy > 720 ? offBy - 1440 : offBy) * minute
}

/** Non-urgent messages wait this long for others, so that several incidents are sent as one. */
const gatherMs = minute

/** When a notice is to be sent through a channel. */
export const noticeDueAt = (quietHours: QuietHours | null, urgent: boolean, now: Instant): Instant =>
  urgent ? now : ((quietHours && quietEnd(quietHours, now)) ?? now + gatherMs)

/** A message that nobody has tried to send yet. */
export type WaitingMessage = { readonly id: string; readonly channelId: string; readonly dueAt: Instant }

/** The message that a notice joins: one due within the same minute, or at the same end of quiet hours. */
export const messageToJoin = (
  waiting: readonly WaitingMessage[],
  channelId: string,
  dueAt: Instant,
  now: Instant,
): WaitingMessage | undefined => {
  const isSoon = (at: Instant): boolean => at <= now + gatherMs
  return waiting.find((message) => message.channelId === channelId && isSoon(message.dueAt) === isSoon(dueAt))
}

export const longestRetryMs = 15 * minute
const retryDelaysMs: readonly number[] = [5_000, 30_000, 2 * minute, 5 * minute]
const giveUpAfterMs = 3 * day

/**
 * The pause after a number of failed attempts at a message of this age: at most a quarter of an hour, because later
 * messages in its channel wait, too; `null` if it is given up.
 */
export const alertRetryMs = (attempts: number, ageMs: number): number | null =>
  ageMs >= giveUpAfterMs ? null : (retryDelaysMs[attempts - 1] ?? longestRetryMs)

export const channelKinds = ['email', 'telegram', 'webhook'] as const
export type ChannelKind = (typeof channelKinds)[number]

/** The recipient of a channel. */
export type ChannelTarget = {
  /** Of an e-mail channel. */
  readonly to?: readonly string[]
  /** Of a Telegram channel. */
  readonly chatId?: string
  /** Of a webhook. */
  readonly url?: string
}

import type { Context } from '../../engine/context.ts'
import { evaluateAlerts, alertsKey } from '../../engine/alerts/evaluate-alerts.ts'
import { bringMessagesBack, cleanAlerts, sendAlerts } from '../../engine/alerts/messages/send-alerts.ts'
import { cleanDeliveries } from '../../engine/notifications/deliveries/clean-deliveries.ts'
import { deliverNotifications, stopDelivering } from '../../engine/notifications/deliveries/deliver-notifications.ts'
import { forgetAddresses } from '../../engine/links/link.ts'
import { deliveriesKey, queueDeliveries } from '../../engine/notifications/deliveries/queueing/queue-deliveries.ts'
import { notificationsKey } from '../../engine/notifications/enqueue-notifications.ts'
import { restartLanes } from '../../engine/notifications/deliveries/lanes/hold-lanes.ts'
import { bringAckRemindersBack, remindOfAcks } from '../../engine/payments/reminders/remind-of-acks.ts'
import { removeStrayFiles } from '../../engine/disputes/remove-stray-files.ts'
import {
  bringDisputeRemindersBack,
  openClaimedDisputes,
  openServiceDisputes,
  remindDisputes,
} from '../../engine/disputes/disputes.ts'
import { hour, minute, second } from '../../rules/time.ts'
import { cleanFetches, fetchRates } from '../../engine/merchants/rates/sources/fetch-rates.ts'
import { rotateKeys } from '../../engine/key-rotation/rotate-keys.ts'
import { countHours } from '../../engine/payments/hours/count-hours.ts'
import { expirePayments } from '../../engine/payments/close-payments.ts'
import { pauseFailingRequisites } from '../../engine/requisites/health/automatic-pauses.ts'
import { sendReports } from '../../engine/ledger/reports/send-reports.ts'
import { requestScheduled } from '../../engine/ledger/settlements/request-scheduled.ts'
import { importStatements } from '../../engine/statements/import-statements.ts'
import { pickUpFiles } from '../../engine/statements/pickups/pick-up-files.ts'
import { pickupsKey } from '../../engine/statements/pickups/pickup.ts'
import { bringSeenSourcesBack } from '../../engine/statements/sources/sources.ts'
import { forgetDecisions } from '../../engine/decisions/record-decision.ts'
import { carryOutEarlyReversals } from '../../engine/transfers/reversals/reversals.ts'
import { forgetRequests } from '../../engine/request-log/note-request.ts'
import { bringBindingsBack, bringRequisitesBack } from '../../engine/requisites/bindings/binding.ts'
import { archiveSlots } from '../../engine/requisites/slots.ts'
import { forgetUses } from '../../engine/risk/uses.ts'
import { bringStepsBack } from '../../engine/sandbox/simulate-payments.ts'
import { playSimulatedSteps } from '../../engine/simulation/play-simulated-steps.ts'
import {
  asLoneReport,
  hasTwoPeople,
  moneyDuties,
  findAloneBound,
  findExplainBound,
  findReportBound,
} from '../../engine/members/refuse-one-person.ts'
import { endWaiting } from '../../engine/phones/decide-message.ts'
import { bringMessagesOfPhonesBack, forgetContents, loneOf } from '../../engine/phones/receive-messages.ts'
import { bringTemplatesBack, catchUp } from '../../engine/phones/templates/read-waiting.ts'
import { bringSeenPhonesBack, watchPhones } from '../../engine/phones/phones.ts'
import { cleanMembers } from '../../engine/members/change-member.ts'
import { measureWaiting } from '../../engine/attention/measure-waiting.ts'

/** A job: one round over what is due, which returns how much it did; safe on any number of processes. */
export type Job = {
  readonly name: string
  /** Pause after a round that found nothing. */
  readonly everyMs: number
  /** The key on the change bus that wakes the job early. */
  readonly wakeKey?: string
  /** How many rounds one process may have under way; one by default. */
  readonly atOnce?: number
  /** `signal` says that the process stops: work that may take long should end. */
  run(context: Context, signal?: AbortSignal): Promise<number>
  /** Whether it does what time brings about, and so waits while the clocks differ. */
  readonly isTimed?: true
  /** Ends what a round has left under way; called after the last round. */
  stop?(context: Context): Promise<void>
}

/** Lets what a clock that was ahead has planned come now, and what has happened count from now on. */
const correctTimes = async (context: Context): Promise<number> => {
  const all = [
    ...[restartLanes, bringAckRemindersBack, bringDisputeRemindersBack, bringMessagesBack, bringStepsBack],
    ...[bringSeenPhonesBack, bringSeenSourcesBack, bringMessagesOfPhonesBack, bringTemplatesBack],
    ...[bringBindingsBack, bringRequisitesBack],
  ]
  let done = 0
  for (const correct of all) done += await correct(context)
  return done
}

/** Imports statements; what one person alone reports and explains has that person's bounds. */
export const runImports = (context: Context): Promise<number> =>
  importStatements(context, {
    report: (tx, by) => findReportBound(context, tx, by),
    explain: (tx, by) => findAloneBound(context, tx, by),
    byRules: (tx, by) => findExplainBound(context, by)(tx),
  })

/** Reads waiting messages with templates that were taught; what they bring has the bounds of their phones. */
const readWithTaught = (context: Context): Promise<number> =>
  catchUp(
    context,
    loneOf((tx, by) => asLoneReport(context, tx, by)),
  )

export const jobs: readonly Job[] = [
  { name: 'expire-payments', everyMs: 500, isTimed: true, run: expirePayments },
  { name: 'archive-slots', everyMs: 10 * minute, isTimed: true, run: archiveSlots },
  { name: 'open-service-disputes', everyMs: 2 * second, isTimed: true, run: openServiceDisputes },
  { name: 'open-claimed-disputes', everyMs: 10 * second, isTimed: true, run: openClaimedDisputes },
  { name: 'remind-disputes', everyMs: minute, isTimed: true, run: remindDisputes },
  { name: 'remove-stray-files', everyMs: 6 * hour, isTimed: true, run: removeStrayFiles },
  { name: 'pause-failing-requisites', everyMs: 5 * minute, isTimed: true, run: pauseFailingRequisites },
  { name: 'forget-payer-uses', everyMs: 10 * minute, isTimed: true, run: forgetUses },
  { name: 'forget-link-addresses', everyMs: 10 * minute, isTimed: true, run: forgetAddresses },
  { name: 'request-settlements', everyMs: minute, isTimed: true, run: requestScheduled },
  { name: 'send-reports', everyMs: minute, isTimed: true, run: sendReports },
  { name: 'count-payment-hours', everyMs: 10 * second, isTimed: true, run: countHours },
  { name: 'import-statements', everyMs: 1000, wakeKey: 'statements', run: runImports },
  {
    ...{ name: 'pick-up-files', everyMs: 5 * second, wakeKey: pickupsKey, isTimed: true, run: pickUpFiles },
    // A server that does not answer keeps only one of them waiting.
    atOnce: 4,
  },
  { name: 'end-waiting-messages', everyMs: 5 * second, isTimed: true, run: endWaiting },
  { name: 'read-waiting-messages', everyMs: 10 * second, isTimed: true, run: readWithTaught },
  { name: 'watch-phones', everyMs: 30 * second, isTimed: true, run: watchPhones },
  { name: 'forget-messages', everyMs: 10 * minute, isTimed: true, run: forgetContents },
  { name: 'carry-out-early-reversals', everyMs: 10 * second, run: carryOutEarlyReversals },
  { name: 'play-simulated-steps', everyMs: 250, wakeKey: 'sandbox', run: (context) => playSimulatedSteps(context) },
  { name: 'remind-of-acks', everyMs: 2 * second, isTimed: true, run: remindOfAcks },
  { name: 'queue-deliveries', everyMs: 500, wakeKey: notificationsKey, run: queueDeliveries },
  {
    name: 'deliver-notifications',
    everyMs: 250,
    wakeKey: deliveriesKey,
    run: deliverNotifications,
    stop: stopDelivering,
  },
  { name: 'correct-times', everyMs: minute, isTimed: true, run: correctTimes },
  { name: 'forget-requests', everyMs: 10 * minute, isTimed: true, run: forgetRequests },
  { name: 'clean-deliveries', everyMs: 10 * minute, isTimed: true, run: cleanDeliveries },
  {
    name: 'fetch-rates',
    everyMs: second,
    run: (context) => fetchRates(context, () => context.transaction((tx) => hasTwoPeople(context, tx, moneyDuties))),
  },
  { name: 'clean-rate-fetches', everyMs: 10 * minute, isTimed: true, run: cleanFetches },
  { name: 'evaluate-alerts', everyMs: second, run: (context) => evaluateAlerts(context, 'quick') },
  { name: 'evaluate-slow-alerts', everyMs: 10 * second, run: (context) => evaluateAlerts(context, 'slow') },
  { name: 'send-alerts', everyMs: second, wakeKey: alertsKey, run: sendAlerts },
  { name: 'clean-alerts', everyMs: 10 * minute, isTimed: true, run: cleanAlerts },
  { name: 'clean-members', everyMs: 10 * minute, isTimed: true, run: cleanMembers },
  { name: 'rotate-keys', everyMs: 5 * second, run: rotateKeys },
  { name: 'forget-decisions', everyMs: 10 * minute, isTimed: true, run: forgetDecisions },
]

/** Longest pause of a job that keeps failing. */
const maxPauseMs = 30_000
/** Longest pause while the database is unreachable: what was due meanwhile is late anyway. */
const maxOutagePauseMs = 2000

type Loop = {
  readonly context: Context
  readonly job: Job
  readonly progress: JobProgress
  readonly signal: AbortSignal
}

const pause = ({ context, job, signal }: Loop, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    const unsubscribe = job.wakeKey === undefined ? () => undefined : context.changes.subscribe(job.wakeKey, done)
    signal.addEventListener('abort', done)
  })

const loop = async (each: Loop): Promise<void> => {
  const { context, job, progress, signal } = each
  let failures = 0
  while (!signal.aborted) {
    let done = 0
    const startedAt = context.ticks()
    try {
      const mayRun = !job.isTimed || context.isTimeCertain()
      done = mayRun ? await job.run(context, signal) : 0
      failures = 0
      progress.succeeded(job, done, startedAt)
    } catch (error) {
      failures++
      progress.failed(job, startedAt)
      // An outage already has its own line.
      const level = context.outage() > 0 ? 'debug' : 'warn'
      context.log[level]({ err: error, job: job.name, failures }, 'job failed, will try again')
    }
    // A signal that was aborted before would not wake the pause.
    if (done > 0 || signal.aborted) continue
    const { everyMs } = job
    const most = failures > 0 && context.outage() > 0 ? maxOutagePauseMs : maxPauseMs
    const again = Math.min(everyMs * 2 ** Math.min(failures, 10), most)
    await pause(each, Math.max(everyMs, again))
  }
  await job
    .stop?.(context)
    .catch((error: unknown) => context.log.warn({ err: error, job: job.name }, 'job did not end'))
}

/** Starts all jobs; the returned function stops them and resolves when the current rounds have ended. */
export const startJobs = (context: Context): (() => Promise<void>) => {
  const stop = new AbortController()
  const progress = measureJobs(context)
  const endReadings = measureWaiting(context)
  const rounds = jobs.flatMap((job) => Array.from({ length: job.atOnce ?? 1 }, () => job))
  const running = rounds.map((job) => loop({ context, job, progress, signal: stop.signal }))
  return async () => {
    stop.abort()
    await Promise.all(running)
    progress.end()
    endReadings()
  }
}

/** Records how the rounds of jobs end, each with its start time. */
type JobProgress = {
  succeeded(job: Job, done: number, startedAt: number): void
  failed(job: Job, startedAt: number): void
  /** Stops reporting the lag: jobs that no longer run are not late. */
  end(): void
}

/** Starts measuring jobs, including their lag at each scrape. */
const measureJobs = (context: Context): JobProgress => {
  const { meter, ticks, clock } = context
  const begun = ticks()
  const lastSuccess = new Map<string, number>()
  const note = (job: Job, result: 'done' | 'failed', startedAt: number): void => {
    meter.count('payin_job_rounds_total', { job_name: job.name, result })
    meter.observe('payin_job_round_duration_seconds', { job_name: job.name }, (ticks() - startedAt) / 1000)
  }
  // A round that finds nothing leaves no span: there are dozens a second.
  const trace = (job: Job, done: number, startedAt: number, failure?: string): void =>
    context.spans?.note(
      `job ${job.name}`,
      { 'payin.job': job.name, 'payin.job.items': done },
      { ms: ticks() - startedAt, ...(failure !== undefined && { failure }) },
    )
  const end = meter.onScrape(() =>
    jobs.map(({ name, everyMs }) => {
      const late = ticks() - (lastSuccess.get(name) ?? begun) - everyMs
      return { name: 'payin_job_lag_seconds', labels: { job_name: name }, value: Math.max(late, 0) / 1000 } as const
    }),
  )
  return {
    succeeded: (job, done, startedAt) => {
      note(job, 'done', startedAt)
      if (done > 0) {
        meter.count('payin_job_items_total', { job_name: job.name }, done)
        trace(job, done, startedAt)
      }
      lastSuccess.set(job.name, ticks())
      meter.set('payin_job_last_success_timestamp_seconds', { job_name: job.name }, clock() / 1000)
    },
    failed: (job, startedAt) => {
      note(job, 'failed', startedAt)
      trace(job, 0, startedAt, 'failed')
    },
    end,
  }
}

import type { Context } from '../../engine/context.ts'

/** A job, as far as it matters here. */
type Job = { readonly name: string; readonly everyMs: number }

/** Records how the rounds of jobs end, each with its start time. */
export type JobProgress = {
  succeeded(job: Job, done: number, startedAt: number): void
  failed(job: Job, startedAt: number): void
  /** Stops reporting the lag: jobs that no longer run are not late. */
  end(): void
}

/** Starts measuring jobs, including their lag at each scrape. */
export const measureJobs = (context: Context, jobs: readonly Job[]): JobProgress => {
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

import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberSource, parseJsonBody } from '../../src/http/routes/json-body.ts'
import { readStatement } from 'bank-files'
import { type Check, compare, type Measure, type Sample } from '../measure.ts'
import { checkInvariants } from '../rig/check-creates.ts'
import { watchCpu } from '../rig/cpu.ts'
import { fillPayments } from '../rig/fill-payments.ts'
import type { Bench, Database } from '../rig/open-bench.ts'
import { askOperator, startPayin, uploadStatement } from '../rig/payin.ts'
import type { Server } from '../rig/processes.ts'
import { keepRows, restoreRows, writeRows } from '../yardsticks/bare-rows.ts'

const perReport = 1000
/** A feed sends the next report before the previous one is answered. */
const inFlight = 2
/** Every hundredth transfer is for no payment: its match is searched among all that wait on its requisite. */
const strangerEvery = 100

export type Transfer = {
  readonly requisiteId: string
  readonly amount: number
  readonly bookedAt: string
  readonly bankReference: string
  readonly sender: string
}
export type Report = { readonly body: string; readonly transfers: readonly Transfer[] }

/**
 * The reports of a bank with the money of all payments in the database, in random order, mixed with strangers'
 * transfers. Two payments of each requisite stay open: a single one would be given any money.
 */
export const writeReports = async (database: Database): Promise<Report[]> => {
  const rows = await database.query<{ requisite_id: string; amount: string }>(
    `select requisite_id, amount from (
      select requisite_id, amount, id, row_number() over (partition by requisite_id order by id) as place from payments
    ) as placed where place > 2 order by md5(id::text)`,
  )
  const bookedAt = new Date().toISOString()
  const transfers = rows.map(({ requisite_id: requisiteId, amount }, index) => ({
    requisiteId,
    amount: Number(amount) / 100 + (index % strangerEvery === 0 ? 1_000_000 : 0),
    currency: 'rub',
    bookedAt,
    bankReference: `bench-${index}`,
    sender: `+79${String(index).padStart(9, '0')}`,
  }))
  return Array.from({ length: Math.ceil(transfers.length / perReport) }, (_, index) => {
    const part = transfers.slice(index * perReport, (index + 1) * perReport)
    return { body: JSON.stringify({ transfers: part }), transfers: part }
  })
}

const residentMegabytes = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

type Run = { readonly seconds: number; readonly firstMegabytes: number; readonly mostMegabytes: number }

const send = async (server: Server, reports: readonly Report[]): Promise<Run> => {
  const resident: number[] = []
  const started = performance.now()
  let next = 0
  const feed = async (): Promise<void> => {
    for (let report = reports[next++]; report; report = reports[next++]) {
      await askOperator(server, 'transfers', report.body)
      resident.push(residentMegabytes(server.pids[0]))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, feed))
  const seconds = (performance.now() - started) / 1000
  // By a fifth of the reports, the code is compiled and the heap has reached its size.
  const steady = resident.slice(Math.floor(resident.length / 5))
  return { seconds, firstMegabytes: steady[0] ?? NaN, mostMegabytes: Math.max(...steady) }
}

/** The same transfers as a bank's file. */
const writeStatement = (reports: readonly Report[]): Blob => {
  const header = 'date;amount;account;reference;payer account;description\n'
  const rows = reports.map(({ transfers }) =>
    transfers
      .map(({ bookedAt, amount, requisiteId, bankReference, sender }) =>
        [bookedAt, `+${amount.toFixed(2)}`, requisiteId, bankReference, sender, 'Transfer'].join(';'),
      )
      .join('\n'),
  )
  return new Blob([header, rows.join('\n')])
}

/** The least that reading the file costs: its rows are recognised and discarded. */
const parseStatement = async (reports: readonly Report[]): Promise<number> => {
  const file = writeStatement(reports)
  let rows = 0
  const none = (): void => undefined
  const sink = { row: () => void rows++, skip: none, balance: none, fault: none, flush: async () => undefined }
  const started = performance.now()
  await readStatement(file.stream(), null, sink)
  return rows / ((performance.now() - started) / 1000)
}

type Import = Run & { readonly readSeconds: number }

/** Imports the reports as one statement, from its first byte to the last recorded transfer. */
const importStatement = async (server: Server, reports: readonly Report[]): Promise<Import> => {
  const requisites = new Set(reports.flatMap(({ transfers }) => transfers.map((transfer) => transfer.requisiteId)))
  for (const requisiteId of requisites)
    await askOperator(
      server,
      'statement-accounts',
      JSON.stringify({ accounts: [{ number: requisiteId, requisiteIds: [requisiteId] }] }),
      'PUT',
    )
  const file = writeStatement(reports)
  const resident: number[] = []
  const started = performance.now()
  const since = (): number => (performance.now() - started) / 1000
  const watch = setInterval(() => resident.push(residentMegabytes(server.pids[0])), 100)
  const { id } = await uploadStatement(server, file)
  const readSeconds = since()
  await askOperator(server, `statements/${id}/confirm`, '{}')
  for (let state = 'importing'; state === 'importing'; ) {
    await sleep(100)
    state = ((await askOperator(server, `statements/${id}`)) as { state: string }).state
  }
  clearInterval(watch)
  const steady = resident.slice(Math.floor(resident.length / 5))
  return { seconds: since(), readSeconds, firstMegabytes: steady[0] ?? NaN, mostMegabytes: Math.max(...steady) }
}

/** The least that reading the reports costs: parsing their JSON with exact amounts. */
const parseOnly = (reports: readonly Report[]): number => {
  const started = performance.now()
  for (const { body } of reports) {
    const { transfers } = parseJsonBody(Buffer.from(body)) as { transfers: object[] }
    for (const transfer of transfers) numberSource(transfer, 'amount')
  }
  return (performance.now() - started) / 1000
}

export const checkMoney = async (database: Database, sent: number): Promise<Check[]> => {
  const [row] = await database.query<{ paid: number; cases: number; credited: number }>(
    `select (select count(*)::integer from payments where status = 'paid') as paid,
      (select count(*)::integer from suspense_cases where resolved_at is null) as cases,
      (select count(distinct payment_id)::integer from ledger_postings where credit_account like 'merchant:%:available') as credited`,
  )
  const strangers = Math.ceil(sent / strangerEvery)
  const text = `${sent} transfers: ${row?.paid} payments paid and ${row?.credited} credited, ${row?.cases} transfers in the inbox`
  const ok = row?.paid === sent - strangers && row.credited === row.paid && row.cases === strangers
  return [{ text, ok }]
}

type Credited = {
  readonly credited: Sample & { details: Run }
  readonly written: Sample & { details: { rowsEach: number } }
  readonly parsed: Sample
  readonly checks: readonly Check[]
}

const creditOnce = async (bench: Bench, count: number): Promise<Credited> => {
  await using database = await bench.createDatabase()
  await fillPayments(bench, database, count)
  await database.query('vacuum analyze')
  const reports = await writeReports(database)
  const sent = reports.reduce((total, report) => total + report.transfers.length, 0)
  await keepRows(database)
  const ran = await creditReports(bench, database, reports, sent)
  bench.say('P5: the same rows again')
  const kept = await restoreRows(database)
  const watched = { pids: [], postmaster: bench.postmaster }
  const written = await watchCpu(watched, cpus().length, () => writeRows(database, kept, reports.length))
  return {
    ...ran,
    written: { value: sent / written.result, answers: sent, cpu: written.cpu, details: { rowsEach: kept.rows / sent } },
    parsed: { value: sent / parseOnly(reports) },
  }
}

export const creditReports = async (
  bench: Bench,
  database: Database,
  reports: readonly Report[],
  sent: number,
): Promise<Pick<Credited, 'credited' | 'checks'>> => {
  await using server = await startPayin(database, bench.signal)
  bench.say(`P5: ${sent} transfers`)
  const watched = { pids: server.pids, postmaster: bench.postmaster }
  const { result, cpu } = await watchCpu(watched, cpus().length, () => send(server, reports))
  return {
    credited: { value: sent / result.seconds, answers: sent, cpu, details: result },
    checks: [...(await checkMoney(database, sent)), await checkInvariants(server)],
  }
}

const importOnce = async (
  bench: Bench,
  count: number,
): Promise<{ imported: Sample & { details: Import }; parsed: Sample; checks: Check[] }> => {
  await using database = await bench.createDatabase()
  await fillPayments(bench, database, count)
  await database.query('vacuum analyze')
  const reports = await writeReports(database)
  const sent = reports.reduce((total, report) => total + report.transfers.length, 0)
  await using server = await startPayin(database, bench.signal)
  bench.say(`P5: a statement of ${count} rows`)
  const watched = { pids: server.pids, postmaster: bench.postmaster }
  const { result, cpu } = await watchCpu(watched, cpus().length, () => importStatement(server, reports))
  return {
    imported: { value: sent / result.seconds, answers: sent, cpu, details: result },
    parsed: { value: await parseStatement(reports) },
    checks: [...(await checkMoney(database, sent)), await checkInvariants(server)],
  }
}

/**
 * P5: how many transfers per second are recorded, matched, credited in the ledger and notified, from a bank's reports
 * to the last answer, and that memory does not grow. Compared with only parsing the rows.
 */
export const crediting: Measure = {
  id: 'P5',
  title: 'transfers matched and credited',
  run: async (bench) => {
    const count = bench.quick ? 10_000 : 100_000
    const runs: Awaited<ReturnType<typeof creditOnce>>[] = []
    const imports: Awaited<ReturnType<typeof importOnce>>[] = []
    for (let round = 1; round <= bench.rounds; round++) {
      runs.push(await creditOnce(bench, count))
      imports.push(await importOnce(bench, count))
    }
    const statements = { name: 'Payin, from one statement', samples: imports.map((run) => run.imported) }
    const read = { name: 'rows parsed only', samples: imports.map((run) => run.parsed) }
    const credited = { name: 'Payin', samples: runs.map((run) => run.credited) }
    const written = { name: 'the same rows, written bare', samples: runs.map((run) => run.written) }
    const parsed = { name: 'rows parsed only', samples: runs.map((run) => run.parsed) }
    return [
      {
        title: `${count} transfers in reports of ${perReport}`,
        unit: 'transfers/s',
        series: [credited, written, parsed],
        verdicts: [
          {
            text: 'of 10 000 transfers/s',
            unit: '×',
            values: credited.samples.map(({ value }) => value / 10_000),
          },
          {
            text: 'most memory, compared with that after a fifth of the reports',
            unit: '×',
            values: credited.samples.map(({ details }) => details.mostMegabytes / details.firstMegabytes),
            goal: { atMost: 1.5 },
          },
          {
            text: 'resident at most',
            unit: 'MB',
            values: credited.samples.map(({ details }) => details.mostMegabytes),
          },
          compare('of the same rows, written bare', credited, written, { atLeast: 0.12 }),
          compare('of the rows parsed only', credited, parsed),
        ],
        checks: runs.flatMap(({ checks }) => checks),
      },
      {
        title: `a statement of ${count} rows, uploaded, read, confirmed and imported`,
        unit: 'transfers/s',
        series: [statements, credited, read],
        verdicts: [
          {
            text: 'of 10 000 transfers/s',
            unit: '×',
            values: statements.samples.map(({ value }) => value / 10_000),
          },
          compare('of the same rows, written bare', statements, written, { atLeast: 0.07 }),
          {
            text: 'most memory, compared with that after a fifth of the time',
            unit: '×',
            values: statements.samples.map(({ details }) => details.mostMegabytes / details.firstMegabytes),
            goal: { atMost: 1.5 },
          },
          {
            text: 'of the time: upload and preview',
            unit: '×',
            values: statements.samples.map(({ details }) => details.readSeconds / details.seconds),
          },
          {
            text: 'resident at most',
            unit: 'MB',
            values: statements.samples.map(({ details }) => details.mostMegabytes),
          },
          compare('of the rows parsed only', statements, read),
        ],
        checks: imports.flatMap(({ checks }) => checks),
      },
    ]
  },
}

// `node bench/payer-page.ts`: P7 (open pages: memory of each, and how long a change takes to reach the page) and P11
// (whole pages per second of one processor core). On PostgreSQL where the tests find one, else on the embedded engine.
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../test/support/postgres.ts'
import { freePort, startProcess } from '../test/support/process.ts'
import { createEmptyPostgres } from '../test/support/templates.ts'

const openPages = Number(process.argv[2] ?? 5000)
const pageSeconds = 5
const ticksPerSecond = 100

type Page = { readonly orderId: string; readonly path: string }

const postgres = await startPostgres()
const database = 'url' in postgres ? await createEmptyPostgres(postgres.url) : undefined
const dataDir = mkdtempSync(join(tmpdir(), 'payin-bench-'))
const port = await freePort()
const service = await startProcess({
  PORT: String(port),
  PAYIN_DATA_DIR: dataDir,
  PAYIN_LOG_LEVEL: 'silent',
  PAYIN_RATE_LIMIT: '0',
  PAYIN_PAGE_RATE_LIMIT: '0',
  PAYIN_PAGE_STREAMS: '0',
  ...(database ? { DATABASE_URL: database.url } : {}),
})
const pid = service.child.pid ?? 0
const [token] = /payin_test_\w+/.exec(service.output()) ?? []
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

const call = async (path: string, body: object): Promise<{ redirectUrl: string }> => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/merchant/payments${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { redirectUrl: string }
}

/** Reads a page, or answers `undefined` when it is still the one with the tag. */
const read = (path: string, tag?: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const condition = tag === undefined ? {} : { 'if-none-match': tag }
    get({ host: '127.0.0.1', port, path, agent, headers: condition }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => {
        if (answer.statusCode === 200 || answer.statusCode === 304) resolve(text === '' ? undefined : text)
        else reject(new Error(`${path}: ${answer.statusCode}`))
      })
    }).on('error', reject)
  })

const inParallel = async (count: number, width: number, work: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

const memory = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024

/** Processor seconds of the service, all its threads. */
const processorSeconds = (): number => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

const createPages = async (): Promise<Page[]> => {
  const pages: Page[] = []
  await inParallel(openPages, 64, async (index) => {
    const amount = Number(`${100 + Math.floor(index / 80)}.${10 + (index % 80)}`)
    const orderId = `page-${index}`
    const order = { type: 'direct', amount, orderId, currency: 'rub', method: 'sbp', locale: 'en' }
    pages.push({ orderId, path: new URL((await call('', order)).redirectUrl).pathname })
  })
  return pages
}

/** P11: whole pages, one after the other on 64 connections. */
const measurePages = async (pages: readonly Page[]): Promise<void> => {
  const load = async (seconds: number): Promise<number> => {
    const until = performance.now() + seconds * 1000
    let done = 0
    await inParallel(Number.POSITIVE_INFINITY, 64, async (index) => {
      if (performance.now() > until) throw new Error('over')
      await read(pages[index % pages.length]?.path ?? '')
      done++
    }).catch((error: Error) => {
      if (error.message !== 'over') throw error
    })
    return done
  }
  await load(3)
  const before = processorSeconds()
  const done = await load(pageSeconds)
  const spent = processorSeconds() - before
  const bytes = Buffer.byteLength((await read(pages[0]?.path ?? '')) ?? '')
  console.log(
    `P11  ${Math.round(done / spent)} pages/s per core of the service (goal 3000), ${Math.round(done / pageSeconds)} pages/s beside the generator, ${bytes} bytes each`,
  )
}

/** P7: pages with open streams, each of which reads itself anew when it is told of a change. */
const measureStreams = async (pages: readonly Page[]): Promise<void> => {
  const changedAt = new Map<string, number>()
  const took: number[] = []
  let ready = 0
  await sleep(2000)
  const before = memory()
  await inParallel(pages.length, 50, async (index) => {
    const page = pages[index]
    if (!page) return
    await new Promise<void>((resolve, reject) => {
      let tag = ''
      get({ host: '127.0.0.1', port, path: `${page.path}/events`, agent: false }, (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`stream: ${answer.statusCode}`))
        answer.setEncoding('utf8').on('data', (part: string) => {
          if (part.includes('retry:')) {
            tag = /data: (.*)/.exec(part)?.[1] ?? ''
            ready++
            return resolve()
          }
          if (!part.includes('changed')) return
          void read(page.path, tag).then((text) => {
            const latest = /data-tag="([^"]*)"/.exec(text ?? '')?.[1]?.replaceAll('&#34;', '"')
            if (latest === undefined || latest === tag) return
            tag = latest
            took.push(performance.now() - (changedAt.get(page.orderId) ?? Number.NaN))
          })
        })
        // The end of the service ends the streams.
        answer.on('error', () => undefined)
      }).on('error', reject)
    })
  })
  await sleep(3000)
  const each = (memory() - before) / ready
  const from = performance.now()
  await inParallel(pages.length, 32, async (index) => {
    const { orderId = '' } = pages[index] ?? {}
    changedAt.set(orderId, performance.now())
    await call('/byOrderId/cancel', { orderId })
  })
  const seconds = (performance.now() - from) / 1000
  for (let waited = 0; took.length < pages.length && waited < 10_000; waited += 100) await sleep(100)
  console.log(
    `P7   ${ready} open pages, ${(each / 1024).toFixed(1)} kB each (goal 20); ${took.length} changes in ${seconds.toFixed(1)} s reached their pages: p50 ${percentile(took, 0.5).toFixed(0)} ms, p99 ${percentile(took, 0.99).toFixed(0)} ms (goal 1000), from the request of the change to the new page in hand`,
  )
}

try {
  console.log(`     engine: ${database ? 'postgres' : 'embedded'}`)
  const pages = await createPages()
  await measurePages(pages)
  await measureStreams(pages)
} finally {
  await service.end('SIGKILL')
  await database?.drop()
  if ('stop' in postgres) await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
  process.exit()
}

import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Measure } from '../measure.ts'
import { checkAnswers } from '../rig/check-creates.ts'
import { underLoad } from '../rig/load.ts'
import { openOrders } from '../rig/open-orders.ts'
import { startPayin } from '../rig/payin.ts'
import { takeTurns } from '../rig/take-turns.ts'

const pages = 1000
const mostBytes = 30_000

/** The bytes that a browser loads for one page: HTML, style, script and pictures. */
const weigh = async (url: string, path: string): Promise<number> => {
  const html = await (await fetch(url + path)).text()
  const parts = [...html.matchAll(/(?:href|src)="(\/[^"]+\.(?:css|js|svg|png|ico))"/g)].map((match) => match[1] ?? '')
  const sizes = await Promise.all(
    [...new Set(parts)].map(async (part) => (await (await fetch(url + part)).arrayBuffer()).byteLength),
  )
  return sizes.reduce((total, size) => total + size, Buffer.byteLength(html))
}

/** P11: how many payer pages one core of the service renders per second, and how many bytes a page loads in total. */
export const payerPages: Measure = {
  id: 'P11',
  title: 'payer pages',
  run: async (bench) => {
    await using database = await bench.createDatabase()
    await using payin = await startPayin(database, bench.signal)
    const orders = await openOrders(bench, payin, pages)
    const paths = join(bench.folder, 'paths.txt')
    writeFileSync(paths, orders.map(({ path }) => `${path}\n`).join(''))
    const load = underLoad(bench, 'Payin', payin, {
      script: 'pages',
      connections: 64,
      environment: { LOAD_PATHS: paths },
    })
    const [series] = await takeTurns(bench, 'P11', [load])
    const samples = series?.samples ?? []
    // Without /proc the service's share of the processors is unknown: one whole core is assumed.
    const perCore = samples.map(({ value, cpu }) => value / (cpu === undefined ? 1 : cpu.node * cpus().length))
    const bytes = await weigh(payin.url, orders[0]?.path ?? '')
    return [
      {
        title: `whole pages, 64 connections, ${pages} payments`,
        unit: 'pages/s',
        series: series ? [series] : [],
        verdicts: [
          {
            text: 'of 3 000 pages/s for each core of the service',
            unit: '×',
            values: perCore.map((value) => value / 3000),
            goal: { atLeast: 1 },
          },
        ],
        checks: [
          checkAnswers(load.loads),
          { text: `${bytes} bytes in total (goal ≤ ${mostBytes})`, ok: bytes <= mostBytes },
        ],
      },
    ]
  },
}

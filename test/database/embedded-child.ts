// A process of its own for embedded.test.ts: opens the directory, then writes rows and prints each id once it is
// committed.
import pg from 'pg'
import { openEmbedded } from 'payin-database/open'

const [dataDir = '', firstId = '0'] = process.argv.slice(2)
try {
  const engine = await openEmbedded({ dataDir, queryTimeoutMs: 10_000 })
  const client = new pg.Client({ stream: () => engine.createStream() })
  await client.connect()
  process.stdout.write('open\n')
  await client.query('create table if not exists written (id bigint primary key, filler text)')
  for (let id = Number(firstId); ; id += 2) {
    await client.query({
      name: 'insert',
      text: 'insert into written values ($1::bigint, $3), ($2::bigint, $3)',
      values: [id, id + 1, 'x'.repeat(id % 2000)],
    })
    process.stdout.write(`${id}\n`)
  }
} catch (error) {
  process.stdout.write(`refused ${(error as Error).message}\n`)
  process.exitCode = 1
}

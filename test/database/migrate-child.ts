// Migrates the database at argv[2], or the embedded one in argv[3], with the folder argv[4] once a line arrives, and prints
// what it applied. The last line is all of it, as JSON.
import { once } from 'node:events'
import { migrate } from 'payin-database/migrations'
import { openDatabase } from 'payin-database/open'

const [, , url = '', dataDir = '', folder = ''] = process.argv
const database = await openDatabase({
  url: url === '' ? undefined : url,
  dataDir,
  poolSize: 2,
  preparedStatements: true,
  queryTimeoutMs: 30_000,
})
console.log('ready')
await once(process.stdin, 'data')
const onLog = (message: string): void => {
  if (url === '') console.log(message)
  // What a migration waits for, on the other engine: the output of a test that fails then says it.
  else if (/ (?:waits|makes way)\b/.test(message)) console.error(message)
}
console.log(JSON.stringify(await migrate(database, folder, { onLog })))
await database.close()
process.exit()

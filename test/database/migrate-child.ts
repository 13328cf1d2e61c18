// Migrates the database at argv[2] with the folder argv[3] once a line arrives, and prints what it applied.
import { once } from 'node:events'
import { openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'

const [, , url = '', folder = ''] = process.argv
const options = { url, dataDir: '', poolSize: 2, preparedStatements: true, queryTimeoutMs: 30_000 }
const database = await openDatabase(options)
console.log('ready')
await once(process.stdin, 'data')
console.log(JSON.stringify(await migrate(database, folder)))
await database.close()
process.exit()

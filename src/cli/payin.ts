import { randomUUID } from 'node:crypto'
import { run } from './run.ts'

const { stdin, stdout, stderr } = process

// `payin … | head` ends the reader first.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  input: stdin,
  output: stdout,
  errors: stderr,
  columns: stdout.isTTY ? stdout.columns : undefined,
  isBold: stdout.isTTY && stdout.hasColors(),
  showsProgress: stderr.isTTY,
  clock: Date.now,
  newId: randomUUID,
})

#!/usr/bin/env node
import './require-node.ts'
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { run } from './run.ts'

const { stdin, stdout, stderr } = process

// In `payin … | head` the reader ends first.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

let ending: AbortController | undefined

/** The first signal ends the command cleanly, the next one immediately. */
const ended = (): AbortSignal => {
  if (ending === undefined) {
    const controller = new AbortController()
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => controller.abort())
    ending = controller
  }
  return ending.signal
}

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  installation: resolve(import.meta.dirname, '..', '..'),
  input: stdin,
  output: stdout,
  errors: stderr,
  columns: stdout.isTTY ? stdout.columns : undefined,
  isBold: stdout.isTTY && stdout.hasColors(),
  showsProgress: stderr.isTTY,
  clock: Date.now,
  newId: randomUUID,
  ended,
})

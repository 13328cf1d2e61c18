import fs from 'node:fs'
import pino, { type DestinationStream, type Logger } from 'pino'
import type { Settings } from '../settings/config.ts'

/**
 * Lines are written together: at the latest after a tenth of a second, and at the end of the process. Writing each of
 * them took 7 of the 96 µs of a create by 64 connections, and 55 of 454 by one (medians of Node.js's processor time).
 */
const together = { characters: 8192, everyMs: 100 }

/** Characters that wait while nothing can be written, such as on a full disk; further lines are lost. */
const mostWaiting = 1024 * 1024

/** How often the end of the process tries to write to a pipe that is full, and pauses. */
const lastTries = { most: 100, pauseMs: 10 }

/**
 * Writes lines to an open file. One that takes nothing, because its disk is full or its reader is gone, stops neither the
 * service nor the end of the process, which pino's own destination does.
 */
export class LogFile implements DestinationStream {
  readonly #file: number
  #waiting = ''
  #writing: Uint8Array = new Uint8Array()
  #state: 'ready' | 'writing' | 'failing' = 'ready'
  #lost = 0
  /** Called once everything is written again, with the number of lines that are lost. */
  onLost: (lines: number) => void = () => undefined

  constructor(file: number) {
    this.#file = file
    setInterval(() => this.#flush(), together.everyMs).unref()
    process.once('exit', () => this.flushSync())
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > mostWaiting) this.#lost++
    else this.#waiting += line
    if (this.#waiting.length >= together.characters && this.#state === 'ready') this.#flush()
  }

  /** Writes what can be written now. */
  flushSync(): void {
    // The rest of what is being written is not known.
    let left = Buffer.concat([this.#state === 'writing' ? new Uint8Array() : this.#writing, Buffer.from(this.#waiting)])
    this.#waiting = ''
    if (this.#state !== 'writing') this.#writing = new Uint8Array()
    for (let tries = 0; left.length > 0 && tries < lastTries.most; tries++)
      try {
        left = left.subarray(fs.writeSync(this.#file, left))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastTries.pauseMs)
      }
  }

  #flush(): void {
    if (this.#state === 'writing') return
    if (this.#writing.length === 0) {
      this.#writing = Buffer.from(this.#waiting)
      this.#waiting = ''
    }
    if (this.#writing.length === 0) return
    this.#state = 'writing'
    fs.write(this.#file, this.#writing, (error, written) => {
      this.#state = error ? 'failing' : 'ready'
      if (error) return
      this.#writing = this.#writing.subarray(written)
      if (this.#writing.length > 0 || this.#waiting.length >= together.characters) return this.#flush()
      const lost = this.#lost
      this.#lost = 0
      if (lost > 0) this.onLost(lost)
    })
  }
}

/** The log of the process, on standard error: standard output is only for the banner. */
export const openLog = (
  { logLevel: level }: Pick<Settings, 'logLevel'>,
  destination: DestinationStream = new LogFile(2),
): Logger => {
  const log = pino(
    {
      level,
      base: null,
      redact: ['req.headers', 'token', 'authorization', '*.token', '*.authorization'],
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
    },
    destination,
  )
  if (destination instanceof LogFile)
    destination.onLost = (lines) => log.warn({ lines }, 'lines of the log are lost: nothing could be written')
  return log
}

import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { Duplex } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { WorkerAnswer, WorkerRequest, WorkerSettings } from './embedded-worker.ts'
import { lockDirectory } from './lock-directory.ts'

/**
 * The directory of the embedded database and the time limit for one message of a client; `withoutFsync` exists for the
 * control of the start-up check.
 */
export type EmbeddedOptions = {
  readonly dataDir: string
  readonly queryTimeoutMs: number
  /** How many files the engine may keep open, at least 64; default: PostgreSQL's own limit. */
  readonly maxFiles?: number | undefined
  readonly onLog?: (message: string) => void
  readonly withoutFsync?: boolean
  /** What a new database is a copy of: a tar of the files of a cluster; default, and if it is damaged: an empty one. */
  readonly newCluster?: string | undefined
}

/**
 * An open embedded PostgreSQL that only this process holds; it has one session, so the next client's stream connects
 * after the former one has ended.
 */
export type EmbeddedEngine = {
  /** Whether the database is new, and a copy of `newCluster`. */
  readonly isCopy: boolean
  /**
   * A stream for the `stream` option of `pg`; fails with code 57014 if a query ran too long and 57P02 if the engine was
   * lost; the next stream finds the engine reopened.
   */
  createStream(): Duplex
  /** Runs `work` with a longer time limit for clients' messages. */
  patiently<T>(limitMs: number, work: () => Promise<T>): Promise<T>
  /** Writes all changed pages to the data files as soon as no transaction is open, so that a restart is quick. */
  checkpoint(): Promise<void>
  /** Closes the database without a checkpoint, as in a crash, and reopens it: committed work is kept. */
  reopen(reason: string): void
  /** Whether it is open now; otherwise it is being reopened automatically. */
  isOpen(): boolean
  /** How many fsyncs there were since the engine was opened; every commit adds at least one. */
  fsyncs(): number
  /** Checkpoints, closes the database and releases the directory. */
  close(): Promise<void>
}

type Send = (bytes: Uint8Array<ArrayBuffer>, onBytes: (bytes: Uint8Array) => void) => Promise<void>
type Session = { send: Send; lost: Promise<Error>; end(): void }
type Call = { resolve(): void; reject(error: Error): void; onBytes: (bytes: Uint8Array) => void }
type Command = { kind: 'run'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'reset' | 'checkpoint' | 'close' }
type Clock = BigInt64Array<SharedArrayBuffer>

/** The database in its thread; `lost` resolves when the thread has ended, for any reason. */
type Database = {
  call(command: Command, onBytes?: (bytes: Uint8Array) => void): Promise<void>
  readonly isCopy: boolean
  /** Ends the thread immediately. */
  abandon(reason: Error): void
  /** Whether the thread is ending. */
  hasFailed(): boolean
  lost: Promise<Error>
}

/** The engine's code, compiled by the first worker of this process: later ones open in 0.20 instead of 0.34 s. */
let engineCode: WebAssembly.Module | undefined

/** PostgreSQL's own default. */
const mostFiles = 1000
/** Clients wait this long for an engine that is being reopened; after that they are refused until it is open. */
const patienceMs = 10_000
/** Pause before an engine that fails to open is tried again; it doubles up to the longest. */
const retryMs = { first: 250, longest: 4000 }

const databaseError = (code: string, message: string): Error & { code: string } =>
  Object.assign(new Error(message), { code })

const syncDirectory = (path: string): void => {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Creates the directory (mode 0700), and makes it and its parent entries durable; returns its real path. */
const prepareDirectory = (path: string): string => {
  const directory = resolve(path)
  const created = mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  for (let entry = directory; created && entry.startsWith(created); entry = dirname(entry))
    syncDirectory(dirname(entry))
  return realpathSync(directory)
}

const giveAnswer = (calls: Map<number, Call>, answer: Extract<WorkerAnswer, { id: number }>): void => {
  const call = calls.get(answer.id)
  if (!call) return
  if (answer.kind !== 'refused' && answer.bytes && answer.bytes.length > 0) call.onBytes(answer.bytes)
  if (answer.kind === 'bytes') return
  calls.delete(answer.id)
  if (answer.kind === 'refused') call.reject(databaseError('XX000', answer.message))
  else call.resolve()
}

/**
 * Resolves when the database is open, rejects if the thread ends before that; `lost` resolves only after the thread has
 * ended, so two threads never have the files open.
 */
const startDatabase = (options: EmbeddedOptions, clock: Clock, limitMs: () => number): Promise<Database> => {
  const { dataDir, queryTimeoutMs, onLog, withoutFsync = false, newCluster, maxFiles = mostFiles } = options
  // In the package, both files end with .js.
  const worker = new Worker(new URL(`./embedded-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: { dataDir, clock, withoutFsync, newCluster, maxFiles, engineCode } satisfies WorkerSettings,
    name: 'embedded-database',
  })
  const calls = new Map<number, Call>()
  const opened = Promise.withResolvers<Database>()
  const lost = Promise.withResolvers<Error>()
  let lastId = 0
  let reason: Error | undefined

  const call = (command: Command, onBytes: (bytes: Uint8Array) => void = () => {}): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (reason) return Promise.reject(reason)
    const request: WorkerRequest = { ...command, id: ++lastId }
    calls.set(request.id, { resolve, reject, onBytes })
    worker.postMessage(request, request.kind === 'run' ? [request.bytes.buffer] : [])
    return promise
  }

  const abandon = (why: Error): void => {
    reason ??= why
    void worker.terminate()
  }

  // The engine has one thread and no timer: only this process can stop a query, by ending the thread.
  const watchdog = setInterval(
    () => {
      const startedAt = Atomics.load(clock, 0)
      const limit = limitMs()
      if (startedAt === 0n || process.hrtime.bigint() - startedAt < BigInt(Math.ceil(limit * 1e6))) return
      abandon(databaseError('57014', `The query ran longer than ${limit} ms and was stopped.`))
    },
    Math.max(10, Math.min(250, queryTimeoutMs / 4)),
  )
  watchdog.unref()

  worker.on('message', (answer: WorkerAnswer) => {
    if (answer.kind === 'opened') {
      const { isCopy } = answer
      ;({ engineCode } = answer)
      opened.resolve({ isCopy, call, abandon, hasFailed: () => reason !== undefined, lost: lost.promise })
    } else if (answer.kind === 'log') onLog?.(answer.text)
    else if (answer.kind === 'failed') reason ??= databaseError('57P02', answer.message)
    else giveAnswer(calls, answer)
  })
  worker.on('error', (error) => {
    reason ??= databaseError('57P02', `The embedded database crashed: ${String(error)}`)
  })
  worker.on('exit', () => {
    clearInterval(watchdog)
    reason ??= databaseError('57P02', 'The embedded database ended unexpectedly.')
    for (const unanswered of calls.values()) unanswered.reject(reason)
    opened.reject(reason)
    lost.resolve(reason)
  })
  Atomics.store(clock, 0, 0n)
  return opened.promise
}

/** A database that is reopened whenever it is lost, until that succeeds. */
class LastingDatabase {
  readonly #start: () => Promise<Database>
  readonly #onLog: (message: string) => void
  /** The open database, or the one being reopened, for which clients wait up to `patienceMs`. */
  #database: Promise<Database>
  #open: Database | undefined
  #failures = 0
  #retry: NodeJS.Timeout | undefined
  #starting: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(first: Database, start: () => Promise<Database>, onLog: (message: string) => void) {
    this.#start = start
    this.#onLog = onLog
    this.#database = Promise.resolve(first)
    this.#take(first)
  }

  /** The database, now or as soon as it is open. */
  async current(): Promise<Database> {
    if (this.#closed) throw databaseError('57P01', 'The embedded database is closed.')
    const database = await this.#database
    if (!database.hasFailed()) return database
    await database.lost
    return this.#database
  }

  isOpen(): boolean {
    return this.#open?.hasFailed() === false
  }

  abandon(reason: Error): void {
    this.#open?.abandon(reason)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#starting.catch(() => undefined)
    try {
      if (!this.#open) throw new Error('it was not open')
      await this.#open.call({ kind: 'close' })
      await this.#open.lost
    } catch (error) {
      this.#onLog(`The embedded database was not closed cleanly and will recover: ${(error as Error).message}`)
    }
  }

  #take(opened: Database): void {
    this.#open = opened
    this.#failures = 0
    void opened.lost.then((error) => {
      if (this.#closed) return
      this.#open = undefined
      this.#onLog(`The embedded database was lost and is opened again: ${error.message}`)
      this.#reopen()
    })
  }

  #reopen(): void {
    const { promise, resolve, reject } = Promise.withResolvers<Database>()
    promise.catch(() => undefined)
    this.#database = promise
    const late = setTimeout(() => reject(databaseError('57P03', 'The embedded database is being opened.')), patienceMs)
    this.#starting = this.#start().then(
      (opened) => {
        this.#take(opened)
        this.#database = Promise.resolve(opened)
        resolve(opened)
        this.#onLog('The embedded database is open again.')
      },
      (error: Error) => {
        reject(databaseError('57P03', `The embedded database does not open: ${error.message}`))
        const pauseMs = Math.min(retryMs.first * 2 ** this.#failures++, retryMs.longest)
        this.#onLog(`The embedded database does not open and is tried again: ${error.message}`)
        if (!this.#closed) this.#retry = setTimeout(() => this.#reopen(), pauseMs)
      },
    )
    void this.#starting.finally(() => clearTimeout(late))
  }
}

/** Opens sessions of the database one after the other: each begins when the former has ended. */
const createSessions = (database: LastingDatabase): (() => Promise<Session>) => {
  let last: Promise<void> = Promise.resolve()
  return async () => {
    const former = last
    const ended = Promise.withResolvers<void>()
    last = ended.promise
    await former
    try {
      const opened = await database.current()
      return {
        send: (bytes, onBytes) => opened.call({ kind: 'run', bytes }, onBytes),
        lost: opened.lost,
        end: () => void opened.call({ kind: 'reset' }).then(ended.resolve, () => ended.resolve()),
      }
    } catch (error) {
      ended.resolve()
      throw error
    }
  }
}

// One array with its own memory, because only that can be transferred. Drops Terminate ('X'): the stream's end has the
// same meaning.
const joinMessages = (chunks: readonly Buffer[]): Uint8Array<ArrayBuffer> => {
  const messages = chunks.filter((chunk) => !(chunk.length === 5 && chunk[0] === 0x58))
  const bytes = new Uint8Array(messages.reduce((sum, message) => sum + message.length, 0))
  let offset = 0
  for (const message of messages) {
    bytes.set(message, offset)
    offset += message.length
  }
  return bytes
}

// The socket that `pg` gets: each write is sent after the worker has answered the one before, so writes collect
// meanwhile.
class EmbeddedStream extends Duplex {
  #openSession: () => Promise<Session>
  #session: Session | undefined

  constructor(openSession: () => Promise<Session>) {
    super({ decodeStrings: true })
    this.#openSession = openSession
  }

  // Socket methods that the driver calls and that mean nothing here.
  readonly setNoDelay = (): this => this
  readonly setKeepAlive = (): this => this
  readonly ref = (): this => this
  readonly unref = (): this => this

  connect(): this {
    this.#openSession().then(
      (session) => {
        if (this.destroyed) return session.end()
        this.#session = session
        void session.lost.then((error) => this.destroy(error))
        this.emit('connect')
      },
      (error: Error) => this.destroy(error),
    )
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#send([chunk], callback)
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      callback,
    )
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.push(null)
    callback()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#session?.end()
    callback(error)
  }

  #send(chunks: Buffer[], callback: (error?: Error | null) => void): void {
    const bytes = joinMessages(chunks)
    if (!this.#session) return callback(new Error('The stream is not connected.'))
    if (bytes.length === 0) return callback()
    this.#session
      .send(bytes, (answer) => {
        if (!this.destroyed) this.push(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength))
      })
      .then(() => callback(), callback)
  }
}

/**
 * Compiles all WebAssembly of the process with V8's quick compiler only. The engine has a function of 105 kB, its SQL
 * parser, for which the optimizing compiler takes 600 MB for a second at every start (docs/performance.md).
 */
const avoidOptimizing = (): void => {
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
}

/**
 * Opens the database under `dataDir`, and creates it on first use (mode 0700); throws if another process has it, if it
 * is not ours to read, or if commits do not reach the disk.
 */
export const openEmbedded = async (options: EmbeddedOptions): Promise<EmbeddedEngine> => {
  const dataDir = prepareDirectory(options.dataDir)
  const unlock = lockDirectory(dataDir)
  avoidOptimizing()
  const clock: Clock = new BigInt64Array(new SharedArrayBuffer(16))
  const limits = [options.queryTimeoutMs]
  const start = (newCluster?: string) =>
    startDatabase({ ...options, dataDir, newCluster }, clock, () => Math.max(...limits))
  // Only the first time: a database that is gone while the process runs must not seem to be there.
  const first = await start(options.newCluster).catch((error: unknown) => {
    unlock()
    throw error
  })
  const database = new LastingDatabase(first, () => start(), options.onLog ?? (() => undefined))
  const openSession = createSessions(database)
  let closed: Promise<void> | undefined
  return {
    isCopy: first.isCopy,
    createStream: () => new EmbeddedStream(openSession),
    patiently: async (limitMs, work) => {
      limits.push(limitMs)
      return work().finally(() => limits.splice(limits.indexOf(limitMs), 1))
    },
    reopen: (reason) => database.abandon(databaseError('57P02', reason)),
    isOpen: () => database.isOpen(),
    checkpoint: async () => (await database.current()).call({ kind: 'checkpoint' }),
    fsyncs: () => Number(Atomics.load(clock, 1)),
    close: () => (closed ??= database.close().finally(unlock)),
  }
}

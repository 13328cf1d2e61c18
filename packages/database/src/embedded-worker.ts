import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { prepareCluster } from './embedded-cluster.ts'
import { DurableNodeFS } from './embedded-files.ts'

/**
 * The worker's start parameters; `clock` is shared: [start of the running query by process.hrtime or 0, fsyncs so far].
 */
export type WorkerSettings = {
  readonly dataDir: string
  readonly clock: BigInt64Array<SharedArrayBuffer>
  readonly withoutFsync: boolean
  readonly newCluster: string | undefined
  /** How many files the engine may keep open. */
  readonly maxFiles: number
  /**
   * The engine's code from an earlier worker of this process. Functions are compiled when they are first called, and all
   * workers share the result.
   */
  readonly engineCode: WebAssembly.Module | undefined
}

/** A message to the worker; each is answered under its id by any number of `bytes` and then one `done`. */
export type WorkerRequest =
  | { id: number; kind: 'run'; bytes: Uint8Array<ArrayBuffer> }
  | { id: number; kind: 'reset' | 'checkpoint' | 'close' }

/** A message from the worker; `opened` is the first, and after `failed` the worker exits. */
export type WorkerAnswer =
  | { kind: 'opened'; engineCode: WebAssembly.Module; isCopy: boolean }
  | { kind: 'log'; text: string }
  | { kind: 'failed'; message: string }
  | { kind: 'bytes' | 'done'; id: number; bytes?: Uint8Array<ArrayBuffer> }
  | { kind: 'refused'; id: number; message: string }

const ERROR_EXIT = 100 // how the engine unwinds from an ordinary SQL error
const SERVER_MESSAGE = / (LOG|FATAL|PANIC): / // not the queries and memory dumps that it may also print
const CHUNK_BYTES = 64 * 1024

const settings = workerData as WorkerSettings
// The start-up packet of every session: one that PostgreSQL refuses (pg sends one without a user if USER is unset)
// would end the only session.
const startup = Buffer.from('\0\0\0\x29\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1')
const scratch = new Uint8Array(CHUNK_BYTES)
const waitingCheckpoints: number[] = []

const post = (answer: WorkerAnswer): void => {
  parentPort?.postMessage(answer, 'bytes' in answer && answer.bytes ? [answer.bytes.buffer] : [])
}

/** Ends this thread immediately: uncommitted work is lost, as in a crash, and recovery happens at the next start. */
const fail: (error: unknown) => never = (error) => {
  post({ kind: 'failed', message: error instanceof Error ? error.message : `engine exit ${JSON.stringify(error)}` })
  process.exit(1)
}

const countFsync = (): void => {
  Atomics.add(settings.clock, 1, 1n)
}

const compileEngine = (): Promise<WebAssembly.Module> => {
  const file = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))
  return WebAssembly.compile(readFileSync(fileURLToPath(file)))
}

const openCluster = async (
  directory: string,
  engineCode: WebAssembly.Module,
  onLog: (text: string) => void,
): Promise<PGlite> => {
  const configuration = [
    'fsync=on',
    'synchronous_commit=on',
    'full_page_writes=on',
    'wal_sync_method=fsync',
    'shared_buffers=8MB', // resident from the start; creates are as fast as with 16
    `max_files_per_process=${settings.maxFiles}`,
    'TimeZone=UTC',
    'DateStyle=ISO',
    'log_min_messages=log', // errors go to the client; in a log they would carry the values of rows
    'log_min_error_statement=panic',
  ]
  const pglite = await PGlite.create({
    fs: new DurableNodeFS(directory, settings.withoutFsync ? undefined : countFsync),
    relaxedDurability: false,
    pgliteWasmModule: engineCode,
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...configuration.flatMap((line) => ['-c', line]),
    ],
    onStderr: (text: string) => {
      if (SERVER_MESSAGE.test(text)) onLog(text)
      return false
    },
  })
  // PGlite swallows a panic or a trap of the engine and would continue with what is left; a broken engine must not
  // answer.
  const module = pglite.Module
  const step = module._PostgresMainLoopOnce
  module._PostgresMainLoopOnce = () => {
    try {
      step()
    } catch (error) {
      if ((error as { status?: number }).status !== ERROR_EXIT) fail(error)
      throw error
    }
  }
  return pglite
}

const proveDurable = async (pglite: PGlite): Promise<void> => {
  const before = Atomics.load(settings.clock, 1)
  await pglite.exec(`select pg_logical_emit_message(true, 'payin', 'opened')`) // the smallest commit that needs the log
  if (Atomics.load(settings.clock, 1) > before) return
  throw new Error(
    'The embedded database did not force a commit to disk: acknowledged payments could be lost in a power cut. ' +
      'The installed @electric-sql/pglite is not the version this release was made for; install it again with npm ci.',
  )
}

const run = async (pglite: PGlite, id: number, bytes: Uint8Array): Promise<void> => {
  let used = 0
  const onRawData = (piece: Uint8Array): void => {
    for (let offset = 0; offset < piece.length; ) {
      const part = piece.subarray(offset, offset + CHUNK_BYTES - used)
      scratch.set(part, used)
      used += part.length
      offset += part.length
      if (used < CHUNK_BYTES) continue
      post({ kind: 'bytes', id, bytes: scratch.slice() })
      used = 0
    }
  }
  // Not execProtocolRaw: it parses every answer a second time and keeps the result, an unbounded leak.
  await pglite.execProtocolRawStream(bytes[0] === 0 ? startup : bytes, { syncToFs: false, onRawData })
  post({ kind: 'done', id, bytes: scratch.slice(0, used) })
}

const reset = async (pglite: PGlite): Promise<void> => {
  const sync = new Uint8Array([0x53, 0, 0, 0, 4]) // ends an extended query that its client left unfinished
  await pglite.execProtocolRawStream(sync, { syncToFs: false, onRawData: () => {} })
  if (pglite.isInTransaction()) await pglite.exec('rollback')
  await pglite.exec('discard all')
}

const checkpoint = async (pglite: PGlite, id: number): Promise<void> => {
  try {
    await pglite.exec('checkpoint')
    post({ kind: 'done', id })
  } catch (error) {
    post({ kind: 'refused', id, message: error instanceof Error ? error.message : String(error) })
  }
}

const handle = async (pglite: PGlite, request: WorkerRequest): Promise<void> => {
  if (request.kind === 'checkpoint') waitingCheckpoints.push(request.id)
  if (request.kind === 'reset' || request.kind === 'close') await reset(pglite)
  if (request.kind === 'run') {
    Atomics.store(settings.clock, 0, process.hrtime.bigint())
    await run(pglite, request.id, request.bytes)
    Atomics.store(settings.clock, 0, 0n)
  }
  if (request.kind === 'reset') post({ kind: 'done', id: request.id })
  // Inside a client's transaction, a checkpoint could fail or make it fail, so it waits for the end.
  while (waitingCheckpoints.length > 0 && !pglite.isInTransaction())
    await checkpoint(pglite, waitingCheckpoints.shift() ?? 0)
  if (request.kind !== 'close') return
  await pglite.exec('checkpoint')
  await pglite.close()
  post({ kind: 'done', id: request.id })
  parentPort?.close()
}

const serve = async (): Promise<void> => {
  const onLog = (text: string): void => post({ kind: 'log', text })
  const { directory, isNew, isCopy } = await prepareCluster(settings.dataDir, settings.newCluster, onLog)
  // The files of a new cluster look like those of a server that was cut off: recovery loses nothing, and its messages
  // would only alarm.
  let isQuiet = isNew
  const engineCode = settings.engineCode ?? (await compileEngine())
  const pglite = await openCluster(directory, engineCode, (text) => {
    if (!isQuiet) onLog(text)
  })
  isQuiet = false
  await proveDurable(pglite)
  let handled = Promise.resolve()
  parentPort?.on('message', (request: WorkerRequest) => {
    handled = handled.then(() => handle(pglite, request)).catch(fail)
  })
  post({ kind: 'opened', engineCode, isCopy })
}

await serve().catch(fail)

import pg from 'pg'
import { Unsuitable } from './faults.ts'

/** Settings that every session needs, by PostgreSQL's names in lower case. */
export type SessionSettings = Readonly<Record<string, string>>

/** A connection that is prepared for queries. */
export type PreparedSession = {
  /** The command that begins a transaction on it. */
  readonly begin: string
  /** Whether its settings apply only within a transaction, so that each query needs one. */
  readonly isLocal: boolean
  /** Whether it keeps queries by name, with their plans. */
  readonly keepsNames: boolean
}

/** Logging and memory that the preparation of all sessions shares. */
export type SessionReports = {
  readonly settings: SessionSettings
  readonly preparedStatements: boolean
  /** Reports each text only once. */
  readonly onLog: (message: string) => void
}

/** The oldest PostgreSQL that Payin runs on. */
const oldestMajor = 15

type Found = { readonly now: string; readonly initial: string }
type State = {
  readonly pid: string
  readonly readOnly: string
  readonly isCitus: boolean
  readonly major: number
  readonly settings: Readonly<Record<string, Found>>
}

/** Citus routes a query by its parameters: many queries cannot be planned without them. */
const citusPlans: SessionSettings = { plan_cache_mode: 'force_custom_plan' }

/** Whether a setting has the wanted value, however the session's settings format it. */
const isSame = (name: string, found: string | undefined, wanted: string): boolean => {
  if (name === 'datestyle') return found?.startsWith(wanted) ?? false
  if (name === 'timezone') return ['UTC', 'Etc/UTC', 'GMT'].includes(found ?? '')
  return found === wanted
}

/** The SQL that assigns a setting. */
const assign = ([name, value]: readonly [string, string], local: boolean): string =>
  `set ${local ? 'local ' : ''}${name} = ${pg.escapeLiteral(value)}`

const readState = async (client: pg.ClientBase, wanted: SessionSettings): Promise<State> => {
  const names = Object.keys(wanted)
    .map((name) => pg.escapeLiteral(name))
    .join(', ')
  const { rows } = await client.query<{
    pid: string
    read_only: string
    is_citus: string
    version: string
    settings: string
  }>(
    `select pg_backend_pid()::text as pid, current_setting('transaction_read_only') as read_only,
       exists (select from pg_extension where extname = 'citus')::text as is_citus,
       current_setting('server_version_num') as version,
       (select json_object_agg(lower(name), json_build_object('now', setting, 'initial', reset_val))::text
        from pg_settings where lower(name) in (${names})) as settings`,
  )
  const [row] = rows
  if (!row) throw new Unsuitable('The database did not say what its settings are.')
  const isCitus = row.is_citus === 'true'
  const major = Math.floor(Number(row.version) / 10_000)
  const settings = JSON.parse(row.settings) as State['settings']
  return { pid: row.pid, readOnly: row.read_only, isCitus, major, settings }
}

type Wrong = { readonly name: string; readonly found: string }

const listWrong = (state: State, wanted: SessionSettings, which: readonly (keyof Found)[]): Wrong[] =>
  Object.entries(wanted).flatMap(([name, value]) => {
    const found = which.map((each) => state.settings[name]?.[each]).find((each) => !isSame(name, each, value))
    return which.every((each) => isSame(name, state.settings[name]?.[each], value)) ? [] : [{ name, found: `${found}` }]
  })

const describeWrong = (wrong: readonly Wrong[], wanted: SessionSettings): string =>
  wrong.map(({ name, found }) => `${name} is ${found} instead of ${wanted[name]}`).join(', ')

/** Corrects wrong settings of a session that is ours alone. */
const prepareOwn = async (client: pg.ClientBase, wanted: SessionSettings, state: State): Promise<void> => {
  const wrong = listWrong(state, wanted, ['now'])
  if (wrong.length === 0) return
  await client.query(wrong.map(({ name }) => assign([name, wanted[name] ?? ''], false)).join('; '))
  const left = listWrong(await readState(client, wanted), wanted, ['now'])
  if (left.length === 0) return
  throw new Unsuitable(`The database does not keep the settings of its sessions: ${describeWrong(left, wanted)}.`)
}

/** Makes sure that settings apply at least within a transaction. */
const tryLocal = async (client: pg.ClientBase, begin: string, wanted: SessionSettings): Promise<void> => {
  try {
    await client.query(begin)
    const wrong = listWrong(await readState(client, wanted), wanted, ['now'])
    await client.query('commit')
    if (wrong.length === 0) return
    throw new Unsuitable(`The pooler does not keep settings within a transaction: ${describeWrong(wrong, wanted)}.`)
  } catch (error) {
    if (!/statement pooling/i.test((error as Error).message)) throw error
    throw new Unsuitable(
      'DATABASE_URL leads to a pooler in statement mode, which has no transactions. Set pool_mode = transaction or session.',
    )
  }
}

const probe = {
  name: 'payin_probe',
  text: `select name from pg_prepared_statements where name = 'payin_probe'`,
}

/**
 * Whether named queries are safe on sessions that others use, too. A pooler that supports them renames them on the
 * server; with any other, a query could run the text that another client has given its name.
 */
const canKeepNames = async (client: pg.ClientBase): Promise<boolean> => {
  try {
    await client.query('begin')
    const { rows } = await client.query(probe)
    if (rows.length > 0) await client.query(`deallocate ${probe.name}`)
    await client.query('commit')
    return rows.length === 0
  } catch (error) {
    if (!['42P05', '26000'].includes((error as { code?: string }).code ?? '')) throw error
    await client.query('rollback')
    return false
  }
}

const listSettings = (wanted: SessionSettings): string =>
  Object.entries(wanted)
    .map((each) => `alter role current_user ${assign(each, false)}`)
    .join('; ')

const prepareShared = async (
  client: pg.ClientBase,
  reports: SessionReports,
  state: State,
): Promise<PreparedSession> => {
  const { settings, preparedStatements, onLog } = reports
  const isLocal = listWrong(state, settings, ['now', 'initial']).length > 0
  const begin = isLocal ? ['begin', ...Object.entries(settings).map((each) => assign(each, true))].join('; ') : 'begin'
  await tryLocal(client, begin, settings)
  if (isLocal) {
    onLog(
      `A pooler shares the sessions of the database, so settings are made in each transaction. To save two round trips of each query, make them those of the role: ${listSettings(settings)}`,
    )
  }
  const keepsNames = preparedStatements && (await canKeepNames(client))
  if (preparedStatements && !keepsNames)
    onLog(
      'The pooler does not support prepared statements, so they are off; pgbouncer 1.21 does with max_prepared_statements = 1000.',
    )
  return { begin, isLocal, keepsNames }
}

/**
 * Prepares a new connection: its settings are then right, or an error says what to change. A session is our own if the
 * server's id for it is the one that came with the connection; a pooler must give its clients different ones.
 */
export const prepareSession = async (client: pg.Client, reports: SessionReports): Promise<PreparedSession> => {
  const state = await readState(client, reports.settings)
  const settings = { ...reports.settings, ...(state.isCitus && citusPlans) }
  if (state.major < oldestMajor)
    throw new Unsuitable(`The database is PostgreSQL ${state.major}, and Payin needs ${oldestMajor} or newer.`)
  // A standby, or a primary that has become one: treated as a lost connection, so that the new primary is searched for.
  if (state.readOnly === 'on')
    throw Object.assign(new Error(`the server ${client.host}:${client.port} takes no writes`), { code: '25006' })
  if (!isShared(client, state.pid)) {
    await prepareOwn(client, settings, state)
    return { begin: 'begin', isLocal: false, keepsNames: reports.preparedStatements }
  }
  return prepareShared(client, { ...reports, settings }, state)
}

const isShared = (client: pg.ClientBase, pid: string): boolean =>
  pid !== String((client as unknown as { processID: number | null }).processID)

/** Whether other clients also use the session of this connection. */
export const sharesSession = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ pid: string }>('select pg_backend_pid()::text as pid')
  return isShared(client, rows[0]?.pid ?? '')
}

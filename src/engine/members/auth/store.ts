// The tables of the authentication library, and its requests as SQL: its names for models and fields, ours for tables
// and columns. These queries are built for each request, so the schema test does not see them; the tests of members do.
import {
  array,
  boolean,
  type Codec,
  instant,
  integer,
  nullable,
  type Query,
  type Queryable,
  text,
  uuid,
  query,
} from 'payin-database'

/** One of the conditions on a request's rows. */
export type Condition = {
  readonly field: string
  readonly operator?: string | undefined
  readonly value: unknown
  readonly connector?: 'AND' | 'OR' | undefined
}

const date: Codec<Date> = {
  type: instant.type,
  encode: (value) => instant.encode(value.getTime()),
  decode: (value) => new Date(instant.decode(value)),
}

/** Milliseconds or counts: a 64-bit integer that stays below 2^53. */
const count: Codec<number> = { type: 'bigint', encode: String, decode: Number }

type AuthTable = {
  readonly name: string
  readonly fields: Readonly<Record<string, { readonly column: string; readonly codec: Codec<unknown> }>>
}

/** Columns whose names are not the snake_case of the fields. */
const columns: Readonly<Partial<Record<string, string>>> = { userId: 'member_id', credentialID: 'credential_id' }

const declareTable = (name: string, codecs: Readonly<Record<string, unknown>>) => {
  const fields = Object.entries(codecs).map(([field, codec]) => {
    const column = columns[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return [field, { column, codec: codec as Codec<unknown> }] as const
  })
  return { name, fields: Object.fromEntries(fields) }
}

const created = { createdAt: date, updatedAt: date }

const tables: Readonly<Record<string, AuthTable>> = {
  user: declareTable('members', {
    id: uuid,
    name: text,
    email: text,
    emailVerified: boolean,
    image: nullable(text),
    role: text,
    merchantId: nullable(uuid),
    merchantGrant: nullable(text),
    language: nullable(text),
    twoFactorEnabled: boolean,
    disabledAt: nullable(date),
    ...created,
  }),
  session: declareTable('member_sessions', {
    id: uuid,
    userId: uuid,
    token: text,
    expiresAt: date,
    verifiedAt: nullable(date),
    ipAddress: nullable(text),
    userAgent: nullable(text),
    ...created,
  }),
  account: declareTable('member_credentials', {
    id: uuid,
    userId: uuid,
    accountId: text,
    providerId: text,
    password: nullable(text),
    accessToken: nullable(text),
    refreshToken: nullable(text),
    idToken: nullable(text),
    accessTokenExpiresAt: nullable(date),
    refreshTokenExpiresAt: nullable(date),
    scope: nullable(text),
    ...created,
  }),
  verification: declareTable('member_verifications', {
    id: uuid,
    identifier: text,
    value: text,
    expiresAt: date,
    ...created,
  }),
  twoFactor: declareTable('member_second_factors', {
    id: uuid,
    userId: uuid,
    secret: text,
    backupCodes: text,
    verified: boolean,
    failedVerificationCount: integer,
    lockedUntil: nullable(date),
  }),
  passkey: declareTable('member_passkeys', {
    id: uuid,
    userId: uuid,
    name: nullable(text),
    publicKey: text,
    credentialID: text,
    counter: count,
    deviceType: text,
    backedUp: boolean,
    transports: nullable(text),
    aaguid: nullable(text),
    createdAt: nullable(date),
  }),
  rateLimit: declareTable('member_request_counts', { id: uuid, key: text, count: integer, lastRequest: count }),
}

type Row = Record<string, unknown>
type Made = { readonly sql: string; readonly values: readonly (string | null)[] }

const tableOf = (model: string): AuthTable => {
  const table = tables[model]
  if (!table) throw new Error(`the authentication library asks for ${model}, which is not stored`)
  return table
}

const fieldOf = (table: AuthTable, field: string) => {
  const found = table.fields[field]
  if (!found) throw new Error(`the authentication library asks for ${table.name}.${field}, which is not stored`)
  return found
}

/** Collects the values of a query's parameters, each with the cast of its column. */
const createParameters = () => {
  const values: (string | null)[] = []
  const add = (codec: Codec<unknown>, value: unknown): string => {
    values.push(value === null || value === undefined ? null : codec.encode(value))
    return `$${values.length}::${codec.type}`
  }
  return { values, add }
}

type Parameters = ReturnType<typeof createParameters>

const comparisons: Readonly<Record<string, string>> = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' }

const condition = (table: AuthTable, { add }: Parameters, { field, operator, value }: Condition): string => {
  const { column, codec } = fieldOf(table, field)
  if (operator === 'in') return `${column} = any(${add(array(codec), value)})`
  if (operator === 'not_in') return `${column} <> all(${add(array(codec), value)})`
  const comparison = comparisons[operator ?? 'eq']
  if (comparison === undefined)
    throw new Error(`the authentication library compares by ${operator}, which is not built`)
  if (value === null) return `${column} is ${operator === 'eq' ? '' : 'not '}null`
  return `${column} ${comparison} ${add(codec, value)}`
}

const whereOf = (table: AuthTable, parameters: Parameters, where: readonly Condition[] | undefined): string => {
  if (!where || where.length === 0) return 'true'
  const of = (connector: 'AND' | 'OR'): string[] =>
    where.filter((each) => (each.connector ?? 'AND') === connector).map((each) => condition(table, parameters, each))
  const [all, any] = [of('AND'), of('OR')]
  return [...all, ...(any.length > 0 ? [`(${any.join(' or ')})`] : [])].join(' and ')
}

const columnsOf = (table: AuthTable): string =>
  Object.values(table.fields)
    .map(({ column }) => column)
    .join(', ')

const names = new Map<string, string>()

/** Each query has a fixed name in this process: the library uses few shapes, so their plans are kept. */
const nameOf = (sql: string): string => {
  const known = names.get(sql)
  if (known !== undefined) return known
  const name = `auth_${names.size + 1}`
  names.set(sql, name)
  return name
}

const run = async (db: Queryable, table: AuthTable, { sql, values }: Made): Promise<Row[]> => {
  const fields = Object.entries(table.fields)
  const asked: Query<undefined, Row> = {
    name: nameOf(sql),
    planned: 'once',
    text: sql,
    parameterTypes: [],
    columns: [],
    encode: () => [...values],
    decode: (row) =>
      Object.fromEntries(fields.map(([field, { codec }], index) => [field, codec.decode(row[index] ?? null)])),
  }
  return db.query(asked, undefined)
}

/** Which of the matching rows: their order, how many, and how many to skip. */
export type RowRange = {
  readonly limit: number
  readonly offset?: number | undefined
  readonly sortBy?: { readonly field: string; readonly direction: 'asc' | 'desc' } | undefined
}

/** The matching rows of a model. */
export const selectRows = async (
  db: Queryable,
  model: string,
  where: readonly Condition[] | undefined,
  { limit, offset = 0, sortBy }: RowRange,
): Promise<Row[]> => {
  const table = tableOf(model)
  const parameters = createParameters()
  const found = `select ${columnsOf(table)} from ${table.name} where ${whereOf(table, parameters, where)}`
  const order = sortBy ? ` order by ${fieldOf(table, sortBy.field).column} ${sortBy.direction}` : ''
  const page = ` limit ${parameters.add(integer, limit)} offset ${parameters.add(integer, offset)}`
  return run(db, table, { sql: found + order + page, values: parameters.values })
}

/** Adds a row to a model; returns it. */
export const insertRow = async (db: Queryable, model: string, data: Row): Promise<Row | undefined> => {
  const table = tableOf(model)
  const { values, add } = createParameters()
  const given = Object.entries(data).map(([field, value]) => {
    const { column, codec } = fieldOf(table, field)
    return { column, parameter: add(codec, value) }
  })
  const [fields, marks] = [given.map(({ column }) => column), given.map(({ parameter }) => parameter)]
  const sql = `insert into ${table.name} (${fields.join(', ')}) values (${marks.join(', ')}) returning ${columnsOf(table)}`
  return (await run(db, table, { sql, values }))[0]
}

/** Fields to set, and fields to increment. */
export type FieldChange = { readonly set?: Row | undefined; readonly increment?: Row | undefined }

const assign = (table: AuthTable, { add }: Parameters, { set = {}, increment = {} }: FieldChange): string =>
  [
    ...Object.entries(set).map(([field, value]) => ({ field, value, isAdded: false })),
    ...Object.entries(increment).map(([field, value]) => ({ field, value, isAdded: true })),
  ]
    .map(({ field, value, isAdded }) => {
      const { column, codec } = fieldOf(table, field)
      return `${column} = ${isAdded ? `${column} + ` : ''}${add(codec, value)}`
    })
    .join(', ')

/**
 * Changes or deletes the matching rows, all or one of them; returns them as they are after the change, or were before
 * the deletion.
 */
export const changeRows = async (
  db: Queryable,
  model: string,
  where: readonly Condition[],
  change: FieldChange | 'delete',
  which: 'all' | 'one',
): Promise<Row[]> => {
  const table = tableOf(model)
  const parameters = createParameters()
  const head =
    change === 'delete' ? `delete from ${table.name}` : `update ${table.name} set ${assign(table, parameters, change)}`
  const limit = which === 'one' ? ' limit 1' : ''
  const found = `select id from ${table.name} where ${whereOf(table, parameters, where)}${limit} for update`
  const sql = `${head} where id in (${found}) returning ${columnsOf(table)}`
  return run(db, table, { sql, values: parameters.values })
}

const factorRow = { id: uuid, secret: text, backupCodes: text }

export const listSecondFactorsAfter = query('list_second_factors_after', {
  parameters: { id: uuid, limit: integer },
  row: factorRow,
  text: `select :row from member_second_factors where id > :id order by id limit :limit`,
})

/** Writes re-encrypted second factors, unless they have changed meanwhile. */
export const updateSecondFactors = query('renew_second_factors', {
  rows: { ...factorRow, secretBefore: text, backupCodesBefore: text },
  text: `update member_second_factors as known set secret = input.secret, backup_codes = input.backup_codes from :rows
    where known.id = input.id and known.secret = input.secret_before and known.backup_codes = input.backup_codes_before`,
})
